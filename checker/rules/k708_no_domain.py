from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K708",
    name="no-domain",
    severity=Severity.ERROR,
    title="nothing tells the domain",
    explanation="""\
A map or group runs once for each element of its domain, and nothing here tells how large that is:
the kernel reads no input by `sample(f)`. Say it when running the kernel.

```
kcheck run stripes.kernel                     # how large?
kcheck run stripes.kernel --domain 640x480    # width x height
```
""",
)

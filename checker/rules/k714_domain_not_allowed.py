from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K714",
    name="domain-not-allowed",
    severity=Severity.ERROR,
    title="the domain is not free to choose",
    explanation="""\
Kernels with `over` run once for each element of the input that they walk, so their domain is not
free to choose.

```
kcheck run total.kernel -i values=range(10) --domain 5    # compute over values
kcheck run total.kernel -i values=range(5)
```

A domain can be given to maps (`compute { … }`) and to groups.
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K702",
    name="missing-value",
    severity=Severity.ERROR,
    title="a port or param has no value",
    explanation="""\
Each input and memory needs a field, and each param without a default needs a value. Nothing is made
up for them.

```
kcheck run gain.kernel                        # nothing is bound to samples
kcheck run gain.kernel -i samples=zeros(1000)
```
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K707",
    name="empty-read",
    severity=Severity.ERROR,
    title="an empty field is read",
    explanation="""\
Reads outside a field take the nearest element at its edge, but an empty field has none. It was read
while the kernel ran.

```
kcheck run lookup.kernel -i keys=[0] -i table=[]    # at(table, …) finds nothing
```

An empty field that no element reads is no error.
""",
)

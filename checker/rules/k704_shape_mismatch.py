from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K704",
    name="shape-mismatch",
    severity=Severity.ERROR,
    title="shapes do not agree",
    explanation="""\
Fields that are read at the same places must have the same shape: every input read by `sample(f)`
covers the domain or the walked input, element for element. The message names the fields and their
shapes.

```
kcheck run add.kernel -i left=zeros(10) -i right=zeros(12)   # 10 and 12 elements
kcheck run add.kernel -i left=zeros(10) -i right=zeros(10)
```

A field of another size can be read by `at(f, i)` or `sample(f, p)`.
""",
)

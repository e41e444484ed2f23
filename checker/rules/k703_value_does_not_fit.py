from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K703",
    name="value-does-not-fit",
    severity=Severity.ERROR,
    title="the value does not fit the port or param",
    explanation="""\
A value is not of the type that the port or param declares. Values are taken as they are meant: a
whole number may stand for a Float, but 0.5 is no Int and 1.0 is none either; vectors are lists of
their components, structs objects with all their fields, enums the names of their variants.

```
kcheck run count.kernel -i ticks=[0.5, 1.5]   # ticks: Rows<Int>
kcheck run count.kernel -i ticks=[0, 1]
```
""",
)

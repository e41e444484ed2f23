from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K713",
    name="field-too-large",
    severity=Severity.ERROR,
    title="the field is too large",
    explanation="""\
A field holds at most 2147483647 elements, so that every index is an Int, and an axis of a Grid or
Volume is at most 16777216 long, so that every coordinate is an exact Float.

```
kcheck run stripes.kernel --domain 100000x100000    # 10000000000 elements
kcheck run stripes.kernel --domain 10000x10000
```

Work on larger data in parts.
""",
)

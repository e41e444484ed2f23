from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K710",
    name="cannot-write",
    severity=Severity.ERROR,
    title="a result cannot be written",
    explanation="""\
A result cannot be written: the folder is not there or not writable, or the kind of file cannot hold
it. Pictures hold grids of numbers and colours, sounds hold rows of Floats, tables hold rows; `.npy`
and `.json` hold anything.

```
kcheck run invert.kernel -i image=photo.png -o result=inverted.png
```
""",
)

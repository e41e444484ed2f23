from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K709",
    name="unreadable-file",
    severity=Severity.ERROR,
    title="a file of data cannot be read",
    explanation="""\
A file of data, such as a picture, a table or an array, is not there, cannot be opened, is not of
the kind that its name says, or does not hold the asked column or key.

```
kcheck run invert.kernel -i image=photo.png
kcheck run gain.kernel -i samples=arrays.npz:left
```

Paths in an `example` start from the folder of the source file, those on the command line from the
current folder.
""",
)

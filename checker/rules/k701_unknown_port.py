from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K701",
    name="unknown-port",
    severity=Severity.ERROR,
    title="no such port or param",
    explanation="""\
A value was bound to a name that is neither an input, a memory nor a param of the kernel, or an
output was asked for that the kernel does not have. The message lists the names there are.

```
kcheck run gain.kernel -i sample=[1,2,3]      # the input is called samples
kcheck run gain.kernel -i samples=[1,2,3]
```

Inputs and memories are bound by `-i`, params by `-p`, and outputs are written by `-o`.
""",
)

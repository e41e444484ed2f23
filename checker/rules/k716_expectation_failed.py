from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K716",
    name="expectation-failed",
    severity=Severity.ERROR,
    title="an example did not give what it expects",
    explanation="""\
An `example` ran, but an output is not what it says after `expect`. Ints and Bools are compared
exactly, Floats to rounding, NaN equals NaN. The message shows the first element that differs, what
was expected and what came out.

```
kcheck test gain.kernel
```
""",
)

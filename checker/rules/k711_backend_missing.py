from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K711",
    name="backend-missing",
    severity=Severity.ERROR,
    title="the backend is not there",
    explanation="""\
The backend that was asked for is not there on this machine: its libraries are not installed, or
there is no device that can do it. `kcheck doctor` tells what is missing and how to get it.

```
kcheck run gain.kernel -i samples=zeros(10) --backend auto
```

`--backend auto` takes the fastest that is there; the interpreter always is.
""",
)

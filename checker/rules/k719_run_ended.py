from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K719",
    name="run-ended",
    severity=Severity.ERROR,
    title="the editor ended a run",
    explanation="""\
The editor runs kernels in a process of their own. The run took longer than it may there, or that
process ended by itself, as it does where the machine has no memory left. Nothing was changed, and
the next run starts a new process.

```json
{"kcheck.runTimeout": 120, "kcheck.runMemory": 8192}
```

These settings say how many seconds a run in the editor may take, and how many MiB of memory.
`kcheck run` has no such limits.
""",
)

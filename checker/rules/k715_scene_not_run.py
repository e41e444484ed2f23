from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K715",
    name="scene-not-run",
    severity=Severity.ERROR,
    title="scenes are not run yet",
    explanation="""\
This version runs single kernels. Scenes, which wire kernels into a graph, are read but not run yet;
name the kernel to run instead.

```
kcheck run demo.kernel --kernel pattern.grey@1 --domain 64x64
```
""",
)

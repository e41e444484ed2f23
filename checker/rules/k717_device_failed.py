from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K717",
    name="device-failed",
    severity=Severity.ERROR,
    title="the graphics device failed",
    explanation="""\
The device or its driver gave up on a run: it has no memory left, it was reset, or it could not
compile the kernel. Nothing was changed, and a device that is lost is opened anew by the next run;
what `kcheck.device` kept there alone is lost with it.

```
kcheck run gain.kernel -i samples=zeros(10) --backend jit
```

The other backends run every kernel too. Where a driver cannot compile a kernel, a newer one often
can; please report such a kernel.
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K712",
    name="divergent-exchange",
    severity=Severity.ERROR,
    title="the lanes part ways before an exchange",
    explanation="""\
All lanes of a group must come to each `exchange` together, for a lane can only receive what another
lane gives at that same exchange. In this run some lanes came to an exchange and others did not.

Keep `exchange` out of branches and loops that depend on what a lane holds alone, such as `lane()`
or the sampled element: exchange first, then choose.

```
let other = exchange(x, lane() + 1);
let kept = if x > 0.0 { other } else { x };
```
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K705",
    name="out-of-range",
    severity=Severity.ERROR,
    title="a value is outside the param's range",
    explanation="""\
The value lies outside the range that the param declares with `in low..high`; both ends belong to
it. It is refused rather than clamped, so that a typing error does not pass for a result. NaN lies
in no range.

```
kcheck run gain.kernel -i samples=zeros(10) -p gain=40    # param gain: Float = 1.0 in 0.0..4.0;
kcheck run gain.kernel -i samples=zeros(10) -p gain=4
```
""",
)

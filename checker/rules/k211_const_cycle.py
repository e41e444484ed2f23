from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K211",
    name="const-cycle",
    severity=Severity.ERROR,
    title="constants may not depend on themselves",
    explanation="""\
The value of a constant is worked out before anything runs. It may use other constants, in any order
of declaration, but not one that needs this one in turn. The notes show the circle.
""",
    bad="""\
const WIDTH: Int = HEIGHT * 2;
const HEIGHT: Int = WIDTH / 2;
""",
    good="""\
const WIDTH: Int = HEIGHT * 2;
const HEIGHT: Int = 256;
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K104",
    name="not-closed",
    severity=Severity.ERROR,
    title="a comment or string is not closed",
    explanation="""\
A `/*` comment runs to its `*/`, and a string to its closing quote on the same line. When the end is
missing, all that follows would be swallowed, so this is reported where the comment or string
begins.

Comments do not nest: the first `*/` ends them. To switch off code that holds comments, use `//` on
each line.
""",
    bad="""\
/* how many samples to take
const SAMPLES: Int = 16;
""",
    good="""\
/* how many samples to take */
const SAMPLES: Int = 16;
""",
)

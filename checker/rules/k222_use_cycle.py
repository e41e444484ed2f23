from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K222",
    name="use-cycle",
    severity=Severity.ERROR,
    title="files may not use each other in a circle",
    explanation="""\
Files bring in each other's items with `use`, and what is brought in has to be known first. So the
files of a workspace must not use each other in a circle. The notes show it.

Move what both sides need into a third file. (In the bad example below the file, `example.kernel`,
uses itself.)
""",
    bad="""\
use example;

const SIZE: Int = 4;
""",
    good="""\
const SIZE: Int = 4;
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K221",
    name="unknown-package",
    severity=Severity.ERROR,
    title="the package is not found",
    explanation="""\
`use a.b;` looks for the file `a/b.kernel` from the root of the workspace (the nearest folder
upwards that holds `kcheck.toml`, `.git` or `pyproject.toml`), then from the folder of this file,
then in the root's `packages` folder, and last among the packages that come with the tool.
""",
    bad="""\
use no.such.package;

const SIZE: Int = 4;
""",
    good="""\
const SIZE: Int = 4;
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K217",
    name="not-constant",
    severity=Severity.ERROR,
    title="a constant is needed here",
    explanation="""\
The length of an array, the size of a group, the value of a `const`, and the default and range of a
param are needed before anything runs. They may use literals, constants, operators and pure
functions of these; not params, ports or locals.
""",
    bad="""\
fn first(count: Int) -> Float {
  let weights = [1.0; count];
  return weights[0];
}
""",
    good="""\
const COUNT: Int = 8;

fn first() -> Float {
  let weights = [1.0; COUNT];
  return weights[0];
}
""",
)

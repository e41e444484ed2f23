from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K218",
    name="value-not-used",
    severity=Severity.ERROR,
    title="a value is computed and dropped",
    explanation="""\
A value is worked out and then thrown away. Since expressions change nothing, such a statement does
nothing: most often an assignment was meant, or a `return`, or the block should end here.

A statement that begins with `if`, `match` or `{` ends at its brace; to go on with its value, wrap
it in parentheses or give it a name.
""",
    bad="""\
fn louder(x: Float) -> Float {
  var y = x;
  y * 2.0;
  return y;
}
""",
    good="""\
fn louder(x: Float) -> Float {
  var y = x;
  y *= 2.0;
  return y;
}
""",
)

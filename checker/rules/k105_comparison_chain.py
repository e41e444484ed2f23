from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K105",
    name="comparison-chain",
    severity=Severity.ERROR,
    title="comparisons do not chain",
    explanation="""\
In Python `0.0 <= x < 1.0` asks whether x lies between the two; in C and in the shading languages it
compares a truth value with a number. As readers expect either, a chain of comparisons is refused:
say which one is meant.

`==` and `!=` count as comparisons too, so `a < b == c < d` wants parentheses.
""",
    bad="""\
fn inside(x: Float) -> Bool {
  return 0.0 <= x < 1.0;
}
""",
    good="""\
fn inside(x: Float) -> Bool {
  return 0.0 <= x && x < 1.0;
}
""",
)

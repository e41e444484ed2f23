from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K206",
    name="missing-return",
    severity=Severity.ERROR,
    title="not every path gives a result",
    explanation="""\
A function with a result type, and a kernel's body, must give a value however it runs. Either each
path ends in `return`, or the block ends in an expression without `;`.

A loop does not count as a path that returns: it may have no rounds.
""",
    bad="""\
fn direction(x: Float) -> Int {
  if x > 0.0 {
    return 1;
  }
}
""",
    good="""\
fn direction(x: Float) -> Int {
  if x > 0.0 {
    return 1;
  }
  return -1;
}
""",
)

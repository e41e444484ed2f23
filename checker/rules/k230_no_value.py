from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K230",
    name="no-value",
    severity=Severity.ERROR,
    title="this gives no value",
    explanation="""\
A value is needed, but there is none: a function without `->` gives no result, a block that ends in
a statement has no value, and neither has an `if` without `else`.

A block's value is its last expression, written without `;`.
""",
    bad="""\
fn sign_of(x: Float) -> Int {
  let sign = if x < 0.0 { -1 };
  return sign;
}
""",
    good="""\
fn sign_of(x: Float) -> Int {
  let sign = if x < 0.0 { -1 } else { 1 };
  return sign;
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K210",
    name="recursion",
    severity=Severity.ERROR,
    title="functions may not call themselves",
    explanation="""\
GPUs have no call stack to speak of, so functions may not call themselves, neither directly nor
through others. This also is what makes sure that every kernel ends. The notes show the circle.

Write a bounded loop, or keep a small stack of your own in an array.
""",
    bad="""\
fn factorial(n: Int) -> Int {
  return if n <= 1 { 1 } else { n * factorial(n - 1) };
}
""",
    good="""\
fn factorial(n: Int) -> Int {
  var product = 1;
  for i in 2..=n {
    product *= i;
  }
  return product;
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K244",
    name="loop-never-entered",
    severity=Severity.WARNING,
    title="a loop never has a round",
    explanation="""\
A loop counts upwards from its first number, and without `=` its end is not one of its rounds. This
one begins at or above its end, whatever the elements and params are, so its body never runs.

To count downwards, count upwards and subtract: `for i in 0..10 { … 9 - i … }`.
""",
    bad="""\
fn countdown() -> Int {
  var sum = 0;
  for i in 10..0 { sum = sum * 2 + i; }
  return sum;
}
""",
    good="""\
fn countdown() -> Int {
  var sum = 0;
  for i in 0..10 { sum = sum * 2 + 10 - i; }
  return sum;
}
""",
)

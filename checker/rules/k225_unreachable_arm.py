from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K225",
    name="unreachable-arm",
    severity=Severity.WARNING,
    title="an arm can never match",
    explanation="""\
Arms are tried from the top, and those above take every value that this one would match. Either the
order is wrong, the special case below the general one, or a pattern is not the one that was meant.
""",
    bad="""\
fn price(age: Int) -> Int {
  return match age {
    0..18 => 5,
    6 => 3,
    _ => 10,
  };
}
""",
    good="""\
fn price(age: Int) -> Int {
  return match age {
    6 => 3,
    0..18 => 5,
    _ => 10,
  };
}
""",
)

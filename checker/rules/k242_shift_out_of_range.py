from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K242",
    name="shift-out-of-range",
    severity=Severity.WARNING,
    title="a shift by a count that an Int does not have",
    explanation="""\
An Int has 32 bits, so useful counts are 0 to 31. Others are taken modulo 32 on every backend: `x <<
32` is x, where one might expect 0, and `x << -1` is `x << 31`.
""",
    bad="""\
fn upper_half(x: Int) -> Int {
  return x >>> 32;
}
""",
    good="""\
fn upper_half(x: Int) -> Int {
  return x >>> 16;
}
""",
)

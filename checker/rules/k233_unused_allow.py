from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K233",
    name="unused-allow",
    severity=Severity.WARNING,
    title="a comment allows what is not there",
    explanation="""\
A comment accepts a finding of a rule, but there is none on its line. Perhaps the code was mended
since, or moved away from its comment. Left alone, the comment would hide the next finding, which
nobody has looked at.
""",
    bad="""\
fn ring(radius: Float) -> Float {
  let width = 0.1; // kcheck: allow K208 — the hard edge comes first
  return radius * radius - width;
}
""",
    good="""\
fn ring(radius: Float) -> Float {
  let width = 0.1;
  return radius * radius - width;
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K232",
    name="bad-allow",
    severity=Severity.WARNING,
    title="a comment does not allow what it seems to",
    explanation="""\
`// kcheck: allow K208 — reason` accepts a finding, on the comment's own line or on the next line
with code. It names one or more codes, and the reason, for whoever reads it later. This one names no
rule, gives no reason, or names an error.

Only warnings, remarks and hints can be allowed. An error says that the program has no meaning, so
there would be nothing to run.
""",
    bad="""\
fn ring(radius: Float) -> Float {
  let width = 0.1; // kcheck: allow K208
  return radius * radius;
}
""",
    good="""\
fn ring(radius: Float) -> Float {
  let width = 0.1; // kcheck: allow K208 — the hard edge comes first
  return radius * radius;
}
""",
)

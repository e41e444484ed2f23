from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K207",
    name="unreachable",
    severity=Severity.WARNING,
    title="this is never run",
    explanation="""\
Nothing leads here: every path has returned before. Code that never runs is most often left over
from an edit, or shows that a `return` stands one line too early.
""",
    bad="""\
fn twice(x: Float) -> Float {
  return x;
  return x * 2.0;
}
""",
    good="""\
fn twice(x: Float) -> Float {
  return x * 2.0;
}
""",
)

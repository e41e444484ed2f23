from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K229",
    name="shadows-acting-word",
    severity=Severity.ERROR,
    title="a word of the language cannot be redefined",
    explanation="""\
`sample`, `at`, `put`, `emit` and `exchange` read and write fields or let lanes talk to each other.
A reader has to see such acts at a glance, so these names cannot be given to functions. The pure
built-ins, `mix` for one, can be replaced by functions of your own, which then count in your code
alone.
""",
    bad="""\
fn sample(x: Float) -> Float {
  return x * 0.5;
}
""",
    good="""\
fn halved(x: Float) -> Float {
  return x * 0.5;
}
""",
)

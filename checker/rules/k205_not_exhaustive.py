from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K205",
    name="not-exhaustive",
    severity=Severity.ERROR,
    title="a match does not cover every value",
    explanation="""\
A `match` must say what happens for every value, so that no run can fall through it. Enums need each
variant, Bools both values, and Ints nearly always a last `_ => …`.

When a variant is added to an enum later, this rule finds the places that have to learn about it; a
`_` arm gives that up.
""",
    bad="""\
enum Edge { Clamp; Wrap; Mirror; }

fn cost(edge: Edge) -> Int {
  return match edge {
    Clamp => 1,
    Wrap => 2,
  };
}
""",
    good="""\
enum Edge { Clamp; Wrap; Mirror; }

fn cost(edge: Edge) -> Int {
  return match edge {
    Clamp => 1,
    Wrap => 2,
    Mirror => 3,
  };
}
""",
)

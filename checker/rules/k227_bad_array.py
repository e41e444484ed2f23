from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K227",
    name="bad-array",
    severity=Severity.ERROR,
    title="an array's length does not fit",
    explanation="""\
An array has at least one element, and no value may hold more than 65536 scalars in all: values live
in registers and in the small memory that belongs to one run of a body.

Larger tables are fields: declare an input and read it by `at`.
""",
    bad="""\
fn total(weights: [Float; 0]) -> Float {
  return weights[0];
}
""",
    good="""\
fn total(weights: [Float; 1]) -> Float {
  return weights[0];
}
""",
)

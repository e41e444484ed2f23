from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K243",
    name="condition-decided",
    severity=Severity.WARNING,
    title="a condition is always the same",
    explanation="""\
The parts of this condition vary, but the ranges that they vary in show that it comes out the same
each time: `index()` is never negative, a square root never below 0. So one of its branches is never
taken; often another comparison was meant.

Conditions made of constants alone, or with a named constant in them, are left alone: they are there
to be set.
""",
    bad="""\
fn first() -> Int {
  if index() < 0 { return 1; }
  return 0;
}
""",
    good="""\
fn first() -> Int {
  if index() == 0 { return 1; }
  return 0;
}
""",
)

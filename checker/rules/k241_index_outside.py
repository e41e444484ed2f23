from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K241",
    name="index-outside",
    severity=Severity.WARNING,
    title="an index is always outside",
    explanation="""\
Whatever the elements and params are, this position lies outside of the array, vector, group or
field that it stands for. Reads then give the nearest element and writes are dropped, so the program
has a meaning; it is just never the one that was meant.

Positions count from 0: an array of four has 0 to 3.
""",
    bad="""\
fn tap(i: Int) -> Float {
  let weights = [0.25, 0.5, 0.25];
  return weights[3] * float(i);
}
""",
    good="""\
fn tap(i: Int) -> Float {
  let weights = [0.25, 0.5, 0.25];
  return weights[2] * float(i);
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K203",
    name="type-mismatch",
    severity=Severity.ERROR,
    title="a value of another type is needed here",
    explanation="""\
Types never change by themselves: an Int does not become a Float, nor a scalar a vector, when it is
stored, returned or passed on. So the reader sees each rounding, and a program means the same on
every backend.

Convert with `int(x)` (towards zero, saturating, NaN to 0) and `float(n)`; write `1.0` where a Float
is meant, and `vec3(x)` for a vector of equal parts. Structs are told apart by name, not by their
fields.
""",
    bad="""\
fn share(count: Int) -> Float {
  let whole: Float = count;
  return 1.0 / whole;
}
""",
    good="""\
fn share(count: Int) -> Float {
  let whole: Float = float(count);
  return 1.0 / whole;
}
""",
)

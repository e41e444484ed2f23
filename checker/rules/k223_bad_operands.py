from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K223",
    name="bad-operands",
    severity=Severity.ERROR,
    title="the operator does not take these types",
    explanation="""\
The operands of an operator must fit together. Arithmetic takes two Ints, two Floats, two vectors of
one size, or a vector with a Float; `*` is also the product of matrices, and of a matrix with a
vector. Ints and Floats do not mix: write `float(n)` or `int(x)`.

`<` and its kin compare single numbers only. `==` and `!=` take any two values of one type and give
one Bool, for vectors too. Arrays have no arithmetic of their own.
""",
    bad="""\
fn half(count: Int) -> Float {
  return count * 0.5;
}
""",
    good="""\
fn half(count: Int) -> Float {
  return float(count) * 0.5;
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K324",
    name="bad-address",
    severity=Severity.ERROR,
    title="the address does not fit the field",
    explanation="""\
An address has as many axes as its field. `at` and `put` take an Int for Rows; a Vec2 or two Ints
for a Grid, x first; a Vec3 or three Ints for a Volume. The position of a filtered `sample(f, p)` is
a Float, Vec2 or Vec3.
""",
    bad="""\
kernel image.corner@1 {
  requires { field.read; field.write; }
  input image: Image;
  output result: Image;
  compute { return at(image, 0); }
}
""",
    good="""\
kernel image.corner@1 {
  requires { field.read; field.write; }
  input image: Image;
  output result: Image;
  compute { return at(image, 0, 0); }
}
""",
)

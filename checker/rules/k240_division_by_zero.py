from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K240",
    name="division-by-zero",
    severity=Severity.WARNING,
    title="a divisor is 0, or a param that may be",
    explanation="""\
The divisor can only be 0, or it is a param whose range holds 0. Nothing breaks: on Ints `x / 0` is
x and `x % 0` is 0, on Floats the result is an infinity or NaN. Yet hardly anyone means that.

Let the param's range begin above 0, or look at the param first: where a condition tells it from 0,
nothing is said. Dividing one constant by another is left alone, for `1.0 / 0.0` is how infinity is
written.
""",
    bad="""\
kernel sound.slower@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  param speed: Float = 1.0 in 0.0..4.0;
  output result: Rows<Float>;
  compute { return sample(samples, place() / speed); }
}
""",
    good="""\
kernel sound.slower@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  param speed: Float = 1.0 in 0.25..4.0;
  output result: Rows<Float>;
  compute { return sample(samples, place() / speed); }
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K219",
    name="bad-param",
    severity=Severity.ERROR,
    title="a param's default or range does not fit",
    explanation="""\
The default of a param must be of its type and lie within its range, and a range must not be upside
down. The range is a promise: values are checked against it when they are bound, editors draw it as
a slider, and the proofs about merges rely on it.
""",
    bad="""\
kernel sound.gain@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  param gain: Float = 2.0 in 0.0..1.0;
  output result: Rows<Float>;
  compute { return sample(samples) * gain; }
}
""",
    good="""\
kernel sound.gain@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  param gain: Float = 1.0 in 0.0..4.0;
  output result: Rows<Float>;
  compute { return sample(samples) * gain; }
}
""",
)

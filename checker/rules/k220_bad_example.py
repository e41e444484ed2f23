from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K220",
    name="bad-example",
    severity=Severity.ERROR,
    title="an example does not fit its kernel",
    explanation="""\
An `example` binds the ports and params of its kernel and may say what to `expect` of its outputs.
It is checked like code: the names must be there, the values fit the types, and whatever has no
default must be bound.

Sizes are written as `domain = 64` or `domain = (64, 32)`, width first. A param that happens to be
called `domain` is set by `param domain = …`.
""",
    bad="""\
kernel sound.gain@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  output result: Rows<Float>;
  compute { return sample(samples) * 0.5; }

  example two { sample = [1.0, 2.0]; expect result = [0.5, 1.0]; }
}
""",
    good="""\
kernel sound.gain@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  output result: Rows<Float>;
  compute { return sample(samples) * 0.5; }

  example two { samples = [1.0, 2.0]; expect result = [0.5, 1.0]; }
}
""",
)

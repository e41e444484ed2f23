from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K224",
    name="unused-input",
    severity=Severity.WARNING,
    title="an input is never read",
    explanation="""\
An input is declared but nothing in the kernel reads it. Whoever runs the kernel must bind a field
to it all the same, and it costs an upload; so this is more than the hint for an unused local.
""",
    bad="""\
kernel color.halve@1 {
  requires { field.read; field.write; }
  input image: Image;
  input mask: Grid<Float>;
  output result: Image;
  compute { return sample(image) * 0.5; }
}
""",
    good="""\
kernel color.halve@1 {
  requires { field.read; field.write; }
  input image: Image;
  input mask: Grid<Float>;
  output result: Image;
  compute { return sample(image) * mix(1.0, 0.5, sample(mask)); }
}
""",
)

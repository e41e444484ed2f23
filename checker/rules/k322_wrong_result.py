from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K322",
    name="wrong-result",
    severity=Severity.ERROR,
    title="the body's result does not fit the output",
    explanation="""\
What the body returns becomes an element of the output, so it must be of that type; in a reduction
the merge returns that type too, and in a scan the start value has it. Nothing is converted on the
way.
""",
    bad="""\
kernel color.grey@1 {
  requires { field.read; field.write; }
  input image: Image;
  output result: Grid<Float>;
  compute { return sample(image); }
}
""",
    good="""\
kernel color.grey@1 {
  requires { field.read; field.write; }
  input image: Image;
  output result: Grid<Float>;
  compute { return luma(sample(image)); }
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K319",
    name="sample-rank",
    severity=Severity.ERROR,
    title="`sample` reads a field of another rank",
    explanation="""\
`sample(f)` reads the element of f at the place where this run stands, so f must have as many axes
as the domain or the walked input. A field of another rank has no such place.

Read it by address, `at(f, …)`, or at a position between 0 and 1, `sample(f, p)`.
""",
    bad="""\
kernel color.scale@1 {
  requires { field.read; field.write; }
  input image: Image;
  input scale: Rows<Float>;
  output result: Image;
  compute { return sample(image) * sample(scale); }
}
""",
    good="""\
kernel color.scale@1 {
  requires { field.read; field.write; }
  input image: Image;
  input scale: Rows<Float>;
  output result: Image;
  compute { return sample(image) * at(scale, 0); }
}
""",
)

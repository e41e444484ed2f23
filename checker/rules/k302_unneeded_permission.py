from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K302",
    name="unneeded-permission",
    severity=Severity.HINT,
    title="a permission is not needed",
    explanation="""\
The kernel asks for a permission that it makes no use of: `field.read` without an input or memory,
or `field.write` without an output. Ask for what is needed and no more.
""",
    bad="""\
kernel pattern.stripes@1 {
  requires { field.read; field.write; }
  output result: Grid<Float>;
  compute { return fract(place().x * 8.0); }
}
""",
    good="""\
kernel pattern.stripes@1 {
  requires { field.write; }
  output result: Grid<Float>;
  compute { return fract(place().x * 8.0); }
}
""",
)

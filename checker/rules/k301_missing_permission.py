from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K301",
    name="missing-permission",
    severity=Severity.ERROR,
    title="a permission is missing from `requires`",
    explanation="""\
A kernel says at its head what it does to the world: `field.read` when it has an input or memory,
`field.write` when it has an output. Whoever runs a kernel of someone else can thus see and limit
what it touches.
""",
    bad="""\
kernel color.invert@1 {
  requires { field.write; }
  input image: Grid<Vec3>;
  output result: Grid<Vec3>;
  compute { return 1.0 - sample(image); }
}
""",
    good="""\
kernel color.invert@1 {
  requires { field.read; field.write; }
  input image: Grid<Vec3>;
  output result: Grid<Vec3>;
  compute { return 1.0 - sample(image); }
}
""",
)

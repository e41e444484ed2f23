from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K303",
    name="unknown-permission",
    severity=Severity.ERROR,
    title="there is no such permission",
    explanation="""\
There are two permissions, `field.read` and `field.write`. A kernel can do nothing else: it has no
access to files, clocks, the network or other memory.
""",
    bad="""\
kernel pattern.stripes@1 {
  requires { field.write; clock.read; }
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

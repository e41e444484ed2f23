from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K316",
    name="memory-outside-scan",
    severity=Severity.ERROR,
    title="only a scan has memory",
    explanation="""\
Memory keeps what a step has written for the steps after it, which means something only where steps
have an order: in a scan. In all other modes elements run at once, in no order.

A field that is only read is an input.
""",
    bad="""\
kernel color.lookup@1 {
  requires { field.read; field.write; }
  input indices: Rows<Int>;
  memory palette: Rows<Vec3>;
  output result: Rows<Vec3>;
  compute { return at(palette, sample(indices)); }
}
""",
    good="""\
kernel color.lookup@1 {
  requires { field.read; field.write; }
  input indices: Rows<Int>;
  input palette: Rows<Vec3>;
  output result: Rows<Vec3>;
  compute { return at(palette, sample(indices)); }
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K311",
    name="bad-pair",
    severity=Severity.ERROR,
    title="a scatter yields a pair of address and value",
    explanation="""\
The body of a scatter says where to write and what: it returns a struct of two fields, first an
address into the target, then a value of the target's elements. The names of the fields are yours to
choose.

The address is an Int for Rows, a Vec2 for a Grid and a Vec3 for a Volume. Address -1 lies outside
and is dropped, which is the way to write nothing.
""",
    bad="""\
kernel stats.histogram@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  input zeros: Rows<Int>;
  output result: Rows<Int>;
  scatter over values into zeros with sum { return sample(values); }
}
""",
    good="""\
kernel stats.histogram@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  input zeros: Rows<Int>;
  output result: Rows<Int>;
  struct Count { bin: Int; by: Int; }
  scatter over values into zeros with sum { return Count { bin: sample(values), by: 1 }; }
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K312",
    name="bad-combine",
    severity=Severity.ERROR,
    title="the elements cannot be combined this way",
    explanation="""\
A scatter combines with `sum`, `min`, `max` or `last`, a prefix with `sum`, `min` or `max`. All but
`last` work number by number through vectors, arrays and structs, and so need elements made of
numbers: a Bool or an enum has no sum and no order.

`last` keeps the value of the later element, of any type. A prefix has no `last`, for that would be
the element itself.
""",
    bad="""\
kernel board.mark@1 {
  requires { field.read; field.write; }
  input moves: Rows<Int>;
  input board: Rows<Bool>;
  output result: Rows<Bool>;
  struct Mark { cell: Int; taken: Bool; }
  scatter over moves into board with max { return Mark { cell: sample(moves), taken: true }; }
}
""",
    good="""\
kernel board.mark@1 {
  requires { field.read; field.write; }
  input moves: Rows<Int>;
  input board: Rows<Bool>;
  output result: Rows<Bool>;
  struct Mark { cell: Int; taken: Bool; }
  scatter over moves into board with last { return Mark { cell: sample(moves), taken: true }; }
}
""",
)

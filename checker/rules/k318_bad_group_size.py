from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K318",
    name="bad-group-size",
    severity=Severity.ERROR,
    title="the group's size does not fit",
    explanation="""\
The number of lanes of a group is a constant of at least 1, known before anything runs: it is the
size of the workgroup on a device. It may be any such number, not just a power of two.
""",
    bad="""\
kernel signal.neighbour@1 {
  requires { field.read; field.write; }
  input line: Rows<Float>;
  output result: Rows<Float>;
  group 0 { return exchange(sample(line), lane() + 1); }
}
""",
    good="""\
kernel signal.neighbour@1 {
  requires { field.read; field.write; }
  input line: Rows<Float>;
  output result: Rows<Float>;
  group 32 { return exchange(sample(line), lane() + 1); }
}
""",
)

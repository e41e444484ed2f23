from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K405",
    name="scan-could-be-prefix",
    severity=Severity.INFO,
    title="a scan could be a prefix",
    explanation="""\
A scan runs its elements one after another, in one thread. This one only adds what it makes of
each element to what it carries (or keeps the smaller or larger of both), and such steps may be
grouped at will: a `prefix` gives the same values, all elements at once.

A sum of Floats is rounded at each step, so its grouping shows and it stays a scan.
""",
    bad="""\
kernel list.totals@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  scan over values with total = 0 { return total + sample(values); }
}
""",
    good="""\
kernel list.totals@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  prefix over values with sum { return sample(values); }
}
""",
)

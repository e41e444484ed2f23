from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K313",
    name="float-prefix-sum",
    severity=Severity.ERROR,
    title="a prefix cannot sum Floats",
    explanation="""\
A prefix is free to add in any grouping, which is what makes it fast. The sum of Floats depends on
the grouping, as each addition rounds, so its result would differ from machine to machine. A scan
adds in order and is exact in that sense; `min` and `max` of Floats do not round and are fine.
""",
    bad="""\
kernel stats.running@1 {
  requires { field.read; field.write; }
  input values: Rows<Float>;
  output result: Rows<Float>;
  prefix over values with sum { return sample(values); }
}
""",
    good="""\
kernel stats.running@1 {
  requires { field.read; field.write; }
  input values: Rows<Float>;
  output result: Rows<Float>;
  scan over values with total = 0.0 { return total + sample(values); }
}
""",
)

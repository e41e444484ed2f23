from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K309",
    name="output-count",
    severity=Severity.ERROR,
    title="the number of outputs does not fit the mode",
    explanation="""\
Maps and groups may have several outputs over one domain; the other modes have exactly one. No
kernel goes without any, for it would do nothing.

To get several results out of a reduction or scan, make the output's elements a struct.
""",
    bad="""\
kernel stats.running@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output total: Rows<Int>;
  output largest: Rows<Int>;
  scan over values with total_so_far = 0 { return total_so_far + sample(values); }
}
""",
    good="""\
kernel stats.running@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Both>;
  struct Both { total: Int; largest: Int; }
  scan over values with sofar = Both { total: 0, largest: 0 } {
    let value = sample(values);
    return Both { total: sofar.total + value, largest: max(sofar.largest, value) };
  }
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K310",
    name="not-an-input",
    severity=Severity.ERROR,
    title="the body walks or writes what is not an input",
    explanation="""\
What stands after `over` is the input that the body walks, and what stands after `into` is the input
that a scatter starts from. Both must be inputs of this kernel: an output does not exist before the
run, and memory, params and locals are not walked.
""",
    bad="""\
kernel stats.running@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  prefix over result with sum { return sample(values); }
}
""",
    good="""\
kernel stats.running@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  prefix over values with sum { return sample(values); }
}
""",
)

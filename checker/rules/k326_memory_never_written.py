from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K326",
    name="memory-never-written",
    severity=Severity.WARNING,
    title="a memory is never written",
    explanation="""\
Memory is for what one step leaves to the steps after it. This one is read but no `put` writes it:
the copy that each run takes of it is for nothing, and a reader looks for the write in vain.

A field that is only read is an input. If a step should change it, the `put` is missing.
""",
    bad="""\
kernel machine.decode@1 {
  requires { field.read; field.write; }
  input codes: Rows<Int>;
  memory table: Rows<Int>;
  output result: Rows<Int>;
  scan over codes with sum = 0 { return sum + at(table, sample(codes)); }
}
""",
    good="""\
kernel machine.decode@1 {
  requires { field.read; field.write; }
  input codes: Rows<Int>;
  input table: Rows<Int>;
  output result: Rows<Int>;
  scan over codes with sum = 0 { return sum + at(table, sample(codes)); }
}
""",
)

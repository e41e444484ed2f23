from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K304",
    name="no-body",
    severity=Severity.ERROR,
    title="the kernel has no body",
    explanation="""\
The body is what a kernel does, and its first word says how it runs: `compute` for each element,
`compute over` with a `merge` to fold, `scan` in order, `scatter` to write elsewhere, `prefix` for
running totals, `group` for lanes that exchange values.
""",
    bad="""\
kernel pattern.grey@1 {
  requires { field.write; }
  output result: Grid<Float>;
}
""",
    good="""\
kernel pattern.grey@1 {
  requires { field.write; }
  output result: Grid<Float>;
  compute { return 0.5; }
}
""",
)

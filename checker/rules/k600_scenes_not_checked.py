from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K600",
    name="scenes-not-checked",
    severity=Severity.INFO,
    title="scenes are not checked yet",
    explanation="""\
A scene wires kernels into a graph. This version reads scenes and checks that they are well formed
as text, but neither checks their wiring nor runs them. The kernels of the file are checked as ever.
""",
    bad="""\
kernel pattern.grey@1 {
  requires { field.write; }
  output result: Grid<Float>;
  compute { return 0.5; }
}

scene flat {
  node grey: pattern.grey@1 { domain = (64, 64); }
  output picture <- grey.result;
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

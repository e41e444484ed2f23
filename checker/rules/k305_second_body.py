from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K305",
    name="second-body",
    severity=Severity.ERROR,
    title="the kernel has more than one body",
    explanation="""\
A kernel runs in one mode and so has one body. Work in several steps is several kernels, each
reading what the one before has written; neighbouring maps cost nothing extra, as they can be fused.
""",
    bad="""\
kernel pattern.grey@1 {
  requires { field.write; }
  output result: Grid<Float>;
  compute { return 0.5; }
  compute { return 0.25; }
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

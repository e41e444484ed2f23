from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K317",
    name="group-only",
    severity=Severity.ERROR,
    title="this needs a group",
    explanation="""\
`lane()`, `group()` and `exchange(v, k)` speak of the lanes of a group. They stand in the body of a
`group` kernel or in functions that it calls; in the other modes elements do not know of each other.

To know an element's place in the whole domain, use `index()`.
""",
    bad="""\
kernel signal.alternate@1 {
  requires { field.read; field.write; }
  input line: Rows<Float>;
  output result: Rows<Float>;
  compute { return if lane() % 2 == 0 { sample(line) } else { -sample(line) }; }
}
""",
    good="""\
kernel signal.alternate@1 {
  requires { field.read; field.write; }
  input line: Rows<Float>;
  output result: Rows<Float>;
  compute { return if index() % 2 == 0 { sample(line) } else { -sample(line) }; }
}
""",
)

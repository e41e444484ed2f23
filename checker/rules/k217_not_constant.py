from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K217",
    name="not-constant",
    severity=Severity.ERROR,
    title="a constant is needed here",
    explanation="""\
The length of an array, the size of a group, the value of a `const`, and the default and range of a
param are needed before anything runs. They are made of literals, other constants, operators and
pure built-ins; not of params, ports or locals.
""",
    bad="""\
kernel signal.swap@1 {
  requires { field.read; field.write; }
  input line: Rows<Float>;
  param lanes: Int = 32;
  output result: Rows<Float>;
  group lanes { return exchange(sample(line), lane() ^ 1); }
}
""",
    good="""\
const LANES: Int = 32;

kernel signal.swap@1 {
  requires { field.read; field.write; }
  input line: Rows<Float>;
  output result: Rows<Float>;
  group LANES { return exchange(sample(line), lane() ^ 1); }
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K321",
    name="merge-reads",
    severity=Severity.ERROR,
    title="this cannot be read here",
    explanation="""\
A `merge` folds two results that come from anywhere in the input; it stands at no element, so
`sample`, `at`, `index()` and the like have no meaning in it. It may use its two arguments, params
and constants. The same holds for the start value of a scan, which is made before the first step.

Let the body read, and put what the merge needs into the result.
""",
    bad="""\
kernel stats.weighted@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  compute over values { return sample(values); }
  merge(a, b) { return a + b + at(values, 0); }
}
""",
    good="""\
kernel stats.weighted@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  compute over values { return sample(values) + at(values, 0); }
  merge(a, b) { return a + b; }
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K307",
    name="stray-merge",
    severity=Severity.ERROR,
    title="only a reduction has a merge",
    explanation="""\
`merge` folds the results of `compute over x { … }` into one. The other modes have nothing to fold:
a map keeps each result, scatter and prefix name how they combine after `with`, and a scan carries
its value from step to step. A reduction has exactly one merge.
""",
    bad="""\
kernel stats.total@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  compute { return sample(values); }
  merge(a, b) { return a + b; }
}
""",
    good="""\
kernel stats.total@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  compute over values { return sample(values); }
  merge(a, b) { return a + b; }
}
""",
)

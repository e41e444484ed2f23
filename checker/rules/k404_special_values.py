from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K404",
    name="special-values",
    severity=Severity.WARNING,
    title="a merge depends on its order for NaN or infinities",
    explanation="""\
The laws of this merge hold for all numbers. But a Float may also be NaN or an infinity, and for
those in the message the result depends on the order or grouping of the fold.

A comparison with NaN is false, so `if a > b { a } else { b }` gives `b` when either is NaN: the
other one when they come the other way round. `max(a, b)` and `min(a, b)` ignore a NaN and have
one order of -0.0 and 0.0, so they obey the laws for every Float.

If no element can be NaN or infinite, nothing is wrong. Else let `compute` replace such elements:
`select(isnan(x), 0.0, x)`.
""",
    bad="""\
kernel stats.largest@1 {
  requires { field.read; field.write; }
  input values: Rows<Float>;
  output result: Rows<Float>;
  compute over values { return sample(values); }
  merge(a, b) { return if a > b { a } else { b }; }
}
""",
    good="""\
kernel stats.largest@1 {
  requires { field.read; field.write; }
  input values: Rows<Float>;
  output result: Rows<Float>;
  compute over values { return sample(values); }
  merge(a, b) { return max(a, b); }
}
""",
)

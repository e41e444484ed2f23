from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K402",
    name="law-unknown",
    severity=Severity.WARNING,
    title="a merge law is not proved",
    explanation="""\
A reduction folds its results in a grouping and order of the backend's choice. That gives one answer
only if the merge is associative, `(a·b)·c = a·(b·c)`, and commutative, `a·b = b·a`, for all values
that a fold can reach.

Nothing is wrong with this merge as far as is known; it has just not been proved: the prover is not
there yet. Where an unproved merge must not pass, as in a release, use `kcheck check
--require-proof`.

Where order matters, a scan is the right mode, and needs no law.
""",
    bad="""\
kernel stats.largest@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  compute over values { return sample(values); }
  merge(a, b) { return max(a, b); }
}
""",
    good="""\
kernel stats.largest@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  scan over values with largest = 0 { return max(largest, sample(values)); }
}
""",
)

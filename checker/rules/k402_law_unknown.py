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

Nothing is wrong with this merge as far as is known, and no elements were found that break the law.
It has just not been proved; the message says what stood in the way. More time may help
(`--timeout`), or a simpler merge: without loops of unknown length, with the case distinctions that
matter and no others, with params that have ranges.

Where an unproved merge must not pass, as in a release, use `kcheck check --require-proof`. Where
order matters, a scan is the right mode, and needs no law.
""",
    bad="""\
kernel numbers.common_divisor@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  compute over values { return sample(values) & 0xFFFF; }
  merge(a, b) {
    var x = a;
    var y = b;
    loop a + b until y == 0 {
      let rest = x % y;
      x = y;
      y = rest;
    }
    return x;
  }
}
""",
    good="""\
kernel numbers.common_bits@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  compute over values { return sample(values); }
  merge(a, b) { return a & b; }
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K315",
    name="put-not-allowed",
    severity=Severity.ERROR,
    title="`put` is not allowed here",
    explanation="""\
`put(m, i, value);` writes to the memory of a scan, step after step. Inputs are never written, so
that they mean the same to every reader; outputs are what the body returns.

To write at computed places from many elements at once, use a scatter.
""",
    bad="""\
kernel filter.echo@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  output result: Rows<Float>;
  scan over samples with last = 0.0 {
    put(samples, index() + 1, last);
    return sample(samples);
  }
}
""",
    good="""\
kernel filter.echo@1 {
  requires { field.read; field.write; }
  input samples: Rows<Float>;
  memory delay: Rows<Float>;
  output result: Rows<Float>;
  scan over samples with last = 0.0 {
    let old = at(delay, index() % 8);
    put(delay, index() % 8, last);
    return sample(samples) + old * 0.5;
  }
}
""",
)

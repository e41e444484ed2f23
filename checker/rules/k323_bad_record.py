from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K323",
    name="bad-record",
    severity=Severity.ERROR,
    title="the record does not fit the outputs",
    explanation="""\
A body with several outputs gives them all at once, as a record that names each output once: `{
albedo: …, depth: … }`. With a single output the value stands alone.

Records exist only there. To group values elsewhere, declare a struct.
""",
    bad="""\
kernel wave.both@1 {
  requires { field.write; }
  output sine: Rows<Float>;
  output cosine: Rows<Float>;
  compute {
    let angle = place() * 6.2831853;
    return { sine: sin(angle) };
  }
}
""",
    good="""\
kernel wave.both@1 {
  requires { field.write; }
  output sine: Rows<Float>;
  output cosine: Rows<Float>;
  compute {
    let angle = place() * 6.2831853;
    return { sine: sin(angle), cosine: cos(angle) };
  }
}
""",
)

from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K208",
    name="unused",
    severity=Severity.HINT,
    title="this is never used",
    explanation="""\
A local, parameter, const, function, type or param is declared and then never used. It does no harm
at run time; yet it may be the trace of a typing error, where another name was used in its place.

A name that begins with `_` is taken as unused on purpose.
""",
    bad="""\
fn ring(radius: Float) -> Float {
  let width = 0.1;
  return radius * radius;
}
""",
    good="""\
fn ring(radius: Float) -> Float {
  let width = 0.1;
  return radius * radius - width;
}
""",
)

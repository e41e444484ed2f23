from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K209",
    name="shadowed",
    severity=Severity.WARNING,
    title="a name hides another one",
    explanation="""\
A local has the name of another local, of a parameter, port, param or nested item that is still in
sight. The program is well defined: the inner one counts. But a reader who misses the second
declaration reads another program, above all where a port is hidden.

Where a value is meant to change, use `var` and assign to it.
""",
    bad="""\
fn eased(t: Float) -> Float {
  let t = saturate(t);
  return t * t * (3.0 - 2.0 * t);
}
""",
    good="""\
fn eased(t: Float) -> Float {
  let s = saturate(t);
  return s * s * (3.0 - 2.0 * s);
}
""",
)

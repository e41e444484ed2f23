from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K204",
    name="wrong-arguments",
    severity=Severity.ERROR,
    title="the arguments do not fit what is called",
    explanation="""\
A call must fit the function's parameters in number and in type; a constructor must get as many
components, in whole, as its vector has. There are no default or optional arguments.

Built-ins that work component by component take vectors of one size, and scalars among them:
`clamp(v, 0.0, 1.0)`. A struct value names each field once.
""",
    bad="""\
fn limited(x: Float) -> Float {
  return clamp(x, 0.0);
}
""",
    good="""\
fn limited(x: Float) -> Float {
  return clamp(x, 0.0, 1.0);
}
""",
)

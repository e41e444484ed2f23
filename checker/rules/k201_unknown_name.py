from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K201",
    name="unknown-name",
    severity=Severity.ERROR,
    title="this name is not declared",
    explanation="""\
A name must be declared: as a local, a parameter, a `const`, a `fn`, a port or a param of the
kernel, or in a file that `use` brings in. Order does not matter for items and members, but a local
is known only after its `let`.

Ports and params belong to their kernel. A function outside of it sees neither: hand the value over
as an argument, or move the function into the kernel.
""",
    bad="""\
fn area(width: Float, height: Float) -> Float {
  return width * heigth;
}
""",
    good="""\
fn area(width: Float, height: Float) -> Float {
  return width * height;
}
""",
)

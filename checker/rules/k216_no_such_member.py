from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K216",
    name="no-such-member",
    severity=Severity.ERROR,
    title="the value has no such member",
    explanation="""\
After the dot stands a field of a struct, components of a vector, or a variant of an enum. Vectors
have `.xyzw` and `.rgba`, as many as they are long, alone or in any mixture of one of the two sets:
`v.zyx`, `c.rgb`.

Columns of a matrix and elements of an array are reached by index: `m[0]`, `a[i]`.
""",
    bad="""\
fn depth(p: Vec2) -> Float {
  return p.z;
}
""",
    good="""\
fn depth(p: Vec3) -> Float {
  return p.z;
}
""",
)

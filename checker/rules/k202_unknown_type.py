from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Severity

RULE = Rule(
    code="K202",
    name="unknown-type",
    severity=Severity.ERROR,
    title="this type is not declared",
    explanation="""\
The types are `Bool`, `Int`, `Float`, `Vec2` to `Vec4`, `Mat2` to `Mat4`, arrays such as `[Float;
4]`, your own `struct`s and `enum`s, and for ports `Rows<T>`, `Grid<T>`, `Volume<T>` and `Image`.

Coming from other languages: `f32` is `Float`, `i32` is `Int`, `vec3<f32>` and `float3` are `Vec3`.
There are no unsigned types; `udiv`, `urem` and `ult` read an Int as unsigned.
""",
    bad="""\
struct Body {
  mass: f32;
  speed: Vec3;
}
""",
    good="""\
struct Body {
  mass: Float;
  speed: Vec3;
}
""",
)

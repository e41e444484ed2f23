"""Programs with small accidents in them: the checker never fails, and what it lets through is valid."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from kcheck.checker import check_text, rules
from kcheck.checker.prelude import expand_prelude
from kcheck.checker.verify import verify_ir
from kcheck.grammar import syntax

TOKEN = re.compile(r"\s+|//[^\n]*|[A-Za-z_]\w*|\d[\w.]*|[<>=!&|+\-*/%^.]{1,3}|.", re.S)
OPERATORS = re.findall(r"\S+", "+ - * / % & | ^ << >>> == < && || = += .. ..= . =>")
TYPES = ["Int", "Float", "Bool", "Vec2", "Vec3", "Mat2", "[Int; 2]", "Rows<Int>", "Grid<Float>", "Image", "S", "E"]
VALUES = [
    "0",
    "1",
    "-1",
    "2.5",
    "true",
    "2147483648",
    "0xFFFFFFFF",
    "vec2(1.0)",
    "[1, 2]",
    "{ 1 }",
    "index()",
    "lane()",
]
WORDS = re.findall(
    r"\w+",
    "let var if else match for loop until return input output memory param fn struct enum const compute merge scan"
    " scatter prefix group over into with sum last emit put at sample exchange example expect use in",
)

RICH = """
const N: Int = 2 + 1;
struct S { a: Int; b: [Float; N]; v: Vec2; }
enum E { Dot; Disc { r: Float; s: S; } Box { w: Int; } }
fn made(n: Int) -> S { return S { a: n, b: [0.5; N], v: vec2(1.0, float(n)) }; }
fn area(e: E) -> Float {
  return match e { Disc { r, s } => r * r + s.b[0], Box { w: side } => float(side * side), Dot => 0.0 };
}
fn lanes(v: Int) -> Int { return exchange(v, lane() ^ 1); }
kernel a.map@1 {
  requires { field.read; field.write; }
  input x: Rows<Int>;
  input g: Grid<Float>;
  param k: Float = 0.5 in 0.0..1.0;
  output r: Rows<Float>;
  output e: Rows<E>;
  compute {
    var s = made(sample(x));
    s.b[1] += k;
    s.v.yx = vec2(2.0) * s.v;
    for i in 0..N until s.a > 9 { s.a += i; if s.a == 7 { return { r: 0.0, e: Dot }; } }
    let best = if s.a > 3 && k < 0.25 { Disc { r: s.v.x, s: s } } else { E.Box { w: s.a } };
    { r: area(best) + at(g, 0, 1) + sample(g, vec2(k)), e: best }
  }
  example one { x = [1, 2]; g = [[1, 2], [3, 4]]; k = 0.25; expect r = [1, 2]; }
}
kernel a.scan@1 {
  requires { field.read; field.write; }
  input x: Rows<Int>;
  memory m: Rows<Int>;
  output r: Rows<S>;
  scan over x with s = S { a: 1, b: [0.0; N], v: vec2(0.0) } {
    put(m, sample(x), at(m, s.a) + { put(m, 0, 1); 2 });
    let t = s.a > 0 && at(m, 1) == 2 || at(m, 2) != 0;
    loop at(m, 0) until t { put(m, 1, 5); }
    return made(select(t, 1, 2) + s.a);
  }
}
kernel a.splat@1 {
  requires { field.read; field.write; }
  input x: Grid<Vec2>;
  input t: Grid<Int>;
  output r: Grid<Int>;
  struct P { at_: Vec2; n: Int; }
  scatter over x into t with max {
    emit(P { at_: sample(x) * size(t), n: 1 });
    return P { at_: coord(), n: index() };
  }
}
kernel a.fold@1 {
  requires { field.read; field.write; }
  input x: Volume<Float>;
  output r: Rows<Float>;
  compute over x { let p = place(); return max(sample(x), dot(p, domain())); }
  merge(a, b) { return min(max(a, b), 1.0); }
}
kernel a.group@1 {
  requires { field.read; field.write; }
  input x: Rows<Int>;
  output r: Rows<Int>;
  group N * 2 { return lanes(sample(x)) + exchange(group(), 0); }
}
kernel a.prefix@1 {
  requires { field.read; field.write; }
  input x: Rows<Int>;
  output r: Rows<Int>;
  prefix over x with sum { return match sample(x) { 0 => 1, 1..5 | 7 => 2, _ => clamp(sample(x), 0, N) }; }
}
"""


@cache
def corpus() -> tuple[str, ...]:
    """Small programs that show much of the language."""
    examples = Path(__file__).parents[2] / "examples"
    whole = [path.read_text() for path in sorted(examples.glob("*.kernel"))]
    shown = [rule.good for rule in rules.CATALOGUE.values() if rule.good and "scene" not in rule.good]
    items, *kernels = RICH.split("\nkernel ")
    return (*whole, items, *(f"{items}\nkernel {each}" for each in kernels), *shown)


def mutated(text: str, choose: random.Random) -> str:
    """The text with a few tokens changed; half of the time such that it most often still parses."""
    tokens = TOKEN.findall(text)
    kinds = range(4) if choose.random() < 0.5 else range(8)
    for _ in range(choose.randint(1, 3)):
        solid = [i for i, token in enumerate(tokens) if token.strip() and not token.startswith("//")]
        if not solid:
            break
        _change(tokens, solid, choose.choice(kinds), choose)
    return "".join(tokens)


def _change(tokens: list[str], solid: list[int], kind: int, choose: random.Random) -> None:
    i, j = choose.choice(solid), choose.choice(solid)
    names = [k for k in solid if tokens[k][0].isalpha() and tokens[k] not in WORDS]
    if kind == 0 and names:
        tokens[choose.choice(names)] = tokens[choose.choice(names)]
    elif kind == 1:
        types = [k for k in solid if tokens[k] in TYPES] or [i]
        tokens[choose.choice(types)] = choose.choice(TYPES)
    elif kind == 2:
        operators = [k for k in solid if tokens[k] in OPERATORS] or [i]
        tokens[choose.choice(operators)] = choose.choice(OPERATORS)
    elif kind == 3:
        numbers = [k for k in solid if tokens[k][0].isdigit()] or [i]
        tokens[choose.choice(numbers)] = choose.choice(VALUES)
    elif kind == 4:
        tokens[i] = ""
    elif kind == 5:
        tokens[i] += " " + tokens[i]
    elif kind == 6:
        tokens[i], tokens[j] = tokens[j], tokens[i]
    else:
        tokens[i] = choose.choice(WORDS)


def check(text: str) -> bool:
    """Check what holds for every text; whether it has no error."""
    checked = check_text(text, "m.kernel")
    for diagnostic in checked.diagnostics:
        span = checked.file.absolute(diagnostic.origin)
        assert 0 <= span.start <= span.end <= len(text), diagnostic
        assert diagnostic.message
    for made in checked.programs.values():
        verify_ir(made)
        verify_ir(expand_prelude(made))
    kernels = [i.node.name.text for i in checked.file.items if isinstance(i.node, syntax.Kernel)]
    if not checked.has_errors:
        assert list(checked.programs) == kernels
    return not checked.has_errors


def test_the_programs_themselves_have_no_errors() -> None:
    assert all(check(text) for text in corpus())


@settings(max_examples=200)
@given(st.integers(min_value=0, max_value=len(corpus()) - 1), st.integers(min_value=0, max_value=2**32))
def test_mutants(which: int, seed: int) -> None:
    check(mutated(corpus()[which], random.Random(seed)))

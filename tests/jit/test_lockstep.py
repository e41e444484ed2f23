"""Maps with loops, whose elements run in lockstep: the interpreter's bits, whatever each of them does."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kcheck.runtime.jit import Jit, engine, program
from kcheck.runtime.jit.program import write_module
from tests.jit.build import JIT, assert_same, compiled, kernel, launch_of, run
from tests.jit.shaders import Shader

PORTS = "input x: Rows<Float>; input k: Rows<Int>; param p: Int = 3; output result: Rows<Float>;"
RANDOM = np.random.default_rng(5)
ODD = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, 1e-40]
FLOATS = np.concatenate([RANDOM.uniform(-4, 4, 60), ODD]).astype(np.float32)
INTS = np.concatenate([RANDOM.integers(-9, 30, 60), [0, 1, -1, 2**31 - 1, -(2**31), 7, 8]]).astype(np.int32)
LANES = 16


@pytest.fixture(autouse=True)
def _compile_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a launch of many elements would be."""
    monkeypatch.setattr(program, "_FEW", 0)


def runs_in_lockstep(source: str) -> bool:
    """Whether the loops work on several elements at once, with nothing that LLVM would complain of."""
    module = write_module(compiled(source), frozenset(), fast=False)
    text = engine.optimised(module.text)
    is_wide = any(f"<{lanes} x " in text for lanes in (8, 16))  # as wide as the processor likes
    return module.facts.block in (8, LANES) and is_wide


@pytest.mark.parametrize("seed", range(24))
def test_random_shaders(seed: int) -> None:
    shader = Shader(seed)
    body = shader.body()
    assert_same(launch_of(kernel(PORTS, body, shader.items()), {"x": FLOATS, "k": INTS}))


@pytest.mark.parametrize("seed", range(0, 24, 6))
def test_llvm_has_nothing_to_say(seed: int, capfd: pytest.CaptureFixture[str]) -> None:
    """It warns, past Python, of a loop that it was told to vectorise and cannot."""
    shader = Shader(seed)
    body = shader.body()
    runs_in_lockstep(kernel(PORTS, body, shader.items()))
    assert capfd.readouterr().err == ""


ITEMS = """
struct Pair { a: Float; n: Int; }
enum Shape { Dot; Disc { r: Float; } Box { w: Float; h: Float; } }
fn root(a: Float, rounds: Int) -> Float {
  var r = a;
  for i in 0..rounds { if r * r == a { return r; } r = 0.5 * (r + a / r); }
  return r;
}
fn ladder(n: Int) -> Int {
  var steps = 0;
  var m = n;
  loop 50 until m <= 1 { m = if (m & 1) == 0 { m / 2 } else { 3 * m + 1 }; steps += 1; }
  return steps;
}
fn twice(n: Int) -> Int { return ladder(n) + ladder(n + 1); }
fn size_of(s: Shape) -> Float {
  match s { Dot => { return 0.0; } Disc { r } => { return root(r, 9); } Box { w, h } => { return w * h; } }
}
"""
BODIES = {
    "bounds of its own": "var s = 0.0; for i in max(sample(k), -9)..9 { s += float(i) * sample(x); } return s;",
    "closed bounds": "var s = 0; for i in sample(k)..=sample(k) + p { s = s * 3 + i; } return float(s);",
    "the greatest Int": "var s = 0; for i in 2147483645..=2147483647 { s = s * 3 + i; } return float(s);",
    "the greatest Int, its own": (
        "var s = 0; for i in 2147483644 + (sample(k) & 3)..=2147483647 { s = s * 3 + i; } return float(s);"
    ),
    "no rounds": "var s = 1.5; for i in 5..p { s = sample(x); } for i in 3..=sample(k) & 1 { s = -1.0; } return s;",
    "zeros keep their sign": "var s = -0.0; for i in 0..sample(k) & 3 { s = s * sample(x); } return s;",
    "return inside of nested loops": (
        "for i in 0..5 { for j in 0..i { if sample(x) < float(i * j) { return float(i * 10 + j); } } } return -1.0;"
    ),
    "until with statements of its own": (
        "var s = sample(x); for i in 0..20 until (if s < 0.0 { let t = s * s; t > 40.0 } else { s > 6.0 }) { s = "
        "s * 1.5 + 0.25; } return s;"
    ),
    "match around loops": (
        "var s = 0; match sample(k) { 0..4 => { for i in 0..3 { s += i; } } 7 | 8 => { loop 4 { s = s * 2 + 1; } "
        "} -9..0 => { return 2.5; } _ => { s = ladder(sample(k) & 63); } } return float(s);"
    ),
    "match in a loop": (
        "var s = 1; for i in 0..9 { match (s + sample(k)) & 3 { 0 => { s += i; } 1 | 2 => { s = s * 5; } _ => { "
        "s = s ^ i; } } } return float(s);"
    ),
    "equalities in a chain": (
        "var s = 1; for i in 0..9 { let m = (s + i) & 3; if m == 0 { s += sample(k); } else if m == 1 { s = s * "
        "5; } else if m == 2 { s -= 3; } else { s = s ^ i; } } return float(s & 1023);"
    ),
    "structs": (
        "var q = Pair { a: sample(x), n: 1 }; for i in 0..sample(k) & 7 { q.a = q.a * 0.5 + float(q.n); if q.a > "
        "3.0 { q = Pair { a: q.a - 3.0, n: q.n + i }; } } return q.a + float(q.n);"
    ),
    "enums": (
        "var s = Shape.Dot; for i in 0..4 { s = match s { Dot => Shape.Disc { r: abs(sample(x)) }, Disc { r } => "
        "if r > 2.0 { Shape.Box { w: r, h: 2.0 } } else { Shape.Dot }, Box { w, h } => Shape.Disc { r: w - h } "
        "}; } return size_of(s);"
    ),
    "calls in expressions": (
        "let m = sample(k) & 31; return root(abs(sample(x)), m) + (if m > 9 && twice(m) > 20 { float(ladder(m)) "
        "} else { root(2.0, p) });"
    ),
    "calls in bounds and conditions": (
        "var s = 0; for i in ladder(sample(k) & 7)..twice(3) until ladder(s & 15) > 6 { if ladder(i) > 4 || "
        "twice(i) < 3 { s += i; } } return float(s);"
    ),
    "a dear return": (
        "var z = sample(x); for i in 0..30 { z = z * z - 0.7; if z > 4.0 { return log(z) * 0.5 + sin(float(i)) + "
        "pow(z, 0.3); } } return z;"
    ),
    "dear returns in loops of a loop": (
        "var z = sample(x); for j in 0..4 { let w = 0.1 * float(j); for i in 0..9 { z = z * z - w; if z > 4.0 { "
        "return log(z) + exp(-float(i)) + sin(w) + pow(z, float(j)); } } if z < -0.3 { return exp(z) + sin(z) * "
        "log(float(j) + 2.0); } } return z;"
    ),
    "a dear branch": (
        "var z = sample(x); for i in 0..9 { if z > 1.0 { z = log(z) + sin(z * 3.0) + exp(-z); } else { z = z * "
        "1.7 + 0.3; } } return z;"
    ),
    "a branch of the param": (
        "var z = sample(x); if p > 2 { for i in 0..p { z = z * 0.5 + 1.0; } } else { return 7.0; } let n = p * "
        "2; for i in 0..n { z += float(n); } return z;"
    ),
    "a value only the branch that goes on gives": (
        "let n = if sample(x) < 1.0 { 3 } else { return -2.0; }; var s = 0; for i in 0..n { s += n * i; } return "
        "float(s);"
    ),
    "everything returns early": "for i in 0..3 { return float(i) + sample(x); } return 5.0;",
    "reads": (
        "var n = sample(k); var s = 0.0; for i in 0..6 { n = n * 7 + int(at(x, n)); s += at(x, n) + sample(x, s "
        "* 0.1) + at(x, i); } return s;"
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_bodies(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    source = kernel(PORTS, f"compute {{ {BODIES[name]} }}", ITEMS)
    assert runs_in_lockstep(source)
    assert capfd.readouterr().err == ""
    assert_same(launch_of(source, {"x": FLOATS, "k": INTS}, FLOATS.shape))


@pytest.mark.parametrize("count", [0, 1, LANES - 1, LANES, LANES + 1, 5 * LANES + 3])
def test_the_last_block_may_be_partial(count: int) -> None:
    source = kernel(PORTS, f"compute {{ {BODIES['bounds of its own']} }}")
    x, k = np.resize(FLOATS, count), np.resize(INTS & 15, count)
    assert_same(launch_of(source, {"x": x, "k": k}))


@pytest.mark.parametrize("size", [(1, 40), (7, 9), (16, 3), (37, 5)])
def test_rows_of_a_grid(size: tuple[int, int]) -> None:
    body = """compute { var z = place() * 3.0 - 1.5; for i in 0..40 { z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y)
      + coord() * 0.01; if dot(z, z) > 4.0 { return vec4(z, float(i), float(index())); } } return vec4(0.0); }"""
    source = kernel("output result: Image;", body)
    assert runs_in_lockstep(source)
    assert_same(launch_of(source, {}, size))


def test_places_in_a_volume() -> None:
    body = "compute { var s = vec3(0.0); for i in 0..int(coord().z) { s += place() * float(i) + coord(); } return s; }"
    assert_same(launch_of(kernel("output result: Volume<Vec3>;", body), {}, (5, 4, 19)))


def test_several_outputs_and_inputs_of_structs() -> None:
    ports = "input q: Rows<Pair>; output a: Rows<Float>; output b: Rows<Pair>; output c: Rows<Bool>;"
    body = """compute { var q = sample(q); var on = false; for i in 0..q.n until on { q.a *= 1.5; on = q.a > 3.0; }
      return { a: q.a, b: q, c: on }; }"""
    q = np.zeros(37, [("a", np.float32), ("n", np.int32)])
    q["a"], q["n"] = np.linspace(-1, 4, 37), np.arange(37) % 9
    assert_same(launch_of(kernel(ports, body, "struct Pair { a: Float; n: Int; }"), {"q": q}))


def test_sums_of_rounds_are_what_arithmetic_gives() -> None:
    """n (n - 1) / 2, for each element's own n."""
    source = kernel(
        "input k: Rows<Int>; output result: Rows<Int>;",
        "compute { var s = 0; for i in 0..sample(k) { s += i; } return s; }",
    )
    k = np.arange(-3, 200, dtype=np.int32)
    n = np.maximum(k, 0)
    assert run(source, {"k": k}).tolist() == (n * (n - 1) // 2).tolist()


def test_any_number_of_threads_gives_the_same_bits() -> None:
    source = kernel(PORTS, f"compute {{ {BODIES['a dear return']} }}")
    launch = launch_of(source, {"x": np.resize(FLOATS, 50_001), "k": np.resize(INTS, 50_001)})
    first, *others = [Jit(threads=n).run(launch).outputs["result"].data.tobytes() for n in (1, 2, 5)]
    assert all(other == first for other in others)


def test_few_elements_are_not_worth_the_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    source = kernel(PORTS, f"compute {{ {BODIES['structs']} }}", ITEMS)
    few, many = (write_module(compiled(source), frozenset(), fast=False, count=n).facts for n in (10, 1 << 24))
    assert (few.block, many.block) == (1, LANES)
    assert few.suits(10)
    assert not few.suits(1 << 24)
    assert many.suits(10)


def test_one_program_runs_over_few_and_over_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_FEW", 10_000)
    source, jit = kernel(PORTS, f"compute {{ {BODIES['structs']} }}", ITEMS), Jit()
    for count in (10, 20_000, 11):
        assert_same(launch_of(source, {"x": np.resize(FLOATS, count), "k": np.resize(INTS, count)}), jit)


def test_fast_arithmetic() -> None:
    source = kernel(PORTS, f"compute {{ {BODIES['a dear return']} }}")
    values = {"x": FLOATS[:60], "k": INTS[:60]}
    strict = JIT.run(launch_of(source, values)).outputs["result"].data
    fast = JIT.run(replace(launch_of(source, values), fast=True)).outputs["result"].data
    np.testing.assert_allclose(fast, strict, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize(
    "body",
    [
        "var s = 0.0; for j in -2..3 { s += at(x, index() + j); } return s;",
        "var s = [0.0; 20]; for j in 0..20 { s[(j * 7) % 20] = sample(x); } return s[sample(k)];",
        "return sample(x) * 2.0;",
        "var n = sample(k); for j in 0..p { n = n / (j + p) + n % (n - 3); } return float(n);",
    ],
    ids=["neighbours", "arrays", "no loop", "divisions"],
)
def test_what_runs_element_by_element(body: str) -> None:
    """Where lockstep would be slower, or cannot be."""
    source = kernel(PORTS, f"compute {{ {body} }}")
    assert not runs_in_lockstep(source)
    assert_same(launch_of(source, {"x": FLOATS, "k": INTS}, FLOATS.shape))


def test_neighbours_that_a_function_reads() -> None:
    reading = "fn tap(i: Int) -> Float { return at(x, i); }"
    source = kernel(
        PORTS + reading,
        "compute { var s = 0.0; for j in -2..3 { s += tap(index() + j); } return s * float(sample(k)); }",
    )
    assert not runs_in_lockstep(source)
    assert_same(launch_of(source, {"x": FLOATS, "k": INTS}))


def test_reads_that_are_the_same_for_all() -> None:
    """The sum of squared distances to all, by NumPy in doubles."""
    source = kernel(
        PORTS, "compute { var s = 0.0; for j in 0..size(x) { let d = at(x, j) - sample(x); s += d * d; } return s; }"
    )
    assert runs_in_lockstep(source)
    x = FLOATS[:60].astype(np.float64)
    got = run(source, {"x": FLOATS[:60], "k": INTS})
    np.testing.assert_allclose(got, ((x[:, None] - x) ** 2).sum(axis=1), rtol=1e-5)


REDUCTIONS = {
    "sum of rounds": "compute over k { return ladder(sample(k) & 1023); } merge(a, b) { a + b }",
    "merges that loop": "compute over k { return ladder(sample(k) & 1023); } "
    "merge(a, b) { let least = ladder(1); return max(a, max(b, least)); }",
}


@pytest.mark.parametrize("count", [1, LANES, 1000, 9001])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name: str, count: int) -> None:
    ports = "input k: Rows<Int>; output result: Rows<Int>;"
    source = kernel(ports, REDUCTIONS[name], ITEMS)
    assert "<8 x " in engine.optimised(write_module(compiled(source), frozenset(), fast=False).text)
    assert_same(launch_of(source, {"k": np.resize(INTS, count)}))


def test_a_reduction_of_a_grid_to_a_struct() -> None:
    items = "struct Most { rounds: Float; at: Vec2; }"
    body = """
    compute over field {
      var z = place() * sample(field);
      for i in 0..30 { z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + 0.3; if dot(z, z) > 4.0 {
        return Most { rounds: float(i), at: coord() }; } }
      return Most { rounds: 30.0, at: coord() };
    }
    merge(a, b) { if a.rounds > b.rounds { return a; } if b.rounds > a.rounds { return b; }
      return if a.at.y < b.at.y || (a.at.y == b.at.y && a.at.x < b.at.x) { a } else { b }; }"""
    source = kernel("input field: Grid<Float>; output result: Rows<Most>;", body, items)
    data = np.linspace(0.1, 3, 37 * 50, dtype=np.float32).reshape(37, 50)
    assert_same(launch_of(source, {"field": data}))

"""Declarations: constants, types, params, functions and their limits."""

from __future__ import annotations

from typing import Any

import pytest

from kcheck.checker import check_text, ir, types
from tests.checker.sources import checked_of, gives, kernel, program, refused, run
from tests.values import f32

# ---------------------------------------------------------------- constants

ITEMS = """
struct P { a: Int; v: Vec2; }
enum E { Dot; Disc { r: Float; n: Int; } }
const SIZE: Int = 4;
const WIDE: Int = SIZE * 2 + SIZE % 3;
const HALF: Float = 1.0 / 2.0;
const DIRECTION: Vec3 = normalize(vec3(0.0, 3.0, 4.0));
const TABLE: [Int; 3] = [SIZE, 20, 30];
const ZEROS: [Float; WIDE] = [0.5; WIDE];
const POINT: P = P { a: TABLE[1], v: vec2(HALF, 2.0).yx };
const SHAPE: E = Disc { r: HALF, n: 7 };
const PLAIN: E = E.Dot;
const CHOICE: Int = if SIZE > 3 && HALF < 1.0 { 1 } else { 2 };
const TURN: Mat2 = mat2(0.0, 1.0, -1.0, 0.0) * mat2(0.0, 1.0, -1.0, 0.0);
const BITS: Int = 0xFFFFFFFF ^ ~0;
const FLAG: Bool = !(SIZE == 4) | true;
const WRAPPED: Int = 2147483647 + 1;
const NOTHING: Float = 0.0 / 0.0;
const SLOT: Int = TABLE[99];
const DIVIDED: Int = 7 / 0;
"""
CONSTANTS: list[tuple[str, str, Any]] = [
    ("SIZE", "Int", 4),
    ("WIDE", "Int", 9),
    ("HALF", "Float", 0.5),
    ("DIRECTION.yz", "Vec2", [f32(0.6), f32(0.8)]),
    ("TABLE", "[Int; 3]", [4, 20, 30]),
    ("ZEROS[8]", "Float", 0.5),
    ("POINT", "P", {"a": 20, "v": [2.0, 0.5]}),
    ("SHAPE", "E", {"Disc": {"r": 0.5, "n": 7}}),
    ("PLAIN", "E", "Dot"),
    ("CHOICE", "Int", 1),
    ("TURN", "Mat2", [[-1.0, 0.0], [-0.0, -1.0]]),
    ("BITS", "Int", 0),
    ("FLAG", "Bool", True),
    ("WRAPPED", "Int", -(2**31)),
    ("NOTHING", "Float", float("nan")),
    ("SLOT", "Int", 30),
    ("DIVIDED", "Int", 7),
    ("TABLE[index()]", "Int", 4),
    ("match SHAPE { Disc { n } => n, Dot => 0 }", "Int", 7),
    ("size_of([0; SIZE])", "Int", 4),
]


@pytest.mark.parametrize(("expression", "type_", "value"), CONSTANTS, ids=[e for e, _, _ in CONSTANTS])
def test_constants(expression: str, type_: str, value: Any) -> None:
    items = ITEMS + "fn size_of(a: [Int; SIZE]) -> Int { return SIZE; }"
    made = program(kernel(f"return {expression};", f"output r: Rows<{type_}>;", before=items))
    gives(made, {"r": [value]}, domain=(1,))


def test_a_constant_is_folded() -> None:
    made = program(kernel("return WIDE;", "output r: Rows<Int>;", before=ITEMS))
    [value] = [n for n in ir.walk(made.functions[-1].body) if isinstance(n, ir.Expression)]
    assert isinstance(value, ir.Const)
    assert value.leaves == (9,)


def test_constants_as_sizes_and_bounds() -> None:
    members = "const N: Int = SIZE / 2;"
    body = "var v = [0; N]; for i in 0..N { v[i] = SIZE; } return v[N - 1] + exchange(index(), N);"
    made = program(kernel(body, "output r: Rows<Int>;", head="group N * 2", members=members, before=ITEMS))
    assert isinstance(made.schedule, ir.Lanes)
    assert made.schedule.size == 4
    gives(made, {"r": [6, 6, 6, 6, 9, 9]}, domain=(6,))


NOT_CONSTANT = {
    "a param": ("K217", kernel("return 1;", members="param k: Int; const N: Int = ⟦k⟧;")),
    "a port": ("K217", kernel("return 1;", members="const N: Int = ⟦sample(x)⟧;")),
    "a port of another rank": ("K217", kernel("return 1;", "input g: Grid<Int>; output r: Rows<Int>;",
                                              members="const N: Int = 1 + ⟦sample(g)⟧;")),
    "a size": ("K217", kernel("return 1;", members="const N: Int = ⟦size(x)⟧;")),
    "a place": ("K217", "const N: Int = ⟦index()⟧;"),
    "a lane": ("K217", "const N: Int = ⟦lane()⟧ + 1;"),
    "a function": ("K217", "fn f() -> Int { return 1; } const N: Int = 2 * ⟦f()⟧;"),
    "a match": ("K217", "const N: Int = ⟦match 1 { 1 => 2, _ => 3 }⟧;"),
    "a block with a let": ("K217", "const N: Int = ⟦{ let a = 1; a }⟧;"),
    "in a branch not taken": ("K217", "const N: Int = if true { 1 } else { ⟦index()⟧ };"),
    "an unknown name": ("K201", "const N: Int = ⟦M⟧;"),
    "another type": ("K203", "const N: Int = ⟦1.5⟧;"),
    "another type at the end of a block": ("K203", "const N: Int = { ⟦1.5⟧ };"),
    "a length": ("K217", "struct S { a: [Int; ⟦index()⟧]; }"),
    "a length of none": ("K227", "struct S { a: ⟦[Int; 0]⟧; }"),
    "a length below none": ("K227", "const N: Int = 0 - 1; struct S { a: ⟦[Int; N]⟧; }"),
    "a Float length": ("K203", "struct S { a: [Int; ⟦1.0⟧]; }"),
    "a group's size": ("K217", kernel("return 1;", members="param k: Int;", head="group ⟦k⟧")),
    "a param's default": ("K217", kernel("return k;", members="param j: Int; param k: Int = ⟦j⟧;")),
    "a param's range": ("K217", kernel("return k;", members="param j: Int; param k: Int in 0..⟦j⟧;")),
}  # fmt: skip


@pytest.mark.parametrize(("codes", "text"), NOT_CONSTANT.values(), ids=NOT_CONSTANT)
def test_not_constant(codes: str, text: str) -> None:
    refused(codes, text)


def test_an_error_in_a_constant_is_reported_once() -> None:
    uses = kernel("return N + [0; N][0];") + kernel("let a: [Int; N] = 3; return N;", name="t.t@2")
    refused("K203", "const N: Int = ⟦1.5⟧;" + uses)


# ---------------------------------------------------------------- params

PARAMS = {
    "without all": ("param k: Int;", None, None, None),
    "default": ("param k: Int = 3;", 3, None, None),
    "range": ("param k: Int in 1..5;", None, 1, 5),
    "default and range": ("param k: Int = 1 + 1 in 0..N;", 2, 0, 8),
    "range of one": ("param k: Int = 4 in 4..4;", 4, 4, 4),
    "negative": ("param k: Int = -3 in -5..-1;", -3, -5, -1),
}


@pytest.mark.parametrize(("text", "default", "low", "high"), PARAMS.values(), ids=PARAMS)
def test_params(text: str, default: int | None, low: int | None, high: int | None) -> None:
    [param] = program(kernel("return k;", f"output r: Rows<Int>; {text}", before="const N: Int = 8;")).params
    values = [None if c is None else c.leaves[0] for c in (param.default, param.low, param.high)]
    assert values == [default, low, high]


def test_params_of_every_type() -> None:
    text = kernel(
        "return { r: int(f.x) + m[1] + s.a + int(b), o: e };",
        """output r: Rows<Int>; output o: Rows<E>;
        param f: Vec2 = vec2(2.0, 3.0) in vec2(0.0, 1.0)..vec2(5.0, 6.0);
        param m: [Int; 2] = [1, 2] in [0, 0]..[9, 9];
        param s: P = P { a: 3, v: vec2(0.0) };
        param e: E = Disc { n: 1, r: 0.5 };
        param b: Bool = true;""",
        before=ITEMS,
    )
    gives(text, {"r": [2 + 2 + 3 + 1], "o": [{"Disc": {"r": 0.5, "n": 1}}]}, domain=(1,))
    gives(
        text,
        {"r": [4 + 9 + 5 + 0], "o": ["Dot"]},
        domain=(1,),
        f=[4, 1],
        m=[0, 9],
        s={"a": 5, "v": [0, 0]},
        e="Dot",
        b=False,
    )


def test_one_number_bounds_every_component() -> None:
    made = program(
        kernel(
            "return k.x;",
            "output r: Rows<Float>; param k: Vec2 = vec2(0.5) in -1.0..LIMIT;",
            before="const LIMIT: Float = 2.0;",
        )
    )
    [param] = made.params
    assert param.low is not None
    assert param.high is not None
    assert ir.const_numbers(param.low) == [-1.0, -1.0]
    assert ir.const_numbers(param.high) == [2.0, 2.0]
    text = "output r: Rows<Float>; param k: Vec2 in -vec2(1.0, 2.0)..vec2(1.0);"
    [param] = program(kernel("return k.x;", text)).params
    assert param.low is not None
    assert ir.const_numbers(param.low) == [-1.0, -2.0]


BAD_PARAMS = {
    "default of another type": ("K203", "param k: Int = ⟦1.5⟧;"),
    "end of another type": ("K203", "param k: Int in 0..⟦1.5⟧;"),
    "range upside down": ("K219", "⟦param k: Int in 5..1;⟧"),
    "component upside down": ("K219", "⟦param k: Vec2 in vec2(0.0, 2.0)..vec2(1.0, 1.0);⟧"),
    "default below": ("K219", "param k: Int = ⟦0⟧ in 1..5;"),
    "default above": ("K219", "param k: Int = ⟦6⟧ in 1..5;"),
    "component outside": ("K219", "param k: Vec2 = ⟦vec2(0.0, 2.0)⟧ in 0.0..1.0;"),
    "default of NaN": ("K219", "param k: Float = ⟦0.0 / 0.0⟧ in 0.0..1.0;"),
    "range of NaN": ("K219", "⟦param k: Float in 0.0..0.0 / 0.0;⟧"),
    "range of Bools": ("K219", "⟦param k: Bool in false..true;⟧"),
    "range of an enum": ("K219", "⟦param k: E in Dot..Dot;⟧"),
    "unknown type": ("K202", "param k: ⟦Nothing⟧ = 3;"),
    "field": ("K226", "param k: ⟦Rows<Int>⟧;"),
}


@pytest.mark.parametrize(("codes", "text"), BAD_PARAMS.values(), ids=BAD_PARAMS)
def test_bad_params(codes: str, text: str) -> None:
    refused(codes, kernel("let a = k; return 1;", f"output r: Rows<Int>; {text}", before=ITEMS))


# ---------------------------------------------------------------- types

TYPES = {
    "a value where a field belongs": ("K226", kernel("return 1;", "output r: Rows<Int>; input x: ⟦Int⟧;")),
    "a struct where a field belongs": ("K226", kernel("return 1;", "output r: Rows<Int>; input x: ⟦P⟧;")),
    "an array where a field belongs": ("K226", kernel("return 1;", "output r: Rows<Int>; input x: ⟦[Int; 2]⟧;")),
    "a field without element": ("K202", kernel("return 1;", "output r: Rows<Int>; input x: ⟦Rows⟧;")),
    "a field of two": ("K202", kernel("return 1;", "output r: Rows<Int>; input x: ⟦Rows<Int, Int>⟧;")),
    "an image of something": ("K202", kernel("return 1;", "output r: Rows<Int>; input x: ⟦Image<Int>⟧;")),
    "a field of fields": ("K226", kernel("return 1;", "output r: Rows<Int>; input x: Rows<⟦Rows<Int>⟧>;")),
    "an array of fields": ("K226", kernel("return 1;", "output r: Rows<Int>; input x: Rows<[⟦Grid<Int>⟧; 2]>;")),
    "an unknown element": ("K202", kernel("return sample(x);", "output r: Rows<Int>; input x: Rows<⟦Nothing⟧>;")),
    "a field in a struct": ("K226", "struct S { f: ⟦Rows<Int>⟧; }"),
    "a parameter that is a field": ("K226", "fn f(a: ⟦Grid<Int>⟧) { }"),
    "a result that is a field": ("K226", "fn f() -> ⟦Image⟧ { return 1; }"),
    "an unknown field type": ("K202", "struct S { f: ⟦Nothing⟧; } fn f(s: S) -> Int { return s.f + s.g; }"),
    "too large": ("K227", "struct ⟦S⟧ { a: [Int; 60000]; b: [Int; 60000]; }"),
    "too large in variants": ("K227", "enum ⟦E2⟧ { A { a: [Int; 40000]; } B { a: [Int; 40000]; } }"),
    "too large an array": ("K227", "struct S { a: ⟦[Vec4; 16385]⟧; }"),
    "a broken struct's": ("K202", "struct S { a: ⟦Nothing⟧; } enum T { A { s: S; } } fn f(t: [T; 2]) -> S { t }"),
}  # fmt: skip


@pytest.mark.parametrize(("codes", "text"), TYPES.values(), ids=TYPES)
def test_types(codes: str, text: str) -> None:
    refused(codes, text + ITEMS)


@pytest.mark.parametrize(
    "broken", ["struct S { a Int; }", "fn f(a: Int -> Int { return a; }", "const N: Int = ;", "enum E { Dot Disc }"]
)
def test_a_broken_item_is_not_missed_where_it_is_used(broken: str) -> None:
    items = {"S": "struct S { a: Int; }", "f": "fn f(a: Int) -> Int { return a; }", "N": "const N: Int = 1;"}
    name = broken.split()[1].partition("(")[0].rstrip(":")
    others = "".join(text for other, text in items.items() if other != name)
    uses = kernel("let s = S { a: 1 }; let _e = E.Dot; let _d = Dot; return f(N) + s.a;", before="enum E2 { Box; }")
    enum = "" if name == "E" else "enum E { Dot; }"
    codes = [d.code for d in check_text(broken + others + enum + uses).diagnostics]
    assert codes == ["K101"]


def test_nested_types_of_two_kernels_are_different_types() -> None:
    both = kernel("return S { a: sample(x) }.a;", members="struct S { a: Int; }") + kernel(
        "return S { a: sample(x) }.a;", members="struct S { a: Int; }", name="t.t@2"
    )
    one, two = checked_of(both).programs.values()
    keys = [
        {
            n.type.key
            for f in p.functions
            for n in ir.walk(f.body)
            if isinstance(n, ir.Make) and isinstance(n.type, types.Struct)
        }
        for p in (one, two)
    ]
    assert keys == [{"kernel t.t@1.S"}, {"kernel t.t@2.S"}]


# ---------------------------------------------------------------- functions

FUNCTIONS = """
struct P { a: Int; }
fn scaled(v: Float, by: Float) -> Float { return v * by; }
fn where_() -> Int { return index() * 10; }
fn span() -> Float { return float_(domain()); }
fn float_(n: Int) -> Float { return float(n); }
fn pair(a: Int) -> P { P { a: a } }
fn shared(a: Int) -> Int { return pair(a).a + pair(a + 1).a; }
"""


def test_file_functions_read_the_place_of_the_run() -> None:
    body = "return where_() + int(span()) + shared(1);"
    gives(kernel(body, "output r: Rows<Int>;", before=FUNCTIONS), {"r": [6, 16, 26]}, domain=(3,))


def test_functions_of_one_file_run_under_domains_of_different_ranks() -> None:
    items = """
      fn here() -> Int { return index(); }
      fn mid() -> Float { return half(index()); }
      fn half(i: Int) -> Float { return float(i) / 2.0; }
    """
    text = (
        items
        + kernel("return here();", "output r: Rows<Int>;", name="a@1")
        + kernel("return mid();", "output r: Grid<Float>;", name="b@1")
        + kernel("return here() + int(mid());", "output r: Volume<Int>;", name="c@1")
    )
    gives(program(text, "a@1"), {"r": [0, 1]}, domain=(2,))
    gives(program(text, "b@1"), {"r": [[0.0, 0.5], [1.0, 1.5]]}, domain=(2, 2))
    gives(program(text, "c@1"), {"r": [[[0, 1]], [[3, 4]]]}, domain=(2, 1, 2))


def test_a_function_that_fits_one_rank_only() -> None:
    flat = "fn right() -> Float { return coord().x; }"
    checked_of(flat)
    checked_of(flat + kernel("return right();", "output r: Grid<Float>;"))
    refused("K216", "fn right() -> Float { return coord().⟦x⟧; }" + kernel("return right();", "output r: Rows<Float>;"))
    # Two kernels, one of which it fits: the error stands in the function.
    text = "fn right() -> Float { return coord().⟦x⟧; }" + kernel(
        "return right();", "output r: Grid<Float>;", name="a@1"
    )
    refused("K216", text + kernel("return right();", "output r: Rows<Float>;", name="b@1"))


def test_functions_that_no_kernel_calls_are_checked_once() -> None:
    refused("K203", "fn f() -> Int { return ⟦1.5⟧; } fn g() -> Int { return f() + f(); } fn h() -> Int { return g(); }")
    callers_first = "fn h() -> Int { return g() + f(); } fn g() -> Int { return f(); }"
    refused("K203 K201", callers_first + "fn f() -> Int { if true { return ⟦1.5⟧; } return ⟦b⟧; }")
    refused("K216", "fn f() -> Float { return coord().⟦q⟧; }")


def test_a_function_called_wrongly_is_checked_all_the_same() -> None:
    refused("K203 K204", "fn f(a: Int) -> Int { return ⟦1.5⟧; }" + kernel("return ⟦f()⟧;"))


def test_a_function_with_an_error_is_reported_once_for_all_kernels() -> None:
    text = "fn f(a: Int) -> Int { return ⟦c⟧; }"
    refused("K201", text + kernel("return f(1);", name="a@1") + kernel("return f(2);", name="b@1"))


def test_a_kernel_without_errors_has_a_program_beside_one_with() -> None:
    text = kernel("return sample(x);", name="good@1") + kernel("return ⟦b⟧;", name="bad@1")
    refused("K201", text)
    assert list(check_text(text.replace("⟦", "").replace("⟧", "")).programs) == ["good@1"]


def test_functions_are_lowered_once_callees_first() -> None:
    made = program(kernel("return shared(1) + shared(2) + pair(3).a;", "output r: Rows<Int>;", before=FUNCTIONS))
    assert [f.name for f in made.functions] == ["pair", "shared", "compute"]


def test_only_what_is_called_is_in_the_program() -> None:
    text = kernel(
        "return f(); return dead(sample(y));",
        "input y: Rows<Int>; output r: Rows<Int>;",
        members="fn f() -> Int { return 1; g(); } fn dead(v: Int) -> Int { return v + f(); } fn g() { }"
        " fn _unused() -> Int { return sample(y) + dead(2); }",
    )
    made = program(text)
    assert [f.name for f in made.functions] == ["f", "compute"]
    assert made.sampled == frozenset()
    gives(made, {"r": [1, 1]}, y=[1, 2, 3], domain=(2,))


@pytest.mark.parametrize("count", [255, 256])
@pytest.mark.parametrize("step", [1, -1])
def test_chains_of_calls(count: int, step: int) -> None:
    lines = ["fn f0(a: Int) -> Int { return a; }"]
    lines += [f"fn f{i}(a: Int) -> Int {{ return f{i - 1}(a) + 1; }}" for i in range(1, count)]
    text = "\n".join(lines[::step]) + kernel(f"return f{count - 1}(sample(x));")
    if count == 255:
        made = program(text)
        assert len(made.functions) == count + 1
    else:
        wrong = check_text(text).diagnostics
        assert [d.code for d in wrong] == ["K103"]


@pytest.mark.parametrize("step", [1, -1])
def test_long_chains_of_constants(step: int) -> None:
    lines = ["const C0: Int = 1;"] + [f"const C{i}: Int = C{i - 1} + 1;" for i in range(1, 1200)]
    made = program("\n".join(lines[::step]) + kernel("return C1199;", "output r: Rows<Int>;"))
    assert run(made, domain=(1,))["r"] == [1200]


@pytest.mark.parametrize("step", [1, -1])
def test_types_that_nest_too_deep(step: int) -> None:
    lines = ["struct S0 { a: Int; }"] + [f"struct S{i} {{ a: S{i - 1}; }}" for i in range(1, 300)]
    assert {d.code for d in check_text("\n".join(lines[::step])).diagnostics} == {"K103"}
    checked_of("\n".join(lines[:64][::step]))


def test_types_that_double() -> None:
    for first in ("struct S0 { }", "struct S0 { a: Int; }"):
        lines = [first] + [f"struct S{i} {{ a: S{i - 1}; b: S{i - 1}; }}" for i in range(1, 40)]
        assert [d.code for d in check_text("\n".join(lines)).diagnostics] == ["K227"]

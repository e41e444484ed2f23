"""`example` members: the values that they take, and every error in them."""

from __future__ import annotations

import math
from typing import Any

import pytest

from kcheck.checker import check_text
from kcheck.checker.bindings import FileValue, Generated
from kcheck.runtime.binding import bind
from kcheck.runtime.interpreter import Interpreter
from tests.checker.sources import checked_of, kernel, refused
from tests.values import f32, plain

ITEMS = """
const N: Int = 5;
const HALF: Float = 0.5;
const FLAG: Bool = true;
const PAIR: Vec2 = vec2(1.0, 2.0);
const POINT: P = P { n: 3, v: vec2(0.5) };
const ROUND: E = Disc { r: 2.0, n: 1 };
const TABLE: [Int; 2] = [7, 8];
struct P { n: Int; v: Vec2; }
struct Other { n: Int; v: Vec2; }
enum E { Dot; Disc { r: Float; n: Int; } }
enum F { Dot; Line { l: Int; } }
"""


def read(type_: str, value: str) -> Any:
    """What an example binds to an input of this type."""
    text = kernel(
        "return 1;",
        f"input x: {type_}; output r: Rows<Int>;",
        before=ITEMS,
        members=f"example a {{ x = {value}; domain = 1; }}",
    )
    [example] = checked_of(text).examples
    return example.values["x"]


VALUES: list[tuple[str, str, Any]] = [
    ("Rows<Int>", "[1, -2, 0xFF, 0xFFFFFFFF, 0b101, 1_000, -2147483648]", [1, -2, 255, -1, 5, 1000, -(2**31)]),
    ("Rows<Int>", "[]", []),
    ("Rows<Int>", "[1]", [1]),
    ("Rows<Int>", "[N, -N]", [5, -5]),
    ("Rows<Int>", "[3; 4]", [3, 3, 3, 3]),
    ("Rows<Int>", "[N; N]", [5] * 5),
    ("Rows<Float>", "[1, 0.5, -1.5e3, HALF, N]", [1, 0.5, -1500.0, 0.5, 5]),
    ("Rows<Float>", "[0.1]", [f32(0.1)]),
    ("Rows<Float>", "[Infinity, -Infinity]", [math.inf, -math.inf]),
    ("Rows<Bool>", "[true, false, FLAG]", [True, False, True]),
    ("Grid<Int>", "[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
    ("Grid<Int>", "[[0; 3]; 2]", [[0, 0, 0], [0, 0, 0]]),
    ("Grid<Int>", "[]", []),
    ("Volume<Int>", "[[[1, 2]], [[3, 4]]]", [[[1, 2]], [[3, 4]]]),
    ("Rows<Vec2>", "[[1, 2], vec2(3, 4), vec2(5), PAIR]", [[1, 2], [3, 4], [5, 5], [1.0, 2.0]]),
    ("Image", "[[[0, 0.5, 1, 1], vec4(0.25)]]", [[[0, 0.5, 1, 1], [0.25] * 4]]),
    ("Rows<Mat2>", "[[[1, 2], [3, 4]], [vec2(1), vec2(2)]]", [[[1, 2], [3, 4]], [[1, 1], [2, 2]]]),
    ("Rows<[Int; 2]>", "[[1, 2], [9; 2], TABLE]", [[1, 2], [9, 9], [7, 8]]),
    ("Rows<P>", "[{ n: 1, v: [1, 2] }, P { v: vec2(3), n: N }, POINT]",
     [{"n": 1, "v": [1, 2]}, {"n": 5, "v": [3, 3]}, {"n": 3, "v": [0.5, 0.5]}]),
    ("Rows<E>", "[Dot, E.Dot, Disc { r: 1, n: 2 }, E.Disc { n: 3, r: HALF }, ROUND]",
     ["Dot", "Dot", {"Disc": {"r": 1, "n": 2}}, {"Disc": {"r": 0.5, "n": 3}}, {"Disc": {"r": 2.0, "n": 1}}]),
    ("Rows<Int>", "zeros(3)", Generated("zeros", (3,))),
    ("Grid<P>", "zeros((4, N))", Generated("zeros", (4, 5))),
    ("Volume<Float>", "random((2, 3, 4), seed=7)", Generated("random", (2, 3, 4), 7)),
    ("Rows<Vec2>", "random(N * 2)", Generated("random", (10,))),
    ("Rows<Float>", "range(8)", Generated("range", (8,))),
    ("Image", 'file("photo.png")', FileValue("photo.png")),
    ("Rows<Float>", 'file("data/a.csv:left")', FileValue("data/a.csv:left")),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "text", "value"), VALUES, ids=[f"{t} {v}" for t, v, _ in VALUES])
def test_values(type_: str, text: str, value: Any) -> None:
    got = read(type_, text)
    assert got == value
    assert repr(got) == repr(value)  # ints stay ints


def test_nan() -> None:
    one, other = read("Rows<Float>", "[NaN, -NaN]")
    assert math.isnan(one)
    assert math.isnan(other)


def test_what_an_example_binds_and_expects() -> None:
    text = kernel(
        "put(m, 0, at(m, 0) + k); return y + sample(x);",
        "input x: Rows<Int>; memory m: Rows<Int>; param k: Int; param j: Float = 0.5; output r: Rows<Int>;",
        head="scan over x with y = 0",
        members="example first { x = [1, 2]; m = [5]; k = 3; expect r = [1, 3]; expect m = [11]; }"
        " example second { x = range(2); m = zeros(1); k = -1; j = 2; }",
    )
    first, second = checked_of(text).examples
    assert (first.name, first.kernel, first.domain) == ("first", "t.t@1", None)
    assert first.values == {"x": [1, 2], "m": [5], "k": 3}
    assert first.expected == {"r": [1, 3], "m": [11]}
    assert second.values == {"x": Generated("range", (2,)), "m": Generated("zeros", (1,)), "k": -1, "j": 2}
    spot = first.expected_origins["m"].span
    item = text.lstrip()
    assert item[spot.start : spot.end] == "m"


def test_an_example_runs_and_gives_what_it_expects() -> None:
    text = kernel("return sample(x) * k;", members="param k: Int; example a { x = [1, 2]; k = 3; expect r = [3, 6]; }")
    checked = checked_of(text)
    [example] = checked.examples
    outcome = Interpreter().run(bind(checked.programs[example.kernel], dict(example.values), example.domain))
    assert {n: plain(f) for n, f in outcome.outputs.items()} == example.expected


def test_domains() -> None:
    for rank, text, domain in (
        (1, "64", (64,)),
        (1, "N * 2", (10,)),
        (2, "(3, N)", (3, 5)),
        (3, "(1, 2, 3)", (1, 2, 3)),
    ):
        field = {1: "Rows", 2: "Grid", 3: "Volume"}[rank]
        source = kernel(
            "return 1;", f"output r: {field}<Int>;", before=ITEMS, members=f"example a {{ domain = {text}; }}"
        )
        assert checked_of(source).examples[0].domain == domain


def test_a_param_called_domain() -> None:
    text = kernel(
        "return domain;",
        "output r: Rows<Int>;",
        members="param domain: Int; example a { param domain = 4; domain = 2; }",
    )
    [example] = checked_of(text).examples
    assert (example.values, example.domain) == ({"domain": 4}, (2,))


# ---------------------------------------------------------------- errors

PORTS = """
input x: Rows<Int>; input y: Rows<Int>; input g: Grid<Float>; output r: Rows<Int>;
param k: Float = 0.5 in 0.0..1.0; param p: Vec2 = vec2(0.0) in -1.0..1.0;
"""
BODY = "return sample(x) + sample(y) + int(at(g, 0, 0) * k + p.x);"
ERRORS = {
    "an unknown name": "x = [1]; y = [1]; g = [[1]]; ⟦z⟧ = 3;",
    "a misspelt input is not missed too": "x = [1]; y = [1]; ⟦gg⟧ = [[1]];",
    "an output": "x = [1]; y = [1]; g = [[1]]; ⟦r⟧ = [1];",
    "expecting an input": "x = [1]; y = [1]; g = [[1]]; expect ⟦x⟧ = [1];",
    "expecting a param": "x = [1]; y = [1]; g = [[1]]; expect ⟦k⟧ = 1;",
    "twice": "x = [1]; y = [1]; g = [[1]]; ⟦x⟧ = [2];",
    "expected twice": "x = [1]; y = [1]; g = [[1]]; expect r = [1]; expect ⟦r⟧ = [1];",
    "domain twice": "x = [1]; y = [1]; g = [[1]]; domain = 1; ⟦domain⟧ = 1;",
    "sizes that differ": "x = [1, 2]; y = ⟦[1]⟧; g = [[1]];",
    "a generator's size that differs": "x = zeros(3); y = ⟦range(4)⟧; g = [[1]];",
    "a size that differs from the domain": "domain = 3; x = [1, 2, 3]; y = ⟦[1]⟧; g = [[1]];",
    "a domain of another rank": "x = [1]; y = [1]; g = [[1]]; domain = ⟦(1, 1)⟧;",
    "a domain of four": "x = [1]; y = [1]; g = [[1]]; domain = ⟦(1, 1, 1, 1)⟧;",
    "a negative domain": "x = [1]; y = [1]; g = [[1]]; domain = ⟦-1⟧;",
    "below the range": "x = [1]; y = [1]; g = [[1]]; k = ⟦-0.5⟧;",
    "above the range": "x = [1]; y = [1]; g = [[1]]; k = ⟦2⟧;",
    "NaN is in no range": "x = [1]; y = [1]; g = [[1]]; k = ⟦NaN⟧;",
    "a component outside": "x = [1]; y = [1]; g = [[1]]; p = ⟦[0, 1.5]⟧;",
    "no list": "x = ⟦1⟧; y = [1]; g = [[1]];",
    "a list for a param": "x = [1]; y = [1]; g = [[1]]; k = ⟦[1]⟧;",
    "a flat list": "x = [1]; y = [1]; g = [⟦1⟧];",
    "a list too deep": "x = [⟦[1]⟧]; y = [1]; g = [[1]];",
    "rows that differ": "x = [1]; y = [1]; g = [[1, 2], ⟦[3]⟧];",
    "a fraction for an Int": "x = [1, ⟦2.5⟧]; y = [1, 2]; g = [[1]];",
    "a whole fraction for an Int": "x = [⟦1.0⟧]; y = [1]; g = [[1]];",
    "a Bool for an Int": "x = [⟦true⟧]; y = [1]; g = [[1]];",
    "NaN for an Int": "x = [⟦NaN⟧]; y = [1]; g = [[1]];",
    "a negative Bool": "x = [-⟦true⟧]; y = [1]; g = [[1]];",
    "too large an Int": "x = [⟦2147483648⟧]; y = [1]; g = [[1]];",
    "too small an Int": "x = [⟦-2147483649⟧]; y = [1]; g = [[1]];",
    "too long a pattern": "x = [⟦0x100000000⟧]; y = [1]; g = [[1]];",
    "too large a Float": "x = [1]; y = [1]; g = [[⟦1e39⟧]];",
    "too large a whole Float": "x = [1]; y = [1]; g = [[⟦" + "9" * 39 + "⟧]];",
    "an unknown value": "x = [⟦q⟧]; y = [1]; g = [[1]];",
    "a port as a value": "x = [⟦k⟧]; y = [1]; g = [[1]];",
    "an expression": "x = [⟦1 + 1⟧]; y = [1]; g = [[1]];",
    "text": 'x = [⟦"a"⟧]; y = [1]; g = [[1]];',
    "a size": "x = ⟦(1, 2)⟧; y = [1]; g = [[1]];",
    "a constant of another type": "x = [⟦HALF⟧]; y = [1]; g = [[1]];",
    "a constant that is no number": "x = [⟦PAIR⟧]; y = [1]; g = [[1]];",
    "a call": "x = ⟦abs(1)⟧; y = [1]; g = [[1]];",
    "a generator of other axes": "x = zeros(⟦(2, 2)⟧); y = [1]; g = [[1]];",
    "a generator for a param": "x = [1]; y = [1]; g = [[1]]; k = ⟦zeros(1)⟧;",
    "random Ints": "x = ⟦random(1)⟧; y = [1]; g = [[1]];",
    "a range of two axes": "x = [1]; y = [1]; g = range(⟦(1, 1)⟧);",
    "a generator without size": "x = ⟦zeros()⟧; y = [1]; g = [[1]];",
    "a generator with a seed": "x = ⟦zeros(1, seed=1)⟧; y = [1]; g = [[1]];",
    "an unknown keyword": "x = [1]; y = [1]; g = ⟦random((1, 1), start=1)⟧;",
    "a file without path": "x = ⟦file()⟧; y = [1]; g = [[1]];",
    "a file by number": "x = ⟦file(1)⟧; y = [1]; g = [[1]];",
    "a file in a list": 'x = [⟦file("a.npy")⟧]; y = [1]; g = [[1]];',
    "too long a repetition": "x = [1; ⟦65537⟧]; y = [1]; g = [[1]];",
    "an expected value of another type": "x = [1]; y = [1]; g = [[1]]; expect r = [⟦0.5⟧];",
}


@pytest.mark.parametrize("entries", ERRORS.values(), ids=ERRORS)
def test_errors(entries: str) -> None:
    refused("K220", kernel(BODY, PORTS, before=ITEMS, members=f"example a {{ {entries} }}"))


def test_a_size_that_is_not_constant() -> None:
    text = kernel(BODY, PORTS, before=ITEMS, members="example a { x = zeros(⟦k⟧); y = [1]; g = [[1]]; }")
    refused("K203", text)
    refused("K201", text.replace("⟦k⟧", "⟦q⟧"))


ELEMENTS = [
    ("P", "⟦{ n: 1 }⟧"),
    ("P", "{ n: 1, ⟦w⟧: 2 }"),
    ("P", "{ n: 1, ⟦n⟧: 2 }"),
    ("P", "{ n: ⟦0.5⟧, v: [1, 2] }"),
    ("P", "{ n: 1, v: ⟦[1]⟧ }"),
    ("P", "{ n: 1, v: ⟦vec3(1, 2, 3)⟧ }"),
    ("P", "{ n: 1, v: ⟦vec2(1, 2, 3)⟧ }"),
    ("P", "{ n: 1, v: [1, ⟦true⟧] }"),
    ("P", "⟦Other { n: 1, v: [1, 2] }⟧"),
    ("P", "⟦[1, 2]⟧"),
    ("P", "⟦3⟧"),
    ("E", "⟦Round⟧"),
    ("E", "⟦F.Dot⟧"),
    ("E", "⟦F.Line { l: 1 }⟧"),
    ("E", "⟦Line { l: 1 }⟧"),
    ("E", "⟦Disc⟧"),
    ("E", "⟦Disc { r: 1 }⟧"),
    ("E", "Disc { r: 1, n: 2, ⟦m⟧: 3 }"),
    ("E", "Dot { ⟦r⟧: 1 }"),
    ("E", "⟦1⟧"),
    ("Mat2", "[[1, 2], ⟦[3]⟧]"),
    ("Mat2", "⟦[1, 2, 3, 4]⟧"),
    ("[Int; 2]", "⟦[1, 2, 3]⟧"),
    ("Bool", "⟦1⟧"),
    ("Vec2", "⟦1⟧"),
]


@pytest.mark.parametrize(("type_", "value"), ELEMENTS, ids=[f"{t} {v}" for t, v in ELEMENTS])
def test_errors_in_elements(type_: str, value: str) -> None:
    members = f"example a {{ x = [{value}]; domain = 1; }}"
    refused("K220", kernel("return 1;", f"input x: Rows<{type_}>; output r: Rows<Int>;", before=ITEMS, members=members))


def test_what_is_missing_is_named_once() -> None:
    [wrong] = refused("K220", kernel(BODY, PORTS, members="example ⟦a⟧ { k = 1; }"))
    assert wrong.message == "this example does not bind `x`, `y`, `g`"
    text = kernel(
        "return k;", "param k: Int; param j: Int = 2; output r: Rows<Int>;", members="example ⟦a⟧ { domain = 2; }"
    )
    [wrong] = refused("K220", text)
    assert wrong.message == "this example does not bind `k`"


def test_maps_that_sample_nothing_need_a_domain() -> None:
    [wrong] = refused("K220", kernel("return 1;", "output r: Grid<Int>;", members="example ⟦a⟧ { }"))
    assert wrong.notes[0].message == "write `domain = (64, 32);`"
    refused("K220", kernel("return 1;", "output r: Rows<Int>;", head="group 2", members="example ⟦a⟧ { }"))


def test_walks_take_no_domain() -> None:
    walk = kernel("return y;", head="scan over x with y = 0", members="example a { x = [1]; ⟦domain⟧ = 1; }")
    refused("K220", walk)


def test_walks_and_what_they_sample_have_one_size() -> None:
    ports = "input x: Rows<Int>; input z: Rows<Int>; output r: Rows<Int>;"
    body = "return sample(x) + sample(z);"
    refused("K220", kernel(body, ports, head="prefix over z with sum", members="example a { x = ⟦[1]⟧; z = [1, 2]; }"))
    other = kernel(
        "return sample(z) + at(x, 0);",
        ports,
        head="prefix over z with sum",
        members="example a { x = [1]; z = [1, 2]; }",
    )
    checked_of(other)


def test_an_empty_fold() -> None:
    members = "merge(a, b) { return a + b; } example a { x = ⟦[]⟧; }"
    refused("K220", kernel("return sample(x);", head="compute over x", members=members))


def test_sizes_of_files_are_not_known() -> None:
    checked_of(kernel(BODY, PORTS, members='example a { x = file("x.npy"); y = [1]; g = file("g.npy"); }'))


def test_each_error_of_an_example_is_shown() -> None:
    members = "example a { x = [⟦true⟧]; y = [⟦1.5⟧]; g = [[1]]; expect r = [⟦0.5⟧]; }"
    refused("K220 K220 K220", kernel(BODY, PORTS, members=members))


def test_examples_are_checked_beside_an_error_in_the_kernel() -> None:
    members = "example a { x = [⟦true⟧]; }"
    refused("K220 K201", kernel("return ⟦b⟧;", members=members))


def test_a_port_with_an_error_makes_no_more() -> None:
    refused(
        "K202", kernel("return 1;", "input x: Rows<⟦Nothing⟧>; output r: Rows<Int>;", members="example a { x = [1]; }")
    )


def test_an_example_with_an_error_is_left_out_and_the_program_stays() -> None:
    text = kernel("return sample(x);", members="example a { x = [true]; } example b { x = [1]; }")
    checked = check_text(text)
    assert [e.name for e in checked.examples] == ["b"]
    assert list(checked.programs) == ["t.t@1"]


def test_a_constant_that_only_an_example_uses_is_used() -> None:
    text = kernel("return sample(x);", members="const SOME: Int = 3; example a { x = [SOME]; }")
    assert [d.code for d in checked_of(text).diagnostics] == []

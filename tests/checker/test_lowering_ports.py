"""Reading ports and places: `sample`, `at`, `size`, `extent`, memories, and where a run stands."""

from __future__ import annotations

from typing import Any

import pytest

from kcheck.checker import ir
from tests.checker.sources import gives, kernel, program, refused, run

PORTS = """
input x: Rows<Int>; input g: Grid<Int>; input v: Volume<Int>; input f: Grid<Float>; input p: Rows<Vec2>;
"""
DATA: dict[str, Any] = {
    "x": [10, 11, 12],
    "g": [[0, 1, 2], [3, 4, 5]],
    "v": [[[0, 1], [2, 3]], [[4, 5], [6, 7]]],
    "f": [[0.0, 1.0], [2.0, 3.0]],
    "p": [[0.5, 1.5], [2.0, 4.0]],
}

READS = [
    ("at(x, 1)", "Int", 11),
    ("at(x, -5)", "Int", 10),
    ("at(x, 99)", "Int", 12),
    ("at(g, 2, 1)", "Int", 5),
    ("at(g, vec2(2.9, 1.9))", "Int", 5),
    ("at(g, vec2(-0.5, 0.0))", "Int", 0),
    ("at(g, 9, -9)", "Int", 2),
    ("at(v, 1, 0, 1)", "Int", 5),
    ("at(v, vec3(1.0, 0.0, 1.0))", "Int", 5),
    ("sample(f, vec2(0.5, 0.5))", "Float", 1.5),
    ("sample(f, vec2(0.0, 0.0))", "Float", 0.0),
    ("sample(p, 0.5)", "Vec2", [1.25, 2.75]),
    ("size(x)", "Int", 3),
    ("size(g)", "Vec2", [3.0, 2.0]),
    ("size(v)", "Vec3", [2.0, 2.0, 2.0]),
    ("extent(x)", "Float", 3.0),
    ("extent(g)", "Vec2", [3.0, 2.0]),
    ("extent(v)", "Vec3", [2.0, 2.0, 2.0]),
    ("at(p, 1).y", "Float", 4.0),
]


@pytest.mark.parametrize(("expression", "type_", "value"), READS, ids=[e for e, _, _ in READS])
def test_reads(expression: str, type_: str, value: Any) -> None:
    gives(kernel(f"return {expression};", PORTS + f"output r: Rows<{type_}>;"), {"r": [value]}, domain=(1,), **DATA)


PLACES = [
    ("index()", "Int", [1, 3, 3]),
    ("coord()", "{}", [1, [1.0, 1.0], [1.0, 0.0, 1.0]]),
    ("place()", "{}", [0.75, [0.75, 0.75], [0.75, 0.5, 0.5]]),
    ("domain()", "{}", [2, [2.0, 2.0], [2.0, 1.0, 3.0]]),
]
DOMAINS = [(2,), (2, 2), (2, 1, 3)]
LAST = [lambda r: r[1], lambda r: r[1][1], lambda r: r[1][0][1]]


@pytest.mark.parametrize(("word", "type_", "values"), PLACES, ids=[w for w, _, _ in PLACES])
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("inside", [False, True], ids=["body", "function"])
def test_places(word: str, type_: str, values: list[Any], rank: int, inside: bool) -> None:
    field = {1: "Rows", 2: "Grid", 3: "Volume"}[rank]
    position = {1: "Float", 2: "Vec2", 3: "Vec3"}[rank]
    address = {1: "Int", 2: "Vec2", 3: "Vec3"}[rank]
    element = type_.replace("{}", position if word == "place()" else address)
    items = f"fn here() -> {element} {{ return {word}; }}" if inside else ""
    text = kernel(f"return {'here()' if inside else word};", f"output r: {field}<{element}>;", before=items)
    assert LAST[rank - 1](run(text, domain=DOMAINS[rank - 1])["r"]) == values[rank - 1]


def test_sample_reads_the_element_of_the_run() -> None:
    for rank, name in ((1, "x"), (2, "g"), (3, "v")):
        field = {1: "Rows", 2: "Grid", 3: "Volume"}[rank]
        text = kernel(
            "return sample(a) + other();",
            f"input a: {field}<Int>; output r: {field}<Int>;",
            members="fn other() -> Int { return sample(a) * 10; }",
        )
        made = program(text)
        assert made.rank == rank
        assert made.sampled == {"a"}

        def times(value: Any) -> Any:
            return [times(v) for v in value] if isinstance(value, list) else value * 11

        gives(made, {"r": times(DATA[name])}, a=DATA[name])


def test_untaken_branches_sample_too() -> None:
    text = kernel(
        "return if false { sample(x) } else { unused_(1) };",
        members="fn unused_(a: Int) -> Int { if false { return sample(y); } return a; }",
        ports="input x: Rows<Int>; input y: Rows<Int>; output r: Rows<Int>;",
    )
    assert program(text).sampled == {"x", "y"}


def test_a_position_samples_no_place() -> None:
    text = kernel(
        "return int(sample(f, vec2(0.5)) + sample(f, vec2(0.0)));", "input f: Grid<Float>; output r: Rows<Int>;"
    )
    assert program(text).sampled == frozenset()


REFUSED = {
    "another rank": ("K319", "let a = ⟦sample(g)⟧;"),
    "another rank in a function": ("K319", "let a = deep();", "fn deep() -> Int { return ⟦sample(g)⟧; }"),
    "an address of another rank": ("K324", "let a = ⟦at(g, 1)⟧;"),
    "a vector too long": ("K324", "let a = ⟦at(g, vec3(1.0))⟧;"),
    "a vector for rows": ("K324", "let a = ⟦at(x, vec2(1.0))⟧;"),
    "a Float for rows": ("K324", "let a = ⟦at(x, 1.0)⟧;"),
    "Floats for a grid": ("K324", "let a = ⟦at(g, 1.0, 1.0)⟧;"),
    "two for rows": ("K324", "let a = ⟦at(x, 1, 1)⟧;"),
    "three for a grid": ("K324", "let a = ⟦at(g, 1, 1, 1)⟧;"),
    "too many": ("K204", "let a = ⟦at(v, 1, 1, 1, 1)⟧;"),
    "no address": ("K204", "let a = ⟦at(x)⟧;"),
    "an Int position": ("K324", "let a = sample(f, ⟦1⟧);"),
    "a position of another rank": ("K324", "let a = sample(f, ⟦0.5⟧);"),
    "a position among Ints": ("K325", "let a = ⟦sample(g, vec2(0.5))⟧;"),
    "too many positions": ("K204", "let a = ⟦sample(f, 0.5, 0.5)⟧;"),
    "nothing sampled": ("K204", "let a = ⟦sample()⟧;"),
    "an unknown port": ("K201", "let a = sample(⟦y⟧);"),
    "an unknown port at an address": ("K201 K201", "let a = at(⟦y⟧, ⟦b⟧);"),
    "a value": ("K226", "let b = 1; let a = sample(⟦b⟧);"),
    "a param": ("K226", "let a = at(⟦k⟧, 1);"),
    "an expression": ("K226", "let a = sample(⟦1 + 2⟧);"),
    "an output": ("K226", "let a = sample(⟦r⟧);"),
    "an output's size": ("K226", "let a = size(⟦r⟧);"),
    "size of two": ("K204", "let a = ⟦size(x, 1)⟧;"),
    "size of a value": ("K226", "let b = 1; let a = size(⟦b⟧);"),
    "a place with arguments": ("K204", "let a = ⟦index(1)⟧;"),
    "a put into an input": ("K315", "⟦put(x, 0, 1)⟧;"),
    "a put into nothing": ("K201", "put(⟦y⟧, 0, 1);"),
    "a hidden port": ("K226", "let x = 1; let a = sample(⟦x⟧);"),
}


@pytest.mark.parametrize("entry", REFUSED.values(), ids=REFUSED)
def test_refused(entry: tuple[str, ...]) -> None:
    codes, body, *members = entry
    text = kernel(f"{body} return 1;", PORTS + "output r: Rows<Int>; param k: Int;", members="".join(members))
    refused(codes, text)


# ---------------------------------------------------------------- memories

SCAN = "input t: Rows<Int>; memory m: Rows<Int>; memory n: Grid<Float>; output r: Rows<Int>;"


def scan(body: str, **more: str) -> str:
    return kernel(body, SCAN, head="scan over t with y = 0", **more)


def test_a_memory_keeps_what_earlier_steps_wrote() -> None:
    body = """
      let old = at(m, sample(t));
      put(m, sample(t), old + 1);
      put(n, 1, 0, float(old));
      return y + old + size(m);
    """
    made = program(scan(body))
    gives(
        made,
        {"r": [3 + 5, 8 + 3 + 6, 17 + 3 + 7], "m": [0, 8, 9], "n": [[1.0, 7.0]]},
        t=[1, 1, 1],
        m=[0, 5, 9],
        n=[[1.0, 2.0]],
    )


def test_puts_outside_are_dropped_and_reads_clamp() -> None:
    body = """
      put(m, -1, 9);
      put(m, 3, 9);
      put(n, vec2(0.0 / 0.0, 0.0), 9.0);
      put(n, 2, 0, 9.0);
      return at(m, 99) + int(at(n, -5, 5));
    """
    gives(scan(body), {"r": [8], "m": [5, 6, 7], "n": [[1.0, 2.0]]}, t=[0], m=[5, 6, 7], n=[[1.0, 2.0]])


def test_puts_in_functions() -> None:
    members = """
      fn add(i: Int, v: Int) { put(m, i, at(m, i) + v); }
      fn twice(i: Int) -> Int { add(i, 1); add(i, 1); return at(m, i); }
    """
    gives(
        scan("return twice(0) * 10 + twice(sample(t));", members=members),
        {"r": [20 + 4, 60 + 2], "m": [6, 2]},
        t=[0, 1],
        m=[0, 0],
        n=[[0.0]],
    )


MEMORIES = {
    "sampled": ("K320", "let a = ⟦sample(m)⟧;"),
    "sampled at a position": ("K320", "let a = ⟦sample(n, vec2(0.5))⟧;"),
    "its extent": ("K320", "let a = ⟦extent(m)⟧;"),
    "as a value": ("K226", "let a = ⟦m⟧;"),
    "an address of another rank": ("K324", "⟦put(n, 1, 1.0)⟧;"),
    "a load of another rank": ("K324", "let a = ⟦at(n, 1)⟧;"),
    "a value of another type": ("K203", "put(m, 1, ⟦1.0⟧);"),
    "two wrong things": ("K324", "⟦put(n, 1, 1)⟧;"),
    "too few": ("K204", "⟦put(m, 1)⟧;"),
    "too many": ("K204", "⟦put(n, 1, 1, 1, 1, 1)⟧;"),
    "a put as a value": ("K230", "let a = ⟦put(m, 1, 1)⟧;"),
    "a put into the walked input": ("K315", "⟦put(t, 1, 1)⟧;"),
    "a put into the output": ("K226", "put(⟦r⟧, 1, 1);"),
    "an assignment": ("K215", "⟦m⟧[0] = 1;"),
}


@pytest.mark.parametrize(("codes", "body"), MEMORIES.values(), ids=MEMORIES)
def test_what_memories_refuse(codes: str, body: str) -> None:
    refused(codes, scan(f"{body} return at(m, 0);"))


def test_loads_are_statements() -> None:
    made = program(scan("return at(m, 0) + at(m, 1);"))
    nodes = [n for f in made.functions for n in ir.walk(f.body)]
    assert sum(isinstance(n, ir.Load) for n in nodes) == 2
    assert not any(isinstance(n, ir.At) for n in nodes)

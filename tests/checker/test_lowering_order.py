"""Evaluation order: strictly left to right, with acting parts of expressions anywhere."""

from __future__ import annotations

from typing import Any

import pytest

from tests.checker.sources import gives, kernel, program, run

PORTS = "input ticks: Rows<Int>; memory m: Rows<Int>; output r: Rows<Int>;"
MEMBERS = """
  struct Pair { a: Int; b: Int; }
  enum Shape { Dot; Disc { r: Int; w: Int; } }
  fn t(v: Int) -> Int { put(m, 0, at(m, 0) * 10 + v); return v; }
  fn is(v: Int) -> Bool { return t(v) != 0; }
  fn note(v: Int) { put(m, 0, at(m, 0) * 10 + v); }
  fn two(a: Int, b: Int) -> Int { return a * 100 + b; }
"""


def traced(body: str) -> tuple[Any, Any]:
    """The value of a body run once, and the digits that its calls of `t`, `is` and `note` left, in their order."""
    text = kernel(body, PORTS, head="scan over ticks with y = 7", members=MEMBERS)
    got = run(text, ticks=[5], m=[0, 0, 0, 0])
    return got["r"][0], got["m"][0]


VALUES = {
    "a sum": ("t(1) + t(2) * t(3)", 7, 123),
    "brackets": ("(t(1) + t(2)) * t(3)", 9, 123),
    "comparison": ("if t(1) < t(2) { t(3) } else { t(4) }", 3, 123),
    "arguments": ("two(t(1), t(2))", 102, 12),
    "built-in": ("max(t(3), t(2))", 3, 32),
    "select evaluates both": ("select(is(0), t(1), t(2))", 2, 12),
    "array and its index": ("[t(1), t(2), t(3)][t(2)]", 3, 1232),
    "repeated element once": ("[t(4); 3][t(1)]", 4, 41),
    "struct fields as written": ("{ let p = Pair { b: t(1), a: t(2) }; p.a * 10 + p.b }", 21, 12),
    "variant fields as written": (
        "match (Shape.Disc { w: t(1), r: t(2) }) { Disc { r, w } => r * 10 + w, Dot => 0 }",
        21,
        12,
    ),
    "and stops": ("if is(1) && is(0) && is(3) { 1 } else { 2 }", 2, 10),
    "and goes on": ("if is(1) && is(2) && is(3) { 1 } else { 2 }", 1, 123),
    "or stops": ("if is(0) || is(2) || is(3) { 1 } else { 2 }", 1, 2),
    "or goes on": ("if is(0) || is(0) || is(3) { 1 } else { 2 }", 1, 3),
    "and within or": ("if is(0) && is(9) || is(3) { 1 } else { 2 }", 1, 3),
    "bitwise takes both": ("if is(0) & is(2) | is(3) { 1 } else { 2 }", 1, 23),
    "not of an and": ("if !(is(1) && is(0)) { t(8) } else { t(9) }", 8, 108),
    "pure before acting": ("ticks_ + t(1)", 6, 1),
    "block in an operand": ("t(1) + { note(2); 5 } + t(3)", 9, 123),
    "if in an operand": ("t(1) + (if is(2) { t(3) } else { t(4) }) + t(5)", 9, 1235),
    "match in an operand": ("t(1) + (match t(2) { 2 => t(3), _ => t(4) }) + t(5)", 9, 1235),
    "an untaken branch does nothing": ("if false { t(1) } else { 2 }", 2, 0),
    "nested": ("two(two(t(1), t(2)), two(t(3), t(4)))", 10200 + 304, 1234),
    "vector": ("int(dot(vec2(float(t(1)), float(t(2))), vec2(1.0, 10.0)))", 21, 12),
    "swizzle of an acting operand": ("int(vec2(float(t(1)), float(t(2))).y)", 2, 12),
    "negation": ("-t(1) - -t(2)", 1, 12),
    "carry is what it was": ("y + t(1)", 8, 1),
}


@pytest.mark.parametrize(("expression", "value", "order"), VALUES.values(), ids=VALUES)
def test_order_in_expressions(expression: str, value: int, order: int) -> None:
    body = expression.replace("ticks_", "sample(ticks)")
    assert traced(f"let v = {body}; return v;") == (value, order)
    assert traced(f"return {body};") == (value, order)
    assert traced(body) == (value, order)


STATEMENTS = {
    "let before let": ("let a = t(1); let b = t(2); return b;", 2, 12),
    "right side before target": ("var a = [0, 0, 0]; a[t(1)] = t(2); return a[1];", 2, 21),
    "two positions": ("var a = [[0, 0], [0, 0]]; a[t(1)][t(0)] = t(2); return a[1][0];", 2, 210),
    "compound": ("var a = [5, 6]; a[t(1)] += t(2); return a[1];", 8, 21),
    "compound evaluates its target once": (
        "var a = [[1, 2], [3, 4]]; a[t(1)][t(0)] *= t(5); return a[1][0] * 10 + a[1][1];",
        154,
        510,
    ),
    "bounds once": ("var n = 0; for i in t(0)..t(3) { n += i; note(7); } return n;", 3, 3777),
    "closed bounds": ("var n = 0; for i in t(1)..=t(3) { n += i; } return n;", 6, 13),
    "until before each round": (
        "var n = 0; for i in 0..9 until is(i / 2) { n += 1; note(5); } return n;",
        2,
        5051,
    ),
    "loop count once": ("var n = 0; loop t(2) { n += t(1); } return n;", 2, 211),
    "loop until": ("var n = 0; loop 5 until t(n) == 2 { n += 1; } return n;", 2, 12),
    "no rounds": ("loop t(0) { note(9); } loop -t(2) { note(9); } return 1;", 1, 2),
    "until is not tested after the last round": ("loop 2 until is(0) { note(1); } return 1;", 1, 101),
    "put": ("put(m, t(1), t(2)); return at(m, 1);", 2, 12),
    "put reads the place before": ("put(m, 1, at(m, 1) + t(3)); return at(m, 1);", 3, 3),
    "load before a later put": ("let a = at(m, 0) + t(4) + at(m, 0); return a;", 8, 4),
    "match subject once": ("match t(1) { 0 => { note(2); } 1 => { note(3); } _ => { note(4); } } return 0;", 0, 13),
    "condition once": ("if is(1) { note(2); } else { note(3); } return 0;", 0, 12),
    "else if": ("if is(0) { note(2); } else if is(3) { note(4); } else { note(5); } return 0;", 0, 34),
    "early return in a value": ("let a = if is(1) { return t(2); } else { t(3) }; return a + t(4);", 2, 12),
    "no early return in a value": ("let a = if is(0) { return t(2); } else { t(3) }; return a + t(4);", 7, 34),
    "early return in a match": ("let a = match t(1) { 1 => { return t(2); } _ => t(3) }; return a;", 2, 12),
    "early return in a block": ("let a = t(1) + { if is(2) { return 50; } t(3) }; return a;", 50, 12),
    "early return in a loop": ("for i in 1..5 { if t(i) == 3 { return i * 10; } } return 0;", 30, 123),
    "early return between operands": ("return t(1) + (if is(2) { return 77; } else { 1 }) + t(3);", 77, 12),
}


@pytest.mark.parametrize(("body", "value", "order"), STATEMENTS.values(), ids=STATEMENTS)
def test_order_of_statements(body: str, value: int, order: int) -> None:
    assert traced(body) == (value, order)


# A variable that a later part of the same expression changes.
CHANGES = {
    "left operand": ("var v = 1; return v * 10 + { v = 5; v };", 15),
    "right operand": ("var v = 1; return { v = 5; v } * 10 + v;", 55),
    "argument": ("var v = 1; return two(v, { v = 5; v });", 105),
    "array": ("var v = 1; let a = [v, { v = 5; v }, v]; return a[0] * 100 + a[1] * 10 + a[2];", 155),
    "array that changes twice": (
        "var v = 1; let a = [v, { v += 1; v }, v, { v += 1; v }, v]; return a[0] * 81 + a[1] * 27 + a[2] * 9 + a[3] * 3"
        " + a[4];",
        81 + 2 * 27 + 2 * 9 + 3 * 3 + 3,
    ),
    "struct": ("var v = 1; let p = Pair { a: v, b: { v = 5; v } }; return p.a * 10 + p.b;", 15),
    "index": ("var v = 1; return [v, 10, 20][{ v = 2; v }] + v;", 22),
    "indexed variable": ("var a = [1, 2]; return a[{ a = [3, 4]; 1 }];", 2),
    "comparison": ("var v = 1; return if v < ({ v = 0; v }) { 1 } else { 2 };", 2),
    "and": ("var v = true; return if v && ({ v = false; true }) { 1 } else { 2 };", 1),
    "assigned value": ("var a = [0, 0, 0]; var v = 1; a[{ v = 2; v }] = v; return a[2];", 1),
    "compound right side": ("var v = 1; v += { v = 10; 5 }; return v;", 15),
    "position": ("var a = [0, 0, 0]; var i = 0; a[i] = { i = 2; 7 }; return a[2];", 7),
    "outer position": (
        "var a = [[0, 0], [0, 0]]; var i = 0; a[i][{ i = 1; 1 }] = 7; return a[0][1] * 10 + a[1][1];",
        70,
    ),
    "bounds": ("var v = 2; var n = 0; for i in v..({ v = 4; v }) { n += i; } return n;", 5),
    "bound changed inside": ("var v = 3; var n = 0; for i in 0..v { v = 9; n += 1; } return n;", 3),
    "subject": ("var v = 1; return match v { 1 => { v = 2; v * 10 } _ => v };", 20),
    "bound field": (
        "var s = Disc { r: 3, w: 4 }; return match s { Disc { r, w } => { s = Dot; r * 10 + w } Dot => 0 };",
        34,
    ),
    "field of a changed struct": ("var p = Pair { a: 1, b: 2 }; return p.a * 10 + { p.a = 7; p.a };", 17),
    "component": ("var v = vec2(1.0, 2.0); return int(v.x * 10.0 + { v.x = 7.0; v.x });", 17),
    "sample position": ("var v = 1; return v + at(ticks, { v = 0; v }) + v;", 6),
    "condition of a value": ("var v = 1; return (if v == 1 { v = 2; v } else { 0 }) * 10 + v;", 22),
    "until": ("var v = 0; loop 9 until ({ v += 1; v == 4 }) { } return v;", 4),
    "until with a return": ("loop 9 until ({ if y == 7 { return 5; } true }) { } return 6;", 5),
    "pure branches that read": ("var v = 1; return (if y == 7 { v } else { 0 }) * 10 + { v = 3; v };", 13),
}


@pytest.mark.parametrize(("body", "value"), CHANGES.values(), ids=CHANGES)
def test_values_are_those_of_their_time(body: str, value: int) -> None:
    assert traced(body)[0] == value


GROUP = "input x: Rows<Int>; output r: Rows<Int>;"


def test_an_exchange_behind_and_is_reached_where_the_left_side_is_true() -> None:
    text = kernel(
        "let wide = k > 1; return if wide && exchange(sample(x), 0) > 0 { exchange(sample(x), 1) } else { -1 };",
        GROUP + " param k: Int;",
        head="group 2",
    )
    gives(text, {"r": [20, 20, -1, -1]}, x=[10, 20, -30, 40], k=2)
    gives(text, {"r": [-1, -1, -1, -1]}, x=[10, 20, -30, 40], k=1)


def test_operands_before_an_exchange_keep_their_values() -> None:
    body = "var v = sample(x); let a = v * 100 + exchange(v, 0) * 10 + exchange({ v = 1; v }, 1) + v; return a;"
    gives(kernel(body, GROUP, head="group 2"), {"r": [2 * 100 + 20 + 1 + 1, 3 * 100 + 20 + 1 + 1]}, x=[2, 3])


def test_functions_that_act_are_called_by_statements() -> None:
    made = program(kernel("return t(1) + two(1, 2);", PORTS, head="scan over ticks with y = 0", members=MEMBERS))
    effects = {f.name: {e.value for e in f.effects} for f in made.functions}
    assert effects == {"t": {"put", "load"}, "two": set(), "scan": {"put", "load"}, "init": set()}


def test_an_act_that_never_runs_is_no_effect() -> None:
    made = program(kernel("return 1; note(3);", PORTS, head="scan over ticks with y = 0", members=MEMBERS))
    assert all(not f.effects for f in made.functions)
    assert [f.name for f in made.functions] == ["init", "scan"]

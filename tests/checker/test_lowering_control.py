"""Statements: blocks, `if`, `match`, loops, returns and assignments."""

from __future__ import annotations

import pytest

from kcheck.checker import ir
from tests.checker.sources import ERROR, HINT, WARNING, gives, kernel, program, refused

ALL = (ERROR, WARNING, HINT)
ITEMS = """
struct P { a: Int; b: [Int; 2]; v: Vec3; }
struct Q { p: P; rows: [[Int; 2]; 3]; m: Mat2; }
enum E { Dot; Disc { r: Float; } Box { w: Int; h: Int; } }
enum Two { Same; Other; }
enum Three { Same; }
struct Held { t: Two; }
enum One { Only { v: Int; } }
fn p() -> P { return P { a: 1, b: [2, 3], v: vec3(1.0, 2.0, 3.0) }; }
fn q() -> Q { return Q { p: p(), rows: [[1, 2], [3, 4], [5, 6]], m: mat2(1.0, 2.0, 3.0, 4.0) }; }
fn box(n: Int) -> E { return match n { 0 => Dot, 1 => Disc { r: 2.5 }, _ => Box { w: n, h: 10 } }; }
fn only(v: Int) -> One { return Only { v: v }; }
fn nothing() { }
fn early(n: Int) { if n > 0 { return; } return; }
"""

# The body gets each of 0, 1, 2, 3 by `sample(x)`.
BODIES = {
    "if": ("if sample(x) > 1 { return 10; } return 20;", [20, 20, 10, 10]),
    "if else": ("var v = 0; if sample(x) > 1 { v = 1; } else { v = 2; } return v;", [2, 2, 1, 1]),
    "else if": ("if sample(x) == 0 { return 5; } else if sample(x) == 1 { return 6; } return 7;", [5, 6, 7, 7]),
    "if as a value": ("let v = if sample(x) > 1 { let a = 3; a * a } else { 1 }; return v;", [1, 1, 9, 9]),
    "else if as a value": ("return if sample(x) == 0 { 5 } else if sample(x) == 1 { 6 } else { 7 };", [5, 6, 7, 7]),
    "a block as the last value": ("{ let a = sample(x); a + 1 }", [1, 2, 3, 4]),
    "an if as the last value": ("if sample(x) > 1 { 1 } else { 2 }", [2, 2, 1, 1]),
    "a match as the last value": ("match sample(x) { 0 => 4, _ => 5 }", [4, 5, 5, 5]),
    "returns in all branches": ("if sample(x) > 1 { return 1; } else { return 2; }", [2, 2, 1, 1]),
    "a value in one, a return in the other": ("if sample(x) > 1 { 1 } else { return 2; }", [2, 2, 1, 1]),
    "returns and values in a let": ("let v = if sample(x) > 1 { return 9; } else { 2 }; return v;", [2, 2, 9, 9]),
    "nested returns": (
        "let v = match sample(x) { 0 => if true { return 8; } else { 1 }, 1 => { return 9; } _ => 3 }; return v;",
        [8, 9, 3, 3],
    ),
    "int literals, ranges, the rest": ("return match sample(x) { 0 => 1, 1..3 => 2, _ => 3 };", [1, 2, 2, 3]),
    "closed ranges": ("return match sample(x) { 0..=1 => 1, 2..=2 => 2, _ => 3 };", [1, 1, 2, 3]),
    "alternatives": ("return match sample(x) { 0 | 2 => 1, 1 | 3..9 => 2, _ => 3 };", [1, 2, 1, 2]),
    "negative": ("return match -sample(x) { -3..=-2 => 1, -1 => 2, _ => 3 };", [3, 2, 1, 1]),
    "first arm wins": ("return match sample(x) { 0..2 => 1, 0..3 => 2, _ => 3 };", [1, 1, 2, 3]),
    "patterns of bits": ("return match ~sample(x) { 0xFFFFFFFF => 1, 0b0 => 2, _ => 3 };", [1, 3, 3, 3]),
    "all Ints without the rest": (
        "return match sample(x) { -2147483648..2 => 1, 2..=2147483647 => 2 };",
        [1, 1, 2, 2],
    ),
    "all Ints with holes filled": (
        "return match sample(x) { 1 => 1, -2147483648..=0 => 2, 2..=2147483647 => 3 };",
        [2, 1, 3, 3],
    ),
    "Bools": ("return match sample(x) > 1 { true => 1, false => 2 };", [2, 2, 1, 1]),
    "Bools with alternatives": ("return match sample(x) > 1 { true | false => 1 };", [1, 1, 1, 1]),
    "variants": (
        "return match box(sample(x)) { Dot => 1, Disc { r } => int(r), Box { w, h } => w * h };",
        [1, 2, 20, 30],
    ),
    "renamed fields": ("return match box(sample(x)) { Box { w: a, h: b } => a + b, _ => 0 };", [0, 0, 12, 13]),
    "fields left out": ("return match box(sample(x)) { Box { h } => h, _ => 0 };", [0, 0, 10, 10]),
    "bare variants": ("return match box(sample(x)) { Box => 1, Disc => 2, Dot => 3 };", [3, 2, 1, 1]),
    "empty braces": ("return match box(sample(x)) { Box { } => 1, _ => 3 };", [3, 3, 1, 1]),
    "named enums": ("return match box(sample(x)) { E.Box { w } => w, E.Disc => 8, E.Dot => 9 };", [9, 8, 2, 3]),
    "alternatives of variants": ("return match box(sample(x)) { Dot | E.Disc => 1, Box => 2 };", [1, 1, 2, 2]),
    "alternatives with empty braces": (
        "return match box(sample(x)) { Dot | Disc { } => 1, Box { } => 2 };",
        [1, 1, 2, 2],
    ),
    "an enum of one variant": ("return match only(sample(x)) { Only { v } => v };", [0, 1, 2, 3]),
    "match as a statement": (
        "var v = 0; match sample(x) { 0 => { v = 5; } 1 => { v = 6; } _ => { } } return v;",
        [5, 6, 0, 0],
    ),
    "match statement that returns": ("match sample(x) { 0 => { return 5; } _ => { } } return 6;", [5, 6, 6, 6]),
    "commas after block arms": ("return match sample(x) { 0 => { 1 }, 1 => { 2 } _ => { 3 }, };", [1, 2, 3, 3]),
    "calls as arms": ("match sample(x) { 0 => nothing(), _ => early(1) } return 4;", [4, 4, 4, 4]),
    "for": ("var v = 0; for i in 0..sample(x) { v += i; } return v;", [0, 0, 1, 3]),
    "for closed": ("var v = 0; for i in 0..=sample(x) { v += i; } return v;", [0, 1, 3, 6]),
    "for downwards is none": ("var v = 7; for i in sample(x)..0 { v = i; } return v;", [7, 7, 7, 7]),
    "for until": ("var v = 0; for i in 0..9 until i == sample(x) { v += 10; } return v;", [0, 10, 20, 30]),
    "loop": ("var v = 0; loop sample(x) { v += 2; } return v;", [0, 2, 4, 6]),
    "loop until": ("var v = 0; loop 9 until v >= sample(x) { v += 2; } return v;", [0, 2, 2, 4]),
    "nested loops": ("var v = 0; for i in 0..3 { for j in 0..i { v += sample(x); } } return v;", [0, 3, 6, 9]),
    "return out of loops": ("for i in 0..3 { loop 3 { if i == sample(x) { return 9; } } } return 1;", [9, 9, 9, 1]),
    "closed to the last Int": (
        "var v = 0; for i in 2147483646..=2147483647 { v += i & 3; } return v;",
        [5, 5, 5, 5],
    ),
    "a Unit function": ("nothing(); early(sample(x)); return 3;", [3, 3, 3, 3]),
    "a block statement": ("var v = 1; { let w = 5; v += w; } return v;", [6, 6, 6, 6]),
    "an empty block": ("{ } if true { } else { } return 1;", [1, 1, 1, 1]),
    # assignments
    "field": ("var s = p(); s.a = 5; return s.a + s.b[0];", [7, 7, 7, 7]),
    "slot": ("var s = [1, 2, 3]; s[sample(x)] = 9; return s[0] * 100 + s[1] * 10 + s[2];", [923, 193, 129, 123]),
    "slot below": ("var s = [1, 2]; s[sample(x) - 2] = 9; return s[0] * 10 + s[1];", [12, 12, 92, 19]),
    "component": ("var v = vec3(1.0, 2.0, 3.0); v.y = 9.0; return int(v.x + v.y + v.z);", [13] * 4),
    "component by number": (
        "var v = vec3(1.0, 2.0, 3.0); v[sample(x)] = 9.0; return int(v.x + v.y + v.z);",
        [14, 13, 12, 6],
    ),
    "swizzle": ("var v = vec3(1.0, 2.0, 3.0); v.zx = vec2(7.0, 8.0); return int(v.x * 10.0 + v.z);", [87] * 4),
    "column": (
        "var m = mat2(1.0, 2.0, 3.0, 4.0); m[1] = vec2(7.0, 8.0); return int(m[1].x * 10.0 + m[0].y);",
        [72] * 4,
    ),
    "column's component": (
        "var m = mat2(1.0, 2.0, 3.0, 4.0); m[1].y = 9.0; return int(m[1].y * 10.0 + m[1].x);",
        [93] * 4,
    ),
    "nested": (
        "var s = q(); s.rows[2][1] = 9; s.p.v.xy = vec2(5.0); return s.rows[2][1] * 10 + int(s.p.v.y);",
        [95] * 4,
    ),
    "array in a struct": ("var s = q(); s.p.b[1] += 5; return s.p.b[1];", [8] * 4),
    "nested outside": (
        "var s = q(); s.rows[3][0] = 9; s.rows[0][2] = 9; return s.rows[0][0] * 10 + s.rows[2][1];",
        [16] * 4,
    ),
    "compound outside": ("var s = [1, 2]; s[5] += 10; return s[0] * 10 + s[1];", [12] * 4),
    "compound": ("var v = sample(x); v += 1; v *= 3; v -= 2; v %= 5; return v;", [1, 4, 2, 0]),
    "compound bits": ("var v = sample(x); v <<= 2; v |= 1; v ^= 3; v &= 14; v >>= 1; return v;", [1, 3, 5, 7]),
    "compound division": ("var v = 100; v /= sample(x) + 1; return v;", [100, 50, 33, 25]),
    "compound swizzle": ("var v = vec3(1.0, 2.0, 3.0); v.xz *= 2.0; return int(v.x * 10.0 + v.z);", [26] * 4),
    "compound swapped swizzle": (
        "var v = vec2(1.0, 2.0); v.yx += vec2(10.0, 20.0); return int(v.x + v.y * 100.0);",
        [1221] * 4,
    ),
    "compound Bool": ("var v = true; v &= sample(x) > 1; v |= sample(x) == 0; return int(v);", [1, 0, 1, 1]),
    "matrix by vector": ("var v = mat2(0.0, 1.0, 2.0, 0.0); v *= v; return int(v[0].x * 10.0 + v[1].y);", [22] * 4),
    "whole struct": ("var s = p(); s = P { a: 4, b: [1, 1], v: vec3(0.0) }; return s.a;", [4] * 4),
    "enum": ("var e = box(0); e = Disc { r: 3.0 }; return match e { Disc { r } => int(r), _ => 0 };", [3] * 4),
    "var with a type": ("var e: E = Dot; e = box(sample(x)); return match e { Dot => 1, _ => 0 };", [1, 0, 0, 0]),
    "a variant of what is assigned": (
        "var e = Two.Other; e = Same; var a = [Other]; a[0] = Same; return int(a[0] == e);",
        [1] * 4,
    ),
    "a variant for a field": ("var h = Held { t: Two.Same }; h.t = Same; return int(h.t == Two.Same);", [1] * 4),
    "copies are values": ("var s = [1, 2]; let t = s; s[0] = 9; return t[0] * 10 + s[0];", [19] * 4),
}


@pytest.mark.parametrize(("body", "values"), BODIES.values(), ids=BODIES)
def test_bodies(body: str, values: list[int]) -> None:
    gives(kernel(body, before=ITEMS), {"r": values}, x=[0, 1, 2, 3], domain=(4,))


REFUSED = {
    # returns
    "no value": ("K206", "⟦fn f() -> Int⟧ { }"),
    "one path without a value": ("K206", "⟦fn f(a: Int) -> Int⟧ { if a > 0 { return 1; } }"),
    "a loop is no path": ("K206", "⟦fn f(a: Int) -> Int⟧ { for i in 0..9 { return 1; } }"),
    "a match with one open arm": ("K206", "⟦fn f(a: Int) -> Int⟧ { match a { 0 => { return 1; } _ => { } } }"),
    "a semicolon after the value": ("K206", "⟦fn f(a: Int) -> Int⟧ { a; }"),
    "another type": ("K203", "fn f() -> Int { return ⟦1.5⟧; }"),
    "another type at the end": ("K203", "fn f() -> Int { ⟦1.5⟧ }"),
    "another type in a branch's return": ("K203", "fn f(a: Int) -> Int { if a > 0 { return ⟦1.5⟧; } return 1; }"),
    "nothing": ("K203", "fn f() -> Int { ⟦return;⟧ }"),
    "a value from a function without": ("K203", "fn f() { return ⟦1⟧; }"),
    "a last value in a function without": ("K218", "fn f() { ⟦1⟧ }"),
    "a last if in a function without": ("K218", "fn f(a: Bool) { ⟦if a { 1 } else { 2 }⟧ }"),
    # values that nobody uses
    "a sum": ("K218", "fn f(a: Int) { ⟦a + 1⟧; }"),
    "a comparison": ("K218", "fn f(a: Int) { ⟦a == 1⟧; }"),
    "a call": ("K218", "fn f(a: Int) { ⟦max(a, 1)⟧; }"),
    "a call of one's own": ("K218", "fn g() -> Int { return 1; } fn f(a: Int) { ⟦g()⟧; }"),
    "an if": ("K218", "fn f(a: Bool) { ⟦if a { 1 } else { 2 }⟧ g(); } fn g() { }"),
    "an if without else": ("K218", "fn f(a: Bool) { ⟦if a { 1 }⟧ g(); } fn g() { }"),
    "a match": ("K218", "fn f(a: Bool) { ⟦match a { true => 1, false => 2 }⟧ g(); } fn g() { }"),
    "a block": ("K218", "fn f() { { let a = 1; ⟦a⟧ } g(); } fn g() { }"),
    "in a loop": ("K218", "fn f() { loop 3 { ⟦1⟧ } }"),
    "in a branch of a statement": ("K218", "fn f(a: Bool) { if a { ⟦1⟧; } else { } }"),
    "an error inside is shown too": ("K218 K201", "fn f(a: Bool) { ⟦if a { ⟦b⟧ } else { 2 }⟧ g(); } fn g() { }"),
    # match
    "a Float": ("K231", "fn f(a: Float) -> Int { return match ⟦a⟧ { 0 => 1, _ => 2 }; }"),
    "a vector": ("K231", "fn f(a: Vec2) -> Int { return match ⟦a⟧ { _ => 2 }; }"),
    "a struct": ("K231", "fn f(a: P) -> Int { return match ⟦a⟧ { P { a } => a }; }"),
    "an Int for a Bool": ("K231", "fn f(a: Bool) -> Int { return match a { ⟦1⟧ => 1, _ => 2 }; }"),
    "a Bool for an Int": ("K231", "fn f(a: Int) -> Int { return match a { ⟦true⟧ => 1, _ => 2 }; }"),
    "a name for an Int": ("K231", "const N: Int = 1; fn f(a: Int) -> Int { return match a { ⟦N⟧ => 1, _ => 2 }; }"),
    "an Int for an enum": ("K231", "fn f(a: E) -> Int { return match a { ⟦1⟧ => 1, _ => 2 }; }"),
    "a range of Bools": (
        "K231",
        "fn f(a: Bool) -> Int { return match a { ⟦0..1⟧ => 1, _ => 2 }; }",
    ),
    "an empty range": ("K231", "fn f(a: Int) -> Int { return match a { ⟦3..3⟧ => 1, _ => 2 }; }"),
    "a range downwards": ("K231", "fn f(a: Int) -> Int { return match a { ⟦3..=1⟧ => 1, _ => 2 }; }"),
    "an unknown variant": ("K216", "fn f(a: E) -> Int { return match a { ⟦Circle⟧ => 1, _ => 2 }; }"),
    "an unknown variant that binds": ("K216", "fn f(a: E) -> Int { return match a { ⟦Circle⟧ { r } => r, _ => 2 }; }"),
    "another enum's": ("K231", "fn f(a: E) -> Int { return match a { ⟦One⟧.Only => 1, _ => 2 }; }"),
    "an unknown enum's": ("K231", "fn f(a: E) -> Int { return match a { ⟦Two⟧.Dot => 1, _ => 2 }; }"),
    "an unknown field": ("K216", "fn f(a: E) -> Float { return match a { Disc { ⟦s⟧ } => s, _ => 2.0 }; }"),
    "a field of none": ("K216", "fn f(a: E) -> Int { return match a { Dot { ⟦s⟧ } => s, _ => 2 }; }"),
    "alternatives that bind": (
        "K231",
        "fn f(a: E) -> Int { return match a { ⟦Disc { r }⟧ | Dot => int(r), _ => 2 }; }",
    ),
    "an Int left out": ("K205", "fn f(a: Int) -> Int { return ⟦match a⟧ { 0 => 1, 1.. 5 => 2 }; }"),
    "a Bool left out": ("K205", "fn f(a: Bool) -> Int { return ⟦match a⟧ { true => 1 }; }"),
    "a variant left out": ("K205", "fn f(a: E) -> Int { return ⟦match a⟧ { Dot => 1, Disc { r } => int(r) }; }"),
    "the last Int left out": (
        "K205",
        "fn f(a: Int) -> Int { return ⟦match a⟧ { -2147483648..2147483647 => 1 }; }",
    ),
    "left out in a statement": ("K205", "fn f(a: Bool) { ⟦match a⟧ { true => { } } }"),
    "an unknown subject": ("K201", "fn f() -> Int { return match ⟦b⟧ { Disc { r, s: t } => r + t, Dot => 1 }; }"),
    # loops
    "Float bounds": ("K203 K203", "fn f() { for i in ⟦0.0⟧..⟦1.0⟧ { } }"),
    "a Float bound": ("K203", "fn f() { for i in 0..⟦1.5⟧ { } }"),
    "a Float count": ("K203", "fn f() { loop ⟦1.5⟧ { } }"),
    "until an Int": ("K203", "fn f() { loop 3 until ⟦1⟧ { } }"),
    "an if of an Int": ("K203", "fn f() { if ⟦1⟧ { } }"),
    # assignments
    "let": ("K215", "fn f() { let a = 1; ⟦a⟧ = 2; g(a); } fn g(a: Int) { }"),
    "parameter": ("K215", "fn f(a: Int) { ⟦a⟧ += 2; }"),
    "loop variable": ("K215", "fn f() { for i in 0..3 { ⟦i⟧ = 2; } }"),
    "bound name": ("K215", "fn f(e: E) { match e { Disc { r } => { ⟦r⟧ = 1.0; } _ => { } } }"),
    "constant": ("K215", "const N: Int = 1; fn f() { ⟦N⟧ = 2; }"),
    "part of a let": ("K215", "fn f() { let a = [1]; ⟦a⟧[0] = 2; }"),
    "a variant": ("K215", "fn f() { ⟦Dot⟧ = 2; }"),
    "a function": ("K226", "fn f() { ⟦f⟧ = 2; }"),
    "an unknown name": ("K201", "fn f() { ⟦a⟧ = 2; }"),
    "a call's value": ("K215", "fn f() { ⟦p()⟧.a = 2; }"),
    "another type for a var": ("K203", "fn f() { var a = 1; a = ⟦1.5⟧; }"),
    "another type for a part": ("K203", "fn f() { var a = p(); a.b[0] = ⟦1.5⟧; }"),
    "compound of another type": ("K223", "fn f() { var a = 1; ⟦a += 1.5;⟧ }"),
    "compound that changes the type": ("K203", "fn f() { var a = 1.5; a *= ⟦vec2(1.0)⟧; }"),
    "twice in a swizzle": ("K215", "fn f() { var v = vec2(1.0); v.⟦xx⟧ = vec2(1.0); }"),
    "after a swizzle": ("K215", "fn f() { var v = vec3(1.0); ⟦v.xy.x⟧ = 1.0; }"),
    "after a component": ("K215", "fn f() { var v = vec3(1.0); ⟦v.xy[0]⟧ = 1.0; }"),
    "an unknown field to assign": ("K216", "fn f() { var a = p(); a.⟦c⟧ = 1; }"),
    "a part of a scalar": ("K216", "fn f() { var a = 1; a.⟦c⟧ = 1; }"),
    "a slot of a scalar": ("K216", "fn f() { var a = 1; ⟦a[0]⟧ = 1; }"),
    "a Float slot": ("K203", "fn f() { var a = [1]; a[⟦0.0⟧] = 1; }"),
    "both sides wrong": ("K201 K201", "fn f() { ⟦a⟧ = ⟦b⟧; }"),
    "through what had an error": ("K201", "fn f() { var a = ⟦b⟧; a.c = 1; a += 2; }"),
}


@pytest.mark.parametrize(("codes", "items"), REFUSED.values(), ids=REFUSED)
def test_refused(codes: str, items: str) -> None:
    refused(codes, items + ITEMS)


def test_what_a_match_leaves_out_is_named() -> None:
    [wrong] = refused("K205", ITEMS + "fn f(e: E) -> Int { return ⟦match e⟧ { Disc => 1 }; }")
    assert wrong.message == "this `match` does not cover `Dot`, `Box`"
    [wrong] = refused("K205", "fn f(n: Int) -> Int { return ⟦match n⟧ { 0 => 1, 2..=2147483647 => 2 }; }")
    assert wrong.message == "this `match` does not cover -2147483648..=-1, 1"
    [wrong] = refused("K205", "fn f(b: Bool) -> Int { return ⟦match b⟧ { true => 1 }; }")
    assert wrong.message == "this `match` does not cover `false`"


def test_a_semicolon_too_much_is_shown() -> None:
    [wrong] = refused("K206", "⟦fn f(a: Int) -> Int⟧ { a + 1; }")
    assert "remove the `;`" in wrong.notes[0].message


def test_bodies_point_at_their_heads() -> None:
    refused("K206", kernel("let a = 1;").replace("\n  compute", "\n  ⟦compute⟧"))
    ports = "input x: Rows<Int>; output r: Rows<Int>;"
    refused("K206", kernel("", ports, head="⟦scan over x with y = 0⟧"))
    refused("K206", kernel("", ports, head="⟦group 4⟧"))
    merge = "⟦merge(a, b)⟧ { let c = a + b; }"
    refused("K206", kernel("return sample(x);", ports, head="compute over x", members=merge))


# ---------------------------------------------------------------- the shape of the IR


def cases(body: str) -> tuple[list[tuple[tuple[int, int], ...]], int]:
    """The ranges of the cases of a switch, and how many blocks it has."""
    made = program(kernel(body, before=ITEMS))
    [switch] = [n for n in ir.walk(made.functions[-1].body) if isinstance(n, ir.Switch)]
    return [c.ranges for c in switch.cases], len(switch.cases) + 1


def test_ranges_of_an_arm_are_joined_and_the_last_arm_needs_no_test() -> None:
    assert cases("return match sample(x) { 3 | 1 | 2 | 7..9 => 1, _ => 2 };") == ([((1, 3), (7, 8))], 2)
    assert cases("return match sample(x) > 0 { false => 1, true => 2 };") == ([((0, 0),)], 2)
    assert cases("return match E.Dot { Box => 1, Dot => 2, Disc => 3 };") == ([((2, 2),), ((0, 0),)], 3)


def test_arms_that_never_run_are_left_out() -> None:
    text = "return match sample(x) { 0..9 => 1, ⟦3 => 2⟧, ⟦5..=6 => 4⟧, _ => 3 };"
    refused("K225 K225", kernel(text), severities=ALL)
    assert cases(text.replace("⟦", "").replace("⟧", "")) == ([((0, 8),)], 2)


def test_a_subject_is_evaluated_once() -> None:
    made = program(kernel("return match sample(x) + 1 { 0 => 1, 1 => 2, _ => 3 };"))
    assert sum(isinstance(n, ir.Sample) for n in ir.walk(made.functions[-1].body)) == 1


def test_a_function_without_a_result_returns_at_its_end() -> None:
    made = program(kernel("early(1); nothing(); return sample(x);", before=ITEMS))
    early, nothing, _ = made.functions
    assert [type(s).__name__ for s in nothing.body.statements] == ["Return"]
    assert early.result == nothing.result

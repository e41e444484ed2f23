"""Expressions: literals, operators and their types, members, constructors, values of structs, enums and arrays."""

from __future__ import annotations

from typing import Any

import pytest

from kcheck.checker import check_text, floats, ir, types
from tests.checker.sources import ERROR, gives, kernel, program, refused
from tests.values import f32

ITEMS = """
struct P { a: Int; b: Float; }
struct Q { p: P; v: Vec2; }
struct Empty { }
enum E { Dot; Disc { r: Float; } Box { w: Int; h: Int; } }
enum F { Dot; Line { l: Int; } }
fn p(a: Int) -> P { return P { a: a, b: 0.5 }; }
fn disc(e: E) -> Float { return match e { Disc { r } => r, Box { w, h } => float(w * h), Dot => -1.0 }; }
fn line(f: F) -> Int { return match f { Line { l } => l, Dot => -1 }; }
fn two(a: Int, b: Float) -> Float { return float(a) + b; }
fn unit(a: Int) { }
"""


LITERALS = [
    ("12", "Int", 12),
    ("1_000", "Int", 1000),
    ("0xFF", "Int", 255),
    ("0xff_ff", "Int", 65535),
    ("0xFFFFFFFF", "Int", -1),
    ("0x80000000", "Int", -(2**31)),
    ("0b1010", "Int", 10),
    ("0b" + "1" * 32, "Int", -1),
    ("2147483647", "Int", 2**31 - 1),
    ("-2147483648", "Int", -(2**31)),
    ("- 2147483648", "Int", -(2**31)),
    ("--2147483648", "Int", -(2**31)),
    ("-0x80000000", "Int", -(2**31)),
    ("-(1)", "Int", -1),
    ("0.5", "Float", 0.5),
    ("1e-3", "Float", f32(0.001)),
    ("1.5e3", "Float", 1500.0),
    ("1e3", "Float", 1000.0),
    ("1_0.2_5", "Float", 10.25),
    ("3.4028235e38", "Float", f32(3.4028235e38)),
    ("1e-45", "Float", 2.0**-149),
    ("1e-60", "Float", 0.0),
    ("-0.0", "Float", -0.0),
    ("-(0.0)", "Float", -0.0),
    ("0.1", "Float", f32(0.1)),
    ("16777217.0", "Float", 16777216.0),
    ("true", "Bool", True),
    ("false", "Bool", False),
]


@pytest.mark.parametrize(("text", "type_", "value"), LITERALS, ids=[t for t, _, _ in LITERALS])
def test_literals(text: str, type_: str, value: Any) -> None:
    gives(kernel(f"return {text};", f"output r: Rows<{type_}>;"), {"r": [value]}, domain=(1,))


def test_a_float_literal_is_rounded_once() -> None:
    # Nearest double and nearest Float of this text lie on different sides of a tie.
    text = "1.00000005960464477540"
    made = program(kernel(f"return {text};", "output r: Rows<Float>;"))
    [const] = [n for f in made.functions for n in ir.walk(f.body) if isinstance(n, ir.Const)]
    assert floats.to_float(int(const.leaves[0])) == 1.0 + 2.0**-23


def test_ranges_of_numbers_are_no_floats() -> None:
    gives(
        kernel(
            "var n = 0; for i in 0..9 { n += i; } return n;", "param k: Float = 0.5 in 0.0..1.0; output r: Rows<Int>;"
        ),
        {"r": [36]},
        domain=(1,),
    )


OUT_OF_RANGE = [
    "return ⟦2147483648⟧;",
    "return 1 - ⟦2147483648⟧;",
    "return -⟦2147483649⟧;",
    "return ⟦0x100000000⟧;",
    "return ⟦0b100000000000000000000000000000000⟧;",
    "return int(⟦3.5e38⟧);",
    "return int(⟦1e999⟧);",
    "return match 1 { ⟦2147483648⟧ => 1, _ => 2 };",
]


@pytest.mark.parametrize("body", OUT_OF_RANGE)
def test_literals_out_of_range(body: str) -> None:
    refused("K214", kernel(body))


def test_arithmetic_of_constants_wraps() -> None:
    gives(
        kernel("return N;", "output r: Rows<Int>;", before="const N: Int = 2147483647 + 1;"),
        {"r": [-(2**31)]},
        domain=(1,),
    )


# `sample(x)` is 5, `sample(f)` is 2.5.
VALUES = [
    ("sample(x) + 1", "Int", 6),
    ("sample(x) / 2 * 2 + sample(x) % 2", "Int", 5),
    ("-sample(x) >> 1", "Int", -3),
    ("-sample(x) >>> 28", "Int", 15),
    ("sample(x) << 2", "Int", 20),
    ("sample(x) & 6 | 8 ^ 1", "Int", 13),
    ("~sample(x)", "Int", -6),
    ("sample(x) & 1 == 1", "Bool", True),
    ("sample(x) | 1 == 1", "Bool", False),
    ("1 + 2 * 3 - 4 / 2", "Int", 5),
    ("10 - 3 - 2", "Int", 5),
    ("1 << 2 + 1", "Int", 8),
    ("sample(f) * 2.0 - 1.0", "Float", 4.0),
    ("sample(f) % 1.0", "Float", 0.5),
    ("-sample(f)", "Float", -2.5),
    ("true & false | true ^ true", "Bool", False),
    ("!true || !false && true", "Bool", True),
    ("sample(x) < 6 && sample(f) >= 2.5", "Bool", True),
    ("sample(f)<-1.0", "Bool", False),
    ("true == !false", "Bool", True),
    ("vec2(1.0, 2.0) + vec2(3.0, 4.0)", "Vec2", [4.0, 6.0]),
    ("vec2(1.0, 2.0) * 3.0", "Vec2", [3.0, 6.0]),
    ("6.0 / vec2(1.0, 2.0)", "Vec2", [6.0, 3.0]),
    ("7.0 % vec2(4.0, 5.0)", "Vec2", [3.0, 2.0]),
    ("-vec2(1.0, 2.0)", "Vec2", [-1.0, -2.0]),
    ("vec2(1.0, 2.0) == vec2(1.0, 2.0)", "Bool", True),
    ("vec2(1.0, 2.0) != vec2(1.0, 3.0)", "Bool", True),
    ("mat2(1.0, 2.0, 3.0, 4.0) * vec2(1.0, 10.0)", "Vec2", [31.0, 42.0]),
    ("mat2(1.0, 2.0, 3.0, 4.0) * mat2(1.0, 0.0, 0.0, 2.0)", "Mat2", [[1.0, 2.0], [6.0, 8.0]]),
    ("mat2(1.0, 2.0, 3.0, 4.0) + mat2(1.0, 1.0, 1.0, 1.0)", "Mat2", [[2.0, 3.0], [4.0, 5.0]]),
    ("mat2(1.0, 2.0, 3.0, 4.0) - 1.0", "Mat2", [[0.0, 1.0], [2.0, 3.0]]),
    ("2.0 * mat2(1.0, 2.0, 3.0, 4.0)", "Mat2", [[2.0, 4.0], [6.0, 8.0]]),
    ("mat2(1.0, 2.0, 3.0, 4.0) / 2.0", "Mat2", [[0.5, 1.0], [1.5, 2.0]]),
    ("-mat2(1.0, 2.0, 3.0, 4.0)", "Mat2", [[-1.0, -2.0], [-3.0, -4.0]]),
    ("mat2(vec2(1.0, 2.0), vec2(3.0, 4.0))[1]", "Vec2", [3.0, 4.0]),
    ("mat2(vec2(1.0, 2.0), vec2(3.0, 4.0))[1][0]", "Float", 3.0),
    ("mat2(vec2(1.0, 2.0), vec2(3.0, 4.0))[9].y", "Float", 4.0),
    ("vec4(1.0, 2.0, 3.0, 4.0).wzyx", "Vec4", [4.0, 3.0, 2.0, 1.0]),
    ("vec4(1.0, 2.0, 3.0, 4.0).rgb.bgr", "Vec3", [3.0, 2.0, 1.0]),
    ("vec2(1.0, 2.0).xxyy", "Vec4", [1.0, 1.0, 2.0, 2.0]),
    ("vec3(1.0, 2.0, 3.0)[sample(x)]", "Float", 3.0),
    ("vec3(1.0, 2.0, 3.0)[-sample(x)]", "Float", 1.0),
    ("vec3(0.5)", "Vec3", [0.5, 0.5, 0.5]),
    ("vec3(vec2(1.0, 2.0), 3.0)", "Vec3", [1.0, 2.0, 3.0]),
    ("vec4(1.0, vec2(2.0, 3.0), 4.0)", "Vec4", [1.0, 2.0, 3.0, 4.0]),
    ("vec2(vec2(1.0, 2.0))", "Vec2", [1.0, 2.0]),
    ("[1, 2, sample(x)]", "[Int; 3]", [1, 2, 5]),
    ("[1, 2, sample(x)][sample(x)]", "Int", 5),
    ("[sample(x); 3]", "[Int; 3]", [5, 5, 5]),
    ("[[1, 2], [3, 4]][1][0]", "Int", 3),
    ("[1]", "[Int; 1]", [1]),
    ("[1, 2] == [1, 2]", "Bool", True),
    ("[E.Dot, Disc { r: 1.0 }] == [E.Dot, E.Dot]", "Bool", False),
    ("P { a: 1, b: 2.0 }", "P", {"a": 1, "b": 2.0}),
    ("P { b: 2.0, a: 1, }", "P", {"a": 1, "b": 2.0}),
    ("P { a: 1, b: 2.0 }.b", "Float", 2.0),
    ("p(3).a", "Int", 3),
    ("Q { p: p(1), v: vec2(1.0, 2.0) }.v.yx", "Vec2", [2.0, 1.0]),
    ("Q { p: p(1), v: vec2(1.0) }.p == p(1)", "Bool", True),
    ("P { a: 1, b: 0.0 } == P { a: 1, b: -0.0 }", "Bool", True),
    ("E.Dot", "E", "Dot"),
    ("E.Disc { r: 1.5 }", "E", {"Disc": {"r": 1.5}}),
    ("Disc { r: 1.5 }", "E", {"Disc": {"r": 1.5}}),
    ("Box { h: 2, w: 3 }", "E", {"Box": {"w": 3, "h": 2}}),
    ("disc(Dot)", "Float", -1.0),
    ("line(Dot)", "Int", -1),
    ("disc(Disc { r: 4.0 }) + disc(Box { w: 2, h: 3 })", "Float", 10.0),
    ("E.Dot == Dot", "Bool", True),
    ("Disc { r: 1.0 } != Disc { r: 1.0 }", "Bool", False),
    ("E.Disc { r: 0.0 } == Disc { r: -0.0 }", "Bool", True),
    ("select(sample(x) > 3, vec2(1.0), vec2(2.0))", "Vec2", [1.0, 1.0]),
    ("select(true, E.Dot, E.Disc { r: 1.0 })", "E", "Dot"),
    ("max(vec2(1.0, 5.0), 3.0)", "Vec2", [3.0, 5.0]),
    ("min(3.0, vec2(1.0, 5.0))", "Vec2", [1.0, 3.0]),
    ("clamp(vec3(-1.0, 0.5, 2.0), 0.0, 1.0)", "Vec3", [0.0, 0.5, 1.0]),
    ("mix(vec2(0.0), vec2(4.0, 8.0), 0.25)", "Vec2", [1.0, 2.0]),
    ("step(0.5, vec2(0.25, 0.75))", "Vec2", [0.0, 1.0]),
    ("int(sample(f)) + int(true) + int(7)", "Int", 10),
    ("float(sample(x)) + float(true) + float(1.5)", "Float", 7.5),
    ("two(sample(x), sample(f))", "Float", 7.5),
    ("if sample(x) > 3 { 1 } else { 2 }", "Int", 1),
    ("{ let a = sample(x); a * a }", "Int", 25),
    ("match sample(x) { 5 => 1, _ => 2 }", "Int", 1),
    ("Empty { } == Empty { }", "Bool", True),
]


@pytest.mark.parametrize(("expression", "type_", "value"), VALUES, ids=[t for t, _, _ in VALUES])
def test_values(expression: str, type_: str, value: Any) -> None:
    ports = f"input x: Rows<Int>; input f: Rows<Float>; output r: Rows<{type_}>;"
    gives(kernel(f"return {expression};", ports, before=ITEMS), {"r": [value]}, x=[5], f=[2.5], domain=(1,))


REFUSED = {
    # operands
    "Int with Float": ("K223", "1 ⟦+⟧ 2.5"),
    "Float with Int": ("K223", "2.5 ⟦*⟧ sample(x)"),
    "Int with a vector": ("K223", "2 ⟦*⟧ vec2(1.0)"),
    "two vectors": ("K223", "vec2(1.0) ⟦+⟧ vec3(1.0)"),
    "Bool arithmetic": ("K223", "true ⟦+⟧ true"),
    "Bool shift": ("K223", "true ⟦<<⟧ true"),
    "Float bits": ("K223", "1.0 ⟦&⟧ 2.0"),
    "Int and Bool bits": ("K223", "1 ⟦|⟧ true"),
    "Float shift": ("K223", "1.0 ⟦<<⟧ 2"),
    "order of vectors": ("K223", "vec2(1.0) ⟦<⟧ vec2(2.0)"),
    "order of Bools": ("K223", "false ⟦<⟧ true"),
    "order of structs": ("K223", "p(1) ⟦<=⟧ p(2)"),
    "equality of two types": ("K223", "1 ⟦==⟧ 1.0"),
    "equality of two enums": ("K223", "E.Dot ⟦==⟧ F.Dot"),
    "arrays": ("K223", "[1, 2] ⟦+⟧ [3, 4]"),
    "array with a scalar": ("K223", "[1.0, 2.0] ⟦*⟧ 2.0"),
    "structs": ("K223", "p(1) ⟦+⟧ p(2)"),
    "vector times matrix": ("K223", "vec2(1.0) ⟦*⟧ mat2(1.0, 0.0, 0.0, 1.0)"),
    "matrix times another vector": ("K223", "mat2(1.0, 0.0, 0.0, 1.0) ⟦*⟧ vec3(1.0)"),
    "matrix by matrix": ("K223", "mat2(1.0, 0.0, 0.0, 1.0) ⟦/⟧ mat2(1.0, 0.0, 0.0, 1.0)"),
    "matrix remainder": ("K223", "mat2(1.0, 0.0, 0.0, 1.0) ⟦%⟧ mat2(1.0, 0.0, 0.0, 1.0)"),
    "matrix plus vector": ("K223", "mat2(1.0, 0.0, 0.0, 1.0) ⟦+⟧ vec2(1.0)"),
    "negated Bool": ("K223", "⟦-true⟧"),
    "negated array": ("K223", "⟦-[1, 2]⟧"),
    "inverted Bool": ("K223", "⟦~true⟧"),
    "not an Int": ("K223", "⟦!sample(x)⟧"),
    "and of an Int": ("K223", "⟦sample(x)⟧ && true"),
    "or of an Int": ("K223", "true || ⟦sample(x)⟧"),
    "and of two": ("K223 K223", "⟦1⟧ && ⟦2.0⟧"),
    "one error in a chain": ("K223", "1 ⟦+⟧ 2.0 + 3"),
    # calls
    "too few": ("K204", "⟦two(1)⟧"),
    "too many": ("K204", "⟦two(1, 2.0, 3)⟧"),
    "argument of another type": ("K203", "two(1, ⟦2⟧)"),
    "two arguments of other types": ("K203 K203", "two(⟦1.0⟧, ⟦2⟧)"),
    "keyword": ("K101", "two(1, ⟦b⟧ = 2.0)"),
    "built-in, too few": ("K204", "⟦max(1)⟧"),
    "built-in, types": ("K204", "⟦max(1, 2.0)⟧"),
    "built-in, vectors": ("K204", "⟦max(vec2(1.0), vec3(1.0))⟧"),
    "built-in, Int with a vector": ("K204", "⟦max(vec2(1.0), 1)⟧"),
    "built-in on Bool": ("K204", "⟦abs(true)⟧"),
    "isnan of a vector": ("K204", "⟦isnan(vec2(1.0))⟧"),
    "dot with a scalar": ("K204", "⟦dot(vec2(1.0), 1.0)⟧"),
    "select of two types": ("K204", "⟦select(true, 1, 2.0)⟧"),
    "select by an Int": ("K204", "⟦select(1, 1, 2)⟧"),
    "transpose of a vector": ("K204", "⟦transpose(vec2(1.0))⟧"),
    "constructor, too few": ("K204", "⟦vec3(1.0, 2.0)⟧"),
    "constructor, too many": ("K204", "⟦vec2(vec2(1.0), 2.0)⟧"),
    "constructor, nothing": ("K204", "⟦vec2()⟧"),
    "constructor, Int": ("K204", "⟦vec2(1, 2)⟧"),
    "constructor, a longer vector": ("K204", "⟦vec2(vec3(1.0))⟧"),
    "matrix of one": ("K204", "⟦mat2(1.0)⟧"),
    "matrix of other columns": ("K204", "⟦mat2(vec3(1.0), vec3(1.0))⟧"),
    "no result": ("K230", "⟦unit(1)⟧"),
    "put as a value": ("K230", "⟦put(x, 0, 1)⟧"),
    # members and positions
    "position of a struct": ("K216", "⟦p(1)[0]⟧"),
    "position of a scalar": ("K216", "⟦sample(x)[0]⟧"),
    "Float position": ("K203", "[1, 2][⟦1.0⟧]"),
    "payload without a match": ("K216", "disc(Dot).⟦r⟧"),
    "inside an enum": ("K216", "(Disc { r: 1.0 }).⟦r⟧"),
    # values
    "field missing": ("K204", "⟦P⟧ { a: 1 }.a"),
    "fields missing": ("K204", "⟦P⟧ { }.a"),
    "unknown field": ("K216", "P { a: 1, b: 1.0, ⟦c⟧: 2 }.a"),
    "misspelt field": ("K216", "P { a: 1, ⟦bb⟧: 1.0 }.a"),
    "field of another type": ("K203", "P { a: ⟦1.0⟧, b: 1.0 }.a"),
    "two fields of other types": ("K203 K203", "P { a: ⟦1.0⟧, b: ⟦1⟧ }.a"),
    "variant without its fields": ("K204", "disc(⟦Disc⟧)"),
    "variant with fields it has not": ("K216", "disc(Dot { ⟦r⟧: 1.0 })"),
    "an empty array": ("K227", "⟦[]⟧[0]"),
    "an array of two types": ("K203", "[1, ⟦2.0⟧, 3][0]"),
    "an array of none": ("K227", "⟦[1; 0]⟧[0]"),
    "a negative length": ("K227", "⟦[1; -3]⟧[0]"),
    "a length of another type": ("K203", "[1; ⟦2.0⟧][0]"),
    "a length that is not constant": ("K217", "[1; ⟦sample(x)⟧][0]"),
    "too large": ("K227", "⟦[1; 65537]⟧[0]"),
    "too large in all": ("K227", "⟦[[0.0; 300]; 300]⟧[0][0]"),
    "a record": ("K323", "⟦({ a: 1 })⟧"),
    # branches
    "condition of another type": ("K203", "if ⟦1⟧ { 1 } else { 2 }"),
    "no else": ("K230", "1 + ⟦(if true { 1 })⟧"),
    "branches of two types": ("K203", "if true { 1.5 } else { ⟦2⟧ }"),
    "arms of two types": ("K203", "match 1 { 1 => 1.5, 2 => ⟦2⟧, _ => 3.5 }"),
    "a block without a value": ("K230", "1 + { ⟦let a = 1;⟧ }"),
    "a block that ends in a semicolon": ("K230", "1 + { ⟦p(1);⟧ }"),
    "all paths return": ("K230", "1 + ⟦(if true { return 1; } else { return 2; })⟧"),
}


@pytest.mark.parametrize(("codes", "expression"), REFUSED.values(), ids=REFUSED)
def test_refused(codes: str, expression: str) -> None:
    refused(codes, kernel(f"let v = {expression}; return 1;", before=ITEMS))


FIXES = [
    ("let v: Float = 1; return 1;", "K203", "1.0"),
    ("let v: Float = sample(x); return 1;", "K203", "float(sample(x))"),
    ("let v: Int = 1.5; return 1;", "K203", "int(1.5)"),
    ("let v = 2 * vec2(1.0); return 1;", "K223", "2.0 * vec2(1.0)"),
    ("let v = sample(x) < 1.5; return 1;", "K223", "float(sample(x)) < 1.5"),
    ("var v = 1.5; v += 2; return 1;", "K223", "v += 2.0"),
    ("var v = 1; v += 2.5; return 1;", "K223", "v += int(2.5)"),
    ("let v = max(1, 2.5); return 1;", "K204", "max(1.0, 2.5)"),
    ("let v = vec2(1, 2.5); return 1;", "K204", "vec2(1.0, 2.5)"),
    ("return at(f, 1.5);", "K324", "at(f, int(floor(1.5)))"),
    ("return if true { 1.5 } else { 2 };", "K203", "{ int(1.5) }"),
    ("let v: Float = if true { 1 } else { 2.5 }; return 1;", "K203", "{ 1.0 }"),
    ("return if true { 1.5 } else { 2.5 };", "K322", "int(if true { 1.5 } else { 2.5 })"),
    ("let v: Bool = 1; return 1;", "K203", "let v: Bool = true"),
    ("let v: Bool = vec2(1.0); return 1;", "K203", None),
]


@pytest.mark.parametrize(("body", "code", "fixed"), FIXES, ids=[b for b, _, _ in FIXES])
def test_fixes_between_int_and_float(body: str, code: str, fixed: str | None) -> None:
    ports = "input x: Rows<Int>; input f: Rows<Int>; output r: Rows<Int>;"
    source = kernel(body, ports)
    checked = check_text(source, "t.kernel")
    [wrong] = [d for d in checked.diagnostics if d.severity is ERROR]
    assert wrong.code == code
    if fixed is None:
        assert wrong.fixes == ()
        return
    [fix] = wrong.fixes
    edits = sorted(((checked.file.absolute(e.origin), e.text) for e in fix.edits), reverse=True)
    for span, text in edits:
        source = source[: span.start] + text + source[span.end :]
    assert fixed in source


def test_the_notes_say_why() -> None:
    [wrong] = refused("K203", kernel("let v: Float = ⟦true⟧; return 1;"))
    assert wrong.message == "expected a Float, found a Bool"
    assert wrong.notes[0].message == "`v` is declared so"
    [wrong] = refused("K223", kernel("let v = vec2(1.0) ⟦*⟧ mat2(1.0, 0.0, 0.0, 1.0); return 1;"))
    assert "transpose" in wrong.notes[0].message
    [wrong] = refused("K203", kernel("let v = if true { 1.5 } else { ⟦2⟧ }; return 1;"))
    assert wrong.message == "this branch gives an Int, another a Float"
    assert wrong.notes[0].origin is not None


def test_two_types_of_one_name_are_told_apart() -> None:
    members = "struct P { a: Int; b: Float; }"
    [wrong] = refused(
        "K203",
        kernel(
            "let q = P { a: 1, b: 1.0 }; return f(⟦q⟧);",
            members=members,
            before=ITEMS + "fn f(p: P) -> Int { return p.a; }",
        ),
    )
    assert wrong.message == "expected a P, found a P"
    assert any("two types" in n.message for n in wrong.notes)


def test_a_scalar_that_meets_a_vector_is_spread() -> None:
    made = program(kernel("return vec2(1.0, 2.0) * sample(f) + 1.0;", "input f: Rows<Float>; output r: Rows<Vec2>;"))
    spread = [n for n in ir.walk(made.functions[-1].body) if isinstance(n, ir.Splat)]
    assert [n.type for n in spread] == [types.Vec(2)] * 2


def test_pure_branches_are_one_expression() -> None:
    made = program(kernel("return if sample(x) > 0 { 1 } else if sample(x) < 0 { 2 } else { 3 };"))
    [function] = made.functions
    assert [type(s).__name__ for s in function.body.statements] == ["Return"]
    assert sum(isinstance(n, ir.Conditional) for n in ir.walk(function.body)) == 2

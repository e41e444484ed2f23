"""Habits of other languages: the first fix of each message gives a program that can be read."""

import pytest

from kcheck.grammar.diagnostics import Diagnostic
from tests.grammar.support import errors, parse

BODY = "kernel k@1 {{ compute {{\n{}\n}} }}"

# In a body: what is written, and what the fixes make of it, one after the other.
STATEMENTS = {
    "while a < b { x += 1; }": "loop 1024 until !(a < b) { x += 1; }",
    "while (a) { x += 1; }": "loop 1024 until !(a) { x += 1; }",
    "while (a) || (b) { x += 1; }": "loop 1024 until !((a) || (b)) { x += 1; }",
    "loop { x += 1; }": "loop 1024 { x += 1; }",
    "for (int i = 0; i < n; i++) { x += i; }": "for i in 0..n { x += i; }",
    "for (i = a + 1; i <= 3; ++i) { x += i; }": "for i in a + 1..=3 { x += i; }",
    "for (let i = 0; i < n; i += 1) { x += i; }": "for i in 0..n { x += i; }",
    "for i in n { x += i; }": "for i in 0..n { x += i; }",
    "for i in range(n + 1) { x += i; }": "for i in 0..n + 1 { x += i; }",
    "for i in 0...3 { x += i; }": "for i in 0..3 { x += i; }",
    "foreach i in 0..3 { x += i; }": "for i in 0..3 { x += i; }",
    "for i in 0..9 { if i > a { break; } x += i; }": "for i in 0..9 until i > a { x += i; }",
    "loop 9 { if x > a { break; } x += 1; }": "loop 9 until x > a { x += 1; }",
    "for i in 0..9 { if i > a { continue; } x += i; }": "for i in 0..9 { if !(i > a) { x += i; } }",
    "float x = 1.0;": "var x: Float = 1.0;",
    "float x;": "var x: Float = 0.0;",
    "int i;": "var i: Int = 0;",
    "vec3 p;": "var p: Vec3 = vec3(0.0);",
    "auto x = 1;": "var x = 1;",
    "let mut x = 1;": "var x = 1;",
    "let float x = 1.0;": "let x: Float = 1.0;",
    "const x = 3;": "let x = 3;",
    "const float x = 3.0;": "let x: Float = 3.0;",
    "a &&= b;": "a = a && b;",
    "a.x ||= b || c;": "a.x = a.x || (b || c);",
    "x++;": "x += 1;",
    "x--;": "x -= 1;",
    "++x;": "x += 1;",
    "let x = 3\nlet y = 4;": "let x = 3;\nlet y = 4;",
    "return 1": "return 1;",
    "let x == 3;": "let x = 3;",
    "let x: Int == 3;": "let x: Int = 3;",
    "let x := 3;": "let x = 3;",
    "if a = b { x = 1; }": "if a == b { x = 1; }",
    "if (a = b) { x = 1; }": "if (a == b) { x = 1; }",
    "let x = a === b;": "let x = a == b;",
    "let x = a !== b;": "let x = a != b;",
    "let x = a <> b;": "let x = a != b;",
    "let x = a and not b;": "let x = a && ! b;",
    "let x = a ? b : c;": "let x = if a { b } else { c };",
    "return a < 1 ? b + 1 : c;": "return if a < 1 { b + 1 } else { c };",
    "if a x = 1;": "if a { x = 1; }",
    "if (a) x = 1; else x = 2;": "if (a) { x = 1; } else { x = 2; }",
    "if a then { x = 1; }": "if a  { x = 1; }",
    "if a {} elif b {}": "if a {} else if b {}",
    "match x { case 0 => 1, case 1 => 2, else => 3 }": "match x { 0 => 1, 1 => 2, _ => 3 }",
    "match x { 0 -> 1 }": "match x { 0 => 1 }",
    "let x = p->y;": "let x = p.y;",
    "let x = Shape::Dot;": "let x = Shape.Dot;",
    "let x = a as f32;": "let x = float(a);",
    "let x = (float)a;": "let x = float(a);",
    "let x = 1.0f;": "let x = 1.0;",
    "let x = .5;": "let x = 0.5;",
}
ITEMS = {
    "fn f(a, b) -> Int { a }": "fn f(a: Float, b: Float) -> Int { a }",
    "fn f(int a, float b) {}": "fn f(a: Int, b: Float) {}",
    "fn f(a: Int [[buffer(0)]]) {}": "fn f(a: Int ) {}",
    "fn f(@builtin(position) a: Vec4) {}": "fn f( a: Vec4) {}",
    "fn f() : Int { 1 }": "fn f() -> Int { 1 }",
    "const N = 3;": "const N: Float = 3;",
    "kernel k@1 { param x = 3; compute {} }": "kernel k@1 { param x: Float = 3; compute {} }",
    "kernel k { compute {} }": "kernel k@1 { compute {} }",
    "kernel k@1 { @compute compute {} }": "kernel k@1 {  compute {} }",
    "struct S { a, b }": "struct S { a: Float, b: Float }",
    "function f() {}": "fn f() {}",
    "import a;": "use a;",
}


def fixed(text: str) -> tuple[str, int]:
    """A text after the first fix of its first error, again and again, and how many that took."""
    for count in range(9):
        found = errors(text)
        if not found:
            return text, count
        text = after(text, found[0])
    raise AssertionError(f"no end of errors: {text}")


def after(text: str, diagnostic: Diagnostic) -> str:
    assert diagnostic.fixes, f"no fix: {diagnostic.message}"
    source = parse(text, "t.kernel")[0]
    for edit in diagnostic.fixes[0].edits:
        span = source.absolute(edit.origin)
        text = text[: span.start] + edit.text + text[span.end :]
    return text


@pytest.mark.parametrize(("written", "meant"), STATEMENTS.items(), ids=STATEMENTS)
def test_statements(written: str, meant: str) -> None:
    check(BODY.format(written), BODY.format(meant))


@pytest.mark.parametrize(("written", "meant"), ITEMS.items(), ids=ITEMS)
def test_items(written: str, meant: str) -> None:
    check(written, meant)


def check(written: str, meant: str) -> None:
    text, fixes = fixed(written)
    assert text == meant
    assert len(errors(written)) <= fixes, "more messages than mistakes"


@pytest.mark.parametrize(
    "written",
    [
        "for i in 0..9 { x += i; if x > a { break; } }",
        "for i in 0..9 { if i > a { x = 1; break; } }",
        "for i in 0..9 { if i > a { break; } else { x = 1; } }",
        "for i in 0..9 until x > 3 { if i > a { break; } }",
        "break;",
    ],
)
def test_a_break_that_no_until_can_be_made_of(written: str) -> None:
    [diagnostic] = errors(BODY.format(written))
    assert (diagnostic.message, diagnostic.fixes) == ("there is no `break`", ())

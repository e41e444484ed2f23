"""Every form of expression and pattern gives the tree that the language's reference says."""

import pytest

from kcheck.grammar import syntax
from tests.grammar.support import compact, expr, item, nodes, statement, statements


@pytest.mark.parametrize(
    ("text", "value", "pattern"),
    [
        ("0", 0, False),
        ("007", 7, False),
        ("1_000", 1000, False),
        ("2147483648", 2147483648, False),
        ("0xFF", 255, True),
        ("0X_ff_ff", 65535, True),
        ("0b1010", 10, True),
    ],
)
def test_ints(text: str, value: int, pattern: bool) -> None:
    node = expr(text)
    assert isinstance(node, syntax.IntLiteral)
    assert (node.value, node.pattern) == (value, pattern)


@pytest.mark.parametrize("text", ["0.5", "1_0.2_5", "1e5", "1E-3", "2.5e+10", "1_0e1_0"])
def test_floats_keep_their_digits(text: str) -> None:
    node = expr(text)
    assert isinstance(node, syntax.FloatLiteral)
    assert node.text == text.replace("_", "")
    assert float(node.text) == float(text.replace("_", ""))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("true && !false", "(true && (!false))"),
        ("- - ~x", "(-(-(~x)))"),
        ("-x.y", "(-x.y)"),
        ("a<-b", "(a < (-b))"),
        ("a << -b", "(a << (-b))"),
        ("a >>> b >> c", "((a >>> b) >> c)"),
        ("f()(1, g(x,),)[2].y", "f()(1, g(x))[2].y"),
        ("S { a: 1, b: T {}, }.a", None),
        ("Shape.Disc { r: 1.0 }", "Shape.Disc {r: 1.0}"),
        ("Empty {}", "Empty {}"),
        ("{ a }", "{a}"),
        ("{ a; b }", "{a; b}"),
        ("{ a: 1, b: 2 }", "{a: 1, b: 2}"),
        ("{ }", "{}"),
        ("if a { b } else { c }", "if a {b} else {c}"),
        ("if a { b } + 1", "(if a {b} + 1)"),
        ("1 + if a { b: 1 } else { b: 2 }", "(1 + if a {{b: 1}} else {{b: 2}})"),
    ],
)
def test_forms(text: str, tree: str | None) -> None:
    node = expr(text)
    if tree is not None:
        assert compact(node) == tree


def test_suffixes_of_a_struct_value() -> None:
    assert compact(expr("S { a: 1, b: T {}, }.a")) == "S {a: 1, b: T {}}.a"


def test_parentheses_belong_to_the_span_of_what_they_hold() -> None:
    node = expr("(a + b) * ((c))")
    assert isinstance(node, syntax.Binary)
    prefix = len("fn f() { let x = ")
    assert (node.span.start - prefix, node.span.end - prefix) == (0, 15)
    assert (node.left.span.start - prefix, node.left.span.end - prefix) == (0, 7)
    assert (node.right.span.start - prefix, node.right.span.end - prefix) == (10, 15)
    assert (node.op_span.start - prefix, node.op_span.end - prefix) == (8, 9)


def test_arrays() -> None:
    literal, repeat, empty = expr("[1, 2,]"), expr("[0; N]"), expr("[]")
    assert isinstance(literal, syntax.ArrayLiteral)
    assert [compact(element) for element in literal.elements] == ["1", "2"]
    assert isinstance(repeat, syntax.ArrayRepeat)
    assert (compact(repeat.value), compact(repeat.length)) == ("0", "N")
    assert isinstance(empty, syntax.ArrayLiteral)
    assert empty.elements == ()


def test_else_if_is_a_block_of_one_if() -> None:
    node = expr("if a { 1 } else if b { 2 } else { 3 }")
    assert compact(node) == "if a {1} else {if b {2} else {3}}"
    assert isinstance(node, syntax.If)
    assert isinstance(node.otherwise, syntax.Block)
    [inner] = node.otherwise.statements
    assert inner.span == node.otherwise.span


@pytest.mark.parametrize(
    "header",
    [
        "if a == B { x }",
        "if f(B { r: 1 }) == (B { r: 2 }) { x }",
        "if [B { r: 1 }][0].r > -a { x }",
        "if if a { b } else { c } { x }",
        "match a { _ => B { r: 1 } }",
        "match a.b { _ => { x } }",
    ],
)
def test_a_brace_after_a_header_opens_its_block(header: str) -> None:
    node = expr(header)
    assert isinstance(node, syntax.If | syntax.Match)
    assert node.span.end - node.span.start == len(header)


def test_match() -> None:
    node = expr("match e { 0 => x, 1 | -2 => y, 3..9 => { z } -5..=0xF => {} true | _ => { a: 1 }, D => w }")
    assert isinstance(node, syntax.Match)
    bodies = [compact(arm.body) for arm in node.arms]
    assert bodies == ["{x}", "{y}", "{z}", "{}", "{{a: 1}}", "{w}"]
    first, second, third, fourth, fifth, last = (arm.patterns for arm in node.arms)
    assert first == (_int(0),)
    assert second == (_int(1), _int(-2))
    assert third == (syntax.RangePattern(span=_NOWHERE, low=_int(3), high=_int(9), closed=False),)
    high = syntax.LiteralPattern(span=_NOWHERE, value=15, pattern=True)
    assert fourth == (syntax.RangePattern(span=_NOWHERE, low=_int(-5), high=high, closed=True),)
    assert fifth == (
        syntax.LiteralPattern(span=_NOWHERE, value=True),
        syntax.WildcardPattern(span=_NOWHERE),
    )
    assert last == (syntax.VariantPattern(span=_NOWHERE, enum=None, name=_name("D"), fields=None),)


def test_variant_patterns() -> None:
    node = expr("match e { S.D { r, w: v, } => r, B {} => 1, _x => 2 }")
    assert isinstance(node, syntax.Match)
    [[disc], [box], [name]] = (arm.patterns for arm in node.arms)
    assert isinstance(disc, syntax.VariantPattern)
    assert disc.enum == _name("S")
    assert disc.fields is not None
    assert [(field.name.text, field.binding.text) for field in disc.fields] == [("r", "r"), ("w", "v")]
    assert isinstance(box, syntax.VariantPattern)
    assert box.fields == ()
    assert isinstance(name, syntax.VariantPattern)
    assert name.name.text == "_x"


def test_ranges_need_no_blanks() -> None:
    node = statement("for i in 0..9 {}")
    assert isinstance(node, syntax.For)
    assert (compact(node.low), compact(node.high)) == ("0", "9")


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>"])
@pytest.mark.parametrize("space", ["", " "])
def test_compound_assignment(op: str, space: str) -> None:
    node = statement(f"a.b[1]{space}{op}={space}-c;")
    assert isinstance(node, syntax.Assign)
    assert (compact(node.target), node.op, compact(node.value)) == ("a.b[1]", op, "(-c)")


def test_assignment() -> None:
    node = statement("a=b==c;")
    assert isinstance(node, syntax.Assign)
    assert (node.op, compact(node.value)) == (None, "(b == c)")


def test_let_and_var() -> None:
    fixed, changing = statements("let a: [Int; 2] = b; var c = d;")
    assert isinstance(fixed, syntax.Let)
    assert isinstance(changing, syntax.Let)
    assert (fixed.mutable, changing.mutable) == (False, True)
    assert isinstance(fixed.type, syntax.ArrayType)
    assert changing.type is None


def test_loops() -> None:
    half, closed, counted, ended = statements(
        "for i in a..b + 1 {} for i in (0)..=n until i > c {} loop n {} loop f(n) until a == b { x; }"
    )
    assert isinstance(half, syntax.For)
    assert (half.closed, half.until, compact(half.high)) == (False, None, "(b + 1)")
    assert isinstance(closed, syntax.For)
    assert closed.closed
    assert compact(closed.until) == "(i > c)"
    assert isinstance(counted, syntax.Loop)
    assert (compact(counted.count), counted.until) == ("n", None)
    assert isinstance(ended, syntax.Loop)
    assert (compact(ended.until), compact(ended.body)) == ("(a == b)", "{x;}")


def test_returns() -> None:
    bare, valued = statements("return; return { a: 1 };")
    assert isinstance(bare, syntax.Return)
    assert bare.value is None
    assert isinstance(valued, syntax.Return)
    assert isinstance(valued.value, syntax.Record)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("if a { b } - c", ["if a {b}", "(-c)"]),
        ("{ a } -b", ["{a}", "(-b)"]),
        ("if a { b } (c)", ["if a {b}", "c"]),
        ("{ a: 1 }", ["{a: 1}"]),
        ("if a {}; b; c", ["if a {};", "b;", "c"]),
        ("a;; b;;;", ["a;", "b;"]),
        ("f(x); { a } ;", ["f(x);", "{a};"]),
    ],
)
def test_statements_that_start_with_a_brace_end_at_it(text: str, parts: list[str]) -> None:
    assert [compact(part) for part in statements(text)] == parts


def test_a_match_as_a_statement_ends_at_its_brace() -> None:
    first, second = statements("match a { _ => {} } [1];")
    assert isinstance(first, syntax.ExprStatement)
    assert isinstance(first.value, syntax.Match)
    assert isinstance(second, syntax.ExprStatement)
    assert isinstance(second.value, syntax.ArrayLiteral)


def test_types() -> None:
    node = item("struct S { a: Rows<[Grid<Vec2>; 2]>; b: [[Int; 2]; N + 1], c: A<B, C<D>,> }")
    assert isinstance(node, syntax.Struct)
    names = [found.name.text for found in nodes(node, syntax.NamedType) if isinstance(found, syntax.NamedType)]
    assert sorted(names) == ["A", "B", "C", "D", "Grid", "Int", "Rows", "Vec2"]
    [outer, inner, of_rows] = sorted(
        (found for found in nodes(node, syntax.ArrayType) if isinstance(found, syntax.ArrayType)),
        key=lambda found: compact(found.length),
    )
    assert [compact(found.length) for found in (outer, inner, of_rows)] == ["(N + 1)", "2", "2"]


_NOWHERE = expr("a").span


def _name(text: str) -> syntax.Name:
    return syntax.Name(span=_NOWHERE, text=text)


def _int(value: int) -> syntax.LiteralPattern:
    return syntax.LiteralPattern(span=_NOWHERE, value=value)

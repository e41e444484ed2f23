"""Sizes and depths: silly inputs get an answer, soon and in words."""

import sys
import threading

import pytest

from kcheck.grammar import parse, syntax
from kcheck.grammar.limits import LARGEST_FILE
from kcheck.grammar.recursion import DEEPEST, deep_recursion
from tests.grammar.support import error, errors, item, place

KINDS = {
    "parentheses": ("(", "1", ")"),
    "calls": ("f(", "1", ")"),
    "arrays": ("[", "1", "]"),
    "indices": ("a[", "1", "]"),
    "blocks": ("{", "1", "}"),
    "ifs": ("if a {", "1", "}"),
    "conditions": ("if ", "a", "{}"),
    "structs": ("S { a: ", "1", "}"),
    "unary": ("-", "1", ""),
    "sums": ("1 + (", "1", ")"),
    "long sum": ("1 + ", "1", ""),
    "suffixes": ("", "a", ".b"),
    "else": ("if a {} else ", "{}", ""),
    "matches": ("match a { _ => ", "1", "}"),
}


def nested(kind: str, depth: int) -> str:
    """A function whose body nests so many levels of one kind."""
    opener, inner, closer = KINDS[kind]
    return "fn f() { let x = " + opener * depth + inner + closer * depth + "; }"


@pytest.mark.parametrize("kind", KINDS)
def test_what_people_write_is_not_too_deep(kind: str) -> None:
    assert isinstance(item(nested(kind, 120)), syntax.Function)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("depth", [DEEPEST + 1, 700])
def test_too_deep(kind: str, depth: int) -> None:
    diagnostic = error(nested(kind, depth))
    assert diagnostic.code == "K103"
    assert "let" in diagnostic.notes[0].message


def test_far_too_deep() -> None:
    for text in (
        nested("parentheses", 10_000),
        nested("long sum", 3_000),
        "const a: " + "A<" * 6_000 + "B" + ">" * 6_000 + " = 1;",
        "const a: " + "A<" * 60_000 + "B = 1;",
    ):
        assert error(text).code == "K103"


def test_depth_takes_no_room_of_the_stack_of_c() -> None:
    """Where it did, these would not raise RecursionError but kill the process."""
    codes = []
    texts = [
        "const a: " + "A<" * 6_000 + "B" + ">" * 6_000 + " = 1;",
        "const a: " + "A<" * 60_000,
        nested("calls", 250),
    ]

    def work() -> None:
        codes.extend([diagnostic.code for diagnostic in errors(text)] for text in texts)

    before = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert codes == [["K103"], ["K103"], []]


def test_a_deep_type() -> None:
    assert error("const a: " + "A<" * 300 + "B" + ">" * 300 + " = 1;").code == "K103"


def test_depth_counts_all_kinds_together() -> None:
    text = "fn f() { let x = " + "f(" * 120 + "-" * 100 + "(1" + "+ 1" * 60 + ")" + ")" * 120 + "; }"
    assert error(text).code == "K103"


def test_the_recursion_limit_is_given_back() -> None:
    before = sys.getrecursionlimit()
    with deep_recursion(), deep_recursion():
        assert sys.getrecursionlimit() > before
    parse(nested("calls", 120), "t.kernel")
    assert sys.getrecursionlimit() == before


MANY = 100_000


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("(" * LARGEST_FILE, "K103"),
        ("{" * MANY, "K103"),
        ("}" * MANY, "K101"),
        ("kernel k@1 {" + "(" * MANY, "K103"),
        ("/*\n" * MANY, "K104"),
        ('"\n' * MANY, "K104"),
        ("a " * MANY, "K101"),
        ("fn f() { return " + "1" * (LARGEST_FILE - 20), "K101"),
        ("fn f() { return 0." + "1" * MANY + "; }", "K101"),
        ("\0" * MANY, "K102"),
        ("x kernel k@1 {\nfn\n" * (MANY // 10), "K101"),
        ("a" * 10_000_000, "K106"),
    ],
    ids=lambda value: repr(value[:20]),
)
def test_a_flood_of_one_thing_takes_linear_time(text: str, code: str) -> None:
    """Quadratic time would be hours for the largest of these."""
    assert errors(text)[0].code == code


def test_blanks_and_comments_cost_little() -> None:
    text = "kernel k@1 {" + " " * 500_000 + "// x\n" * 50_000 + "/**/" * 50_000 + "compute {} }"
    assert errors(text) == ()


def test_half_characters() -> None:
    assert [diagnostic.code for diagnostic in errors("use \ud83d\ude80;")] == ["K102"]


def test_large_files() -> None:
    diagnostic = error("\n" * (LARGEST_FILE + 1))
    assert diagnostic.code == "K106"
    assert "1,048,577" in diagnostic.message
    assert errors("\n" * LARGEST_FILE) == ()


@pytest.mark.parametrize("character", ["\0", "\x01", "\x0b", "\x0c", "\x1b", "\x7f", "\x85", "\ud800"])
def test_control_characters(character: str) -> None:
    code = f"struct A {{ x: Int;{character} }}"
    diagnostic = error(code)
    assert (diagnostic.code, diagnostic.origin.item) == ("K102", "struct A")
    assert place(code, diagnostic) == (code.index(character), code.index(character) + 1)
    between = f"struct A {{}} // {character}\nstruct B {{}} // {character}"
    diagnostic = error(between)
    assert (diagnostic.code, diagnostic.origin.item) == ("K102", "")
    assert diagnostic.origin.span.start == between.index(character)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ('kernel k@1 { example e { a = file("x); } }', '"'),
        ("kernel k@1 { compute { /* here } }\nstruct After {}", "/*"),
        ("struct A {}\n/* to the end\nuse b;", "/*"),
        ('fn f() { "\\" }', '"'),
        ('fn f() { " }', '"'),
    ],
)
def test_what_is_never_closed(text: str, start: str) -> None:
    diagnostic = error(text)
    assert diagnostic.code == "K104"
    assert place(text, diagnostic)[0] == text.index(start)


def test_an_open_comment_hides_nothing_but_its_line() -> None:
    source, diagnostics = parse("kernel k@1 { /* here }\nstruct After {}\nuse b;", "t.kernel")
    assert [parsed.key for parsed in source.items] == ["kernel k@1", "struct After", "use b"]
    assert len(diagnostics) == 1

"""Every node's span is its own text: cut out and read again, it gives the same node."""

from itertools import pairwise
from pathlib import Path

import pytest

from kcheck.grammar import parse, syntax
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Position, Span
from kcheck.grammar.walk import children, descendants
from tests.grammar.support import PROGRAMS, error, item, kernel, nodes, place, read, statements, text_of

EXPRESSIONS = (
    syntax.IntLiteral,
    syntax.FloatLiteral,
    syntax.BoolLiteral,
    syntax.NameRef,
    syntax.Unary,
    syntax.Binary,
    syntax.Call,
    syntax.Member,
    syntax.Index,
    syntax.If,
    syntax.Match,
    syntax.StructValue,
    syntax.ArrayLiteral,
    syntax.ArrayRepeat,
    syntax.Tuple,
    syntax.StringLiteral,
)
STATEMENTS = (syntax.Let, syntax.Assign, syntax.For, syntax.Loop, syntax.Return)
MEMBERS = (
    syntax.Requires,
    syntax.Port,
    syntax.Param,
    syntax.Const,
    syntax.Struct,
    syntax.Enumeration,
    syntax.Function,
    syntax.Body,
    syntax.Merge,
    syntax.Example,
)


def parsed_items(path: Path) -> list[ParsedItem]:
    return list(read(text_of(path)).items)


@pytest.fixture(params=PROGRAMS, ids=lambda path: path.stem)
def items(request: pytest.FixtureRequest) -> list[ParsedItem]:
    return parsed_items(request.param)


def test_spans_hold_their_children_in_order(items: list[ParsedItem]) -> None:
    for parsed in items:
        for node in descendants(parsed.node):
            below = sorted((child.span for child in children(node)), key=lambda span: span.start)
            assert all(node.span.start <= span.start <= span.end <= node.span.end for span in below), node
            if not isinstance(node, syntax.FieldPattern):  # `r` binds `r`: one word is both
                assert all(left.end <= right.start for left, right in pairwise(below)), node


def test_spans_start_and_end_at_tokens(items: list[ParsedItem]) -> None:
    for parsed in items:
        for node in descendants(parsed.node):
            text = parsed.text[node.span.start : node.span.end]
            assert text == text.strip() != ""
            assert not text.startswith(("//", "/*"))
            assert not text.endswith("*/")


def test_names_are_their_text(items: list[ParsedItem]) -> None:
    for parsed in items:
        for node in nodes(parsed.node, syntax.Name):
            assert isinstance(node, syntax.Name)
            assert parsed.text[node.span.start : node.span.end] == node.text


def test_expressions_read_again(items: list[ParsedItem]) -> None:
    """Each expression as the value of an example's entry, where all forms are allowed."""
    for parsed in items:
        found = nodes(parsed.node, *EXPRESSIONS)
        texts = [parsed.text[node.span.start : node.span.end] for node in found]
        [example] = kernel("example e {" + "".join(f"x = {text};\n" for text in texts) + "}").members
        assert isinstance(example, syntax.Example)
        assert [entry.value for entry in example.entries] == found


def test_statements_read_again(items: list[ParsedItem]) -> None:
    for parsed in items:
        found = nodes(parsed.node, *STATEMENTS)
        assert list(statements("\n".join(parsed.text[node.span.start : node.span.end] for node in found))) == found


def test_types_read_again(items: list[ParsedItem]) -> None:
    for parsed in items:
        found = nodes(parsed.node, syntax.NamedType, syntax.ArrayType)
        texts = [parsed.text[node.span.start : node.span.end] for node in found]
        struct = item("struct S {" + "".join(f"x: {text};\n" for text in texts) + "}")
        assert isinstance(struct, syntax.Struct)
        assert [field.type for field in struct.fields] == found


def test_members_read_again(items: list[ParsedItem]) -> None:
    for parsed in items:
        if isinstance(parsed.node, syntax.Kernel):
            found = [node for node in parsed.node.members if isinstance(node, MEMBERS)]
            text = "\n".join(parsed.text[node.span.start : node.span.end] for node in found)
            assert list(kernel(text).members) == found


def test_items_stand_at_their_offset() -> None:
    for path in PROGRAMS:
        text = text_of(path)
        for parsed in read(text).items:
            assert text[parsed.offset : parsed.offset + len(parsed.text)] == parsed.text
            assert parsed.text.rstrip("; \n") == parsed.text.rstrip("; \n").strip()


def test_columns_count_utf_16_units() -> None:
    text = "// 🚀\r\nconst A: Int = /* 😀é */ ;\r\n"
    diagnostic = error(text)
    source, _ = parse(text, "t.kernel")
    start = source.absolute(diagnostic.origin).start
    assert text[start] == ";"
    assert source.lines.position(start) == Position(1, len("const A: Int = /* ") + 2 + len("é */ "))
    assert source.lines.offset(source.lines.position(start)) == start


def test_a_carriage_return_counts_as_a_character() -> None:
    text = "const A: Int = 1;\r\nconst B: Int = ;"
    assert place(text, error(text)) == (text.index("= ;") + 2, text.index("= ;") + 3)


def test_equal_but_for_layout() -> None:
    first = item("/// one\nfn f(a:Int)->Int{a+1}")
    second = item("fn f( a : Int , ) -> Int\n{ /* two */ a + 1 }")
    assert first == second
    assert hash(first) == hash(second)
    assert first.span != second.span


def test_an_edit_above_moves_no_span() -> None:
    text = "struct S { a: Int; }\nconst B: Int = 1;"
    before = read(text).items[1]
    after = read("// new\n" + text).items[1]
    assert before.node is after.node
    assert after.offset == before.offset + len("// new\n")
    assert before.node.span == Span(0, len("const B: Int = 1;"))

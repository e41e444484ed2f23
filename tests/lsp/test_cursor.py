"""What stands before the cursor: what the open brackets hold, and that leaving out what is far changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcheck.lsp.features import nearby
from kcheck.lsp.features.cursor import Cursor, Inside, InString, cursor_at
from kcheck.lsp.features.nearby import tokens_before
from tests.lsp.views import marked_view, view_of

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.kernel"))


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("«»", []),
        ("kernel a.b@1 { «»", [Inside.KERNEL]),
        ("kernel a.b@1 { requires { «»", [Inside.KERNEL, Inside.REQUIRES]),
        ("kernel a.b@1 { input x: Rows<«»", [Inside.KERNEL, Inside.TYPE]),
        ("kernel a.b@1 { input x: Rows<Int>; «»", [Inside.KERNEL]),
        ("kernel a.b@1 { input x: Rows<[Int; «»", [Inside.KERNEL, Inside.TYPE, Inside.ARRAY_TYPE]),
        ("kernel a.b@1 { compute { let a = b < «»", [Inside.KERNEL, Inside.CODE]),
        ("kernel a.b@1 { compute { { a: 1, «»", [Inside.KERNEL, Inside.CODE, Inside.RECORD]),
        ("kernel a.b@1 { merge(«»", [Inside.KERNEL, Inside.SIDES]),
        ("kernel a.b@1 { example e { x = [{ «»", [Inside.KERNEL, Inside.EXAMPLE, Inside.ARRAY, Inside.RECORD]),
        ("kernel a.b@1 { scan over x with y = S { a: «»", [Inside.KERNEL, Inside.VALUE]),
        ("kernel a.b@1 { scan over x with y = S { a: 1 } { «»", [Inside.KERNEL, Inside.CODE]),
        ("scene s { node n: a.b@1 { «»", [Inside.SCENE, Inside.NODE]),
        ("struct S { a: «»", [Inside.FIELDS]),
        ("enum E { A; B { «»", [Inside.VARIANTS, Inside.FIELDS]),
        ("enum E { A; B { a: Int; } «»", [Inside.VARIANTS]),
        ("fn f(«»", [Inside.PARAMETERS]),
        ("fn f(a: Int) { g(a, (1 + «»", [Inside.CODE, Inside.CALL, Inside.PARENTHESES]),
        ("fn f(a: Int) { x[«»", [Inside.CODE, Inside.INDEX]),
        ("fn f(a: Int) { x = [«»", [Inside.CODE, Inside.ARRAY]),
        ("fn f(a: Int) { let x = S { «»", [Inside.CODE, Inside.VALUE]),
        ("fn f(a: Int) { if a < S { «»", [Inside.CODE, Inside.CODE]),
        ("fn f(a: Int) { if a { } else { «»", [Inside.CODE, Inside.CODE]),
        ("fn f(a: Int) { let x = match a { «»", [Inside.CODE, Inside.MATCH]),
        ("fn f(a: Int) { let x = match a { 1 => { «»", [Inside.CODE, Inside.MATCH, Inside.CODE]),
        ("fn f(a: Int) { let x = match a { 1 => S { «»", [Inside.CODE, Inside.MATCH, Inside.VALUE]),
        ("fn f(a: Int) { ) ] } «»", []),
    ],
)
def test_brackets(text: str, inside: list[Inside]) -> None:
    view, marks = marked_view(text)
    cursor = cursor_at(view, marks[0].start)
    assert isinstance(cursor, Cursor)
    assert [frame.inside for frame in cursor.frames[1:]] == inside


@pytest.mark.parametrize("text", ["// a «»", "/* a «»", "/* a\n«»\n*/", "/* // */ // «»", "const N: Int = 1; /// «»\n"])
def test_comments(text: str) -> None:
    view, marks = marked_view(text)
    assert cursor_at(view, marks[0].start) is None


@pytest.mark.parametrize("text", ["/* a */ «»", "/* // */ «»", "// a\n«»", 'const N: Int = "// «»'])
def test_behind_comments(text: str) -> None:
    view, marks = marked_view(text)
    assert cursor_at(view, marks[0].start) is not None


def test_strings() -> None:
    view, marks = marked_view('kernel a.b@1 { example e { x = file("data/c«»at.png"); } }')
    assert cursor_at(view, marks[0].start) == InString("data/c", marks[0].start - len("data/c"), "file")


def told(text: str, offset: int) -> object:
    """What is known of a place, but for finished parts of what is open."""
    cursor = cursor_at(view_of(text), offset)
    if not isinstance(cursor, Cursor):
        return cursor
    return [(frame.inside, frame.name, frame.words, frame.start) for frame in cursor.frames]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_is_far_makes_no_difference(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text("utf-8")
    places = range(0, len(text), 211)
    monkeypatch.setattr(nearby, "_LONG", len(text))
    whole = [told(text, place) for place in places]
    monkeypatch.setattr(nearby, "_LONG", 5)
    assert [told(text, place) for place in places] == whole


def test_little_is_read_of_a_long_block() -> None:
    lines = "".join(f"  let a{i} = max({i}, 1);\n" for i in range(5000))
    text = f"fn f() -> Int {{\n{lines}  if true {{\n{lines}  }}\n  return a1 + "
    found = tokens_before(text, 0, len(text))
    assert found is not None
    assert len(found) < 1000

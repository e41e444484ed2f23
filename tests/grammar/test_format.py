"""The formatter: one style, at rest after one run, with the same tree, comments and meaning."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcheck.checker import check_text
from kcheck.checker.ir import content_hash
from kcheck.checker.rules import CATALOGUE
from kcheck.grammar import parse, syntax
from kcheck.grammar.formatter import Replacement, format_range, format_text
from kcheck.grammar.lexis import tokens
from kcheck.grammar.recursion import deep_recursion
from kcheck.grammar.walk import descendants
from tests.cases.cases import all_cases
from tests.grammar.generate import Maker, spread
from tests.grammar.support import PROGRAMS, SEEDS, read, text_of
from tests.matrix.forms import FORMS, kernel
from tests.matrix.programs import emitting_program, lanes_program, memory_program, program

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 100
# What the tool ships and shows; `tests/grammar/programs` is laid out in every way there is.
PRETTY = sorted(
    path for place in ("examples", "checker/prelude", "packages") for path in (ROOT / place).rglob("*.kernel")
)
FILES = [*PRETTY, *PROGRAMS, *sorted(SEEDS.glob("*.kernel"))]
ITEMS = [item.text for path in FILES for item in parse(text_of(path), "t.kernel")[0].items]

_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.S)
_BLOCK = re.compile(r"^```kernel[^\n]*\n(.*?)^```$", re.M | re.S)


def comments(text: str) -> list[str]:
    """The comments in order, without the white space that a move to another column changes."""
    starts = [token.start for token in tokens(text)] + [len(text)]
    ends = [0] + [token.end for token in tokens(text)]
    gaps = (text[end:start] for start, end in zip(starts, ends, strict=True))
    return ["\n".join(map(str.strip, found.splitlines())) for gap in gaps for found in _COMMENT.findall(gap)]


def docs(text: str) -> list[tuple[str, str]]:
    """The documented nodes in order, each with its comment."""
    found = [node for item in parse(text, "t.kernel")[0].items for node in descendants(item.node)]
    return [(type(node).__name__, node.doc) for node in found if isinstance(node, syntax.Documented)]


def hashes(text: str) -> dict[str, str]:
    return {name: content_hash(program) for name, program in check_text(text, "t.kernel").programs.items()}


def nodes(text: str) -> list[syntax.Item]:
    return [item.node for item in read(text).items]


def formatted(text: str) -> str:
    """The new text, of which everything holds that holds of any."""
    result = format_text(text)
    assert not result.diagnostics
    assert nodes(result.text) == nodes(text)
    assert comments(result.text) == comments(text)
    assert format_text(result.text).text == result.text
    lines = result.text.splitlines()
    assert all(line == line.rstrip() for line in lines)
    assert "\n\n\n" not in result.text
    assert not result.text or (result.text.endswith("\n") and lines[0] and lines[-1])
    for line in lines:
        assert len(line) <= WIDTH or "//" in line or "*/" in line or '"' in line, line
    return result.text


def holds(text: str) -> None:
    result = formatted(text)
    assert docs(result) == docs(text)
    assert hashes(result) == hashes(text)


# ---------------------------------------------------------------- the style


def layouts() -> Iterator[tuple[str, str, str]]:
    page = text_of(ROOT / "tests" / "grammar" / "layouts.md")
    for part in re.split(r"^## ", page, flags=re.M)[1:]:
        before, *after = _BLOCK.findall(part)
        yield part.split("\n", 1)[0], before, after[0] if after else before


LAYOUTS = list(layouts())


@pytest.mark.parametrize(("before", "after"), [case[1:] for case in LAYOUTS], ids=[case[0] for case in LAYOUTS])
def test_layout(before: str, after: str) -> None:
    assert formatted(before) == after
    assert formatted(after) == after


@pytest.mark.parametrize("path", PRETTY, ids=lambda path: path.stem)
def test_shipped_files_are_formatted(path: Path) -> None:
    assert format_text(text_of(path)).text == text_of(path), "run: kcheck fmt examples checker packages"


# ---------------------------------------------------------------- what never changes


def sources() -> Iterator[str]:
    """Every program of the repository that reads without errors."""
    yield from (text for rule in CATALOGUE.values() for text in (rule.bad, rule.good) if text)
    yield from (
        text for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))] for text in _BLOCK.findall(text_of(page))
    )
    yield from (case.source for case in all_cases())


SOURCES = [text for text in dict.fromkeys(sources()) if not parse(text, "t.kernel")[1]]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_files(path: Path) -> None:
    holds(text_of(path))


def test_sources() -> None:
    assert len(SOURCES) > 150
    for text in SOURCES:
        holds(text)


@pytest.mark.parametrize("seed", range(4))
def test_generated_programs_mean_the_same(seed: int) -> None:
    feature, form = program(seed), FORMS[seed % len(FORMS)]
    actors = (make(seed).source for make in (memory_program, emitting_program, lanes_program))
    for text in (kernel(feature, form.skeleton(feature)), *actors):
        holds(spread(text, Random(seed), 0.3, 0.02))


@settings(max_examples=100)
@given(st.integers(0, 1 << 32), st.sampled_from([0.0, 0.3]), st.sampled_from([0.0, 0.05, 0.3]))
def test_generated_trees(seed: int, blanks: float, remarks: float) -> None:
    chance = Random(seed)
    formatted(spread(Maker(chance).item(), chance, blanks, remarks))


@settings(max_examples=100)
@given(st.integers(0, 1 << 32), st.sampled_from(ITEMS), st.sampled_from([0.02, 0.1, 0.5]))
def test_items_of_any_layout(seed: int, item: str, rate: float) -> None:
    formatted(spread(item, Random(seed), rate, rate))


@settings(max_examples=60)
@given(st.integers(0, 1 << 32), st.sampled_from([item for item in ITEMS if not comments(item)]))
def test_blanks_that_break_no_line_leave_no_trace(seed: int, item: str) -> None:
    chance = Random(seed)
    found = list(tokens(item))
    parts = [found[0].text]
    for before, token in pairwise(found):
        gap = item[before.end : token.start]
        parts += (gap.replace(" ", " " * chance.randint(1, 3)), token.text)
    assert formatted("".join(parts)) == formatted(item)


# ---------------------------------------------------------------- files


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_line_breaks_of_windows(path: Path) -> None:
    unix = text_of(path).replace("\r\n", "\n")
    assert format_text(unix.replace("\n", "\r\n")).text == format_text(unix).text.replace("\n", "\r\n")


def test_the_line_breaks_of_most_lines_win() -> None:
    text = "use a;\r\nuse b;\r\nuse c;\n"
    assert format_text(text).text == text.replace("\r\n", "\n").replace("\n", "\r\n")


def test_the_end_of_a_file() -> None:
    assert format_text("use a;").text == "use a;\n"
    assert format_text("use a;\n\n \n").text == "use a;\n"
    assert format_text("use a; // b").text == "use a;  // b\n"


def test_texts_without_items() -> None:
    assert format_text("").text == ""
    assert format_text(" \n\n").text == ""
    assert format_text(";;\n").text == ""
    assert format_text("\n  // a\n\n\n/* b */").text == "// a\n\n/* b */\n"


def test_a_byte_order_mark_stays() -> None:
    assert format_text("\ufeff use  a;").text == "\ufeffuse a;\n"


@pytest.mark.parametrize(
    "text",
    [
        f"const A: Int = {'[f(' * 120}1{')]' * 120};",
        f"const A: Int = {'(' * 250}1{')' * 250};",
        f"const A: Int = {' + '.join(['1'] * 250)};",
        f"fn f() {{ {'if a { ' * 120}{'} ' * 120} }}",
        f"fn f() {{ {' else '.join(['if a { b(); }'] * 120)} }}",
    ],
)
def test_deep_programs(text: str) -> None:
    result = format_text(text).text
    assert format_text(result).text == result
    with deep_recursion():
        assert nodes(result) == nodes(text)


def test_a_comment_of_many_lines_moves_as_a_whole() -> None:
    text = "fn f() {\n      /* a\n           b\n\n   c */\n      return;\n}\n"
    assert format_text(text).text == "fn f() {\n  /* a\n       b\n\nc */\n  return;\n}\n"


# ---------------------------------------------------------------- errors


def test_an_item_with_an_error_stays() -> None:
    broken = "  fn  f( {\n  a ;   // why\n  }"
    text = f"use  a;\n\n\n{broken} // there\n\n\n   fn  g() {{ return  ; }}\n"
    result = format_text(text)
    assert [diagnostic.code for diagnostic in result.diagnostics] == ["K101"]
    assert result.text == f"use a;\n\n\n{broken} // there\n\n\n   fn g() {{ return; }}\n"


def test_nothing_but_errors() -> None:
    for text in ("fn", "}}}", "  fn f( {", "\x00", "/* open", "x" * (1 << 20) + "x"):
        result = format_text(text)
        assert result.text == text
        assert result.diagnostics


@settings(max_examples=100)
@given(st.sampled_from(ITEMS), st.sampled_from(ITEMS), st.integers(0, 10_000))
def test_broken_items_and_their_neighbours(first: str, second: str, cut: int) -> None:
    text = f"use  a;\n{first[: cut % len(first)]}\n{second}\n"
    before, after = parse(text, "t.kernel"), parse(format_text(text).text, "t.kernel")
    assert [item.node for item in after[0].items] == [item.node for item in before[0].items]
    assert len(after[1]) == len(before[1])
    for item in before[0].items:
        if isinstance(item.node, syntax.BrokenItem):
            assert item.text in format_text(text).text


# ---------------------------------------------------------------- ranges

LOOSE = """\
fn a() { return   1; }

/// doc
kernel  k@1 {
  input  a: Int;   // x
    requires {  field.read;field.write; }
  compute {
      let   x=1;
      let y   =2; // why
   if x<y   { return   x; }
      y
  }
  struct S { a:Int; b:Int }
}
const  B:Int=1;
"""


def applied(text: str, changes: tuple[Replacement, ...]) -> str:
    for change in reversed(changes):
        text = text[: change.span.start] + change.text + text[change.span.end :]
    return text


@pytest.mark.parametrize(
    ("selected", "before", "after"),
    [
        ("let y", "      let y   =2; // why", "    let y = 2;  // why"),
        ("return   x", "return   x;", "return x;"),
        ("if x<y", "   if x<y   { return   x; }", "    if x < y { return x; }"),
        ("x=1;\n      let y ", "      let   x=1;\n      let y   =2; // why", "    let x = 1;\n    let y = 2;  // why"),
        ("input", "  input  a: Int;   // x", "  input a: Int;  // x"),
        ("// x", "  input  a: Int;   // x", "  input a: Int;  // x"),
        ("b:Int", "b:Int }", "b: Int; }"),
        ("read;field", "field.read;field.write;", "field.read; field.write;"),
        ("const", "const  B:Int=1;", "const B: Int = 1;"),
        ("", "{ return   1; }", "{ return 1; }"),
        ("\n\n///", LOOSE[LOOSE.index("/// doc") : LOOSE.index("const")], None),
        ("a() {", "{ return   1; }", "{ return 1; }"),
        ("\n\n", "", ""),
    ],
)
def test_ranges(selected: str, before: str, after: str | None) -> None:
    start = LOOSE.index(selected)
    wanted = format_text(before).text if after is None else after
    assert applied(LOOSE, format_range(LOOSE, start, start + len(selected))) == LOOSE.replace(before, wanted, 1)


def test_the_range_of_all() -> None:
    assert applied(LOOSE, format_range(LOOSE, 0, len(LOOSE))) == format_text(LOOSE).text
    assert format_range(format_text(LOOSE).text, 0, 10_000) == ()


def test_ranges_of_windows() -> None:
    text = LOOSE.replace("\n", "\r\n")
    start = text.index("let   x")
    changed = applied(text, format_range(text, start, text.index("   if")))
    assert changed == text.replace("      let   x=1;\r\n      let y   =2; //", "    let x = 1;\r\n    let y = 2;  //")


def test_a_range_of_an_item_with_an_error() -> None:
    text = "fn f( { }\nconst  A:Int = 1;\n"
    assert format_range(text, 0, 5) == ()
    assert applied(text, format_range(text, 12, 13)) == "fn f( { }\nconst A: Int = 1;\n"


@settings(max_examples=60)
@given(st.integers(0, 1 << 32), st.lists(st.sampled_from(ITEMS), min_size=3, max_size=3), st.floats(0, 1))
def test_any_range(seed: int, items: list[str], place: float) -> None:
    """Tree and comments stay, and so do the items beside the range."""
    chance = Random(seed)
    text = "\n".join(spread(item, chance, 0.05, 0.02) for item in items)
    start = int(place * len(text))
    end = start + chance.randrange(200)
    after = applied(text, format_range(text, start, end))
    assert nodes(after) == nodes(text)
    assert comments(after) == comments(text)
    before = 0
    for item in read(text).items:
        last = item.offset + len(item.text)
        assert (start <= last and before <= end) or item.text in after
        before = last

"""Hovers: what each name, word and number is, how laws stand, what runs gave."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcheck.checker.builtins import BY_NAME, CONSTRUCTORS, PLACE_WORDS, PORT_WORDS
from kcheck.checker.law.evaluate import Case, SmallField
from kcheck.checker.law.problem import Law
from kcheck.checker.law.verdict import PROVED, REFUTED, UNKNOWN, LawFinding, Step, Witness
from kcheck.lsp.features.hover import hover
from kcheck.lsp.features.words import MODES, WORDS
from kcheck.lsp.outcomes import Outcome
from kcheck.lsp.proofs import LawState, State
from kcheck.lsp.runs.results import Output, RunResult, Words
from kcheck.lsp.view import Traits, View
from tests.lsp.views import Marked, marked_view, start_of, view_of

PROGRAM = """
/// A pair of numbers.
struct Pair {{ low: Int; /// The greater one.
  high: Float; }}
enum Shape {{ Dot; Disc {{ r: Float; }} }}
/// How many there are.
const COUNT: Int = 4;
/// Adds a bit.
fn more(x: Float, by: Pair) -> Float {{ return x + by.high; }}
/// Runs along.
kernel list.run@1 {{
  requires {{ field.read; field.write; }}
  /// What goes in.
  input line: Rows<Float>;
  param keep: Float = 0.5 in 0.0..1.0;
  output result: Rows<Float>;
  scan over line with y = 0.0 {{
    let item = sample(line);
    {body}
    return y * keep + item;
  }}
  example three {{ line = [1, 2, 3]; expect result = [1, 2.5, 4.25]; }}
}}
"""
REDUCTION = """
kernel list.less@1 {
  requires { field.read; field.write; }
  input line: Rows<Int>;
  output result: Rows<Int>;
  compute over line { sample(line) }
  «merge»(a, b) { a - b }
}
"""


def text_at(view: View, offset: int) -> str:
    found = hover(view, view.range(Marked("«»").marks[0].shifted(offset)).start)
    if found is None:
        return ""
    assert not isinstance(found.contents, (str, list))
    return getattr(found.contents, "value", "")


def hovered(text: str, **others: str) -> str:
    """The hover at the mark of a text."""
    view, marks = marked_view(text, {f"/files/{name}.kernel": other for name, other in others.items()})
    return text_at(view, marks[0].start)


def in_program(body: str) -> str:
    return hovered(PROGRAM.format(body=body))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("let z = «item»;", ["let item: Float"]),
        ("let «z» = vec3(item);", ["let z: Vec3"]),
        ("let z = «keep»;", ["param keep: Float = 0.5 in 0.0..1.0"]),
        ("let z = at(«line», 1);", ["input line: Rows<Float>", "What goes in."]),
        ("let z = «COUNT»;", ["const COUNT: Int = 4", "How many there are."]),
        ("let z = «more»(1.0, Pair { low: 1, high: 2.0 });", ["fn more(x: Float, by: Pair) -> Float", "Adds a bit."]),
        ("let z = «Pair» { low: 1, high: 2.0 };", ["struct Pair { low: Int;", "A pair of numbers."]),
        ("let z = Pair { low: 1, «high»: 2.0 };", ["high: Float", "The greater one.", "field of `Pair`"]),
        ("let z = Shape.«Dot»;", ["Shape.Dot", "variant of `Shape`"]),
        ("let z: «Float» = 1.0;", ["Float", "IEEE 754"]),
        ("let z = «clamp»(item, 0.0, 1.0);", ["clamp(x: Float, low: Float, high: Float) -> Float", "by component"]),
        ("let z = «mix»(vec2(0.0), vec2(1.0), vec2(0.5));", ["mix(a: Vec2, b: Vec2, t: Vec2) -> Vec2", "fn mix_float"]),
        ("let z = «exp»(item);", ["exp(x: Float) -> Float", "at most 1 ulp"]),
        ("let z = «tan»(item);", ["at most 2 ulp"]),
        ("let z = «sqrt»(item);", ["correctly rounded", "NaN below zero"]),
        ("let z = «vec3»(item);", ["-> Vec3", "3 components in all"]),
        ("let z = «at»(line, 3);", ["clamped to the edge", "-> Float"]),
        ("let z = item «+» 1.0;", ["item + 1.0: Float"]),
        ("let z = vec3(item).«xy»;", ["vec3(item).xy: Vec2"]),
        ("«if» item > 0.0 { }", ["if c { … } else { … }"]),
        ("«for» i in 0..2 { }", ["docs/language.md#statements"]),
        ("let z = match Shape.Dot { Disc { «r» } => r, Dot => 0.0 };", ["r: Float", "field of `Shape.Disc`"]),
    ],
)
def test_names_words_and_operators(body: str, expected: list[str]) -> None:
    found = in_program(body)
    for part in expected:
        assert part in found


@pytest.mark.parametrize(
    ("marked", "plain", "expected"),
    [
        ("kernel «list.run@1»", "kernel list.run@1", "  scan over line with y = 0.0\n"),
        ("«scan» over", "scan over", "strictly one after another"),
        ("scan «over»", "scan over", "The input whose elements"),
        ("«requires»", "requires", "The permissions"),
        ("«field.read»", "field.read", "reads fields"),
        ("«example»", "example", "`kcheck test`"),
        ("«expect»", "expect", "What must come out"),
        ("«input» line", "input line", "A field that the caller binds"),
        ("«struct» Pair", "struct Pair", "A type of named fields"),
    ],
)
def test_words_of_declarations(marked: str, plain: str, expected: str) -> None:
    text = PROGRAM.format(body="").replace(plain, marked, 1)
    assert expected in hovered(text)


def test_there_is_something_to_say_of_every_word_that_can_be_called() -> None:
    for name in (*BY_NAME, *CONSTRUCTORS, *PLACE_WORDS, *PORT_WORDS):
        assert name in in_program(f"let z = «{name}»(item);"), name


def test_a_mode_is_told_at_its_word_alone() -> None:
    assert set(MODES) <= set(WORDS)
    text = "fn f(«group»: Int) -> Int { return group; }"
    assert hovered(text) == "```kernel\ngroup: Int\n```"
    body = "kernel a.b@1 {\n requires { field.write; }\n output o: Rows<Int>;\n «group» 4 { lane() }\n}"
    assert MODES["group"].text in hovered(body)
    over = REDUCTION.replace("«merge»", "merge").replace("compute over", "«compute» over")
    assert MODES["compute over"].text in hovered(over)


def test_each_word_leads_to_a_heading_that_is_there() -> None:
    page = (Path(__file__).parents[2] / "docs" / "language.md").read_text("utf-8")
    headings = {
        line.lstrip("#").strip().lower().replace(" ", "-") for line in page.splitlines() if line.startswith("#")
    }
    assert {word.more for word in WORDS.values() if word.more} <= headings


def test_nothing_is_said_of_comments_and_blanks() -> None:
    assert hovered("// «let» it be\nconst N: Int = 1;") == ""
    assert hovered("const N: Int = 1;\n\n«»\n\nconst M: Int = N;") == ""


def test_a_name_of_another_file_tells_which() -> None:
    found = hovered(
        "use far;\nfn f() -> Int { return «there»(1); }", far="/// Far off.\nfn there(a: Int) -> Int { return a; }"
    )
    assert "fn there(a: Int) -> Int" in found
    assert "Far off." in found
    assert "from `far`" in found


def test_locals_of_groups_tell_their_lanes() -> None:
    text = """
kernel a.b@1 {
  requires { field.read; field.write; }
  input line: Rows<Float>;
  output result: Rows<Float>;
  group 4 { let mine = sample(line); let first = exchange(mine, 0); return %s; }
}
"""
    assert "may differ from lane to lane" in hovered(text % "«mine» + first")
    assert "the same in all lanes" in hovered(text % "mine + «first»")


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("255", ["255: Int", "`0xFF` · `0b11111111`"]),
        ("0xFFFFFFFF", ["-1: Int"]),
        ("0b101", ["5: Int", "`0x5`"]),
        ("0.5", ["exactly this number", "`0x3F000000`"]),
        ("0.1", ["0.100000001490116119384765625", "`0x3DCCCCCD`"]),
        ("1e10", ["exactly this number"]),
        ("16777217.0", ["16777216"]),
    ],
)
def test_numbers(literal: str, expected: list[str]) -> None:
    found = in_program(f"let z = «{literal}»;")
    for part in expected:
        assert part in found


@settings(max_examples=40)
@given(st.floats(width=32, min_value=2**-20, max_value=2**20))
def test_the_exact_value_of_a_float_is_exact(value: float) -> None:
    """Every Float has a finite decimal; what is told is that, or that the literal is."""
    found = in_program(f"let z = «{value:.9e}»;")
    told = value if "exactly" in found else Fraction(found.split("Float is ")[1].split(" ")[0].removeprefix("about "))
    assert abs(Fraction(told) - Fraction(value)) <= Fraction(value) / 10**15


# ---------------------------------------------------------------- rules


def test_findings_lead_to_their_rules() -> None:
    found = hovered("fn f() -> Float { let x: Float = «1»; return x; }")
    assert "**K203**" in found
    assert "`kcheck explain K203`" in found


def test_a_code_in_a_comment_is_explained() -> None:
    assert "this is never used" in hovered("const N: Int = 1;\n// kcheck: allow «K208»\nconst M: Int = N;")
    assert hovered("const N: Int = 1;\n// kcheck: allow «K999»\n") == ""


# ---------------------------------------------------------------- laws


def less() -> tuple[View, int, Witness]:
    """A view of a merge that subtracts, and elements that show what is wrong with it."""
    view, [mark] = marked_view(REDUCTION)
    program = view.checked.programs["list.less@1"]
    case = Case({"line": SmallField((2,), ((5,), (3,)))}, {})
    sides = Step((0, 1), (2,), (Step(0, (5,)), Step(1, (3,)))), Step((1, 0), (-2,), (Step(1, (3,)), Step(0, (5,))))
    return view, mark.start, Witness(program, case, *sides, differing=(0,))


def with_law(view: View, state: State, finding: LawFinding | None = None) -> View:
    return replace(view, laws={"list.less@1": [LawState(Law.COMMUTATIVE, state, finding)]})


def test_a_refuted_law_shows_its_elements() -> None:
    view, place, witness = less()
    found = text_at(with_law(view, State.REFUTED, LawFinding(Law.COMMUTATIVE, REFUTED, witness=witness)), place)
    assert "not commutative" in found
    assert "`line = [5, 3]`" in found
    rows = [line for line in found.splitlines() if line.startswith("|")]
    assert rows == [
        "| element | `merge(a, b)` | `merge(b, a)` |",
        "|---|---|---|",
        "| `a = 5` | **`merge(a, b) = 2`** | **`merge(b, a) = -2`** |",
        "| `b = 3` |  |  |",
    ]


def test_a_law_tells_how_it_stands() -> None:
    view, place, _ = less()
    proved = LawFinding(Law.COMMUTATIVE, PROVED, assuming=("count >= 1",))
    assert "proved, since always `count >= 1`" in text_at(with_law(view, State.PROVED, proved), place)
    unknown = LawFinding(Law.COMMUTATIVE, UNKNOWN, reason="it took too long")
    assert "not decided: it took too long" in text_at(with_law(view, State.UNKNOWN, unknown), place)
    assert "not judged yet since the last change (it was proved)" in text_at(with_law(view, State.STALE, proved), place)
    for state in (State.QUEUED, State.WORKING):
        assert "proved:" not in text_at(with_law(view, state), place)
        assert "✓" not in text_at(with_law(view, state), place)


# ---------------------------------------------------------------- results


def ran(text: str) -> tuple[View, list[int]]:
    """A view with a result of its kernel, and where the marks are."""
    marked = Marked(text)
    view = view_of(marked.text)
    output = Output(
        "result", "output", "Rows<Float>", "Float", (3,), "plot", words=Words("the numbers", "data:x", "▁▂▃")
    )
    result = RunResult("list.run@1", "three", "jit", run_seconds=0.5, outputs=(output,))
    outcome = Outcome(view.checked.programs["list.run@1"], "three", result, 1)
    return replace(view, outcomes={"list.run@1": [outcome]}), [mark.start for mark in marked.marks]


RUN = PROGRAM.format(body="").replace("list.run@1", "«list.run@1»").replace("output result", "output «result»")


def test_results_show_at_the_kernel_its_outputs_and_its_example() -> None:
    view, places = ran(RUN.replace("three {", "«three» {"))
    assert len(places) == 3
    for place in places:
        assert "example `three` · jit" in text_at(view, place)
        assert "the numbers" in text_at(view, place)


def test_pictures_are_for_clients_that_draw_them() -> None:
    view, places = ran(RUN)
    assert "▁▂▃" in text_at(view, places[0])
    assert "data:x" not in text_at(view, places[0])
    drawing = replace(view, traits=replace(view.traits, pictures=True))
    assert "![result](data:x)" in text_at(drawing, places[0])


def test_results_of_older_code_say_so() -> None:
    view, places = ran(RUN)
    assert "older code" not in text_at(view, places[0])
    changed = view_of(view.text.replace("y * keep", "y + keep"))
    assert "older code" in text_at(replace(changed, outcomes=view.outcomes), places[0])
    layout = view_of(view.text.replace("return y * keep", "return  y * keep"))
    assert "older code" not in text_at(replace(layout, outcomes=view.outcomes), places[0])


def test_clients_without_markdown_get_plain_text() -> None:
    view, marks = marked_view(PROGRAM.format(body="let z = «clamp»(item, 0.0, 1.0);"), traits=Traits(markdown=False))
    found = text_at(view, marks[0].start)
    assert "clamp(x: Float" in found
    assert "`" not in found


def test_a_hover_covers_the_name() -> None:
    view, [mark] = marked_view("const N: Int = 1;\nconst «M»: Int = N;")
    found = hover(view, start_of(view, mark))
    assert found is not None
    assert found.range == view.range(mark)

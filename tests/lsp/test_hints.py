"""Inlay hints: as the text that a reader sees, with each hint in brackets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from lsprotocol import types as lsp

from kcheck.checker.check import check_text
from kcheck.checker.memo import Memo
from kcheck.grammar.diagnostics import Diagnostic, Severity
from kcheck.grammar.spans import Origin, Span
from kcheck.lsp.features.hints import Marks, inlay_hints
from kcheck.lsp.options import Options
from kcheck.lsp.outcomes import Outcome
from kcheck.lsp.runs.results import Expectation, Output, RunResult, Summary
from kcheck.lsp.view import View
from tests.lsp.views import MAIN, applied, view_of

ALL = Options()
NONE = Options(hint_types=False, hint_parameters=False, hint_lanes=False, hint_domains=False, hint_results=False)
WHOLE = lsp.Range(lsp.Position(0, 0), lsp.Position(10_000, 0))


def hints(view: View, options: Options = ALL, range_: lsp.Range = WHOLE) -> list[lsp.InlayHint]:
    return inlay_hints(view, range_, options, Marks())


def seen(view: View, options: Options = ALL) -> str:
    """The text with its hints in `⟨⟩`."""
    found = reversed(hints(view, options))  # where two stand at one place, the first one comes first
    return applied(view.text, [lsp.TextEdit(lsp.Range(h.position, h.position), f"⟨{h.label}⟩") for h in found])


def line(text: str, options: Options = ALL, number: int = 1) -> str:
    return seen(view_of(text), options).splitlines()[number]


def in_function(statement: str) -> str:
    return line(f"fn f(x: Float, v: Vec3, n: Int) -> Float {{\n{statement}\nreturn x; }}")


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("let a = x + 1.0;", "let a⟨: Float⟩ = x + 1.0;"),
        ("var a = v.xy;", "var a⟨: Vec2⟩ = v.xy;"),
        ("let a: Float = x + 1.0;", "let a: Float = x + 1.0;"),
        ("let a = 1.0;", "let a = 1.0;"),
        ("let a = true;", "let a = true;"),
        ("let a = vec2(x);", "let a = vec2(x);"),
        ("let a = [v, v];", "let a⟨: [Vec3; 2]⟩ = [v, v];"),
        ("let a = n > 2 && x < 1.0;", "let a⟨: Bool⟩ = n > 2 && x < 1.0;"),
        ("let a = unknown;", "let a = unknown;"),
        ("let a = clamp(x, 0.0, -1.0);", "let a⟨: Float⟩ = clamp(x, ⟨low:⟩0.0, ⟨high:⟩-1.0);"),
        ("let a = f(1.0, vec3(0.0), n);", "let a = f(⟨x:⟩1.0, ⟨v:⟩vec3(0.0), n);"),
        ("let a: Float = max(x, 1.0);", "let a: Float = max(x, 1.0);"),
        ("let a: Vec3 = vec3(1.0, 2.0, 3.0);", "let a: Vec3 = vec3(1.0, 2.0, 3.0);"),
    ],
)
def test_types_and_arguments(statement: str, expected: str) -> None:
    assert in_function(statement) == expected


def test_a_type_can_be_written_by_its_hint() -> None:
    text = "fn f(x: Float) -> Float {\n  let a = x * 2.0;\n  return a;\n}"
    [hint] = hints(view_of(text))
    assert hint.kind is lsp.InlayHintKind.Type
    assert applied(text, hint.text_edits or []) == text.replace("let a", "let a: Float")


GROUP = """kernel a.b@1 {
  requires { field.read; field.write; }
  input line: Rows<Float>;
  output result: Rows<Float>;
  group 4 {
    let mine = sample(line);
    let first = exchange(mine, 0);
    mine + first
  }
  example six { line = [1, 2, 3, 4, 5, 6]; }
}
"""


def test_lanes() -> None:
    view = view_of(GROUP)
    lanes = seen(view, replace(NONE, hint_lanes=True)).splitlines()
    assert lanes[5:7] == ["    let mine⟨per lane⟩ = sample(line);", "    let first⟨uniform⟩ = exchange(mine, 0);"]
    assert seen(view).splitlines()[5] == "    let mine⟨: Float⟩⟨per lane⟩ = sample(line);"


DOMAINS = """kernel a.b@1 {{
  requires {{ field.read; field.write; }}
  input source: {type_};
  output result: {type_};
  compute {{ sample(source) }}
  example one {{ {entries} }}
}}
"""


@pytest.mark.parametrize(
    ("type_", "entries", "expected"),
    [
        ("Rows<Int>", "source = [1, 2, 3];", "⟨3 elements⟩"),
        ("Rows<Int>", "source = [1];", "⟨1 element⟩"),
        ("Grid<Float>", "source = [[1, 2, 3], [4, 5, 6]];", "⟨3 × 2⟩"),
        ("Volume<Float>", "source = zeros((4, 5, 6));", "⟨4 × 5 × 6⟩"),
        ("Rows<Int>", "source = [1, 2]; domain = 2;", ""),
        ("Image", 'source = file("a.png");', ""),
    ],
)
def test_domains_of_examples(type_: str, entries: str, expected: str) -> None:
    assert line(DOMAINS.format(type_=type_, entries=entries), number=5) == f"  example one{expected} {{ {entries} }}"


# ---------------------------------------------------------------- results


def with_result(view: View, *outputs: Output, expectations: Sequence[Expectation] = ()) -> View:
    result = RunResult("a.b@1", "six", "jit", run_seconds=0.0002, outputs=outputs, expectations=tuple(expectations))
    return replace(view, outcomes={"a.b@1": [Outcome(view.checked.programs["a.b@1"], "six", result, 1)]})


def output(**more: object) -> Output:
    return replace(Output("result", "output", "Rows<Float>", "Float", (3,), "plot"), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (output(values=[1.0, 2.5, "NaN"]), "= [1, 2.5, NaN] jit 0.2 ms"),
        (output(values=[{"x": 1, "y": True}]), "= [{ x: 1, y: true }] jit 0.2 ms"),
        (
            output(values=[0.1] * 40, shape=(40,), summaries=(Summary("", 40, 0.1, 0.1),)),
            "= 40 elements, 0.1 … 0.1 jit 0.2 ms",
        ),
        (
            output(shape=(48, 64), summaries=(Summary("x", 3072, -1.0, 0.5), Summary("y", 3072, 0.0, 2.0))),
            "= 64 × 48, -1 … 2 jit 0.2 ms",
        ),
        (
            output(shape=(48, 64), summaries=(Summary("x", 3072, math.nan, math.nan), Summary("y", 3072, 0.0, 2.0))),
            "= 64 × 48, 0 … 2 jit 0.2 ms",
        ),
        (
            output(shape=(48, 64), summaries=(Summary("", 3072, math.nan, math.nan),)),
            "= 64 × 48, nothing finite jit 0.2 ms",
        ),
    ],
)
def test_results(given: Output, expected: str) -> None:
    view = with_result(view_of(GROUP), given)
    assert seen(view, replace(NONE, hint_results=True)).splitlines()[3] == f"  output result: Rows<Float>;⟨{expected}⟩"


def test_results_of_older_code_say_so() -> None:
    ran = with_result(view_of(GROUP), output(values=[1.0]))
    for changed in (GROUP.replace("mine + first", "mine - first"), GROUP.replace("mine + first", "mine +")):
        later = replace(view_of(changed), outcomes=ran.outcomes)
        assert "⟨= [1] jit 0.2 ms (old)⟩" in seen(later)
    moved = replace(view_of("// more\n\n" + GROUP), outcomes=ran.outcomes)
    assert "⟨= [1] jit 0.2 ms⟩" in seen(moved)


def test_results_that_were_not_expected_are_marked() -> None:
    problem = Diagnostic("K716", Severity.ERROR, "no", Origin("a", "b", Span(0, 0)))
    view = with_result(view_of(GROUP), output(values=[1.0]), expectations=[Expectation("result", problem)])
    assert "⟨✗ = [1] jit" in seen(view)


# ---------------------------------------------------------------- all together


def test_each_kind_can_be_turned_off() -> None:
    view = with_result(
        view_of(GROUP + "fn g(x: Float) -> Float { let y = clamp(x, 0.0, 1.0); return y; }"), output(values=[1])
    )
    assert hints(view, NONE) == []
    kinds = ("hint_types", "hint_parameters", "hint_lanes", "hint_domains", "hint_results")
    each = [hints(view, replace(NONE, **{kind: True})) for kind in kinds]
    assert all(each)
    assert sum(map(len, each)) == len(hints(view))


def test_only_what_is_asked_for() -> None:
    view = view_of(GROUP)
    found = hints(view, range_=lsp.Range(lsp.Position(5, 0), lsp.Position(5, 80)))
    assert {hint.position.line for hint in found} == {5}


def test_hints_of_other_items_stay_while_one_is_broken() -> None:
    before, broken = (
        "fn a(x: Float) -> Float { let y = x + 1.0; return y; }\n",
        "fn b(x: Float) -> Float { let z = x + 1.0; %s }\n",
    )
    whole = seen(view_of(before + broken % "return z;")).splitlines()
    for text in ("return (", "let w = z +", "}", "if {"):
        assert seen(view_of(before + broken % text)).splitlines()[0] == whole[0]
    assert "let z⟨: Float⟩" in seen(view_of(before + broken % "let w = z +"))


LINKED = """const N: Int = 4;
struct Pair { low: Int; high: Float; }
fn pick(p: Pair, by: Float) -> Float { let picked = p.high * by; return picked; }
kernel a.b@1 {
  requires { field.read; field.write; }
  input line: Rows<Float>;
  output result: Rows<Float>;
  group N {
    let mine = sample(line);
    let kept = exchange(mine, lane());
    let all = pick(Pair { low: 1, high: kept }, 2.0);
    all
  }
}
"""
EDITS = [
    ("high: Float;", "high: Int;"),
    ("by: Float", "factor: Float"),
    ("p.high * by", "p.high"),
    ("lane()", "0"),
    ("let mine", "// more\n    let mine"),
    ("-> Float { let", "-> Int { let"),
    ("fn pick", "fn peck"),
    ("input line: Rows<Float>", "input line: Rows<Int>"),
    ("return picked; }", "return picked;"),
]


@pytest.mark.parametrize(("old", "new"), EDITS)
def test_what_is_kept_of_earlier_analyses_is_still_true(old: str, new: str) -> None:
    """Back and forth, with what checking keeps too."""
    memo, marks = Memo(), Marks()
    for text in (LINKED, LINKED.replace(old, new, 1), "\n" + LINKED):
        view = replace(view_of(text), checked=check_text(text, MAIN, memo=memo))
        assert inlay_hints(view, WHOLE, ALL, marks) == hints(view_of(text))


def test_positions_count_as_the_protocol_does() -> None:
    found = hints(view_of("fn a(x: Float) -> Float { /* 😀 */ let y = x + 1.0; return y; }"))
    assert [hint.position.character for hint in found] == [40]

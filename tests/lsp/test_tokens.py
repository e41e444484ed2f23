"""Semantic tokens: what is coloured how, and that nothing of it depends on what was asked before."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from lsprotocol import types as lsp

from kcheck.checker.check import check_text
from kcheck.checker.memo import Memo
from kcheck.lsp.features.tokens import LEGEND, Tokens
from kcheck.lsp.view import View
from tests.cases.cases import all_cases
from tests.lsp.views import view_of

EXAMPLES = Path(__file__).parents[2] / "examples"
SOURCES = {
    **{path.name: path.read_text(encoding="utf-8") for path in sorted(EXAMPLES.glob("*.kernel"))},
    **{case.name: case.source for case in all_cases()},
}


class Token(NamedTuple):
    text: str
    type: str
    modifiers: tuple[str, ...]


def decoded(view: View, data: Sequence[int]) -> list[tuple[lsp.Range, Token]]:
    """As a client reads them."""
    found = []
    line = character = 0
    for down, right, length, type_, modifiers in zip(*(iter(data),) * 5, strict=True):
        line, character = line + down, right + (0 if down else character)
        range_ = lsp.Range(lsp.Position(line, character), lsp.Position(line, character + length))
        span = view.span(range_)
        names = tuple(name for bit, name in enumerate(LEGEND.token_modifiers) if modifiers >> bit & 1)
        found.append((range_, Token(view.text[span.start : span.end], LEGEND.token_types[type_], names)))
    return found


def tokens_of(text: str) -> list[Token]:
    view = view_of(text)
    return [token for _, token in decoded(view, Tokens().full(view).data)]


def test_names_of_an_item() -> None:
    text = (
        "/* 🎈 */ enum Shape { Dot; Disc { r: Float; } } const N: Int = 0x10; // let x\n"
        "fn f() -> Vec2 { return vec2(1e-3).yx; }"
    )
    found = [("/".join((token.type, *token.modifiers)), token.text) for token in tokens_of(text)]
    assert found == [
        ("keyword", "enum"),
        ("enum/declaration", "Shape"),
        ("enumMember/declaration/readonly", "Dot"),
        ("enumMember/declaration/readonly", "Disc"),
        ("property/declaration", "r"),
        ("type/defaultLibrary", "Float"),
        ("keyword", "const"),
        ("variable/declaration/readonly", "N"),
        ("type/defaultLibrary", "Int"),
        ("number", "0x10"),
        ("keyword", "fn"),
        ("function/declaration", "f"),
        ("type/defaultLibrary", "Vec2"),
        ("keyword", "return"),
        ("function/defaultLibrary", "vec2"),
        ("number", "1e-3"),
        ("property", "yx"),
    ]


def test_names_of_a_kernel() -> None:
    text = """
kernel a.b@1 {
  requires { field.read; field.write; }
  input src: Rows<Int>;
  output sum: Rows<Int>;
  param k: Int = 1 in 0..9;
  prefix over src with sum { let x = sample(src) * k; var y = x; y = min(y, 3); return y; }
  example two { src = [1, 2]; expect sum = [1, 3]; }
}
scene s { input rows: Rows<Int>; node n: a.b@1 { src <- rows; k = 2; } output o <- n.sum; }
"""
    by_text: dict[str, set[str]] = {}
    for token in tokens_of(text):
        by_text.setdefault(token.text, set()).add("/".join((token.type, *token.modifiers)))
    assert by_text["a.b@1"] == {"function/declaration", "function"}
    assert by_text["field.read"] == {"property/defaultLibrary"}
    assert by_text["src"] == {"variable/declaration/readonly", "variable/readonly"}
    assert by_text["sum"] == {"variable/declaration", "variable", "keyword/defaultLibrary"}
    assert by_text["k"] == {"parameter/declaration/readonly", "parameter/readonly"}
    assert by_text["x"] == {"variable/declaration/readonly", "variable/readonly"}
    assert by_text["y"] == {"variable/declaration", "variable"}
    assert by_text["min"] == by_text["sample"] == {"function/defaultLibrary"}
    assert by_text["two"] == {"function/declaration"}
    for word in ("kernel", "requires", "prefix", "over", "with", "example", "expect", "scene", "node"):
        assert by_text[word] == {"keyword"}


def test_what_differs_between_lanes() -> None:
    text = """
kernel g@1 {
  requires { field.read; field.write; }
  input src: Rows<Int>;
  output out: Rows<Int>;
  param k: Int = 1;
  group 4 { let mine = sample(src); let all = k * 2; return exchange(mine, 0) + all; }
}
"""
    found = {
        token.text: "divergent" in token.modifiers for token in tokens_of(text) if "declaration" in token.modifiers
    }
    assert (found["mine"], found["all"]) == (True, False)


def test_a_pattern_that_makes_a_local_of_a_field() -> None:
    text = "enum S { D { r: Float; } }\nfn f(s: S) -> Float { return match s { D { r } => r, D { r: q } => q }; }"
    found = [token.type for token in tokens_of(text) if token.text in ("r", "q")]
    assert found == ["property", "variable", "variable", "property", "variable", "variable"]


@pytest.mark.parametrize("text", ["", "fn", "fn f( { x.y }", "}}}", '"', "/*", "use a.\n  b;\nconst é: Int = 1;"])
def test_broken_files(text: str) -> None:
    view = view_of(text)
    check_layout(view, Tokens().full(view).data)


@pytest.mark.parametrize("name", SOURCES)
def test_tokens_of_programs(name: str) -> None:
    view = view_of(SOURCES[name])
    tokens = Tokens()
    data = tokens.full(view).data
    check_layout(view, data)
    # A range has the tokens of its items, and those alone.
    for item in view.file.items:
        range_ = view.range_in(item, item.node.span)
        part = tokens.within(view, lsp.Range(range_.start, range_.start)).data
        inside = [each for each in decoded(view, data) if range_.start <= each[0].start < range_.end]
        assert [each for each in decoded(view, part) if range_.start <= each[0].start] == inside
    # Nothing is left without a colour that a program without errors names.
    coloured = {(range_.start.line, range_.start.character) for range_, _ in decoded(view, data)}
    if not view.checked.has_errors:
        for item in view.file.items:
            for reference in view.checked.facts[item.key].references:
                start = view.range_in(item, reference.span).start
                assert (start.line, start.character) in coloured


def check_layout(view: View, data: Sequence[int]) -> None:
    """Tokens are in order, in one line each, and do not overlap."""
    end = lsp.Position(0, 0)
    for range_, token in decoded(view, data):
        assert end <= range_.start < range_.end
        assert token.text.strip() == token.text
        assert "\n" not in token.text
        end = range_.end


def test_answers_are_the_same_whatever_was_asked_before() -> None:
    """Through edits, every answer and every difference gives what a new server would say."""
    random_ = random.Random(7)
    text = "\n".join(SOURCES[n] for n in sorted(SOURCES)[:6])
    memo, tokens = Memo(), Tokens()
    known = tokens.full(_view(text, memo))
    data = list(known.data)
    words = ["x", "let y = 1;", "}", "\n", "/* 🎈 */", "fn z() -> Int { return 1; }\n", "// é\n"]
    for _ in range(60):
        place = random_.randrange(len(text))
        text = text[:place] + random_.choice([*words, ""]) + text[place + random_.choice([0, 0, 1, 3]) :]
        view = _view(text, memo)
        if random_.random() < 0.3:
            tokens.within(view, lsp.Range(lsp.Position(0, 0), lsp.Position(20, 0)))
        fresh = Tokens().full(_view(text, Memo())).data
        answer = tokens.delta(view, known.result_id or "")
        if isinstance(answer, lsp.SemanticTokensDelta):
            for edit in answer.edits:
                data[edit.start : edit.start + edit.delete_count] = edit.data or []
        else:
            data = list(answer.data)
        assert data == list(fresh)
        known = lsp.SemanticTokens(data, answer.result_id)


def _view(text: str, memo: Memo) -> View:
    view = view_of("")
    checked = check_text(text, view.path, memo=memo)
    return View(view.uri, 1, checked, {}, {}, view.documents, {view.path: checked})


def test_an_unknown_answer_is_told_whole() -> None:
    view = view_of("const N: Int = 1;")
    tokens = Tokens()
    full = tokens.full(view)
    assert isinstance(tokens.delta(view, "of another server"), lsp.SemanticTokens)
    tokens.forget(view.path)
    assert isinstance(tokens.delta(view, full.result_id or ""), lsp.SemanticTokens)

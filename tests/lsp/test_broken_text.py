"""Hovers, completion, signature help and hints at the end of texts that end anywhere, and where a part is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types as lsp

from kcheck.grammar.spans import Span
from kcheck.lsp.features.completion import completion
from kcheck.lsp.features.hints import Marks, inlay_hints
from kcheck.lsp.features.hover import hover
from kcheck.lsp.features.signature import signature_help
from kcheck.lsp.options import Options
from tests.lsp.views import view_of

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXTS = [(EXAMPLES / f"{name}.kernel").read_text("utf-8") for name in ("machine", "shapes", "lists")]
WHOLE = lsp.Range(lsp.Position(0, 0), lsp.Position(10_000, 0))


def ask_all(text: str, place: int) -> None:
    """Every feature answers, with what the text has places for."""
    view = view_of(text)
    position = view.range(Span(place, place)).start
    found = completion(view, position, [Path("/files")])
    for item in found.items:
        assert isinstance(item.text_edit, lsp.TextEdit)
        assert item.text_edit.range.end == position
    about = hover(view, position)
    if about is not None and about.range is not None:
        assert about.range.start <= position <= about.range.end
    taken = signature_help(view, position)
    if taken is not None:
        assert 0 <= (taken.active_signature or 0) < len(taken.signatures)
    hints = inlay_hints(view, WHOLE, Options(), Marks())
    assert [hint.position for hint in hints] == sorted(hint.position for hint in hints)


@pytest.mark.parametrize("text", TEXTS, ids=("machine", "shapes", "lists"))
def test_texts_that_end_anywhere(text: str) -> None:
    for end in range(0, len(text), 41):
        ask_all(text[:end], end)


JUNK = (
    "",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ".",
    ";",
    ",",
    '"',
    "/*",
    "*/",
    "//",
    "=>",
    "<",
    "match x {",
    "é",
    "😀",
    "\r\n",
)


@settings(max_examples=150)
@given(st.sampled_from(TEXTS), st.integers(0, 5000), st.integers(0, 40), st.sampled_from(JUNK))
def test_texts_with_something_else_in_place_of_a_part(text: str, start: int, length: int, junk: str) -> None:
    start = min(start, len(text))
    ask_all(text[:start] + junk + text[start + length :], start + len(junk))

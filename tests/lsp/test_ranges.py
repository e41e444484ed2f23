"""Selections that grow: what the protocol says of them holds at every place."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcheck.grammar.spans import Span
from kcheck.lsp import convert
from kcheck.lsp.features.ranges import selection_range
from tests.lsp.views import view_of

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.kernel"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_each_selection_holds_the_place_and_the_one_before(path: Path) -> None:
    view = view_of(path.read_text())
    for offset in range(0, len(view.text), 7):
        selection = selection_range(view, convert.position(view.lines, offset))
        inner = Span(offset, offset)
        while True:
            span = view.span(selection.range)
            assert span.start <= inner.start <= inner.end <= span.end
            inner = span
            if selection.parent is None:
                break
            selection = selection.parent
        assert inner == Span(0, len(view.text))

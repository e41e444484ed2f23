"""Formatting of a file or of a part of it, as edits of the lines that change."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import accumulate

from lsprotocol import types as lsp

from kcheck.grammar.formatter import format_range, format_text
from kcheck.grammar.spans import Span
from kcheck.lsp.view import View


def format_document(view: View) -> list[lsp.TextEdit]:
    """Nothing for what cannot be read: it is left as it is."""
    before = view.text.splitlines(keepends=True)
    after = format_text(view.text, view.path).text.splitlines(keepends=True)
    return _line_edits(view, before, after)


def format_selection(view: View, range_: lsp.Range) -> list[lsp.TextEdit]:
    """The items, members and statements that the range touches."""
    span = view.span(range_)
    made = format_range(view.text, span.start, span.end)
    return [lsp.TextEdit(view.range(replacement.span), replacement.text) for replacement in made]


def _line_edits(view: View, before: list[str], after: list[str]) -> list[lsp.TextEdit]:
    """Line by line, so that cursors and marks stay where they are."""
    starts = [0, *accumulate(map(len, before))]
    return [
        lsp.TextEdit(view.range(Span(starts[a], starts[b])), "".join(after[c:d]))
        for tag, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if tag != "equal"
    ]

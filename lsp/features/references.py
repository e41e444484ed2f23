"""Where things are named."""

from __future__ import annotations

from lsprotocol import types as lsp

from kcheck.checker.facts import Symbol
from kcheck.lsp import convert
from kcheck.lsp.features.names import Occurrence, names_at, occurrences, occurrences_in
from kcheck.lsp.view import View


def references(view: View, position: lsp.Position, *, with_declaration: bool) -> list[lsp.Location]:
    """All places in the workspace that name what is named at a position."""
    found = [
        occurrence
        for symbol in _symbols_at(view, position)
        for occurrence in occurrences(view, symbol)
        if with_declaration or not occurrence.reference.is_declaration
    ]
    # In a pattern one name may stand for two things.
    by_place = {(occurrence.path, occurrence.span): occurrence for occurrence in found}
    return [_location(view, occurrence) for occurrence in by_place.values()]


def highlights(view: View, position: lsp.Position) -> list[lsp.DocumentHighlight]:
    """The places in this file, and which of them change what is named."""
    found = (o for symbol in _symbols_at(view, position) for o in occurrences_in(view.checked, symbol))
    kinds = {occurrence.span: _kind(occurrence) for occurrence in found}
    return [lsp.DocumentHighlight(view.range(span), kind) for span, kind in kinds.items()]


def _location(view: View, found: Occurrence) -> lsp.Location:
    return lsp.Location(view.uri_of(found.path), convert.range_of(found.checked.file.lines, found.span))


def _symbols_at(view: View, position: lsp.Position) -> list[Symbol]:
    return [name.symbol for name in names_at(view, view.offset(position))]


def _kind(found: Occurrence) -> lsp.DocumentHighlightKind:
    writes = found.reference.is_write or found.reference.is_declaration
    return lsp.DocumentHighlightKind.Write if writes else lsp.DocumentHighlightKind.Read

"""Where things are declared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types as lsp

from kcheck.checker import types
from kcheck.checker.facts import SymbolKind
from kcheck.grammar import syntax
from kcheck.grammar.spans import Origin
from kcheck.lsp.features.names import Occurrence, names_at
from kcheck.lsp.view import View

_OWN_TYPES = frozenset({SymbolKind.STRUCT, SymbolKind.ENUM})


def definition(view: View, position: lsp.Position) -> list[lsp.Location]:
    """Where what is named at a position is declared; a field first where a pattern makes a local of it."""
    found = names_at(view, view.offset(position))
    found.sort(key=lambda name: name.reference.is_declaration)
    return _locations(view, (name.symbol.origin for name in found))


def type_definition(view: View, position: lsp.Position) -> list[lsp.Location]:
    """Where the type of what is named at a position is declared; nothing for a type of the language's own."""
    found = names_at(view, view.offset(position))
    return _locations(view, (origin for name in found for origin in _types_of(view, name)))


def _types_of(view: View, name: Occurrence) -> Iterator[Origin | None]:
    if name.symbol.kind in _OWN_TYPES:
        yield name.symbol.origin
        return
    type_ = _innermost(name.symbol.type)
    if isinstance(type_, (types.Struct, types.Enum)):
        yield from _declarations(view, name, type_)


def _innermost(type_: types.Type | types.Field | None) -> types.Type | None:
    """The type of the elements of elements."""
    while isinstance(type_, (types.Field, types.Array)):
        type_ = type_.element
    return type_


def _declarations(view: View, name: Occurrence, type_: types.Struct | types.Enum) -> Iterator[Origin | None]:
    """The declaration in sight, else all of that name in the files that this one uses."""
    facts = view.checked.facts[name.item.key]
    seen = facts.names(name.reference.span.start).types.get(type_.name)
    if seen is not None and seen.type == type_:
        yield seen.origin
        return
    for file in view.checked.files.values():
        for item in file.items:
            if isinstance(item.node, (syntax.Struct, syntax.Enumeration)) and item.node.name.text == type_.name:
                yield Origin(file.path, item.key, item.node.name.span)


def _locations(view: View, origins: Iterable[Origin | None]) -> list[lsp.Location]:
    known = dict.fromkeys(origin for origin in origins if origin is not None)
    return [location for origin in known if (location := view.location(origin)) is not None]

"""Who calls whom: functions call functions, kernels call functions, scenes run kernels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from lsprotocol import types as lsp

from kcheck.checker.facts import Symbol, SymbolKind
from kcheck.grammar import syntax
from kcheck.grammar.source import ParsedItem, SourceFile
from kcheck.grammar.spans import Span
from kcheck.lsp import convert
from kcheck.lsp.features.names import names_at, occurrences, references_in
from kcheck.lsp.view import View

_CALLED = frozenset({SymbolKind.FUNCTION, SymbolKind.KERNEL})

_Node: TypeAlias = "syntax.Function | syntax.Kernel | syntax.Scene"
_KINDS: dict[type[syntax.Node], lsp.SymbolKind] = {
    syntax.Function: lsp.SymbolKind.Function,
    syntax.Kernel: lsp.SymbolKind.Module,
    syntax.Scene: lsp.SymbolKind.Namespace,
}


@dataclass(frozen=True)
class _Unit:
    """A function, kernel or scene where it is declared."""

    file: SourceFile
    item: ParsedItem
    node: _Node

    @property
    def place(self) -> tuple[str, Span]:
        """The same for the same unit, whatever analysis it was found in."""
        return self.file.path, self.node.name.span.shifted(self.item.offset)

    def range_of(self, span: Span) -> lsp.Range:
        return convert.range_of(self.file.lines, span.shifted(self.item.offset))

    def shown(self, view: View) -> lsp.CallHierarchyItem:
        is_nested = self.node is not self.item.node
        return lsp.CallHierarchyItem(
            name=self.node.name.text,
            kind=_KINDS[type(self.node)],
            uri=view.uri_of(self.file.path),
            range=self.range_of(self.node.span.to(self.node.name.span)),
            selection_range=self.range_of(self.node.name.span),
            detail=self.item.key if is_nested else None,
        )


def prepare_calls(view: View, position: lsp.Position) -> list[lsp.CallHierarchyItem]:
    """The function or kernel that is named at a position."""
    return [unit.shown(view) for symbol in _symbols_at(view, position) for unit in _declared(view, symbol)]


def incoming_calls(view: View, item: lsp.CallHierarchyItem) -> list[lsp.CallHierarchyIncomingCall]:
    """What calls an item of the view's file, anywhere in the workspace."""
    units: dict[tuple[str, Span], _Unit] = {}
    places: dict[tuple[str, Span], list[lsp.Range]] = {}
    for symbol in _symbols_at(view, item.selection_range.start):
        for found in occurrences(view, symbol):
            caller = _around(found.checked.file, found.item, found.reference.span)
            if caller is not None and not found.reference.is_declaration:
                units.setdefault(caller.place, caller)
                places.setdefault(caller.place, []).append(caller.range_of(found.reference.span))
    return [lsp.CallHierarchyIncomingCall(unit.shown(view), places[place]) for place, unit in units.items()]


def outgoing_calls(view: View, item: lsp.CallHierarchyItem) -> list[lsp.CallHierarchyOutgoingCall]:
    """What an item of the view's file calls."""
    units: dict[tuple[str, Span], _Unit] = {}
    places: dict[tuple[str, Span], list[lsp.Range]] = {}
    for caller in _starting_at(view, view.offset(item.selection_range.start)):
        for reference in references_in(view.checked, caller.item):
            inner = _around(view.file, caller.item, reference.span)
            if reference.is_declaration or inner is None or inner.node is not caller.node:
                continue
            for unit in _declared(view, reference.symbol):
                units.setdefault(unit.place, unit)
                places.setdefault(unit.place, []).append(caller.range_of(reference.span))
    return [lsp.CallHierarchyOutgoingCall(unit.shown(view), places[place]) for place, unit in units.items()]


def _symbols_at(view: View, position: lsp.Position) -> list[Symbol]:
    return [name.symbol for name in names_at(view, view.offset(position))]


def _declared(view: View, symbol: Symbol) -> Iterator[_Unit]:
    """The declaration of a function or kernel; nothing for anything else."""
    file = None if symbol.origin is None or symbol.kind not in _CALLED else view.source(symbol.origin.path)
    if file is not None and symbol.origin is not None:
        item = next((item for item in file.items if item.key == symbol.origin.item), None)
        if item is not None:
            yield from (unit for unit in _units(file, item) if unit.node.name.span == symbol.origin.span)


def _starting_at(view: View, offset: int) -> Iterator[_Unit]:
    """The unit whose name starts at an offset."""
    item = next((item for item in reversed(view.file.items) if item.offset <= offset), None)
    if item is not None:
        yield from (unit for unit in _units(view.file, item) if unit.node.name.span.start == offset - item.offset)


def _around(file: SourceFile, item: ParsedItem, span: Span) -> _Unit | None:
    """The innermost unit that holds a span."""
    holding = [u for u in _units(file, item) if u.node.span.start <= span.start and span.end <= u.node.span.end]
    return max(holding, key=lambda unit: unit.node.span.start, default=None)


def _units(file: SourceFile, item: ParsedItem) -> Iterator[_Unit]:
    """The item, if it is one, and its nested functions."""
    members = item.node.members if isinstance(item.node, syntax.Kernel) else ()
    for node in (item.node, *members):
        if isinstance(node, (syntax.Function, syntax.Kernel, syntax.Scene)):
            yield _Unit(file, item, node)

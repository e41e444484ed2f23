"""Names across files: what stands at a position, and every place where a thing is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kcheck.checker.checked import Checked
from kcheck.checker.facts import Reference, Symbol, SymbolKind
from kcheck.grammar import syntax
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Span
from kcheck.lsp.features.scenes import scene_references
from kcheck.lsp.view import View

_SEEN_BY_SCENES = frozenset(
    {SymbolKind.KERNEL, SymbolKind.INPUT, SymbolKind.OUTPUT, SymbolKind.MEMORY, SymbolKind.PARAM}
)
"""What a kernel shows to the items around it."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place in a file where something is named."""

    checked: Checked
    item: ParsedItem
    reference: Reference

    @property
    def path(self) -> str:
        return self.checked.file.path

    @property
    def span(self) -> Span:
        """In the file."""
        return self.reference.span.shifted(self.item.offset)

    @property
    def symbol(self) -> Symbol:
        return self.reference.symbol


def references_in(checked: Checked, item: ParsedItem) -> Sequence[Reference]:
    """All names of an item that stand for something, in the order of the text."""
    found = checked.facts[item.key].references
    if isinstance(item.node, syntax.Scene):
        found = (*found, *scene_references(checked, item, item.node))
    elif item.is_whole:
        return found
    # Where a name is missing, the tree has one that is not in the text.
    written = (r for r in found if r.symbol.name and r.span.start < r.span.end)
    return sorted(written, key=lambda reference: reference.span)


def names_at(view: View, offset: int) -> list[Occurrence]:
    """What the name at an offset, or just before it, stands for; two things where a pattern names a field alone."""
    return [
        Occurrence(view.checked, item, reference)
        for item in view.file.items
        if item.offset <= offset <= item.offset + len(item.text)
        for reference in references_in(view.checked, item)
        if reference.span.start <= offset - item.offset <= reference.span.end
    ]


def occurrences(view: View, symbol: Symbol) -> Iterator[Occurrence]:
    """All places where a thing is named, file by file in the order of the text.

    What the language has itself is named everywhere; of that only the places in this file are given.
    """
    for checked in files_naming(view, symbol):
        yield from occurrences_in(checked, symbol)


def occurrences_in(checked: Checked, symbol: Symbol) -> Iterator[Occurrence]:
    # Facts are worked out at the first look; most items do not have the word at all.
    word = last_word(symbol.name)
    for item in checked.file.items:
        if word in item.text and may_name(item, symbol):
            for reference in references_in(checked, item):
                if _is_same(checked, reference.symbol, symbol):
                    yield Occurrence(checked, item, reference)


def files_naming(view: View, symbol: Symbol) -> Iterator[Checked]:
    """The files in which a thing may be named."""
    if symbol.origin is None or is_inner(symbol):
        yield view.every[view.path]
    else:
        yield from view.users(symbol.origin.path)


def is_inner(symbol: Symbol) -> bool:
    """Whether only the item that declares it can name it."""
    inner = symbol.origin is not None and symbol.origin.item.startswith(("kernel ", "scene "))
    local = symbol.kind in (SymbolKind.LOCAL, SymbolKind.PARAMETER)
    return local or (inner and symbol.kind not in _SEEN_BY_SCENES)


def may_name(item: ParsedItem, symbol: Symbol) -> bool:
    return not is_inner(symbol) or (symbol.origin is not None and symbol.origin.item == item.key)


def last_word(name: str) -> str:
    """The last identifier of a name, `luma` of `stats.luma@1`: a dotted name may be written with blanks."""
    return name.partition("@")[0].rpartition(".")[2]


def _is_same(checked: Checked, found: Symbol, symbol: Symbol) -> bool:
    """Whether what is named in a file is this thing; in other files it may stand as it was a few edits ago."""
    if found.kind is not symbol.kind or (found.origin is None) != (symbol.origin is None):
        return False
    if found.origin is None or symbol.origin is None:
        return found.name == symbol.name
    if symbol.kind is SymbolKind.PACKAGE:
        return found.origin.path == symbol.origin.path
    if checked.file.path == symbol.origin.path:
        return found.is_same(symbol)
    place, wanted = (found.origin.path, found.origin.item), (symbol.origin.path, symbol.origin.item)
    return (found.name, found.owner, place) == (symbol.name, symbol.owner, wanted)

"""Semantic tokens: each name coloured by what it stands for, and the words of the language.

The tokens of an item are worked out once and kept for as long as nothing that is known of it changes.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntFlag
from threading import Lock
from typing import TypeAlias

from lsprotocol import types as lsp

from kcheck.checker.facts import ItemFacts, Reference, SymbolKind
from kcheck.grammar import syntax
from kcheck.grammar.lexis import RESERVED
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import LineIndex, Span, utf16_length
from kcheck.lsp.features.names import references_in
from kcheck.lsp.view import View

_TYPES = (
    "namespace", "type", "struct", "enum", "enumMember", "function", "parameter", "variable", "property", "keyword",
    "number", "string",
)  # fmt: skip
_NUMBERS = {name: number for number, name in enumerate(_TYPES)}


class Modifier(IntFlag):
    """In the order of the legend."""

    DECLARATION = 1
    READONLY = 2
    DEFAULT_LIBRARY = 4
    DIVERGENT = 8
    """A value that may differ between the lanes of a group."""


LEGEND = lsp.SemanticTokensLegend(list(_TYPES), ["declaration", "readonly", "defaultLibrary", "divergent"])

_BY_KIND: Mapping[SymbolKind, str] = {
    SymbolKind.KERNEL: "function",
    SymbolKind.SCENE: "namespace",
    SymbolKind.STRUCT: "struct",
    SymbolKind.ENUM: "enum",
    SymbolKind.VARIANT: "enumMember",
    SymbolKind.FIELD: "property",
    SymbolKind.CONST: "variable",
    SymbolKind.FUNCTION: "function",
    SymbolKind.PARAMETER: "parameter",
    SymbolKind.LOCAL: "variable",
    SymbolKind.INPUT: "variable",
    SymbolKind.OUTPUT: "variable",
    SymbolKind.MEMORY: "variable",
    SymbolKind.PARAM: "parameter",
    SymbolKind.BUILTIN: "function",
    SymbolKind.TYPE: "type",
    SymbolKind.EXAMPLE: "function",
    SymbolKind.PACKAGE: "namespace",
    SymbolKind.PERMISSION: "property",
}
_READONLY = frozenset({SymbolKind.CONST, SymbolKind.PARAM, SymbolKind.INPUT, SymbolKind.VARIANT})
_LANGUAGE = frozenset({SymbolKind.BUILTIN, SymbolKind.TYPE, SymbolKind.PERMISSION})
_MODE_WORDS = frozenset(
    {
        "compute", "over", "merge", "scan", "with", "scatter", "into", "prefix", "group", "example", "expect",
        "node", "from", "carry", "like", "domain", "async", "times", "awake", "value",
    }
)  # fmt: skip
"""Words of the language only where they stand for nothing else."""

_PIECE = re.compile(
    r"""//[^\r\n]*|/\*(?:(?s:.*?)\*/|[^\r\n]*)
    |(?P<string>"(?:\\[^\r\n]|[^"\\\r\n])*"?)
    |(?P<word>(?:(?<!\.)\.[ \t]*)?[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>[0-9](?:[eE][-+](?=[0-9])|\.(?=[0-9])|[A-Za-z0-9_])*)
    """,
    re.VERBOSE,
)
"""Comments, which are left out, and all that may be coloured; a dot before a word tells a component from a word."""
_OPENS_CALL = re.compile(r"\s*\(")
_LINE = re.compile(r"[^\s](?:[^\r\n]*[^\s])?")


@dataclass(frozen=True, slots=True)
class _Token:
    """Counts from the start of its item; `type` is the number in the legend."""

    span: Span
    type: int
    modifiers: int = 0


@dataclass(frozen=True, slots=True)
class _Block:
    """The tokens of an item as the protocol writes them, but the first one; places are (line, character) in the item.

    `data` holds how each token lies to the one before it, so it is the same wherever the item stands.
    """

    first: tuple[int, int] = (0, 0)
    head: tuple[int, ...] = ()
    last: tuple[int, int] = (0, 0)
    data: tuple[int, ...] = ()


_Blocks: TypeAlias = dict[str, tuple[ItemFacts, _Block]]
"""By the items' keys, with the facts that they were made from."""


@dataclass(slots=True)
class _Answer:
    """What a client was told of a version of a file."""

    number: int
    version: int | None
    data: list[int]


class Tokens:
    """The tokens of files, with what of them stays from one analysis to the next.

    A file takes long at its first time, so threads may ask.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._blocks: dict[str, _Blocks] = {}
        self._answers: dict[str, _Answer] = {}
        self._number = 0

    def forget(self, path: str) -> None:
        self._blocks.pop(path, None)
        self._answers.pop(path, None)

    def was_told(self, path: str, version: int | None) -> bool:
        """Whether the client knows the tokens of a version: it asks again only after an edit."""
        answer = self._answers.get(path)
        return answer is not None and answer.version == version

    def full(self, view: View) -> lsp.SemanticTokens:
        """All tokens of a file."""
        answer = self._answer(view)
        return lsp.SemanticTokens(answer.data, str(answer.number))

    def delta(self, view: View, previous: str) -> lsp.SemanticTokens | lsp.SemanticTokensDelta:
        """What is new against the answer before, or all where that is not known any more."""
        before = self._answers.get(view.path)
        answer = self._answer(view)
        if before is None or str(before.number) != previous:
            return lsp.SemanticTokens(answer.data, str(answer.number))
        return lsp.SemanticTokensDelta(_edits(before.data, answer.data), str(answer.number))

    def within(self, view: View, range_: lsp.Range) -> lsp.SemanticTokens:
        """The tokens of the items that a range touches."""
        span = view.span(range_)
        items = [i for i in view.file.items if i.offset <= span.end and span.start <= i.offset + len(i.text)]
        with self._lock:
            return lsp.SemanticTokens(_data(view, self._kept(view), items))

    def _answer(self, view: View) -> _Answer:
        with self._lock:
            self._number += 1
            data = _data(view, self._kept(view), view.file.items)
            answer = self._answers[view.path] = _Answer(self._number, view.version, data)
            return answer

    def _kept(self, view: View) -> _Blocks:
        """What still holds, with the facts of this analysis: those before it can go."""
        known = self._blocks.get(view.path, {})
        both = ((key, facts, *known[key]) for key, facts in view.checked.facts.items() if key in known)
        kept = {key: (now, block) for key, now, then, block in both if now.rests_on_same(then)}
        self._blocks[view.path] = kept
        return kept


def _data(view: View, blocks: _Blocks, items: Sequence[ParsedItem]) -> list[int]:
    """The tokens of items one after the other; makes those that are not among the blocks."""
    data: list[int] = []
    line, character = 0, 0
    for item in items:
        block = _block(view, blocks, item)
        if not block.head:
            continue
        start = view.lines.position(item.offset)
        at = _placed(block.first, start.line, start.character)
        data += (at[0] - line, at[1] if at[0] > line else at[1] - character, *block.head)
        data += block.data
        line, character = _placed(block.last, start.line, start.character)
    return data


def _block(view: View, blocks: _Blocks, item: ParsedItem) -> _Block:
    known = blocks.get(item.key)
    # What is known of a scene follows from other items too.
    if known is None or isinstance(item.node, syntax.Scene):
        facts = view.checked.facts[item.key]
        known = blocks[item.key] = facts, _made(item.text, facts.divergent, references_in(view.checked, item))
    return known[1]


def _placed(place: tuple[int, int], line: int, character: int) -> tuple[int, int]:
    """A place in the file, from one in an item that starts at a line and character."""
    return place[0] + line, place[1] + (0 if place[0] else character)


def _edits(before: list[int], after: list[int]) -> list[lsp.SemanticTokensEdit]:
    """One edit: all between what begins and what ends alike."""
    most = min(len(before), len(after))
    same = _longest(most, lambda n: before[:n] == after[:n])
    tail = _longest(most - same, lambda n: not n or before[-n:] == after[-n:])
    if same == len(before) == len(after):
        return []
    return [lsp.SemanticTokensEdit(same, len(before) - same - tail, after[same : len(after) - tail])]


def _longest(most: int, holds: Callable[[int], bool]) -> int:
    """The largest number up to `most` that holds, where with a number all smaller ones hold."""
    return bisect_left(range(1, most + 1), True, key=lambda n: not holds(n))


# ---------------------------------------------------------------- the tokens of an item


def _made(text: str, divergent: frozenset[Span], references: Sequence[Reference]) -> _Block:
    lines = LineIndex(text)
    places: list[tuple[int, int]] = []
    data: list[int] = []
    for token in _tokens(text, divergent, references):
        position = lines.position(token.span.start)
        place = position.line, position.character
        before = places[-1] if places else place
        length = utf16_length(text[token.span.start : token.span.end])
        down = place[0] - before[0]
        data += (down, place[1] if down else place[1] - before[1], length, token.type, token.modifiers)
        places.append(place)
    if not places:
        return _Block()
    return _Block(places[0], tuple(data[2:5]), places[-1], tuple(data[5:]))


def _tokens(text: str, divergent: frozenset[Span], references: Sequence[Reference]) -> Iterator[_Token]:
    # Where a pattern makes a local of a field, the one name is coloured as the local.
    named = {r.span.start: r for r in sorted(references, key=lambda r: r.is_declaration)}
    end = 0
    for piece in _PIECE.finditer(text):
        kind, start = piece.lastgroup, piece.end() - len(piece.group().lstrip(". \t"))
        if kind is None or start < end:
            continue
        reference = named.get(start)
        span = Span(start, piece.end()) if reference is None else reference.span
        if reference is not None:
            type_ = _NUMBERS[_type(reference, text)]
            yield from _on_lines(text, span, type_, _modifiers(reference, divergent))
        elif (type_name := _plain(kind, piece.group())) is not None:
            yield _Token(span, _NUMBERS[type_name])
        end = span.end


def _on_lines(text: str, span: Span, type_: int, modifiers: int) -> Iterator[_Token]:
    """A dotted name may be written over several lines; a token is in one."""
    for part in _LINE.finditer(text, span.start, span.end):
        yield _Token(Span(*part.span()), type_, modifiers)


def _type(reference: Reference, text: str) -> str:
    symbol = reference.symbol
    if symbol.kind is SymbolKind.BUILTIN and not _is_called(text, reference.span.end):
        return "keyword"
    return _BY_KIND[symbol.kind]


def _is_called(text: str, end: int) -> bool:
    """Whether a word of the language is a function where it stands; else it is `with sum` or `domain = 3`."""
    return _OPENS_CALL.match(text, end) is not None


def _modifiers(reference: Reference, divergent: frozenset[Span]) -> int:
    symbol, found = reference.symbol, Modifier(0)
    if reference.is_declaration:
        found |= Modifier.DECLARATION
    if symbol.kind in _READONLY or symbol.detail.startswith("let "):
        found |= Modifier.READONLY
    if symbol.kind in _LANGUAGE:
        found |= Modifier.DEFAULT_LIBRARY
    if reference.span in divergent:
        found |= Modifier.DIVERGENT
    return int(found)


def _plain(kind: str, text: str) -> str | None:
    """The type of what stands for nothing that is declared; None for a name that is not known."""
    if kind != "word":
        return kind
    if text.startswith("."):
        return "property"
    return "keyword" if text in RESERVED or text in _MODE_WORDS else None

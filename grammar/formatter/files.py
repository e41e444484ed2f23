"""Formatting a file, or a range of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from kcheck.grammar import parser
from kcheck.grammar.diagnostics import Diagnostic
from kcheck.grammar.formatter.brackets import pieces
from kcheck.grammar.formatter.cursor import Cursor
from kcheck.grammar.formatter.document import Document
from kcheck.grammar.formatter.items import item
from kcheck.grammar.formatter.render import Placed, Rendered, render
from kcheck.grammar.recursion import deep_recursion
from kcheck.grammar.source import ParsedItem, SourceFile
from kcheck.grammar.spans import Span

# Comments in strange places come to rest after two or three.
_MOST_PASSES = 4
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Formatted:
    """The new text, and the syntax errors of the old one; an item with an error is as it was."""

    text: str
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Replacement:
    """Put `text` in the place of `span`."""

    span: Span
    text: str


def format_text(text: str, path: str = "<text>") -> Formatted:
    """`text` in the one style of the language; comments, tree and meaning stay."""
    result, diagnostics, is_odd = _once(text, path)
    for _ in range(_MOST_PASSES if is_odd else 0):
        before, (result, _, _) = result, _once(result, path)
        if result == before:
            break
    return Formatted(result, diagnostics)


def _once(text: str, path: str) -> tuple[str, tuple[Diagnostic, ...], bool]:
    """The new text and the errors of the old one, and whether comments may move once more in a further pass."""
    source, diagnostics = parser.parse(text, path)
    parts: list[str] = []
    done = 0
    is_odd = False
    for run in _runs(source, bool(diagnostics)):
        layout = _laid_out(text, run)
        parts += (text[done : run.start], layout.rendered.text)
        is_odd |= layout.is_odd
        done = run.end
    return "".join((*parts, text[done:])), diagnostics, is_odd


def format_range(text: str, start: int, end: int) -> tuple[Replacement, ...]:
    """What to change so that the items, members and statements that overlap `start..end` are formatted."""
    source, diagnostics = parser.parse(text, "<text>")
    return tuple(
        found
        for run in _runs(source, bool(diagnostics))
        if run.start <= end and start <= run.end
        for found in _replacements(text, run, start, end)
    )


# ---------------------------------------------------------------- items without errors


@dataclass(frozen=True, slots=True)
class _Run:
    """Items without errors next to each other, with the comments around them."""

    start: int
    end: int
    items: Sequence[ParsedItem]


def _runs(source: SourceFile, has_errors: bool) -> Iterator[_Run]:
    """What can be formatted; what stands between an item with an error and its neighbours stays too."""
    text = source.text
    first = len(_BYTE_ORDER_MARK) if text.startswith(_BYTE_ORDER_MARK) else 0
    if not source.items and not has_errors:
        yield _Run(first, len(text), ())
    for is_broken, group in groupby(source.items, lambda each: not each.is_whole):
        items = list(group)
        start = first if items[0] is source.items[0] else items[0].offset
        end = len(text) if items[-1] is source.items[-1] else items[-1].offset + len(items[-1].text)
        if not is_broken:
            yield _Run(start, end, items)


@dataclass(frozen=True, slots=True)
class _Layout:
    rendered: Rendered
    is_odd: bool


def _laid_out(text: str, run: _Run) -> _Layout:
    """The new text of a run; its last line ends in a line break where the file does."""
    cursor = Cursor(text[run.start : run.end])

    def build(cursor: Cursor, parsed: ParsedItem) -> Document:
        cursor.base = parsed.offset - run.start
        return item(cursor, parsed.node)

    newline = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    with deep_recursion():
        rendered = render((pieces(cursor, run.items, build), cursor.comments()), newline)
    if run.end < len(text):
        rendered = replace(rendered, text=rendered.text.removesuffix(newline))
    return _Layout(rendered, cursor.is_odd)


# ---------------------------------------------------------------- ranges


@dataclass(frozen=True, slots=True)
class _Tree:
    """A piece and those inside it."""

    piece: Placed
    inside: list[_Tree]

    def overlaps(self, start: int, end: int) -> bool:
        """An empty range overlaps what it touches."""
        piece = self.piece
        return (piece.start < end and start < piece.end) or piece.start <= start == end <= piece.end


def _replacements(text: str, run: _Run, start: int, end: int) -> Iterator[Replacement]:
    old, rendered = text[run.start : run.end], _laid_out(text, run).rendered
    if chosen := _chosen(old, _forest(rendered.pieces), start - run.start, end - run.start):
        first, last = chosen[0].piece, chosen[-1].piece
        indent, new_indent = _indent(old, first.start), _indent(rendered.text, first.new_start)
        if indent is None or new_indent is None:
            indent = new_indent = 0
        before = old[first.start - indent : last.end]
        after = rendered.text[first.new_start - new_indent : last.new_end]
        yield from _difference(before, after, run.start + first.start - indent)


def _forest(pieces: Sequence[Placed]) -> list[_Tree]:
    """The outermost pieces; `pieces` has each after those inside it."""
    trees: list[_Tree] = []
    for piece in pieces:
        first = bisect_left(trees, piece.start, key=lambda tree: tree.piece.start)
        trees[first:] = [_Tree(piece, trees[first:])]
    return trees


def _chosen(old: str, trees: Sequence[_Tree], start: int, end: int) -> Sequence[_Tree]:
    """The smallest neighbours that hold all code of the range."""
    touched = [tree for tree in trees if tree.overlaps(start, end)]
    if len(touched) != 1:
        return touched
    [outer] = touched
    inner = _chosen(old, outer.inside, start, end)
    if not inner:
        return touched
    before = old[max(start, outer.piece.start) : inner[0].piece.start]
    after = old[inner[-1].piece.end : min(end, outer.piece.end)]
    return touched if (before + after).strip() else inner


def _indent(text: str, position: int) -> int | None:
    """How many blanks stand before `position` on its line, if nothing else does."""
    start = max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1
    return None if text[start:position].strip() else position - start


def _difference(before: str, after: str, offset: int) -> Iterator[Replacement]:
    """What to replace of `before`, which stands at `offset`: all between the first and the last difference."""
    if before == after:
        return
    head = _shared(before, after)
    tail = _shared(before[head:][::-1], after[head:][::-1])
    span = Span(offset + head, offset + len(before) - tail)
    yield Replacement(span, after[head : len(after) - tail])


def _shared(left: str, right: str) -> int:
    """How many characters two texts share from their start."""
    return next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))

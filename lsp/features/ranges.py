"""Folding, and selections that grow with the syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lsprotocol import types as lsp

from kcheck.grammar import syntax
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Span
from kcheck.grammar.walk import children, descendants
from kcheck.lsp.view import View

_COMMENTS = re.compile(r"(?:^[ \t]*//[^\n]*\n?){2,}", re.MULTILINE)
_BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_FOLDED = (
    syntax.Kernel, syntax.Scene, syntax.Function, syntax.Struct, syntax.Enumeration, syntax.Body, syntax.Merge,
    syntax.Example, syntax.Requires, syntax.SceneNode, syntax.Block, syntax.Match, syntax.StructValue, syntax.Record,
    syntax.ArrayLiteral, syntax.BrokenItem,
)  # fmt: skip


def folding_ranges(view: View) -> list[lsp.FoldingRange]:
    """What stands in brackets over several lines, comments, and the first lines with `use`."""
    found: dict[tuple[int, int], lsp.FoldingRange] = {}
    for span, kind in _folds(view):
        first, last = view.lines.line(span.start), view.lines.line(max(span.start, span.end - 1))
        if kind is None:
            last -= 1  # the line of the closing bracket stays in sight
        if last > first:
            found.setdefault((first, last), lsp.FoldingRange(first, last, kind=kind))
    return sorted(found.values(), key=lambda fold: (fold.start_line, -fold.end_line))


def _folds(view: View) -> Iterator[tuple[Span, lsp.FoldingRangeKind | None]]:
    uses = [i for i in view.file.items if isinstance(i.node, syntax.Use)]
    if len(uses) > 1:
        yield Span(uses[0].offset, uses[-1].offset + len(uses[-1].text)), lsp.FoldingRangeKind.Imports
    for pattern in (_COMMENTS, _BLOCK_COMMENT):
        for found in pattern.finditer(view.text):
            end = found.start() + len(found.group().rstrip("\r\n"))
            yield Span(found.start(), end), lsp.FoldingRangeKind.Comment
    for item in view.file.items:
        for node in descendants(item.node):
            if isinstance(node, _FOLDED):
                yield node.span.shifted(item.offset), None


def selection_range(view: View, position: lsp.Position) -> lsp.SelectionRange:
    """The word at a position, inside of what stands around it, and so on up to the file."""
    offset = view.offset(position)
    spans = [Span(0, len(view.text))]
    item = view.item_at(offset)
    if item is not None:
        spans += _around(item, offset)
    word = _word(view.text, offset)
    spans.append(word)
    result: lsp.SelectionRange | None = None
    last: Span | None = None
    for span in spans:
        # An item's text begins with the comments above it, before its node.
        is_around = span.start <= offset <= span.end
        if last is None or (is_around and span != last and last.start <= span.start and span.end <= last.end):
            result = lsp.SelectionRange(view.range(span), result)
            last = span
    assert result is not None
    return result


def _around(item: ParsedItem, offset: int) -> list[Span]:
    """The spans of the item and of the nodes in it that hold the position, from outside in."""
    spans = [Span(item.offset, item.offset + len(item.text))]
    node: syntax.Node | None = item.node
    inner = offset - item.offset
    while node is not None:
        spans.append(node.span.shifted(item.offset))
        node = _child(node, inner)
    return spans


def _child(node: syntax.Node, offset: int) -> syntax.Node | None:
    holding = [child for child in children(node) if child.span.start <= offset <= child.span.end]
    # Where two touch, the one that begins there.
    return max(holding, key=lambda child: child.span.start, default=None)


def _word(text: str, offset: int) -> Span:
    start = end = offset
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    while end < len(text) and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return Span(start, end)


def selection_ranges(view: View, positions: Sequence[lsp.Position]) -> list[lsp.SelectionRange]:
    return [selection_range(view, position) for position in positions]

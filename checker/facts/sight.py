"""Which names are in sight at a position of an item: where each local starts to be known, and where it ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from kcheck.grammar import nodes, syntax
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Span
from kcheck.grammar.walk import children, descendants


@nodes.node(kw_only=False)
class Sight(nodes.Value):
    """A local's name and the stretch of text in which it is known."""

    name: syntax.Name
    span: Span


def locals_at(item: ParsedItem, offset: int) -> list[Sight]:
    """The locals that are in sight at an offset, inner ones after those that they hide."""
    nodes_ = _around(item.node, offset) if item.is_whole else descendants(item.node)
    found = [s for node in nodes_ for s in _of(node, item.text) if s.span.start <= offset <= s.span.end]
    return sorted(found, key=lambda sight: (sight.span.start, -sight.span.end))


def _around(node: syntax.Node, offset: int) -> Iterator[syntax.Node]:
    """The nodes that hold an offset; where blocks are not closed, locals may be in sight in others too."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if node.span.start <= offset <= node.span.end:
            yield node
            waiting += children(node)


def _of(node: syntax.Node, text: str) -> Iterator[Sight]:
    """The names that a node brings into sight."""
    match node:
        case syntax.Function():
            yield from (Sight(p.name, _inside(node.body, text)) for p in node.parameters)
        case syntax.ScanBody():
            yield Sight(node.carry, _inside(node.block, text))
        case syntax.Merge():
            yield from (Sight(name, _inside(node.block, text)) for name in (node.left, node.right))
        case syntax.For():
            start = _inside(node.body, text).start if node.until is None else node.until.span.start
            yield Sight(node.name, Span(start, _inside(node.body, text).end))
        case syntax.Arm():
            for pattern in node.patterns:
                if isinstance(pattern, syntax.VariantPattern):
                    yield from (Sight(f.binding, _inside(node.body, text)) for f in pattern.fields or ())
        case syntax.ErrorMember(body=syntax.Block() as body) | syntax.BrokenItem(body=syntax.Block() as body):
            yield from (Sight(name, _inside(body, text)) for name in node.names)
        case syntax.Block():
            end = _inside(node, text).end
            for statement in node.statements:
                if isinstance(statement, syntax.Let):
                    yield Sight(statement.name, Span(statement.span.end, end))
                elif isinstance(statement, syntax.ErrorStatement):
                    yield from (Sight(name, Span(statement.span.end, end)) for name in statement.names)
        case _:
            pass


def _inside(block: syntax.Block, text: str) -> Span:
    """Between the braces; all of a block without any.  One that nothing closes goes on to wherever the item ends."""
    span, statements = block.span, block.statements
    if text[span.start : span.start + 1] != "{":
        return span
    is_closed = text[span.end - 1] == "}" and not (statements and statements[-1].span.end == span.end)
    if is_closed:
        return Span(span.start + 1, span.end - 1)
    return Span(span.start + 1, sys.maxsize)

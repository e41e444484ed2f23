"""Walking a tree without knowing its classes."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.grammar.syntax import Node


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below `node`, field by field."""
    for name in node.__dataclass_fields__:
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from value


def descendants(node: Node) -> Iterator[Node]:
    """`node` and all below it; safe for trees of any depth."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(children(node))

"""Walking a tree without knowing its classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from kcheck.grammar.syntax import Node

# What fields hold that hold no nodes, as it is written in their annotations.
_LEAVES = frozenset({"Span", "PortKind", "bool", "int", "int | bool", "str", "str | None"})


def children(node: Node) -> list[Node]:
    """The nodes directly below `node`, field by field."""
    found: list[Node] = []
    for name in _inner_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, tuple):
            found += value
        elif isinstance(value, Node):
            found.append(value)
    return found


def descendants(node: Node) -> Iterator[Node]:
    """`node` and all below it; safe for trees of any depth."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += children(node)


_INNER_FIELDS: dict[type, tuple[str, ...]] = {}


def _inner_fields(cls: type[Node]) -> tuple[str, ...]:
    """The names of the fields in which nodes of a class hold others."""
    names = _INNER_FIELDS.get(cls)
    if names is None:
        names = _INNER_FIELDS[cls] = tuple(field.name for field in fields(cls) if field.type not in _LEAVES)
    return names

"""Where a function names its locals: what tells that a value from before can be forgotten."""

from __future__ import annotations

from kcheck.checker import ir

_Interval = tuple[int, int]
"""The positions of a node and of all nodes below it, from the first on before the second."""


class Mentions:
    """The places where the locals of a function are named, in the order of its text."""

    def __init__(self, body: ir.Block) -> None:
        self._intervals = _intervals(body)
        self._places: dict[int, list[int]] = {}
        for place, node in enumerate(ir.walk(body)):
            local = getattr(node, "local", None)
            if local is not None:
                self._places.setdefault(local, []).append(place)

    def is_fresh(self, statement: ir.Statement, block: ir.Block) -> bool:
        """Whether a statement of `block` gives its local a value before which no other can be read.

        It is so where all that the function says of the local is said in this block and from this statement on,
        and the statement itself only writes it: a value from before is one of an earlier round of a loop.
        """
        local = getattr(statement, "local", None)
        if local is None:
            return False
        start, end = self._intervals[id(statement)]
        places = self._places[local]
        read_here = len(places) > 1 and places[1] < end
        return places[0] == start and not read_here and places[-1] < self._intervals[id(block)][1]


def _intervals(body: ir.Block) -> dict[int, _Interval]:
    """By the nodes' identities."""
    found: dict[int, _Interval] = {}
    sizes: dict[int, int] = {}
    nodes = list(ir.walk(body))
    for start in reversed(range(len(nodes))):
        node = nodes[start]
        size = 1 + sum(sizes[id(child)] for child in ir.children(node))
        sizes[id(node)] = size
        found[id(node)] = (start, start + size)
    return found

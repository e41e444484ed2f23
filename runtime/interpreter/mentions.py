"""Where a function names its locals: what tells that a value from before can be forgotten."""

from __future__ import annotations

from kcheck.checker import ir

_Interval = tuple[int, int]
"""The positions of a node and of all nodes below it, from the first on before the second."""


class Mentions:
    """The places where the locals of a function are named, in the order of its text."""

    def __init__(self, body: ir.Block) -> None:
        self._intervals: dict[int, _Interval] = {}
        """By the nodes' identities."""
        self._places: dict[int, list[int]] = {}
        self._visit(body)

    def _visit(self, body: ir.Block) -> None:
        """Number the nodes in the order of the text; parents come before what is below them."""
        place = 0
        entered: list[tuple[ir.Node, int]] = []
        pending: list[ir.Node | None] = [body]  # None: all below the node entered last is numbered
        while pending:
            node = pending.pop()
            if node is None:
                left, start = entered.pop()
                self._intervals[id(left)] = (start, place)
                continue
            local = getattr(node, "local", None)
            if local is not None:
                self._places.setdefault(local, []).append(place)
            entered.append((node, place))
            place += 1
            pending.append(None)
            pending += reversed(list(ir.children(node)))

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

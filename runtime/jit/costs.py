"""How long a call takes, roughly: for the size of chunks, for what to inline, and for where to look whether the run
is to stop.  A unit is about a nanosecond of a core that does one thing at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kcheck.checker import ir
from kcheck.checker.builtins import Builtin
from kcheck.checker.prelude import Key, key_of

LONG = 1_000_000
"""A loop of more units looks whether it is to stop, so that all that runs without a look is short."""
_STRIP = 1 << 16
"""About so many units are between two looks."""
_MOST_ROUNDS = 4096
_USUAL_ROUNDS = 16
"""What a loop is taken to have whose rounds are not known."""


@dataclass(frozen=True, slots=True)
class Cost:
    """`size` is what a function is as text, callees that are inlined included; `is_long` says that it may run on
    and on, and looks; `is_straight` that there is neither a loop in it nor a read that may be anywhere."""

    units: float
    size: int
    is_long: bool
    is_straight: bool


_SLOW = {Builtin.SQRT: 5, Builtin.UDIV: 5, Builtin.UREM: 5}


class Costs:
    """The costs of a function's nodes; `callees` are the functions before it, and `prelude` what those of the prelude
    cost."""

    def __init__(
        self, function: ir.Function, callees: Sequence[Cost], inlined: Sequence[bool], prelude: Callable[[Key], Cost]
    ) -> None:
        self._callees = callees
        self._inlined = inlined
        self._prelude = prelude
        self._units: dict[int, float] = {}
        self._long, self._straight = False, True
        self.size = 0
        self.heaviest_round: float = 0
        """What a round costs of the loop with the most to do in each, loops in it left aside."""
        # Children stand behind their parents, so they are known first.
        for node in reversed(list(ir.walk(function.body))):
            self._units[id(node)] = self._of(node)
        self.whole = Cost(self._units[id(function.body)], self.size, self._long, self._straight)

    def of(self, function: ir.Function) -> Costs:
        """The costs of another function that calls the same ones."""
        return Costs(function, self._callees, self._inlined, self._prelude)

    def units(self, node: ir.Node) -> float:
        """What a node costs."""
        return self._units[id(node)]

    def strip(self, loop: ir.Loop) -> int | None:
        """After how many rounds a loop looks whether it is to stop; None where it is short."""
        if _rounds(loop) is not None and self._units[id(loop)] <= LONG:
            return None
        return max(1, min(_MOST_ROUNDS, int(_STRIP / max(1.0, self._units[id(loop.body)]))))

    def _of(self, node: ir.Node) -> float:
        self.size += 1
        below = sum(self._units[id(child)] for child in ir.children(node))
        match node:
            case ir.Call() | ir.CallStatement():
                return below + self._called(self._callees[node.function], self._inlined[node.function])
            case ir.Loop():
                rounds, self._straight = _rounds(node), False
                if not any(isinstance(n, ir.Loop) for n in ir.walk(node.body)):
                    self.heaviest_round = max(self.heaviest_round, below)
                units = below * (_USUAL_ROUNDS if rounds is None else rounds)
                self._long |= rounds is None or units > LONG
                return units
            case ir.At() | ir.SampleAt():
                self._straight = False
                return below + 5
            case ir.Binary(op=ir.BinaryOp.DIV | ir.BinaryOp.REM):
                return below + 5
            case ir.BuiltinCall() if (key := key_of(node)) is not None:
                return below + self._called(self._prelude(key), inlined=True)
            case ir.BuiltinCall():
                return below + _SLOW.get(node.builtin, 1)
            case ir.Const() | ir.Block() | ir.Local():
                return below
            case _:
                return below + 1

    def _called(self, callee: Cost, inlined: bool) -> float:
        self._long |= callee.is_long
        self._straight &= callee.is_straight and inlined
        self.size += callee.size if inlined else 0
        return callee.units + 1


def _rounds(loop: ir.Loop) -> int | None:
    """The most rounds of a loop, where its bounds are constants."""
    if isinstance(loop.low, ir.Const) and isinstance(loop.high, ir.Const):
        return max(0, int(loop.high.leaves[0]) - int(loop.low.leaves[0]) + loop.closed)
    return None

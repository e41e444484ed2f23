"""Loops that lockstep would only make slower: most of what a round does is done for one lane after the other anyway.

These are divisions of Ints, for which processors have no vectors, and reads that no result is waited for.  One element
reads a place and its neighbours with few instructions, and LLVM puts such rounds together.  Several elements read one
place after the other, and gather what they got.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck.checker import ir, types
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import PlaceKind
from kcheck.runtime.jit.costs import Costs
from kcheck.runtime.jit.module import Module

_WORTH = 16
"""The units for each scalar read from which on the rest of a round counts for more."""
_WORTH_DIVIDING = 50
"""The same for each division."""


def is_one_by_one(module: Module, function: ir.Function, costs: Costs, read: Sequence[int]) -> bool:
    """Whether the function has such a loop; `read` is what `scalars_read` gives."""
    kinds = _Kinds(function)
    for loop in ir.walk(function.body):
        if isinstance(loop, ir.Loop):
            nodes = list(ir.walk(loop.body))
            scalars = sum(_scalars(module, node, read) for node in nodes if kinds.is_known_before(node))
            divisions = sum(_divides(node) for node in nodes)
            if costs.units(loop.body) < _WORTH * scalars + _WORTH_DIVIDING * divisions:
                return True
    return False


def _divides(node: ir.Node) -> bool:
    """Whether a node is a division that has to be done number by number."""
    match node:
        case ir.Binary(op=ir.BinaryOp.DIV | ir.BinaryOp.REM, left=ir.Expression(type=types.INT), right=divisor):
            return not isinstance(divisor, ir.Const)
        case ir.Binary(op=ir.BinaryOp.REM, left=ir.Expression(type=types.FLOAT)):
            return True
        case ir.BuiltinCall(builtin=Builtin.UDIV | Builtin.UREM):
            return True
        case _:
            return False


def scalars_read(module: Module) -> list[int]:
    """The scalars that each function reads from ports at computed places, in one round of each loop."""
    found: list[int] = []
    for function in module.program.functions:
        found.append(sum(_scalars(module, node, found) for node in ir.walk(function.body)))
    return found


def _scalars(module: Module, node: ir.Node, read: Sequence[int]) -> int:
    match node:
        case ir.Call():
            return read[node.function]
        case ir.At():
            return len(module.storage.pieces(node.type))
        case ir.SampleAt():
            return len(module.storage.pieces(node.type)) << module.port(node.port).type.rank
        case _:
            return 0


class _Kinds:
    """What a function's locals depend on, roughly."""

    def __init__(self, function: ir.Function) -> None:
        self._assigned: dict[int, list[tuple[ir.Expression, ...]]] = {}
        for node in ir.walk(function.body):
            match node:
                case ir.Assign():
                    self._assigned.setdefault(node.local, []).append((node.value,))
                case ir.Loop():
                    self._assigned.setdefault(node.local, []).append((node.low, node.high))
        self._parameters = range(function.parameters)

    def is_known_before(self, node: ir.Node) -> bool:
        """Whether a node reads a place of the element's own that no earlier round has a part in."""
        match node:
            case ir.At():
                address = node.address
            case ir.SampleAt():
                address = (node.position,)
            case ir.Call():
                address = node.args
            case _:
                return False
        leaves = [leaf for part in address for leaf in self._leaves(part)]
        return all(map(self._is_steady, leaves)) and any(map(self._is_own, leaves))

    def _leaves(self, node: ir.Expression) -> Iterator[ir.Node]:
        """The nodes below with what locals stand for that are assigned once; others stay as they are."""
        pending: list[ir.Node] = [node]
        seen: set[int] = set()
        while pending:
            for found in ir.walk(pending.pop()):
                if isinstance(found, ir.Local) and len(self._assigned.get(found.local, ())) == 1:
                    if found.local not in seen:
                        seen.add(found.local)
                        pending += self._assigned[found.local][0]
                else:
                    yield found

    def _is_steady(self, node: ir.Node) -> bool:
        if isinstance(node, ir.Local):
            return node.local in self._parameters and node.local not in self._assigned
        return not isinstance(node, (ir.At, ir.SampleAt))

    def _is_own(self, node: ir.Node) -> bool:
        match node:
            case ir.Place():
                return node.kind is not PlaceKind.DOMAIN
            case ir.Local() | ir.Sample() | ir.Call():
                return True
            case _:
                return False

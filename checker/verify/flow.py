"""Paths through a function: locals are assigned before they are read, and results are returned.

A state is the set of the locals that are assigned on every path so far, a bit for each.  Where no path leads,
all are: `UNREACHABLE` has every bit, and paths that meet keep what both have.
"""

from __future__ import annotations

from collections.abc import Generator
from functools import reduce
from operator import and_
from typing import TypeAlias

from kcheck.checker import ir
from kcheck.checker.types import UNIT
from kcheck.checker.verify.problem import require

UNREACHABLE = -1

_Flow: TypeAlias = Generator[tuple[ir.Node, int], int, int]
"""Asks for the state after a node, given the one before it; returns its own."""


def check_flow(function: ir.Function) -> None:
    end = _after(function.body, (1 << function.parameters) - 1)
    require(function.result == UNIT or end == UNREACHABLE, "not every path ends in a Return")


def _after(node: ir.Node, state: int) -> int:
    """The state after `node`; blocks of any depth need no recursion."""
    waiting = [_flow(node, state)]
    result: int | None = None
    while waiting:
        try:
            below = waiting[-1].send(result) if result is not None else next(waiting[-1])
        except StopIteration as stop:
            waiting.pop()
            result = stop.value
        else:
            waiting.append(_flow(*below))
            result = None
    assert result is not None
    return result


def _flow(node: ir.Node, state: int) -> _Flow:
    match node:
        case ir.Block():
            for statement in node.statements:
                state = yield statement, state
            return state
        case ir.If():
            _check_reads(state, node.condition)
            first = yield node.then, state
            second = yield node.otherwise, state
            return first & second
        case ir.Switch():
            _check_reads(state, node.subject)
            ends = []
            for block in (*(case.body for case in node.cases), node.otherwise):
                ends.append((yield block, state))
            return reduce(and_, ends)
        case ir.Loop():
            _check_reads(state, node.low, node.high)
            yield from _round(node, state | 1 << node.local)
            return state
        case _:
            return _simple(node, state)


def _round(node: ir.Loop, state: int) -> Generator[tuple[ir.Node, int], int, None]:
    """The first round; each later one begins with at least the same locals."""
    if node.until is not None:
        state = yield node.until.block, state
        _check_reads(state, node.until.condition)
    yield node.body, state


def _simple(node: ir.Node, state: int) -> int:
    """The state after a statement that holds no other."""
    _check_reads(state, node)
    match node:
        case ir.Return():
            return UNREACHABLE
        case ir.Assign(steps=()) | ir.Exchange() | ir.Load():
            return state | 1 << node.local
        case ir.Assign():
            require(bool(state >> node.local & 1), f"a part of local {node.local} before the whole", node)
        case ir.CallStatement() if node.local is not None:
            return state | 1 << node.local
    return state


def _check_reads(state: int, *nodes: ir.Node) -> None:
    for node in nodes:
        for part in ir.walk(node):
            if isinstance(part, ir.Local):
                assigned = bool(state >> part.local & 1)
                require(assigned, f"local {part.local} may be read before it is assigned", part)

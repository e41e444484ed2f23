"""Compiled functions: closures made once from the IR of a function, run for many blocks.

A closure per node costs nothing but the call once it is made, where walking the tree would decide anew for
every block (and, in a scan, for every element) what each node is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kcheck.checker import ir
from kcheck.checker.types import Type
from kcheck.grammar.spans import Origin
from kcheck.runtime.interpreter.frames import Execute, Frame, Lanes, Mask
from kcheck.runtime.interpreter.values import Value


@dataclass(frozen=True, slots=True)
class CompiledFunction:
    """`spare` is the number of locals that are not parameters; `height` bounds the nesting of a call."""

    body: Execute
    spare: int
    height: int

    def call(self, lanes: Lanes, args: Sequence[Value], mask: Mask) -> Value | None:
        """The function's result in the active lanes; None where it has no result."""
        frame = Frame(lanes, [*args, *[None] * self.spare])
        self.body(frame, mask)
        return frame.result


@dataclass(frozen=True, slots=True)
class Scope:
    """What the compiler knows about the function at hand; `callees` are those that stand before it."""

    program: ir.Program
    function: ir.Function
    callees: Sequence[CompiledFunction]

    def origin(self, node: ir.Node) -> Origin:
        """Where a node comes from; the kernel, for nodes that were made without a place."""
        origins = self.function.origins
        return origins[node.id] if 0 <= node.id < len(origins) else self.program.origin

    def type_of(self, local: int) -> Type:
        return self.function.locals[local].type

    @property
    def exchanges(self) -> bool:
        return ir.Effect.EXCHANGE in self.function.effects


CompileBody = Callable[[ir.Block, Scope], Execute]


def compile_functions(program: ir.Program, compile_body: CompileBody) -> tuple[CompiledFunction, ...]:
    """All functions of a program, callees first."""
    done: list[CompiledFunction] = []
    for function in program.functions:
        make_room(_COMPILING * ir.MAX_DEPTH)
        body = compile_body(function.body, Scope(program, function, done))
        done.append(CompiledFunction(body, len(function.locals) - function.parameters, _height(function, done)))
    return tuple(done)


def _height(function: ir.Function, callees: Sequence[CompiledFunction]) -> int:
    """The longest chain of closures that a call may have open at once."""
    deepest = 0
    pending: list[tuple[ir.Node, int]] = [(function.body, 1)]
    while pending:
        node, depth = pending.pop()
        below = callees[node.function].height + 1 if isinstance(node, (ir.Call, ir.CallStatement)) else 0
        deepest = max(deepest, depth + below)
        pending.extend((child, depth + 1) for child in ir.children(node))
    return deepest


# ---------------------------------------------------------------- Python's own stack

_COMPILING = 4
_RUNNING = 3
"""Python frames a node, at most, while compiling and while running."""
_SPARE = 500


def make_room(frames: int) -> None:
    """Let Python nest this many calls more.

    The limit is only ever raised: to lower it again could cut short a run on another thread.
    """
    needed = _depth() + frames + _SPARE
    if sys.getrecursionlimit() < needed:
        sys.setrecursionlimit(needed)


def make_room_for(function: CompiledFunction) -> None:
    make_room(_RUNNING * function.height)


def _depth() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth

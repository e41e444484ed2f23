"""Compiled functions: closures made once from the IR of a function, run for many blocks.

A closure per node costs nothing but the call once it is made, where walking the tree would decide anew for
every block (and, in a scan, for every element) what each node is.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kcheck.checker import ir
from kcheck.checker.types import Type
from kcheck.grammar.spans import Origin
from kcheck.runtime.interpreter.frames import Execute, Frame, Lanes, Mask
from kcheck.runtime.interpreter.values import Value


@dataclass(frozen=True, slots=True)
class CompiledFunction:
    """`spare` is the number of locals that are not parameters; `height` the depth of nodes, callees' included."""

    body: Execute
    spare: int
    height: int

    def call(self, lanes: Lanes, args: Sequence[Value], mask: Mask) -> Value | None:
        """The function's result in the active lanes; None where it has no result."""
        frame = Frame(lanes, [*args, *[None] * self.spare])
        self.body(frame, mask)
        return frame.result

    def call_into(self, room: Value, lanes: Lanes) -> Value | None:
        """As `call`, without arguments and for all lanes; the result may be `room`, which then holds it."""
        frame = Frame(lanes, [None] * self.spare)
        frame.room = room if isinstance(room, np.ndarray) and room.ndim == 1 else None
        self.body(frame, None)
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
        height = _height(function.body, done)
        make_room(_COMPILING * height)
        body = compile_body(function.body, Scope(program, function, done))
        done.append(CompiledFunction(body, len(function.locals) - function.parameters, height))
    return tuple(done)


def _height(body: ir.Block, done: Sequence[CompiledFunction]) -> int:
    """The most nodes on a path down from `body`, through the functions that are called."""
    highest = 0
    pending: list[tuple[ir.Node, int]] = [(body, 1)]
    while pending:
        node, depth = pending.pop()
        below = done[node.function].height if isinstance(node, (ir.Call, ir.CallStatement)) else 0
        highest = max(highest, depth + below)
        pending.extend((child, depth + 1) for child in ir.children(node))
    return highest


# ---------------------------------------------------------------- Python's own stack

_COMPILING = 4
_RUNNING = 3
"""Python frames a node, at most, while compiling and while running."""
_SPARE = 100


def make_room(frames: int) -> None:
    """Let Python nest this many calls more.

    The limit is only ever raised: to lower it again could cut short a run on another thread.
    """
    needed = _frames_in_use() + frames + _SPARE
    if sys.getrecursionlimit() < needed:
        sys.setrecursionlimit(needed)


def make_room_for(function: CompiledFunction) -> None:
    make_room(_RUNNING * function.height)


def _frames_in_use() -> int:
    frame, depth = sys._getframe(), 0
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    return depth

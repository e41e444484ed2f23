"""Reading and writing the memories of a scan, which runs one lane at a time."""

from __future__ import annotations

from kcheck.checker import ir
from kcheck.runtime.failures import empty_read
from kcheck.runtime.interpreter.addresses import address_parts, position_inside_one
from kcheck.runtime.interpreter.expressions import compile_all, compile_expression
from kcheck.runtime.interpreter.frames import Execute, Frame, Mask
from kcheck.runtime.interpreter.functions import Scope
from kcheck.runtime.interpreter.reads import read_at
from kcheck.runtime.interpreter.values import Value, map_leaves, store


def compile_load(node: ir.Load, scope: Scope) -> Execute:
    address, origin = compile_all(node.address, scope), scope.origin(node)

    def execute(frame: Frame, mask: Mask) -> Mask:
        memory = frame.lanes.run.memories[node.memory]
        if not memory.count:
            raise empty_read(node.memory, origin)
        frame.locals[node.local] = _kept(read_at(memory, [part(frame, mask) for part in address]))
        return mask

    return execute


def _kept(value: Value) -> Value:
    """A copy of what are views on the memory, which later writes would change."""
    return map_leaves(lambda leaf: leaf.copy() if leaf.ndim else leaf, value)


def compile_put(node: ir.Put, scope: Scope) -> Execute:
    address, value = compile_all(node.address, scope), compile_expression(node.value, scope)

    def execute(frame: Frame, mask: Mask) -> Mask:
        memory = frame.lanes.run.memories[node.memory]
        parts = address_parts([part(frame, mask) for part in address])
        position = position_inside_one(parts, memory.size)
        new = value(frame, mask)
        if position is not None:
            store(memory.elements, position, new)
        return mask

    return execute

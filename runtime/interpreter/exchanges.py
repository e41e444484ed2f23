"""Exchanges between the lanes of a group."""

from __future__ import annotations

import numpy as np

from kcheck.checker import ir
from kcheck.runtime.failures import divergent_exchange
from kcheck.runtime.interpreter.expressions import compile_expression, compile_scalars
from kcheck.runtime.interpreter.frames import Execute, Frame, Mask
from kcheck.runtime.interpreter.functions import Scope
from kcheck.runtime.interpreter.updates import set_local
from kcheck.runtime.interpreter.values import an_int, take_lanes
from kcheck.runtime.layout import AnyArray


def compile_exchange(node: ir.Exchange, scope: Scope, fresh: bool) -> Execute:
    value, lane = compile_expression(node.value, scope), compile_scalars(node.lane, scope)
    origin, local = scope.origin(node), node.local

    def execute(frame: Frame, mask: Mask) -> Mask:
        group, count = frame.lanes.run.group, frame.lanes.count
        if mask is not None and not whole_groups(mask, group):
            raise divergent_exchange(origin)
        source = source_lanes(lane(frame, mask), group, count)
        set_local(frame, local, take_lanes(value(frame, mask), source), mask, fresh)
        return mask

    return execute


def whole_groups(mask: AnyArray, group: int) -> bool:
    """Whether in every group all lanes are active or none is."""
    starts = np.arange(0, mask.size, group)
    active = np.add.reduceat(mask.astype(np.int64), starts)
    return bool(((active == 0) | (active == _group_sizes(starts, group, mask.size))).all())


def source_lanes(lane: AnyArray, group: int, count: int) -> AnyArray:
    """For every lane of a block the lane that it reads: number `lane` of its group, clamped to its lanes.

    A block holds whole groups; only the last one of the domain, which ends its block, may have fewer lanes.
    """
    first = np.arange(count) // group * group
    last = _group_sizes(first, group, count) - 1
    source: AnyArray = first + np.minimum(np.maximum(lane, an_int(0)), last)
    return source


def _group_sizes(starts: AnyArray, group: int, count: int) -> AnyArray:
    sizes: AnyArray = np.minimum(count - starts, group)
    return sizes

"""Exchanges between the lanes of a group."""

from __future__ import annotations

from typing import cast

import numpy as np

from kcheck.checker import ir
from kcheck.runtime.failures import divergent_exchange
from kcheck.runtime.interpreter.expressions import compile_expression, compile_scalars
from kcheck.runtime.interpreter.frames import Execute, Frame, Lanes, Mask
from kcheck.runtime.interpreter.functions import Scope
from kcheck.runtime.interpreter.updates import set_local
from kcheck.runtime.interpreter.values import an_int, take_lanes
from kcheck.runtime.layout import AnyArray


def compile_exchange(node: ir.Exchange, scope: Scope, fresh: bool) -> Execute:
    value, lane = compile_expression(node.value, scope), compile_scalars(node.lane, scope)
    origin, local = scope.origin(node), node.local

    def execute(frame: Frame, mask: Mask) -> Mask:
        if mask is not None and not _holds_whole_groups(mask, frame.lanes.run.group):
            raise divergent_exchange(origin)
        source = _source_lanes(lane(frame, mask), frame.lanes)
        set_local(frame, local, take_lanes(value(frame, mask), source), mask, fresh)
        return mask

    return execute


def _holds_whole_groups(mask: AnyArray, group: int) -> bool:
    """Whether in every group all lanes are active or none is."""
    starts = np.arange(0, mask.size, group)
    active = np.add.reduceat(mask.astype(np.int64), starts)
    return bool(((active == 0) | (active == np.minimum(mask.size - starts, group))).all())


def _source_lanes(lane: AnyArray, lanes: Lanes) -> AnyArray:
    """For every lane of a block the one that it reads: number `lane` of its group, clamped to its lanes."""
    first, last = _groups(lanes)
    source: AnyArray = first + np.minimum(np.maximum(lane, an_int(0)), last)
    return source


_GROUPS = object()


def _groups(lanes: Lanes) -> tuple[AnyArray, AnyArray]:
    """For every lane the first lane of its group, and the number within the group of the group's last.

    A block holds whole groups; only the last one of the domain, which ends its block, may have fewer lanes.
    """
    known = lanes.cache.get(_GROUPS)
    if known is None:
        group, count = lanes.run.group, lanes.count
        first = np.arange(count) // group * group
        known = lanes.cache[_GROUPS] = first, np.minimum(count - first, group) - 1
    return cast(tuple[AnyArray, AnyArray], known)

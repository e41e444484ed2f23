"""Loops: rounds under a mask, until no lane has one left.

Long loops in which few lanes are still running are what would cost a block evaluation dear, so lanes are
packed together once fewer than half are running (never in functions that exchange, whose groups stay whole).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kcheck.checker import ir
from kcheck.runtime.interpreter.expressions import compile_scalars
from kcheck.runtime.interpreter.frames import NOBODY, Execute, Frame, Mask, Scalars, narrow, without
from kcheck.runtime.interpreter.functions import Scope
from kcheck.runtime.interpreter.numbers import wrap
from kcheck.runtime.interpreter.values import Value, an_int, map_leaves, put_lanes, take_leaf
from kcheck.runtime.layout import AnyArray

_WORTH_PACKING = 1024
"""Lanes below which NumPy's fixed cost a call leaves nothing to gain."""


def compile_loop(node: ir.Loop, scope: Scope, body: Execute, until: Execute | None) -> Execute:
    low, high = compile_scalars(node.low, scope), compile_scalars(node.high, scope)
    rounds = _Rounds(
        node.local,
        body,
        until or (lambda frame, mask: mask),
        compile_scalars(node.until.condition, scope) if node.until else None,
        _written(node),
        not scope.exchanges,
    )

    def execute(frame: Frame, mask: Mask) -> Mask:
        first = low(frame, mask)
        count = _round_count(first, high(frame, mask), node.closed)
        return rounds.run(frame, _State(first, count, 0, mask, mask))

    return execute


def _round_count(low: AnyArray, high: AnyArray, closed: bool) -> AnyArray:
    """The most rounds of each lane, in int64: an Int cannot count those of every range."""
    return high.astype(np.int64) - low.astype(np.int64) + np.int64(closed)


def _written(loop: ir.Loop) -> tuple[int, ...]:
    """The locals that the loop gives values to."""
    nodes = (node for node in ir.walk(loop) if not isinstance(node, ir.Local))
    found = {getattr(node, "local", None) for node in nodes}
    return tuple(local for local in found if local is not None)


@dataclass(slots=True)
class _State:
    """Where a loop stands before round `number`.

    `first` is the first value of the counter and `count` the number of rounds, per lane or uniform; `running`
    are the lanes that may have rounds left, `here` those that have not returned from the function.
    """

    first: AnyArray
    count: AnyArray
    number: int
    running: Mask
    here: Mask


@dataclass(frozen=True, slots=True)
class _Rounds:
    """The rounds of one loop; `may_pack` says whether lanes may leave their places."""

    local: int
    body: Execute
    before_test: Execute
    test: Scalars | None
    written: tuple[int, ...]
    may_pack: bool

    def run(self, frame: Frame, state: _State) -> Mask:
        """Run the rounds that are left; answers the lanes that have not returned."""
        while state.running is not NOBODY:
            if self.may_pack and _is_sparse(state.running):
                self._run_packed(frame, state)
                break
            running = self._begin_round(frame, state)
            if running is NOBODY:
                break
            state.running = self.body(frame, running)
            state.here = without(state.here, running, state.running)
            state.number += 1
        return state.here

    def _begin_round(self, frame: Frame, state: _State) -> Mask:
        """Set the counter and test; answers the lanes that have this round."""
        frame.lanes.run.poll()
        running = narrow(state.running, state.count > state.number)
        if running is NOBODY:
            return NOBODY
        frame.locals[self.local] = state.first + an_int(wrap(state.number))
        if self.test is None:
            return running
        staying = self.before_test(frame, running)
        state.here = without(state.here, running, staying)
        return NOBODY if staying is NOBODY else narrow(staying, ~self.test(frame, staying))

    def _run_packed(self, frame: Frame, state: _State) -> None:
        """Finish the loop with the running lanes alone, and put back what they wrote."""
        assert state.running is not None
        lanes = np.flatnonzero(state.running)
        packed = frame.at(lanes)
        first, count = take_leaf(state.first, lanes), take_leaf(state.count, lanes)
        here = self.run(packed, _State(first, count, state.number, None, None))
        size = state.running.size
        for local in self.written:
            frame.locals[local] = _put_back(frame.locals[local], size, lanes, packed.locals[local])
        frame.result = _put_back(frame.result, size, lanes, packed.result)
        if here is not None:
            returned = lanes if here is NOBODY else lanes[~here]
            state.here = narrow(state.here, _all_but(returned, size))


def _is_sparse(running: Mask) -> bool:
    if running is None or running.size < _WORTH_PACKING:
        return False
    return bool(2 * np.count_nonzero(running) < running.size)


def _put_back(old: Value | None, size: int, lanes: AnyArray, new: Value | None) -> Value | None:
    """`old` with what the packed lanes hold; lanes without a value get any."""
    if new is None:
        return old
    return put_lanes(map_leaves(_first_lane, new) if old is None else old, size, lanes, new)


def _first_lane(leaf: AnyArray) -> AnyArray:
    return leaf[:1] if leaf.ndim else leaf


def _all_but(lanes: AnyArray, size: int) -> AnyArray:
    mask = np.ones(size, np.bool_)
    mask[lanes] = False
    return mask

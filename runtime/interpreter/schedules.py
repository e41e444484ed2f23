"""The six schedules: what runs per element, and how results come together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never, cast

import numpy as np

from kcheck.checker import ir
from kcheck.checker.types import leaf_count
from kcheck.runtime.backend import Cancelled, Launch, Outcome, Progress
from kcheck.runtime.failures import empty_fold
from kcheck.runtime.interpreter.addresses import address_parts, positions_inside
from kcheck.runtime.interpreter.combining import Running, scatter, scatter_keys, scatter_values
from kcheck.runtime.interpreter.frames import Lanes, Mask, Run, Source
from kcheck.runtime.interpreter.functions import CompiledFunction
from kcheck.runtime.interpreter.launches import copied, new_results, source_of, start_run
from kcheck.runtime.interpreter.values import (
    Value,
    append_lanes,
    cut,
    leaf_arrays,
    store,
    take_lanes,
    take_leaf,
    wide_leaf,
    widened,
)
from kcheck.runtime.layout import AnyArray


@dataclass(frozen=True, slots=True)
class Job:
    """A launch with its compiled functions, and whom to ask and tell while it runs."""

    launch: Launch
    functions: Sequence[CompiledFunction]
    cancelled: Cancelled
    progress: Progress

    def start(self) -> Run:
        return start_run(self.launch, {}, self.cancelled)

    def blocks(self, run: Run, whole: int = 1) -> Iterator[Lanes]:
        """All elements in order, in blocks of a multiple of `whole`; asks and tells between them."""
        count = element_count(run)
        size = max(1, lanes_per_block(run.program) // whole) * whole
        for first in range(0, count, size):
            run.check()
            end = min(first + size, count)
            yield Lanes(run, first, end - first)
            self.progress(end / count)

    def results_of(self, function: int, lanes: Lanes) -> Value:
        return _result(self.functions[function], lanes, ())


def execute(job: Job) -> Outcome:
    """Run a job by its program's schedule."""
    match job.launch.program.schedule:
        case ir.Elements() as schedule:
            return _map(job, schedule.element, 1)
        case ir.Lanes() as schedule:
            return _map(job, schedule.element, schedule.size)
        case ir.Fold() as schedule:
            return _fold(job, schedule)
        case ir.OrderedWalk() as schedule:
            return _walk(job, schedule)
        case ir.CombineByAddress() as schedule:
            return _scatter(job, schedule)
        case ir.RunningCombine() as schedule:
            return _prefix(job, schedule)
        case schedule:
            assert_never(schedule)


# ---------------------------------------------------------------- blocks

_MOST_LANES = 1 << 17
_FEWEST_LANES = 1 << 6
_SCALARS = 1 << 19
"""How many scalars the locals of a block may hold: two megabytes."""


def lanes_per_block(program: ir.Program) -> int:
    """A power of two: so few lanes that what a function holds fits the caches, or at least the memory."""
    held = max(sum(leaf_count(local.type) for local in f.locals) for f in program.functions)
    fitting = _SCALARS // max(1, held + leaf_count(program.result))
    return max(_FEWEST_LANES, min(_MOST_LANES, 1 << (fitting | 1).bit_length() - 1))


def element_count(run: Run) -> int:
    count = 1
    for size in run.domain:
        count *= size
    return count


def _result(function: CompiledFunction, lanes: Lanes, args: Sequence[Value]) -> Value:
    result = function.call(lanes, args, None)
    assert result is not None  # the functions that schedules name have results
    return result


# ---------------------------------------------------------------- map and group


def _map(job: Job, element: int, whole: int) -> Outcome:
    results = new_results(job.launch)
    for lanes in job.blocks(job.start(), whole):
        room = cut(results.elements, lanes.first, lanes.first + lanes.count)
        result = job.functions[element].call_into(room, lanes)
        assert result is not None  # the functions that schedules name have results
        if result is not room:
            store(room, slice(None), result)
    return Outcome(results.fields, {})


# ---------------------------------------------------------------- reduction


def _fold(job: Job, schedule: ir.Fold) -> Outcome:
    run = job.start()
    if element_count(run) == 0:
        raise empty_fold(schedule.over, run.program.origin)
    merge = job.functions[schedule.merge]
    # As blocks hold a power of two elements, folding each and then their results is the same tree as folding
    # all at once: the tree depends on the number of elements alone.
    folded = [_fold_tree(run, merge, job.results_of(schedule.element, lanes), lanes.count) for lanes in job.blocks(run)]
    results = new_results(job.launch)
    store(results.elements, slice(0, 1), _fold_tree(run, merge, append_lanes(folded), len(folded)))
    return Outcome(results.fields, {})


def _fold_tree(run: Run, merge: CompiledFunction, value: Value, count: int) -> Value:
    """Merge neighbours, the left one first, until one is left; an odd last one waits for the next round."""
    value = widened(value, count)
    while count > 1:
        pairs, odd = divmod(count, 2)
        left, right = cut(value, 0, 2 * pairs, 2), cut(value, 1, 2 * pairs, 2)
        merged = widened(_result(merge, Lanes(run, 0, pairs), (left, right)), pairs)
        value = append_lanes([merged, cut(value, count - 1, count)]) if odd else merged
        count = pairs + odd
    return value


# ---------------------------------------------------------------- scan


def _walk(job: Job, schedule: ir.OrderedWalk) -> Outcome:
    memories = copied(job.launch.memories)
    run = start_run(job.launch, memories, job.cancelled)
    results = new_results(job.launch)
    count = element_count(run)
    lanes = Lanes(run, 0, 1)
    carry = _result(job.functions[schedule.init], lanes, ()) if count else ()
    element = job.functions[schedule.element]
    for step in range(count):
        if step % 1024 == 0:
            run.check()
            job.progress(step / count)
        lanes.first = step
        lanes.cache.clear()
        carry = _result(element, lanes, (carry,))
        store(results.elements, step, carry)
    job.progress(1.0)
    return Outcome(results.fields, memories)


# ---------------------------------------------------------------- scatter


def _scatter(job: Job, schedule: ir.CombineByAddress) -> Outcome:
    run = job.start()
    target = _Target(schedule.op, source_of(job.launch.inputs[schedule.into]))
    # Pairs are combined as they come.  Those of one element that are emitted come before the one that it
    # returns, but between elements of a block emitted pairs come out of order: only combinations whose
    # results do not turn on that may emit.
    run.emit = target.combine
    for lanes in job.blocks(run):
        target.combine(job.results_of(schedule.element, lanes), lanes.count, None)
    results = new_results(job.launch)
    target.write(results.elements)
    return Outcome(results.fields, {})


class _Target:
    """The copy of a scatter's target that pairs are combined into."""

    def __init__(self, op: ir.CombineOp, source: Source) -> None:
        self._op = op
        self._size = source.size
        self._keys = scatter_keys(op, source.elements)

    def combine(self, pair: Value, count: int, mask: Mask) -> None:
        """Combine the pairs of the active ones of `count` lanes, in the order of the lanes."""
        if mask is not None:
            active = np.flatnonzero(mask)
            pair, count = take_lanes(pair, active), active.size
        address, value = cast(tuple[AnyArray, Value], pair)
        positions, inside = positions_inside(address_parts([address]), self._size)
        if not inside.all():
            kept = np.flatnonzero(np.broadcast_to(inside, (count,)))
            positions, value, count = take_leaf(positions, kept), take_lanes(value, kept), kept.size
        if count:
            scatter(self._op, self._keys, wide_leaf(positions, count).astype(np.intp), value)

    def write(self, results: Value) -> None:
        for place, keys in zip(leaf_arrays(results), leaf_arrays(self._keys), strict=True):
            place[...] = scatter_values(self._op, keys, place.dtype)


# ---------------------------------------------------------------- prefix


def _prefix(job: Job, schedule: ir.RunningCombine) -> Outcome:
    results = new_results(job.launch)
    places = [(place, Running(schedule.op)) for place in leaf_arrays(results.elements)]
    for lanes in job.blocks(job.start()):
        value = widened(job.results_of(schedule.element, lanes), lanes.count)
        for (place, running), leaf in zip(places, leaf_arrays(value), strict=True):
            running.write(leaf, place[lanes.first : lanes.first + lanes.count])
    return Outcome(results.fields, {})

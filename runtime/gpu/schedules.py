"""The schedules on a device: which shaders run, in what order and on what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from kcheck.checker import ir
from kcheck.checker.ir import CombineOp
from kcheck.checker.types import FLOAT, INT, Struct, Type, contains, leaf_count
from kcheck.runtime.backend import Outcome
from kcheck.runtime.gpu.device import Buffer, Dispatch, Numbers, groups_for
from kcheck.runtime.gpu.job import Job
from kcheck.runtime.gpu.wgsl import combining, elements, fold, prefix, scatter, sort, walk
from kcheck.runtime.gpu.wgsl.module import Stage


def execute(job: Job) -> Outcome:
    """Run a job by its program's schedule."""
    match job.program.schedule:
        case ir.Elements() as schedule:
            return _map(job, job.stage(elements.each, schedule))
        case ir.Lanes() as schedule:
            return _map(job, job.stage(elements.grouped, schedule))
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


def _only(job: Job, buffer: Buffer) -> Outcome:
    """The outcome of a program with one output, which this buffer holds."""
    return job.outcome([(job.program.outputs[0], buffer)])


# ---------------------------------------------------------------- map and group


def _map(job: Job, stage: Stage) -> Outcome:
    job.bind()
    if job.count:
        job.run(job.dispatch(stage, Numbers(job.count)))
    return job.outcome([(port, job.buffers[f"out_{port.name}"]) for port in job.program.outputs])


# ---------------------------------------------------------------- reduction


def _fold(job: Job, schedule: ir.Fold) -> Outcome:
    stage, count = job.stage(fold.first, schedule), job.count
    again = job.stage(fold.again, schedule) if count > stage.elements else stage
    job.bind()
    dispatches: list[Dispatch] = []
    source: dict[str, Buffer] = {}
    while True:
        groups = groups_for(count, stage.elements)
        results = job.room(job.program.result, groups)
        dispatches.append(job.dispatch(stage, Numbers(count), buffers={**source, "results": results}))
        if groups == 1:
            job.run(*dispatches)
            return _only(job, results)
        stage, count, source = again, groups, {"source": results}


# ---------------------------------------------------------------- prefix


def _prefix(job: Job, schedule: ir.RunningCombine) -> Outcome:
    type_ = job.program.result
    stages = _Running(schedule.op, type_, schedule, combining.has_keys(schedule.op, type_))
    job.stage(prefix.scan, schedule.op, type_, schedule, keyed=stages.keyed)  # refuses before anything is bound
    job.bind()
    results = job.buffers[f"out_{job.program.outputs[0].name}"]
    if job.count:
        job.run(*_running(job, stages, {"results": results}, job.count))
    return _only(job, results)


@dataclass(frozen=True, slots=True)
class _Running:
    """What is combined: the results of `schedule`, or Ints in the buffer `source`."""

    op: CombineOp
    type: Type
    schedule: ir.RunningCombine | None = None
    keyed: bool = False


def _running(job: Job, what: _Running, bound: dict[str, Buffer], count: int) -> list[Dispatch]:
    """What gives `bound["results"]` the running combinations of `count` elements."""
    scan = job.stage(prefix.scan, what.op, what.type, what.schedule, keyed=what.keyed)
    groups = groups_for(count, scan.elements)
    sums = job.room(what.type, groups)
    dispatches: list[Dispatch] = []
    if groups > 1:
        totals = job.room(what.type, groups)
        total = job.stage(prefix.total, what.op, what.type, what.schedule)
        dispatches.append(job.dispatch(total, Numbers(count), buffers={**bound, "totals": totals}))
        inner = {"source": totals, "results": sums}
        dispatches += _running(job, _Running(what.op, what.type), inner, groups)
    dispatches.append(job.dispatch(scan, Numbers(count), buffers={**bound, "sums": sums}))
    return dispatches


# ---------------------------------------------------------------- scan

_STEPS = 1 << 14
_AT_ONCE = 16


def _walk(job: Job, schedule: ir.OrderedWalk) -> Outcome:
    stage = job.stage(walk.walk, schedule)
    job.bind()
    result = job.buffers[f"out_{job.program.outputs[0].name}"]
    state = job.device.buffer(1 + leaf_count(job.program.result))
    done = 0
    while done < job.count:
        chunks = min(_AT_ONCE, groups_for(job.count - done, _STEPS))
        dispatch = job.dispatch(stage, Numbers(job.count, limit=_STEPS), 1, {"state": state})
        job.run(*[dispatch] * chunks)
        job.check()
        done = int(job.device.download(state, 1)[0])
        job.progress(done / job.count)
    return _only(job, result)


# ---------------------------------------------------------------- scatter


def _scatter(job: Job, schedule: ir.CombineByAddress) -> Outcome:
    pair = job.program.result
    assert isinstance(pair, Struct)
    if schedule.op is CombineOp.LAST:
        return _scatter_last(job, schedule)
    if schedule.op is CombineOp.SUM and contains(pair.fields[1].type, FLOAT):
        return _scatter_in_order(job, schedule, pair.fields[1].type)
    return _scatter_at_once(job, schedule, pair.fields[1].type)


def _cells(job: Job, schedule: ir.CombineByAddress, type_: Type) -> int:
    """How many elements the target has."""
    return job.buffers[f"in_{schedule.into}"].words // max(1, leaf_count(type_))


def _scatter_at_once(job: Job, schedule: ir.CombineByAddress, type_: Type) -> Outcome:
    job.stage(scatter.combine, schedule)  # refuses before anything is bound
    job.bind()
    results = job.buffers[f"out_{job.program.outputs[0].name}"]
    cells = Numbers(_cells(job, schedule, type_))
    bound = {"results": results}
    dispatches: list[Dispatch] = []
    keyed = combining.has_keys(schedule.op, type_)
    if keyed:
        dispatches.append(job.dispatch(job.stage(scatter.begin, schedule), cells, buffers=bound))
    else:
        job.device.copy(job.buffers[f"in_{schedule.into}"], results)
    if job.count:
        dispatches.append(_combining(job, schedule, bound))
    if keyed:
        dispatches.append(job.dispatch(job.stage(scatter.finish, schedule), cells, buffers=bound))
    job.run(*dispatches)
    return _only(job, results)


def _combining(job: Job, schedule: ir.CombineByAddress, bound: dict[str, Buffer]) -> Dispatch:
    """What combines all pairs; by way of a copy for each workgroup where the target is small, which many share."""
    target = bound["results"].words
    if target > scatter.NEAR_WORDS or job.count < 4 * target:
        return job.dispatch(job.stage(scatter.combine, schedule), Numbers(job.count), buffers=bound)
    stage = job.stage(scatter.combine_near, schedule)
    each = scatter.NEAR_ELEMENTS * groups_for(target, 256)
    numbers = Numbers(job.count, step=each, limit=target)
    return job.dispatch(stage, numbers, groups_for(job.count, each), bound)


def _scatter_last(job: Job, schedule: ir.CombineByAddress) -> Outcome:
    claim, take = job.stage(scatter.claim, schedule), job.stage(scatter.take, schedule)
    job.bind()
    results = job.buffers[f"out_{job.program.outputs[0].name}"]
    type_ = job.program.outputs[0].type.element
    cells = _cells(job, schedule, type_)
    bound = {"results": results, "winners": job.device.buffer(cells), "values": job.room(type_, job.count)}
    dispatches = [job.dispatch(claim, Numbers(job.count), buffers=bound)] if job.count else []
    job.run(*dispatches, job.dispatch(take, Numbers(cells), buffers=bound))
    return _only(job, results)


_TERMS = 1 << 15
"""How many terms a cell adds in one dispatch where drivers end long loops."""


def _scatter_in_order(job: Job, schedule: ir.CombineByAddress, type_: Type) -> Outcome:
    pairs, add_up = job.stage(scatter.pairs, schedule), job.stage(scatter.add_up)
    job.bind()
    results, cells, device = job.buffers[f"out_{job.program.outputs[0].name}"], _cells(job, schedule, type_), job.device
    device.copy(job.buffers[f"in_{schedule.into}"], results)
    if not job.count or not cells:
        return _only(job, results)
    found = {"cells": device.buffer(job.count), "order": device.buffer(job.count), "values": job.room(type_, job.count)}
    job.run(job.dispatch(pairs, Numbers(job.count, limit=cells), buffers=found))
    job.check()
    for shift in range(0, cells.bit_length(), sort.BITS):
        found |= _sort_pass(job, found, shift)
    ends = {"starts": device.buffer(cells), "ends": device.buffer(cells)}
    job.run(job.dispatch(job.stage(scatter.bounds), Numbers(job.count, limit=cells), buffers={**found, **ends}))
    bound = {**found, **ends, "results": results}
    most = scatter.most_many(job.count, cells) if scatter.has_helpers(job.subject) else 0
    if most:
        bound["many"] = device.buffer(1 + most)
        job.run(job.dispatch(job.stage(scatter.find_many), Numbers(cells), buffers=bound))
    terms = job.count if job.subject.traits.rounds is None else _TERMS
    for _ in range(0, job.count, terms):
        numbers = Numbers(cells, limit=terms)
        helped = [job.dispatch(job.stage(scatter.add_up_many), numbers, most, bound)] if most else []
        job.run(*helped, job.dispatch(add_up, numbers, buffers=bound))
    return _only(job, results)


def _sort_pass(job: Job, found: dict[str, Buffer], shift: int) -> dict[str, Buffer]:
    """Sort pairs by the digit of their cell that begins at bit `shift`; pairs that are equal there keep their order."""
    tiles = groups_for(job.count, sort.TILE)
    numbers = Numbers(job.count, first=shift, step=tiles)
    counts, sums = (job.device.buffer(tiles * sort.DIGITS) for _ in range(2))
    moved = {"moved_cells": job.device.buffer(job.count), "moved_order": job.device.buffer(job.count)}
    running = _running(job, _Running(CombineOp.SUM, INT), {"source": counts, "results": sums}, counts.words)
    job.run(
        job.dispatch(job.stage(sort.count), numbers, tiles, {**found, "counts": counts}),
        *running,
        job.dispatch(job.stage(sort.move), numbers, tiles, {**found, **moved, "counts": sums}),
    )
    return {"cells": moved["moved_cells"], "order": moved["moved_order"]}

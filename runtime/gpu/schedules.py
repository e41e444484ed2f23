"""The schedules on a device: which shaders run, in what order and on what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

import numpy as np

from kcheck.checker import ir
from kcheck.checker.ir import CombineOp
from kcheck.checker.types import FLOAT, INT, Struct, Type, contains, leaf_count
from kcheck.runtime.backend import Outcome
from kcheck.runtime.gpu.device import Dispatch, Numbers, groups_for
from kcheck.runtime.gpu.job import Job
from kcheck.runtime.gpu.memory import Buffer, byte_size
from kcheck.runtime.gpu.wgsl import (
    combining,
    elements,
    exact,
    fold,
    lookback,
    ordered,
    prefix,
    runs,
    scatter,
    sort,
    striped,
    walk,
)
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
    groups = fold.strided_groups(job.subject, schedule, job.count)
    stage = job.stage(fold.strided if groups else fold.first, schedule)
    job.bind()
    numbers = Numbers(job.count, step=groups * stage.elements)
    groups = groups or groups_for(job.count, stage.elements)
    results = job.room(job.program.result, groups)
    dispatches = [job.dispatch(stage, numbers, groups, {"results": results})]
    while groups > 1:
        again, count, source = job.stage(fold.again, schedule), groups, results
        groups = groups_for(count, again.elements)
        results = job.room(job.program.result, groups)
        dispatches.append(job.dispatch(again, Numbers(count), groups, {"source": source, "results": results}))
    job.run(*dispatches)
    return _only(job, results)


# ---------------------------------------------------------------- prefix


def _prefix(job: Job, schedule: ir.RunningCombine) -> Outcome:
    type_ = job.program.result
    what = _Running(schedule.op, type_, schedule, combining.has_keys(schedule.op, type_))
    what.scan(job)  # refuses before anything is bound
    job.bind()
    results = job.buffers[f"out_{job.program.outputs[0].name}"]
    if job.count:
        job.run(*_running(job, what, {"results": results}, job.count))
    return _only(job, results)


@dataclass(frozen=True, slots=True)
class _Running:
    """What is combined: the results of `schedule`, or Ints in the buffer `source`."""

    op: CombineOp
    type: Type
    schedule: ir.RunningCombine | None = None
    keyed: bool = False

    def scan(self, job: Job) -> Stage:
        write = prefix.scan
        if self.is_striped(job):
            write = lookback.scan if lookback.can_look_back(job.subject) else runs.scan
        return job.stage(write, self.op, self.type, self.schedule, keyed=self.keyed)

    def total(self, job: Job) -> Stage:
        write = runs.total if self.is_striped(job) else prefix.total
        return job.stage(write, self.op, self.type, self.schedule)

    def is_striped(self, job: Job) -> bool:
        return striped.is_striped(job.subject, self.type, self.schedule)


def _running(job: Job, what: _Running, bound: dict[str, Buffer], count: int) -> list[Dispatch]:
    """What gives `bound["results"]` the running combinations of `count` elements."""
    if what.is_striped(job) and lookback.can_look_back(job.subject):
        return [_looking_back(job, what, bound, count)]
    scan, numbers = what.scan(job), Numbers(count)
    if what.is_striped(job):
        numbers = Numbers(count, step=runs.length(job.subject, what.type, what.schedule, count))
        blocks = groups_for(count, numbers.step)
        groups = groups_for(blocks, runs.of_workgroup(job.subject))
    else:
        blocks = groups = groups_for(count, scan.elements)
    sums = job.room(what.type, blocks)
    dispatches: list[Dispatch] = []
    if blocks > 1:
        totals = job.room(what.type, blocks)
        dispatches.append(job.dispatch(what.total(job), numbers, groups, {**bound, "totals": totals}))
        dispatches += _running(job, _Running(what.op, what.type), {"source": totals, "results": sums}, blocks)
    dispatches.append(job.dispatch(scan, numbers, groups, {**bound, "sums": sums}))
    return dispatches


def _looking_back(job: Job, what: _Running, bound: dict[str, Buffer], count: int) -> Dispatch:
    tiles = groups_for(count, lookback.tile(job.subject, what.type, what.schedule))
    status = job.device.buffer(lookback.status_words(what.type, tiles))
    return job.dispatch(what.scan(job), Numbers(count, step=tiles), tiles, {**bound, "status": status})


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
        return _scatter_floats(job, schedule, pair.fields[1].type)
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
    each = _near_elements(job, target)
    if each is not None:
        numbers = Numbers(job.count, step=each, limit=target)
        return job.dispatch(job.stage(scatter.combine_near, schedule), numbers, groups_for(job.count, each), bound)
    ranges = _ranges(job, target)
    if ranges:
        each = min(_RANGE_ELEMENTS, 4 * groups_for(job.count, 4 * _RANGE_BLOCKS))
        numbers = Numbers(job.count, step=each, limit=target)
        groups = groups_for(job.count, each) * ranges
        return job.dispatch(job.stage(scatter.combine_ranges, schedule), numbers, groups, bound)
    return job.dispatch(job.stage(scatter.combine, schedule), Numbers(job.count), buffers=bound)


_RANGE_ELEMENTS = 1 << 20
"""The most elements of a workgroup that has a copy of a range."""
_RANGE_BLOCKS = 256
"""How many blocks of elements there are for each range, or more."""
_RANGE_PAIRS = 64
"""How many elements there must be for each word of a target that is cut into ranges."""


def _ranges(job: Job, target: int) -> int:
    """Into how many ranges a target is cut, of which workgroups have copies; 0 where that does not pay."""
    size = scatter.range_words(job.subject)
    if not size or target > scatter.MOST_RANGES * size or job.count < _RANGE_PAIRS * target:
        return 0
    return groups_for(target, size)


def _near_elements(job: Job, target: int) -> int | None:
    """How many elements a workgroup takes that has a copy of the target's words; None where that does not pay."""
    if target > scatter.NEAR_WORDS or job.count < 4 * target:
        return None
    return scatter.NEAR_ELEMENTS * groups_for(target, 256)


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


_SAMPLE = 1 << 14
"""How many elements are looked at before sums are tried to be exact."""
_TERMS = 1 << 15
"""How many terms a cell adds in one dispatch where drivers end long loops."""
_HELPING = 1 << 16
"""The most workgroups that add up for single cells where loops may be long."""


def _scatter_floats(job: Job, schedule: ir.CombineByAddress, type_: Type) -> Outcome:
    job.stage(ordered.pairs, schedule)  # refuses before anything is bound
    job.bind()
    results, cells = job.buffers[f"out_{job.program.outputs[0].name}"], _cells(job, schedule, type_)
    target = job.buffers[f"in_{schedule.into}"]
    if not job.count or not cells:
        job.device.copy(target, results)
    elif not (exact.may_be_exact(type_) and _add_exactly(job, schedule, results, cells)):
        job.device.copy(target, results)
        _add_in_order(job, schedule, type_, results, cells)
    return _only(job, results)


def _add_exactly(job: Job, schedule: ir.CombineByAddress, results: Buffer, cells: int) -> bool:
    """Whether no sum has to be rounded; then `results` has them."""
    if byte_size(2 * cells) > job.device.most_bytes:
        return False
    facts = job.device.upload(np.array(exact.FACTS, np.uint32))
    sample = min(job.count, _SAMPLE)
    numbers = Numbers(job.count, step=job.count // sample, limit=sample)
    measure = job.stage(exact.measure, schedule)
    job.run(job.dispatch(measure, numbers, groups_for(sample, measure.elements), {"facts": facts}))
    job.check()
    found = exact.unit_for(_facts_of(job, facts), job.count, cells)
    if found is None:
        return False
    unit, is_watched = found
    bound = {"facts": facts, "sums": job.device.buffer(2 * cells), "results": results}
    finish = job.dispatch(job.stage(exact.finish, schedule), Numbers(cells, first=unit), buffers=bound)
    job.run(_adding(job, schedule, unit, bound, is_watched=is_watched), finish)
    return not _facts_of(job, facts)[2]


def _facts_of(job: Job, facts: Buffer) -> tuple[int, int, int]:
    unit, most, amiss = job.device.download(facts).tolist()
    return unit, most, amiss


def _adding(
    job: Job, schedule: ir.CombineByAddress, unit: int, bound: dict[str, Buffer], *, is_watched: bool
) -> Dispatch:
    """What adds all values to `sums`, as `_combining` does."""
    words = bound["sums"].words
    each = _near_elements(job, words)
    if each is None:
        numbers = Numbers(job.count, first=unit, limit=exact.most_units(job.count))
        return job.dispatch(job.stage(exact.add, schedule, is_watched=is_watched), numbers, buffers=bound)
    numbers = Numbers(job.count, first=unit, step=each, limit=words)
    return job.dispatch(job.stage(exact.add_near, schedule), numbers, groups_for(job.count, each), bound)


def _add_in_order(job: Job, schedule: ir.CombineByAddress, type_: Type, results: Buffer, cells: int) -> None:
    device, count = job.device, job.count
    now, then = ({name: device.room(count) for name in ("cells", "carried")} for _ in range(2))
    values = {} if ordered.is_carried(job.subject) else {"values": job.room(type_, count)}
    made = schedule if sort.makes_pairs(job.subject) else None
    dispatches: list[Dispatch] = []  # all at once, so that what is cleared for them is cleared before
    if made is None:
        pairs = job.stage(ordered.pairs, schedule)
        dispatches.append(job.dispatch(pairs, Numbers(count, limit=cells), buffers={**now, **values}))
    for begin, bits in sort.digits(job.subject, ordered.bits_of_cells(job.subject, cells)):
        numbers = Numbers(count, first=begin, step=groups_for(count, sort.tile(job.subject)), limit=cells)
        dispatches += _sort_pass(job, now, then, numbers, bits, made if begin == 0 else None)
        now, then = then, now
    ends = {name: device.buffer(cells) for name in ("starts", "ends")}
    bound = {**_by_fours(now), **values, **ends, "results": results}
    dispatches.append(job.dispatch(job.stage(ordered.bounds), Numbers(count, limit=cells), buffers=bound))
    most = ordered.most_many(job.subject, count, cells)
    if most:
        bound["many"] = device.buffer(1 + most)
        dispatches.append(job.dispatch(job.stage(ordered.find_many), Numbers(cells), buffers=bound))
    are_long = job.subject.traits.rounds is None
    add_up = job.stage(ordered.add_up, by_slices=ordered.has_slices(job.subject, count, cells))
    terms, helpers = (count, min(most, _HELPING)) if are_long else (_TERMS, most)
    for _ in range(0, count, terms):
        numbers = Numbers(cells, step=count, limit=terms)
        if most:
            dispatches.append(job.dispatch(job.stage(ordered.add_up_many), numbers, helpers, bound))
        dispatches.append(job.dispatch(add_up, numbers, buffers=bound))
    job.run(*dispatches)


def _by_fours(pairs: dict[str, Buffer]) -> dict[str, Buffer]:
    """Pairs as the shaders know them that read by fours, too."""
    return {**pairs, **{f"{name}_fours": buffer for name, buffer in pairs.items()}}


def _sort_pass(
    job: Job, now: dict[str, Buffer], then: dict[str, Buffer], numbers: Numbers, bits: int, made: sort.Made
) -> list[Dispatch]:
    """Sort the pairs in `now` to `then` by so many bits of their cell; pairs that are equal there keep their order."""
    tiles = numbers.step
    counts, sums = (job.device.room(tiles << bits) for _ in range(2))
    moved = {f"moved_{name}": buffer for name, buffer in then.items()}
    running = _running(job, _Running(CombineOp.SUM, INT), {"source": counts, "results": sums}, counts.words)
    return [
        job.dispatch(job.stage(sort.count, bits, made), numbers, tiles, {**_by_fours(now), "counts": counts}),
        *running,
        job.dispatch(job.stage(sort.move, bits, made), numbers, tiles, {**now, **moved, "counts": sums}),
    ]

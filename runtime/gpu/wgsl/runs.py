"""The shaders of prefixes where a device has subgroups: each goes through a long run of elements step by step.

As in `prefix` there are totals of runs first, then those running, then the runs from what is before them.
"""

from __future__ import annotations

from collections.abc import Callable

from kcheck.checker import ir
from kcheck.checker.ir import CombineOp
from kcheck.checker.types import Type
from kcheck.runtime.gpu.wgsl import combining
from kcheck.runtime.gpu.wgsl.entry import THREADS
from kcheck.runtime.gpu.wgsl.module import Stage, Subject, plus, times
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE
from kcheck.runtime.gpu.wgsl.striped import Striped, fours_of

_WORDS = 8
"""How many words an invocation reads by fours in a step."""
_MOST_RUNS = 16_384


def length(subject: Subject, type_: Type, schedule: ir.RunningCombine | None, count: int) -> int:
    """The elements of a run: whole steps, and so many that there are not too many runs."""
    step = AT_ONCE * subject.traits.subgroup * fours_of(subject, type_, schedule, _WORDS)
    return step * -(-count // (step * _MOST_RUNS))


def of_workgroup(subject: Subject) -> int:
    """How many runs a workgroup goes through."""
    return _threads(subject) // subject.traits.subgroup


def _threads(subject: Subject) -> int:
    return min(THREADS, subject.traits.invocations)


def _begin(subject: Subject, op: CombineOp, type_: Type, schedule: ir.RunningCombine | None) -> Striped:
    """A run is the `run.step` elements from `begin` on."""
    subgroup = Striped(subject, op, type_, schedule, _threads(subject))
    entry, width = subgroup.entry, subgroup.width
    entry.add(f"let own = number * {entry.threads // width}u + lane / {width}u;", "let begin = own * run.step;")
    entry.leave_if("begin >= run.count")
    entry.add("let end = min(begin + run.step, run.count);", "var at = begin;")
    entry.add(*(f"var c{w} = {combining.NONE[op]};" for w in range(subgroup.count)))
    return subgroup


def _steps(subgroup: Striped, fours: int, body: Callable[[int, str | None], None]) -> None:
    """Go through a run; `body` writes what a step does with its fours, one where elements may be missing at the end."""
    reach = AT_ONCE * subgroup.width
    whole = f"for (; at + {fours * reach}u <= end; at += {fours * reach}u)"
    for taken, head, end in ((fours, whole, None), (1, f"for (; at < end; at += {reach}u)", "end")):
        with subgroup.entry.lines.braces(head):
            subgroup.entry.add(f"let four = at / {AT_ONCE}u + place;")
            subgroup.read(taken, end)
            body(taken, end)


def total(subject: Subject, op: CombineOp, type_: Type, schedule: ir.RunningCombine | None) -> Stage:
    """The total of each run, to the buffer `totals`."""
    subgroup = _begin(subject, op, type_, schedule)
    entry, each = subgroup.entry, range(subgroup.count)

    def add(fours: int, end: str | None) -> None:
        for f in range(fours):
            for e in range(AT_ONCE):
                entry.add(*(f"c{w} = {subgroup.combined(f'c{w}', subgroup.name(f, e, w))};" for w in each))

    _steps(subgroup, fours_of(subject, type_, schedule, _WORDS), add)
    for w in each:
        subgroup.gather(f"c{w}")
    totals = entry.module.buffer("totals", "write")
    with entry.lines.braces("if (place == 0u)"):
        entry.add(*(f"{totals}[{plus(times('own', subgroup.count), w)}] = bitcast<u32>(c{w});" for w in each))
    return entry.stage()


def scan(subject: Subject, op: CombineOp, type_: Type, schedule: ir.RunningCombine | None, *, keyed: bool) -> Stage:
    """The running combinations, to `results`; `sums` holds those of the totals of all runs.

    With `keyed` the Ints become the scalars that they stand for.
    """
    subgroup = _begin(subject, op, type_, schedule)
    entry, each, sums = subgroup.entry, range(subgroup.count), subgroup.entry.module.buffer("sums")
    with entry.lines.braces("if (own > 0u)"):
        entry.add(*(f"c{w} = bitcast<i32>({sums}[{plus(times('(own - 1u)', subgroup.count), w)}]);" for w in each))

    def store(fours: int, end: str | None) -> None:
        subgroup.scan(fours)
        subgroup.store(fours, end, keyed=keyed)

    _steps(subgroup, fours_of(subject, type_, schedule, _WORDS), store)
    return entry.stage()

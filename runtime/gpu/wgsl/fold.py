"""The shaders of reductions.

The tree is the interpreter's: neighbours are merged, the left one first, and an odd last one waits for the next
round.  An invocation folds a few neighbours, a workgroup what its invocations gave; both are powers of two.  Then
what the workgroups gave is folded.
"""

from __future__ import annotations

from collections.abc import Callable

from kcheck.checker import ir
from kcheck.runtime.backend import Unsupported
from kcheck.runtime.gpu.wgsl.entry import Entry
from kcheck.runtime.gpu.wgsl.module import Stage, Subject
from kcheck.runtime.gpu.wgsl.names import words
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE, nodes_of, streams_of

_MOST_THREADS = 128
_FEW_NODES = 100
"""Of a program whose code may well be there sixteen times."""


def _fours(subject: Subject) -> int:
    """How many fours of neighbours an invocation folds where it reads them by fours; a power of two."""
    return 4 if nodes_of(subject) <= _FEW_NODES else 1


def threads_of(subject: Subject) -> int:
    """The invocations of a workgroup, a power of two."""
    size = max(1, words(subject.program.result)) * 4
    fitting = min(_MOST_THREADS, subject.traits.invocations, subject.traits.workgroup_bytes // size)
    if fitting < 2:
        raise Unsupported(f"two of its elements of {size} bytes do not fit a workgroup's memory")
    return 1 << (fitting.bit_length() - 1)


def first(subject: Subject, schedule: ir.Fold) -> Stage:
    """Folds the results of the elements, to the buffer `results`."""
    streams = streams_of(subject, (subject.program.result,))
    entry = Entry(subject, threads_of(subject), (schedule.element, schedule.merge), streams)
    run = f"{entry.names[schedule.element]}()"
    if streams is None:
        return _fold(entry, schedule, 1, [], lambda _: ([], run))
    reads = [f"let four = base / {AT_ONCE}u;"]
    fours = _fours(subject)
    for i in range(fours):
        reads += streams.read(entry.module, f"(four + {i}u)", str(i))
    return _fold(
        entry,
        schedule,
        AT_ONCE * fours,
        reads,
        lambda k: (streams.place(entry.module, k % AT_ONCE, str(k // AT_ONCE)), run),
    )


def again(subject: Subject, schedule: ir.Fold) -> Stage:
    """Folds what `first` or this very stage gave, from the buffer `source` to the buffer `results`."""
    entry = Entry(subject, threads_of(subject), (schedule.merge,))
    value = entry.load("source", "element", subject.program.result)
    return _fold(entry, schedule, 1, [], lambda _: ([], value))


def _fold(
    entry: Entry, schedule: ir.Fold, each: int, reads: list[str], value: Callable[[int], tuple[list[str], str]]
) -> Stage:
    """`reads` stand before all; `value` gives what stands before the value of one of `each` neighbours, and that."""
    type_, threads = entry.module.program.result, entry.threads
    merge, name = entry.names[schedule.merge], entry.module.types.name(type_)
    entry.module.declare("merged", f"var<workgroup> merged: array<{name}, {threads}>;")
    entry.add(f"let block = number * {threads * each}u;")
    entry.leave_if("block >= run.count")
    entry.add(f"let base = block + lane * {each}u;", *reads)

    def neighbours(begin: int, end: int) -> str:
        if end - begin == 1:
            before, text = value(begin)
            entry.add(f"element = base + {begin}u;", *before, f"var v{begin} = {text};")
            return f"v{begin}"
        middle = (begin + end) // 2
        left = neighbours(begin, middle)
        with entry.lines.braces(f"if (base + {middle}u < run.count)"):
            entry.add(f"{left} = {merge}({left}, {neighbours(middle, end)});")
        return left

    with entry.lines.braces("if (base < run.count)"):
        entry.add(f"merged[lane] = {neighbours(0, each)};")
    entry.add(f"let present = min((run.count - block + {each - 1}u) / {each}u, {threads}u);", "workgroupBarrier();")
    with entry.lines.braces(f"for (var step = 1u; step < {threads}u; step *= 2u)"):
        entry.add("let left = lane * 2u * step;")
        with entry.lines.braces("if (left + step < present)"):
            entry.add(f"merged[left] = {merge}(merged[left], merged[left + step]);")
        entry.add("workgroupBarrier();")
    with entry.lines.braces("if (lane == 0u)"):
        entry.store("results", "number", type_, "merged[0]")
    return entry.stage(each)

"""The shader of prefixes in one pass: a workgroup looks back at what the ones before it have come to.

Workgroups take the tiles in the order in which they start, so those that are waited for have started too.  But WGSL
does not promise that they go on meanwhile: it is for drivers of which that is known.  In `status` there are words of
64 bits: first how many tiles were taken, then for each Int of each tile that and, above it, what the Int is.
"""

from __future__ import annotations

from kcheck.checker import ir
from kcheck.checker.ir import CombineOp
from kcheck.checker.types import Type
from kcheck.runtime.gpu.wgsl import combining
from kcheck.runtime.gpu.wgsl.module import Stage, Subject, plus, times
from kcheck.runtime.gpu.wgsl.names import words
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE
from kcheck.runtime.gpu.wgsl.striped import Striped, fours_of

_OWN, _ALL = "1u", "2u"
"""What an Int in `status` is: the total of its tile, or that with all before.  It is not there yet where this is 0."""


def can_look_back(subject: Subject) -> bool:
    """Whether the driver is one of those, and a subgroup has room for the totals of all subgroups of a workgroup."""
    traits = subject.traits
    return traits.looks_back and traits.invocations >= _MOST_THREADS and traits.subgroup**2 >= _MOST_THREADS


_MOST_THREADS = 256


def _threads(type_: Type) -> int:
    return _MOST_THREADS if words(type_) == 1 else _MOST_THREADS // 2


def _fours(subject: Subject, type_: Type, schedule: ir.RunningCombine | None) -> int:
    """How many fours an invocation takes: what has several words is slower with more."""
    return fours_of(subject, type_, schedule, 16 if words(type_) == 1 else 8)


def tile(subject: Subject, type_: Type, schedule: ir.RunningCombine | None) -> int:
    """The elements of a tile."""
    return _threads(type_) * AT_ONCE * _fours(subject, type_, schedule)


def scan(subject: Subject, op: CombineOp, type_: Type, schedule: ir.RunningCombine | None, *, keyed: bool) -> Stage:
    """The running combinations of `step` tiles, to `results`.

    With `keyed` the Ints become the scalars that they stand for.
    """
    fours, threads = _fours(subject, type_, schedule), _threads(type_)
    subgroup = Striped(subject, op, type_, schedule, threads)
    entry, each, rows = subgroup.entry, range(subgroup.count), threads // subgroup.width
    module, reach = entry.module, AT_ONCE * subgroup.width * fours
    status = module.buffer("status", "atomic64")
    module.declare("taken", "var<workgroup> taken: u32;")
    module.declare("before", f"var<workgroup> before: array<i32, {subgroup.count}>;")
    module.declare("row_sums", f"var<workgroup> row_sums: array<i32, {rows * subgroup.count}>;")
    with entry.lines.braces("if (lane == 0u)"):
        entry.add(f"taken = u32(atomicAdd(&{status}[0], 1lu));")
    entry.add("let tile = workgroupUniformLoad(&taken);", f"let row = lane / {subgroup.width}u;")
    entry.leave_if("tile >= run.step")
    entry.add(f"let four = (tile * {rows}u + row) * {reach // AT_ONCE}u + place;")
    entry.add(*(f"var c{w} = {combining.NONE[op]};" for w in each))
    subgroup.read(fours, "run.count", f"(tile + 1u) * {threads * AT_ONCE * fours}u <= run.count")
    subgroup.scan(fours)
    with entry.lines.braces("if (place == 0u)"):
        entry.add(*(f"row_sums[{plus(times('row', subgroup.count), w)}] = c{w};" for w in each))
    entry.add("workgroupBarrier();")
    with entry.lines.braces("if (row == 0u)"):
        _join(subgroup, rows)
    entry.add("workgroupBarrier();", *(f"var e{w} = before[{w}];" for w in each))
    with entry.lines.braces("if (row > 0u)"):
        for w in each:
            earlier = f"row_sums[{plus(times('(row - 1u)', subgroup.count), w)}]"
            entry.add(f"e{w} = {subgroup.combined(f'e{w}', earlier)};")
    subgroup.store(fours, "run.count", keyed=keyed, before="e")
    return entry.stage(AT_ONCE * fours)


def _join(subgroup: Striped, rows: int) -> None:
    """Make `row_sums` run, and find what is `before` the tile; by the workgroup's first subgroup."""
    entry, each, none = subgroup.entry, range(subgroup.count), combining.NONE[subgroup.op]
    for w in each:
        place = plus(times(f"min(place, {rows - 1}u)", subgroup.count), w)
        entry.add(f"var q{w} = select({none}, row_sums[{place}], place < {rows}u);")
        subgroup.run_up(f"q{w}")
    with entry.lines.braces(f"if (place < {rows}u)"):
        entry.add(*(f"row_sums[{plus(times('place', subgroup.count), w)}] = q{w};" for w in each))
    entry.add(*(f"let total{w} = subgroupShuffle(q{w}, {rows - 1}u);" for w in each))
    entry.add(*(f"var all{w} = {none};" for w in each))
    publish, status = _publish(subgroup), entry.module.buffer("status", "atomic64")
    with entry.lines.braces("if (place == 0u)"):
        totals = ", ".join(f"total{w}" for w in each)
        entry.add(f"{publish}(tile, select({_OWN}, {_ALL}, tile == 0u), {totals});")
    entry.add("var at = i32(tile) - 1 - i32(place);", "var goes_on = tile > 0u;")
    with entry.lines.braces("while (goes_on)"):
        entry.add("var state = 0u;", *(f"var v{w} = {none};" for w in each))
        with entry.lines.braces("while (!subgroupAll(state > 0u))"):
            entry.add(f"state = {_ALL};")
            with entry.lines.braces("if (at >= 0)"):
                for w in each:
                    word = plus(times("u32(at)", subgroup.count), w + 1)
                    entry.add(f"let s{w} = atomicLoad(&{status}[{word}]);", f"v{w} = bitcast<i32>(u32(s{w}));")
                entry.add("state = u32(s0 >> 32u);")
                # One Int may already be that of all while another is that of the tile.
                entry.add(*(f"state = select(0u, state, u32(s{w} >> 32u) == state);" for w in each[1:]))
        entry.add(
            f"let reached = subgroupBallot(state == {_ALL}).x;",
            f"let last = select(firstTrailingBit(reached), {subgroup.width - 1}u, reached == 0u);",
        )
        for w in each:
            entry.add(f"v{w} = select({none}, v{w}, place <= last);")
            subgroup.gather(f"v{w}")
            entry.add(f"all{w} = {subgroup.combined(f'all{w}', f'v{w}')};")
        entry.add("goes_on = reached == 0u;", f"at -= {subgroup.width};")
    with entry.lines.braces("if (place == 0u)"):
        both = ", ".join(subgroup.combined(f"all{w}", f"total{w}") for w in each)
        with entry.lines.braces("if (tile > 0u)"):
            entry.add(f"{publish}(tile, {_ALL}, {both});")
        entry.add(*(f"before[{w}] = all{w};" for w in each))


def _publish(subgroup: Striped) -> str:
    """The function that tells the Ints of a tile, and what they are."""
    status, each = subgroup.entry.module.buffer("status", "atomic64"), range(subgroup.count)
    text = [
        f"fn publish(tile: u32, state: u32, {', '.join(f'value{w}: i32' for w in each)}) {{",
        *(
            f"  atomicStore(&{status}[{plus(times('tile', subgroup.count), w + 1)}], "
            f"(u64(state) << 32u) | u64(bitcast<u32>(value{w})));"
            for w in each
        ),
        "}",
    ]
    return subgroup.entry.module.function("publish", lambda: "\n".join(text))


def status_words(type_: Type, tiles: int) -> int:
    return 2 * (1 + words(type_) * tiles)

"""The shaders of prefixes: the total of each block, then those totals running, then each block from what is before it.

All is done on the Ints that `combining` makes of scalars; for elements that are not there stands what changes none.

A block is what a workgroup combines at once, by way of its memory.  Devices with subgroups have `runs` and `lookback`.
"""

from __future__ import annotations

from collections.abc import Callable

from kcheck.checker import ir
from kcheck.checker.ir import CombineOp
from kcheck.checker.types import INT, Type, leaves
from kcheck.runtime.backend import Unsupported
from kcheck.runtime.gpu.wgsl import combining
from kcheck.runtime.gpu.wgsl.entry import Entry
from kcheck.runtime.gpu.wgsl.module import Stage, Subject, plus, times
from kcheck.runtime.gpu.wgsl.names import words
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE, Streams, nodes_of, streams_of

_MOST_THREADS = 256
_MOST_WORDS = 16
"""Of an element: its scalars are written out one by one."""
_FEW_NODES = 200
"""Of a program whose code may well be there eight times."""


class _Block:
    """A block of elements on its way into the invocations of a workgroup, a few neighbours to each.

    The elements are the results of `schedule`, or without one Ints in the buffer `source`.
    """

    def __init__(self, subject: Subject, op: CombineOp, type_: Type, schedule: ir.RunningCombine | None) -> None:
        self.op = op
        self.type = type_
        self.count = words(type_)
        self.streams: Streams | None = streams_of(subject, (type_,)) if schedule else None
        self.fours = 2 if nodes_of(subject) <= _FEW_NODES else 1
        """How many fours of neighbours an invocation combines where it reads them by fours."""
        self.each = AT_ONCE * self.fours if self.streams else 1
        functions = (schedule.element,) if schedule else ()
        self.entry = Entry(subject, _threads(subject, type_), functions, self.streams)
        self._run = f"{self.entry.names[schedule.element]}()" if schedule else None
        self.half = self.entry.threads * self.count
        self.entry.module.declare("running", f"var<workgroup> running: array<i32, {max(1, 2 * self.half)}>;")

    def begin(self) -> None:
        """Give the variables `k0`, `k1`, … the Ints of the invocation's elements, each combined with those before."""
        entry, none = self.entry, combining.NONE[self.op]
        entry.add(f"let block = number * {entry.threads * self.each}u;")
        entry.leave_if("block >= run.count")
        entry.add(f"let base = block + lane * {self.each}u;")
        if self.streams:
            entry.add(f"let four = base / {AT_ONCE}u;")
            for i in range(self.fours):
                entry.add(*self.streams.read(entry.module, f"(four + {i}u)", str(i)))
        for e in range(self.each):
            entry.add(*(f"var k{e * self.count + w} = {none};" for w in range(self.count)))
            with entry.lines.braces(f"if (base + {e}u < run.count)"):
                entry.add(f"element = base + {e}u;")
                if self.streams:
                    entry.add(*self.streams.place(entry.module, e % AT_ONCE, str(e // AT_ONCE)))
                for w, key in enumerate(self._keys()):
                    entry.add(f"k{e * self.count + w} = {key};")
            if e:
                for w in range(self.count):
                    here, before = f"k{e * self.count + w}", f"k{(e - 1) * self.count + w}"
                    entry.add(f"{here} = {combining.combined(self.op, before, here)};")

    def _keys(self) -> list[str]:
        """The Ints of the element at hand."""
        module = self.entry.module
        if self._run is None:
            source = module.buffer("source")
            return [f"bitcast<i32>({source}[{plus(times('element', self.count), w)}])" for w in range(self.count)]
        self.entry.add(f"let value = {self._run};")
        texts = zip(module.to_words(self.type, "value"), leaves(self.type), strict=True)
        return [combining.key(module, self.op, text, leaf.scalar) for text, leaf in texts]

    def last_of_own(self, w: int) -> str:
        return f"k{(self.each - 1) * self.count + w}"

    def each_word(self, line: Callable[[int], str]) -> None:
        self.entry.add(*(line(w) for w in range(self.count)))


def _threads(subject: Subject, type_: Type) -> int:
    """The invocations of a workgroup, a power of two."""
    if words(type_) > _MOST_WORDS:
        raise Unsupported(f"its elements have {words(type_)} scalars, and a prefix takes at most {_MOST_WORDS}")
    size = 8 * max(1, words(type_))  # its memory holds the Ints of each invocation twice
    fitting = min(_MOST_THREADS, subject.traits.invocations, subject.traits.workgroup_bytes // size)
    return 1 << (fitting.bit_length() - 1)


def total(subject: Subject, op: CombineOp, type_: Type, schedule: ir.RunningCombine | None) -> Stage:
    """The total of each block, to the buffer `totals`."""
    block = _Block(subject, op, type_, schedule)
    entry, count = block.entry, block.count
    block.begin()
    block.each_word(lambda w: f"running[{plus(times('lane', count), w)}] = {block.last_of_own(w)};")
    entry.add("workgroupBarrier();")
    with entry.lines.braces(f"for (var step = {entry.threads // 2}u; step > 0u; step /= 2u)"):
        with entry.lines.braces("if (lane < step)"):
            own, other = times("lane", count), times("(lane + step)", count)
            block.each_word(
                lambda w: (
                    f"running[{plus(own, w)}] = "
                    + combining.combined(op, f"running[{plus(own, w)}]", f"running[{plus(other, w)}]")
                    + ";"
                )
            )
        entry.add("workgroupBarrier();")
    totals = entry.module.buffer("totals", "write")
    with entry.lines.braces("if (lane == 0u)"):
        block.each_word(lambda w: f"{totals}[{plus(times('number', count), w)}] = bitcast<u32>(running[{w}]);")
    return entry.stage(block.each)


def scan(subject: Subject, op: CombineOp, type_: Type, schedule: ir.RunningCombine | None, *, keyed: bool) -> Stage:
    """The running combinations, to `results`; `sums` holds those of the totals of all blocks.

    With `keyed` the Ints become the scalars that they stand for.
    """
    block = _Block(subject, op, type_, schedule)
    entry, count, half = block.entry, block.count, block.half
    own = times("lane", count)
    block.begin()
    # `running` has two halves, one to read from and one to write to, which change places.
    block.each_word(lambda w: f"running[{plus(own, w)}] = {block.last_of_own(w)};")
    entry.add("workgroupBarrier();", "var here = 0u;")
    with entry.lines.braces(f"for (var step = 1u; step < {entry.threads}u; step *= 2u)"):
        entry.add(f"let there = {half}u - here;")
        block.each_word(lambda w: f"var s{w} = running[here + {plus(own, w)}];")
        with entry.lines.braces("if (lane >= step)"):
            before = times("(lane - step)", count)
            block.each_word(
                lambda w: f"s{w} = {combining.combined(op, f'running[here + {plus(before, w)}]', f's{w}')};"
            )
        block.each_word(lambda w: f"running[there + {plus(own, w)}] = s{w};")
        entry.add("here = there;", "workgroupBarrier();")
    sums = entry.module.buffer("sums")
    block.each_word(lambda w: f"var b{w} = {combining.NONE[op]};")
    with entry.lines.braces("if (number > 0u)"):
        block.each_word(lambda w: f"b{w} = bitcast<i32>({sums}[{plus(times('(number - 1u)', count), w)}]);")
    with entry.lines.braces("if (lane > 0u)"):
        left = times("(lane - 1u)", count)
        block.each_word(lambda w: f"b{w} = {combining.combined(op, f'b{w}', f'running[here + {plus(left, w)}]')};")
    _store(block, keyed)
    return entry.stage(block.each)


def _store(block: _Block, keyed: bool) -> None:
    """Combine what is before the invocation's elements with each of them, and store that."""
    entry, count = block.entry, block.count
    found = []
    for i in range(block.each * count):
        leaf = leaves(block.type)[i % count]
        number = combining.combined(block.op, f"b{i % count}", f"k{i}")
        found.append(combining.unkeyed(entry.module, block.op, number, leaf.scalar if keyed else INT))
    if block.streams:
        results = entry.module.buffer("results", "wide_write")
        for four in range(block.fours):
            inside = found[four * AT_ONCE * count :]
            with entry.lines.braces(f"if (base + {four * AT_ONCE}u < run.count)"):
                for i in range(count):
                    place = f"(four + {four}u) * {count}u + {i}u"
                    entry.add(f"{results}[{place}] = vec4<u32>({', '.join(inside[4 * i : 4 * i + 4])});")
        return
    results = entry.module.buffer("results", "write")
    with entry.lines.braces("if (base < run.count)"):
        block.each_word(lambda w: f"{results}[{plus(times('base', count), w)}] = {found[w]};")

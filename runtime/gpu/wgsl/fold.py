"""The shaders of reductions.

The tree is the interpreter's: neighbours are merged, the left one first, and an odd last one waits for the next
round.  An invocation folds *runs* of neighbours, whose lengths are powers of two, and a workgroup what its invocations
gave.  Then what the workgroups gave is folded.

Runs that are folded at the same time stand beside each other, so that invocations that are neighbours read what lies
side by side; what they come to goes through the workgroup's memory to the invocation that merges it with the next run.

A lawful merge that rounds nothing gives the same in any tree, but for a NaN or the sign of a zero where it does not
say which of two it takes.  Then an invocation goes through all elements in steps as large as all of them together,
and only what it has come to in the end meets others (`strided`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

from kcheck.checker import ir
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp
from kcheck.checker.types import FLOAT, contains
from kcheck.runtime.backend import Unsupported
from kcheck.runtime.gpu.wgsl.entry import Entry
from kcheck.runtime.gpu.wgsl.module import Module, Stage, Subject
from kcheck.runtime.gpu.wgsl.names import words
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE, Streams, nodes_of, streams_of

_RUNS = 8
_FEW_NODES = 100
"""Of a program whose code may well be there thirty-six times."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """A workgroup of `threads` invocations, each of which folds `runs` runs of `run` neighbours; powers of two."""

    threads: int
    run: int
    runs: int

    @property
    def elements(self) -> int:
        return self.threads * self.run * self.runs


def _shape(subject: Subject, run: int, runs: int, most_threads: int) -> _Shape:
    """With as many invocations, and at most so many runs, as the workgroup's memory has room for."""
    size, room = max(1, words(subject.program.result)) * 4, subject.traits.workgroup_bytes
    threads = min(most_threads, subject.traits.invocations, room // (2 * size))
    if threads < 2:
        raise Unsupported(f"two of its elements of {size} bytes do not fit a workgroup's memory")
    threads = 1 << (threads.bit_length() - 1)
    while runs > 1 and threads * (runs + 1) * size > room:
        runs //= 2
    return _Shape(threads, run, runs)


def first(subject: Subject, schedule: ir.Fold) -> Stage:
    """Folds the results of the elements, to the buffer `results`."""
    streams, size = streams_of(subject, (subject.program.result,)), words(subject.program.result)
    if streams is None:
        return _first_one_by_one(subject, schedule)
    # With more of the workgroup's memory there would be too few workgroups at a time.
    runs = (_RUNS if size == 1 else _RUNS // 2) if nodes_of(subject) <= _FEW_NODES else 1
    shape = _shape(subject, AT_ONCE, runs, 512 if size == 1 else 256 // size)
    entry = Entry(subject, shape.threads, (schedule.element, schedule.merge), streams)
    module, call, fold = entry.module, f"{entry.names[schedule.element]}()", _Fold(entry, schedule, shape)
    fold.begin()
    entry.add(f"let four = (block / {AT_ONCE}u) + lane;")
    with entry.lines.braces(f"if (run.count - block >= {shape.elements}u)"):
        entry.add(f"let spot = {fold.place('lane')};")
        for r in range(shape.runs):
            entry.add(*streams.read(module, f"(four + {r * shape.threads}u)", str(r)))
        for r in range(shape.runs):
            fold.whole(r, partial(_streamed, streams, module, call, str(r)))
    with entry.lines.otherwise():
        value = partial(_streamed, streams, module, call, "")
        fold.one_by_one(value, streams.read(module, f"(base / {AT_ONCE}u)"))
    return fold.join()


def _first_one_by_one(subject: Subject, schedule: ir.Fold) -> Stage:
    shape = _shape(subject, 1, 1, 256)
    entry = Entry(subject, shape.threads, (schedule.element, schedule.merge))
    fold = _Fold(entry, schedule, shape)
    fold.begin()
    fold.one_by_one(lambda _: ([], f"{entry.names[schedule.element]}()"))
    return fold.join()


def _streamed(streams: Streams, module: Module, call: str, tag: str, k: int) -> tuple[list[str], str]:
    """Makes one of four elements that were read the one at hand, and runs it."""
    return streams.place(module, k, tag), call


def again(subject: Subject, schedule: ir.Fold) -> Stage:
    """Folds what a stage gave, from the buffer `source` to the buffer `results`."""
    shape = _shape(subject, AT_ONCE, _RUNS, 1024)
    entry = Entry(subject, shape.threads, (schedule.merge,))
    value = entry.load("source", "element", subject.program.result)
    fold = _Fold(entry, schedule, shape)
    fold.begin()
    fold.one_by_one(lambda _: ([], value))
    return fold.join()


# ---------------------------------------------------------------- in any order

_STRIDED_THREADS = 256
_LEAST_FOURS = 8
"""Of an invocation that goes through the elements in large steps."""
_MOST_GROUPS = 2048
_AT_A_TIME = 2
"""How many fours an invocation waits for at the same time."""


def strided_groups(subject: Subject, schedule: ir.Fold, count: int) -> int:
    """How many workgroups go through so many elements in large steps; 0 where the tree matters or it does not pay."""
    if streams_of(subject, (subject.program.result,)) is None or nodes_of(subject) > _FEW_NODES:
        return 0
    if subject.traits.invocations < _STRIDED_THREADS or not rounds_nothing(subject.program, schedule.merge):
        return 0
    return min(_MOST_GROUPS, count // (AT_ONCE * _STRIDED_THREADS * _LEAST_FOURS))


_EXACT = frozenset({Builtin.MIN, Builtin.MAX, Builtin.ABS, Builtin.SIGN, Builtin.SELECT})
"""The built-ins that give a Float which is one of those they take, or nearly so."""
_ROUNDING = frozenset({BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV, BinaryOp.REM, BinaryOp.MATMUL})


def rounds_nothing(program: ir.Program, function: int) -> bool:
    """Whether a function only moves Floats and compares them."""
    for node in ir.walk(program.functions[function].body):
        match node:
            case ir.Binary(op=op, type=type_) if op in _ROUNDING and contains(type_, FLOAT):
                return False
            case ir.BuiltinCall(builtin=builtin, type=type_) if builtin not in _EXACT and contains(type_, FLOAT):
                return False
            case ir.SampleAt():
                return False
            case ir.Call(function=called) | ir.CallStatement(function=called) if not rounds_nothing(program, called):
                return False
            case _:
                pass
    return True


def strided(subject: Subject, schedule: ir.Fold) -> Stage:
    """Folds the results of the elements, to the buffer `results`; all invocations take `step` fours at once."""
    streams, shape = streams_of(subject, (subject.program.result,)), _Shape(_STRIDED_THREADS, 1, 1)
    assert streams is not None
    entry = Entry(subject, shape.threads, (schedule.element, schedule.merge), streams)
    module, merge, call = entry.module, entry.names[schedule.merge], f"{entry.names[schedule.element]}()"
    fold = _Fold(entry, schedule, shape)

    def elements(first: str, tag: str, *, end: bool = False) -> None:
        for k in range(AT_ONCE):
            entry.add(f"element = {first} * {AT_ONCE}u + {k}u;")
            with entry.lines.braces("if (element < run.count)") if end else nullcontext():
                entry.add(*streams.place(module, k, tag), f"a{k} = {merge}(a{k}, {call});")

    entry.add(f"let own = number * {shape.threads}u + lane;")
    entry.leave_if("own >= run.step")
    entry.add(*streams.read(module, "own", "own"))
    for k in range(AT_ONCE):
        entry.add(f"element = own * {AT_ONCE}u + {k}u;", *streams.place(module, k, "own"), f"var a{k} = {call};")
    entry.add("var four = own + run.step;")
    last = f"(four + {_AT_A_TIME - 1}u * run.step + 1u)"
    with entry.lines.braces(f"for (; {last} * {AT_ONCE}u <= run.count; four += {_AT_A_TIME}u * run.step)"):
        for r in range(_AT_A_TIME):
            entry.add(*streams.read(module, f"(four + {r}u * run.step)", str(r)))
        for r in range(_AT_A_TIME):
            elements(f"(four + {r}u * run.step)", str(r))
    with entry.lines.braces(f"for (; four * {AT_ONCE}u < run.count; four += run.step)"):
        entry.add(*streams.read(module, "four", "end"))
        elements("four", "end", end=True)
    entry.add(f"var all = {merge}({merge}(a0, a1), {merge}(a2, a3));")
    fold.tree("all", f"{shape.threads}u")
    return entry.stage()


# ---------------------------------------------------------------- blocks


Value = Callable[[int], tuple[list[str], str]]
"""Gives for one of the neighbours of a run what stands before its value, and that."""


class _Fold:
    """An entry point that folds a block: first the runs, in one of two ways, then what they came to.

    Run `i` of the block comes to `merged[i + i / runs]`, or `merged[i]` where an invocation has one.
    """

    def __init__(self, entry: Entry, schedule: ir.Fold, shape: _Shape) -> None:
        self.entry = entry
        self.shape = shape
        self.type = entry.module.program.result
        self.merge = entry.names[schedule.merge]
        # One more for each invocation: no two then read from the same bank of the memory when each takes its own.
        self.spread = shape.runs > 1
        room = shape.threads * (shape.runs + self.spread)
        entry.module.declare("merged", f"var<workgroup> merged: array<{entry.module.types.name(self.type)}, {room}>;")

    def begin(self) -> None:
        self.entry.add(f"let block = number * {self.shape.elements}u;")
        self.entry.leave_if("block >= run.count")

    def whole(self, r: int, value: Value) -> None:
        """Fold the run `r` of an invocation, all of whose elements are there."""
        self.entry.add(f"let base{r} = block + (lane + {r * self.shape.threads}u) * {self.shape.run}u;")

        def neighbours(begin: int, end: int) -> str:
            if end - begin == 1:
                before, text = value(begin)
                self.entry.add(f"element = base{r} + {begin}u;", *before, f"let v{r}_{begin} = {text};")
                return f"v{r}_{begin}"
            middle = (begin + end) // 2
            left, right = neighbours(begin, middle), neighbours(middle, end)
            name = f"m{r}_{begin}_{end}"
            self.entry.add(f"let {name} = {self.merge}({left}, {right});")
            return name

        first = r * self.shape.threads
        further = first + first // self.shape.runs if self.spread else first
        self.entry.add(f"merged[spot + {further}u] = {neighbours(0, self.shape.run)};")

    def one_by_one(self, value: Value, reads: list[str] | None = None) -> None:
        """Fold all runs of an invocation in a loop, as far as there are elements; `reads` stand before a run."""
        shape = self.shape
        with self.entry.lines.braces(f"for (var i = lane; i < {shape.threads * shape.runs}u; i += {shape.threads}u)"):
            self.entry.add(f"let base = block + i * {shape.run}u;")
            self.entry.break_if("base >= run.count")
            self.entry.add(*(reads or []))

            def one(k: int) -> str:
                before, text = value(k)
                self.entry.add(f"element = base + {k}u;", *before, f"var v{k} = {text};")
                return f"v{k}"

            value_of_run = self._merged(0, shape.run, one, lambda k: f"base + {k}u < run.count")
            self.entry.add(f"merged[{self.place('i')}] = {value_of_run};")

    def _merged(self, begin: int, end: int, one: Callable[[int], str], is_there: Callable[[int], str]) -> str:
        """The variable that holds what neighbours come to, the first of which is there."""
        if end - begin == 1:
            return one(begin)
        middle = (begin + end) // 2
        left = self._merged(begin, middle, one, is_there)
        with self.entry.lines.braces(f"if ({is_there(middle)})"):
            self.entry.add(f"{left} = {self.merge}({left}, {self._merged(middle, end, one, is_there)});")
        return left

    def place(self, run: str) -> str:
        """Where in `merged` stands what a run comes to."""
        return f"{run} + {run} / {self.shape.runs}u" if self.spread else run

    def join(self) -> Stage:
        """Fold what the runs came to, to the buffer `results`."""
        entry, shape = self.entry, self.shape
        entry.add(
            f"let present = min((run.count - block + {shape.run - 1}u) / {shape.run}u, {shape.threads * shape.runs}u);",
            "workgroupBarrier();",
        )
        if shape.runs > 1:
            self._fold_runs()
        else:
            entry.add("var w0 = merged[lane];")
        entry.add("workgroupBarrier();")
        self.tree("w0", f"(present + {shape.runs - 1}u) / {shape.runs}u")
        return entry.stage(shape.run * shape.runs)

    def tree(self, value: str, count: str) -> None:
        """Fold a variable of the first so many invocations, to the buffer `results`."""
        entry, threads = self.entry, self.shape.threads
        entry.add(f"let folded = {count};")
        width = self._fold_subgroups(value)
        with entry.lines.braces(f"if (lane % {width}u == 0u)") if width > 1 else nullcontext():
            entry.add(f"merged[lane / {width}u] = {value};")
        entry.add("workgroupBarrier();", f"let joined = (folded + {width - 1}u) / {width}u;")
        with entry.lines.braces(f"for (var step = 1u; step < {threads // width}u; step *= 2u)"):
            entry.add("let left = lane * 2u * step;")
            with entry.lines.braces("if (left + step < joined)"):
                entry.add(f"merged[left] = {self.merge}(merged[left], merged[left + step]);")
            entry.add("workgroupBarrier();")
        with entry.lines.braces("if (lane == 0u)"):
            entry.store("results", "number", self.type, "merged[0]")

    def _fold_subgroups(self, value: str) -> int:
        """Fold a variable of the invocations of each subgroup, to that of its first; how many those are."""
        entry, module, width = self.entry, self.entry.module, self.entry.module.traits.subgroup
        if width < 2 or self.shape.threads % width or not 1 <= words(self.type) <= AT_ONCE:
            return 1
        step = 1
        while step < width:
            texts = [f"subgroupShuffleDown({text}, {step}u)" for text in module.to_words(self.type, value)]
            entry.add(f"let right{step} = {module.from_words(self.type, texts)};")
            with entry.lines.braces(f"if (lane % {2 * step}u == 0u && lane + {step}u < folded)"):
                entry.add(f"{value} = {self.merge}({value}, right{step});")
            step *= 2
        return width

    def _fold_runs(self) -> None:
        """What as many runs come to as follow one another at each invocation, to the variable `w0`."""
        entry, runs = self.entry, self.shape.runs
        entry.add(f"let place = lane * {runs + 1}u;", f"var w0: {entry.module.types.name(self.type)};")

        def one(k: int) -> str:
            entry.add(f"{'' if k == 0 else 'var '}w{k} = merged[place + {k}u];")
            return f"w{k}"

        with entry.lines.braces(f"if (lane * {runs}u < present)"):
            self._merged(0, runs, one, lambda k: f"lane * {runs}u + {k}u < present")

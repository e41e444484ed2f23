"""Subgroups that combine what prefixes run over: their invocations read fours that stand side by side."""

from __future__ import annotations

from kcheck.checker import ir
from kcheck.checker.ir import CombineOp
from kcheck.checker.types import INT, Type, leaves
from kcheck.runtime.gpu.wgsl import combining
from kcheck.runtime.gpu.wgsl.entry import Entry
from kcheck.runtime.gpu.wgsl.module import Subject
from kcheck.runtime.gpu.wgsl.names import words
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE, nodes_of, streams_of, word

_MOST_NODES = 3200
"""Of a program, all together that are there for the elements that an invocation takes."""


def is_striped(subject: Subject, type_: Type, schedule: ir.RunningCombine | None) -> bool:
    """Whether subgroups can read by fours what is of this type: the results of a schedule, or Ints in a buffer."""
    few = schedule is None or streams_of(subject, (type_,)) is not None
    return few and subject.traits.at_once and subject.traits.subgroup > 1 and 1 <= words(type_) <= AT_ONCE


def fours_of(subject: Subject, type_: Type, schedule: ir.RunningCombine | None, most: int) -> int:
    """How many fours an invocation takes at once that is to read at most so many words by fours."""
    fours = max(1, most // words(type_))
    while schedule and fours > 1 and nodes_of(subject) * AT_ONCE * fours > _MOST_NODES:
        fours //= 2
    return fours


class Striped:
    """An entry point for subgroups, whose invocations are at `place`.

    The elements are the results of `schedule`, or without one Ints in the buffer `source`.  Those of an invocation are
    the variables `k0_0`, `k0_1`, …: for each four the Ints of its first element, and so on.
    """

    def __init__(
        self, subject: Subject, op: CombineOp, type_: Type, schedule: ir.RunningCombine | None, threads: int
    ) -> None:
        self.op = op
        self.type = type_
        self.count = words(type_)
        self.width = subject.traits.subgroup
        self._streams = streams_of(subject, (type_,)) if schedule else None
        self.entry = Entry(subject, threads, (schedule.element,) if schedule else (), self._streams)
        self._call = f"{self.entry.names[schedule.element]}()" if schedule else None
        self.entry.add(f"let place = lane % {self.width}u;")

    # ------------------------------------------------------------ elements

    def read(self, fours: int, end: str | None, whole: str | None = None) -> None:
        """Read so many fours, the first of which is number `four` and the others stand a subgroup further on each.

        With `end` there may be no elements from that on, but there are where the condition `whole` holds.
        """
        for f in range(fours):
            self._fetch(f"(four + {f * self.width}u)", f)
        names = [self.name(f, e, w) for f in range(fours) for e in range(AT_ONCE) for w in range(self.count)]
        self.entry.add(*(f"var {name} = {combining.NONE[self.op]};" for name in names))
        if whole is None:
            self._give_all(fours, end)
            return
        with self.entry.lines.braces(f"if ({whole})"):
            self._give_all(fours, None)
        with self.entry.lines.otherwise():
            self._give_all(fours, end)

    def _give_all(self, fours: int, end: str | None) -> None:
        for f in range(fours):
            for e in range(AT_ONCE):
                self.entry.add(f"element = (four + {f * self.width}u) * {AT_ONCE}u + {e}u;")
                if end is None:
                    self._give(f, e)
                    continue
                with self.entry.lines.braces(f"if (element < {end})"):
                    self._give(f, e)

    def _fetch(self, first: str, f: int) -> None:
        """Read the words of the four `f`; `first` is its number."""
        module = self.entry.module
        if self._streams:
            self.entry.add(*self._streams.read(module, first, str(f)))
            return
        source = module.buffer("source", "wide_read")
        self.entry.add(*(f"let s{f}_{i} = {source}[{first} * {self.count}u + {i}u];" for i in range(self.count)))

    def _give(self, f: int, e: int) -> None:
        """Give its variables the Ints of the element at hand, the one `e` of the four `f`."""
        module, value = self.entry.module, f"value{f}_{e}"
        if self._streams is None or self._call is None:
            found = [f"bitcast<i32>({word(f's{f}_', e * self.count + w)})" for w in range(self.count)]
        else:
            self.entry.add(*self._streams.place(module, e, str(f)), f"let {value} = {self._call};")
            texts = zip(module.to_words(self.type, value), leaves(self.type), strict=True)
            found = [combining.key(module, self.op, text, leaf.scalar) for text, leaf in texts]
        self.entry.add(*(f"{self.name(f, e, w)} = {text};" for w, text in enumerate(found)))

    def name(self, f: int, e: int, w: int) -> str:
        return f"k{f}_{e * self.count + w}"

    # ------------------------------------------------------------ combining

    def combined(self, a: str, b: str) -> str:
        return combining.combined(self.op, a, b)

    def run_up(self, name: str) -> None:
        """Combine a variable with those of the subgroup's invocations before."""
        distance = 1
        while distance < self.width:
            found = f"{name}_{distance}"
            self.entry.add(
                f"let {found} = {self.combined(f'subgroupShuffleUp({name}, {distance}u)', name)};",
                f"{name} = select({name}, {found}, place >= {distance}u);",
            )
            distance *= 2

    def gather(self, name: str) -> None:
        """Combine a variable with those of all the subgroup's invocations."""
        distance = self.width // 2
        while distance:
            self.entry.add(f"{name} = {self.combined(name, f'subgroupShuffleXor({name}, {distance}u)')};")
            distance //= 2

    def scan(self, fours: int) -> None:
        """Combine elements with those before them in their four; `b0_0`, … is what is before a four.

        What is before all of them is in the variables `c0`, …, and then what they come to.
        """
        none = combining.NONE[self.op]
        for f in range(fours):
            for w in range(self.count):
                for e in range(1, AT_ONCE):
                    here = self.name(f, e, w)
                    self.entry.add(f"{here} = {self.combined(self.name(f, e - 1, w), here)};")
                running = f"r{f}_{w}"
                self.entry.add(f"var {running} = {self.name(f, AT_ONCE - 1, w)};")
                self.run_up(running)
                before = f"select(subgroupShuffleUp({running}, 1u), {none}, place == 0u)"
                last = f"subgroupShuffle({running}, {self.width - 1}u)"
                self.entry.add(
                    f"let b{f}_{w} = {self.combined(f'c{w}', before)};", f"c{w} = {self.combined(f'c{w}', last)};"
                )

    def store(self, fours: int, end: str | None, *, keyed: bool, before: str | None = None) -> None:
        """Store what `scan` left to `results`; with `keyed` the Ints become the scalars that they stand for.

        The variables `before` and a number are combined with all.  `end` is as in `read`.
        """
        results = self.entry.module.buffer("results", "wide_write")
        for f in range(fours):
            if before is not None:
                all_ = (f"let a{f}_{w} = {self.combined(f'{before}{w}', f'b{f}_{w}')};" for w in range(self.count))
                self.entry.add(*all_)
            found = []
            for i in range(AT_ONCE * self.count):
                e, w = divmod(i, self.count)
                number = self.combined(f"{'b' if before is None else 'a'}{f}_{w}", self.name(f, e, w))
                scalar = leaves(self.type)[w].scalar if keyed else INT
                found.append(combining.unkeyed(self.entry.module, self.op, number, scalar))
            place = f"(four + {f * self.width}u)"
            fours_of_words = [f"vec4<u32>({', '.join(found[4 * w : 4 * w + 4])})" for w in range(self.count)]
            stores = [f"{results}[{place} * {self.count}u + {w}u] = {text};" for w, text in enumerate(fours_of_words)]
            if end is None:
                self.entry.add(*stores)
                continue
            with self.entry.lines.braces(f"if ({place} * {AT_ONCE}u < {end})"):
                self.entry.add(*stores)

"""What the drivers of all schedules share: functions that run chunks of elements.

A driver is exported as `name(arguments, own, queue, most)`: it takes chunks from a queue that all workers share, one
after the other and at most so many, until none is left, a chunk has failed or the run is to stop.

`arguments` is an array of pointers for the whole run: to the environment, the flag that stops it, the elements of every
port, and memory that the schedule itself wants.  `own` is the worker's memory, which begins with a `threads.Report`;
from `SCRATCH_START` on is what functions want.  `queue` is a `threads.Queue`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from kcheck.checker import ir
from kcheck.checker.types import Struct, Type
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.expressions import call_function
from kcheck.runtime.jit.module import (
    COORDINATES,
    ENV,
    ERROR,
    GROUP,
    INDEX,
    LANE,
    SCRATCH,
    STOP,
    Compiled,
    Module,
    Wish,
    ports_of,
)
from kcheck.runtime.jit.numbers import intrinsic
from kcheck.runtime.jit.reads import element_place

SCRATCH_START = 64
MORE = "more"
"""The memory that the schedule wants."""

_min64 = intrinsic("llvm.smin.i64", "i64")


class Driver:
    """Writes the driver of one name; what its loops hold goes through `emitter`."""

    def __init__(self, module: Module, name: str) -> None:
        self.module = module
        self._name = name
        self.emitter = Emitter(module)
        self.code = self.emitter.code

    def finish(self) -> Compiled:
        """Add the driver to the module."""
        emitter, code, name = self.emitter, self.code, self._name
        code.close("ret void")
        emitter.finish()
        ports = [f"%port{i}" for i in range(len(ports_of(self.module.program)))]
        size = self.module.environment.size
        # Outputs and memories are nobody else's, and inputs are only read.
        declared = [f"ptr noalias readonly dereferenceable({size}) %{ENV}", f"ptr %{STOP}", f"ptr %{MORE}"]
        declared += [f"ptr noalias {port}" for port in ports]
        declared += [f"ptr noalias %{ERROR}", f"ptr noalias %{SCRATCH}", "i64 %begin", "i64 %end"]
        head = f"define internal void @{name}.chunk({', '.join(declared)}) noinline nounwind"
        self.module.texts.append(code.text(head))
        self.module.texts.append(self._entrance(["%env", "%stop", "%more", *ports]))
        return Compiled(name, (), emitter.whole_stack, emitter.whole_scratch)

    def _entrance(self, pointers: Sequence[str]) -> str:
        """The loop over chunks, which needs nothing of Python: nobody waits for its lock between two of them."""
        loaded = []
        for i, pointer in enumerate(pointers):
            loaded.append(f"  {pointer}.at = getelementptr inbounds i8, ptr %arguments, i64 {8 * i}")
            loaded.append(f"  {pointer} = load ptr, ptr {pointer}.at, align 8")
        args = [*(f"ptr {pointer}" for pointer in pointers), "ptr %own", "ptr %scratch", "i64 %begin", "i64 %end"]
        return _ENTRANCE.format(name=self._name, loaded="\n".join(loaded), scratch=SCRATCH_START, args=", ".join(args))

    # ------------------------------------------------------------ loops

    @contextmanager
    def elements(
        self, function: Compiled, begin: str = "%begin", end: str = "%end", *, independent: bool = False
    ) -> Iterator[str]:
        """What is written inside runs for each element, whose number (i64) it gets; `function` says what it needs.

        Where elements are `independent`, and the function simple, several run at once.
        """
        several = independent and function.is_straight and self.module.is_plain
        wish = Wish.VECTORISED if several else None if function.is_straight else Wish.ONCE
        if self.needs_rows(function):
            rows = self.rows(begin, end)
            with rows as (first, last, origin), self.emitter.rounds(first, last, wish) as index:
                distance = self.code.value(f"sub nuw nsw i64 {index}, {origin}")
                self.emitter.items[COORDINATES[0]] = self.code.value(f"trunc i64 {distance} to i32")
                self.stand_at(index)
                yield index
        else:
            with self.emitter.rounds(begin, end, wish) as index:
                self.stand_at(index)
                yield index

    def needs_rows(self, function: Compiled) -> bool:
        """Whether a function wants to know in which row of the domain it is."""
        return any(axis in function.needs for axis in COORDINATES)

    def stand_at(self, index: str) -> None:
        """The element's number (i64), and its place in its group, are known from here on."""
        items, schedule = self.emitter.items, self.module.program.schedule
        items[INDEX] = index
        if isinstance(schedule, ir.Lanes):
            number = self.code.value(f"trunc i64 {index} to i32")
            items[LANE] = self.code.value(f"urem i32 {number}, {schedule.size}")
            items[GROUP] = self.code.value(f"udiv i32 {number}, {schedule.size}")

    @contextmanager
    def rows(self, begin: str, end: str) -> Iterator[tuple[str, str, str]]:
        """The parts of the range that lie in one row: first, end and the number of the row's first element."""
        code, emitter = self.code, self.emitter
        width = code.value(f"zext i32 {emitter.domain(0)} to i64")
        place = code.alloca("i64", 8, 8)
        code.do(f"store i64 {begin}, ptr {place}")
        head, body, done = code.label("rows"), code.label("row"), code.label("done")
        code.start(head)
        first = code.value(f"load i64, ptr {place}")
        code.branch(code.value(f"icmp slt i64 {first}, {end}"), body, done)
        code.start(body)
        row = code.value(f"udiv i64 {first}, {width}")
        origin = code.value(f"mul nuw nsw i64 {row}, {width}")
        number = code.value(f"trunc i64 {row} to i32")
        emitter.items[COORDINATES[1]] = number
        if self.module.program.rank == 3:
            height = emitter.domain(1)
            emitter.items[COORDINATES[1]] = code.value(f"urem i32 {number}, {height}")
            emitter.items[COORDINATES[2]] = code.value(f"udiv i32 {number}, {height}")
        last = _min64(code, code.value(f"add nuw nsw i64 {origin}, {width}"), end)
        yield first, last, origin
        code.do(f"store i64 {last}, ptr {place}")
        code.jump(head)
        code.start(done)

    # ------------------------------------------------------------ elements

    def call(self, function: Compiled, result: Type, args: Sequence[tuple[Type, Value]] = ()) -> Value:
        return call_function(self.emitter, function, result, args)

    def write_result(self, index: str, value: Value) -> None:
        """Store what an element gave to the outputs."""
        program, emitter = self.module.program, self.emitter
        if len(program.outputs) == 1:
            [output] = program.outputs
            self.write_element(output, index, value)
            return
        assert isinstance(program.result, Struct)
        start = 0
        for output in program.outputs:
            width = len(emitter.pieces(output.type.element))
            part = value[start : start + width]
            self.write_element(output, index, part)
            start += width

    def write_element(self, output: ir.PortDecl, index: str, value: Value) -> None:
        self.emitter.store(element_place(self.emitter, output.name, index), output.type.element, value)


_ENTRANCE = """
define void @{name}(ptr %arguments, ptr %own, ptr %queue, i64 %most) nounwind {{
entry:
{loaded}
  %scratch = getelementptr inbounds i8, ptr %own, i64 {scratch}
  %own.chunk = getelementptr inbounds i8, ptr %own, i64 8
  %queue.size = getelementptr inbounds i8, ptr %queue, i64 8
  %queue.count = getelementptr inbounds i8, ptr %queue, i64 16
  %queue.failed = getelementptr inbounds i8, ptr %queue, i64 24
  %size = load i64, ptr %queue.size, align 8
  %count = load i64, ptr %queue.count, align 8
  br label %look
look:
  %taken = phi i64 [0, %entry], [%taken.next, %chunk]
  %stopped = load volatile i32, ptr %stop, align 4
  %failed = load atomic i32, ptr %queue.failed monotonic, align 8
  %ending = or i32 %stopped, %failed
  %ends = icmp ne i32 %ending, 0
  %enough = icmp sge i64 %taken, %most
  %leaves = or i1 %ends, %enough
  br i1 %leaves, label %done, label %take
take:
  %number = atomicrmw add ptr %queue, i64 1 monotonic
  %begin = mul i64 %number, %size
  %is.there = icmp slt i64 %begin, %count
  br i1 %is.there, label %chunk, label %done
chunk:
  %past = add i64 %begin, %size
  %end = call i64 @llvm.smin.i64(i64 %past, i64 %count)
  call void @{name}.chunk({args})
  %taken.next = add i64 %taken, 1
  %site = load i32, ptr %own, align 8
  %fine = icmp slt i32 %site, 0
  br i1 %fine, label %look, label %fail
fail:
  store i64 %number, ptr %own.chunk, align 8
  store atomic i32 1, ptr %queue.failed monotonic, align 8
  br label %done
done:
  ret void
}}
"""

"""Runs of compiled programs: memory for what comes out, and the drivers of each schedule one after the other."""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Sequence
from typing import assert_never

import numpy as np

from kcheck.checker import ir
from kcheck.runtime.backend import Cancelled, Launch, Outcome, Progress
from kcheck.runtime.failures import divergent_exchange, empty_fold, empty_read
from kcheck.runtime.fields import Field
from kcheck.runtime.jit.engine import Loaded
from kcheck.runtime.jit.module import ports_of
from kcheck.runtime.jit.program import Facts, fallible
from kcheck.runtime.jit.schedules.driver import SCRATCH_START
from kcheck.runtime.jit.schedules.prefix import SLOTS_START, slot_size
from kcheck.runtime.jit.storage import byte_size
from kcheck.runtime.jit.threads import Work, address_of, run_chunks
from kcheck.runtime.layout import AnyArray, base_dtype, inner_shape
from kcheck.runtime.memory import copied, empty
from kcheck.runtime.outputs import output_extent, output_shape

_CHUNK_UNITS = 1 << 18
"""What a chunk costs, roughly (see `costs`): a fraction of a millisecond, so that threads end at about one time."""
_WALK_UNITS = 1 << 22
"""What the chunks cost that follow one another on one thread: some milliseconds, as between them Python is asked."""
_MOST_ELEMENTS = 1 << 18
_IN_CACHE = 1 << 15
"""So many elements, and what becomes of them, stay in a core's own cache."""
SHORT = 1 << 18
"""A run of so few units is over before a thread would have started."""
_SMALL_STACK = 1 << 17
_WORTH = 4
"""A scatter of so many elements for each one of the threads' targets is worth having these."""


class Compiled:
    """A program as machine code, and what all its runs have in common.  `threads` are the most that a run may use."""

    def __init__(self, program: ir.Program, facts: Facts, loaded: Loaded, threads: int) -> None:
        self.program, self.facts, self.loaded, self.threads = program, facts, loaded, threads
        self.ports = ports_of(program)
        elements = [(port, port.type.element) for port in program.outputs]
        self.outputs = [(port, inner_shape(element), base_dtype(element)) for port, element in elements]
        """The outputs, with the axes of their elements and their dtypes."""
        ranks = [port.type.rank for port in self.ports]
        self.numbers = struct.Struct("=" + "".join([f"{program.rank}i", *(f"{rank}i{rank}f" for rank in ranks)]))
        """The domain's size, and the size and extent of each port: the environment but for the params."""
        self.pointers = ctypes.c_void_p * (3 + len(self.ports))
        """What drivers take: the environment, the flag, the schedule's own memory, the elements of every port."""
        fitting = max(1, min(_MOST_ELEMENTS, int(_CHUNK_UNITS / facts.units)))
        self.chunk = 1 << (fitting.bit_length() - 1)
        """The elements of a chunk, a power of two; the same for any number of threads."""
        self.is_here = not facts.is_long and facts.stack < _SMALL_STACK
        """Whether the caller's thread may run chunks, too."""

    @property
    def group(self) -> int:
        """How many elements of a map belong together."""
        schedule = self.program.schedule
        return schedule.size if isinstance(schedule, ir.Lanes) else self.facts.block

    def chunk_of(self, whole: int) -> int:
        """How many elements a chunk has: a multiple of `whole`."""
        return max(1, self.chunk // whole) * whole


def run(
    compiled: Compiled, launch: Launch, cancelled: Cancelled, progress: Progress, compile_seconds: float
) -> Outcome:
    """Run a launch of the program; raises `RunError` and `Interrupted`."""
    made = _Run(compiled, launch, cancelled, progress)
    match compiled.program.schedule:
        case ir.Elements() | ir.Lanes():
            made.map()
        case ir.Fold() as schedule:
            made.fold(schedule)
        case ir.OrderedWalk():
            made.walk()
        case ir.CombineByAddress():
            made.scatter()
        case ir.RunningCombine():
            made.prefix()
        case schedule:
            assert_never(schedule)
    progress(1.0)
    return Outcome(made.outputs, made.memories, compile_seconds=compile_seconds)


class _Run:
    """One run: its fields, the pointers that drivers get, and the flag that stops it."""

    def __init__(self, compiled: Compiled, launch: Launch, cancelled: Cancelled, progress: Progress) -> None:
        self._compiled = compiled
        self._cancelled, self._progress = cancelled, progress
        self._facts = compiled.facts
        self._count = math.prod(launch.shape)
        self._stop = ctypes.c_int32(0)
        self.memories = {name: _copy(memory) for name, memory in launch.memories.items()}
        self.outputs = new_outputs(compiled, launch)
        fields = {**launch.inputs, **self.memories, **self.outputs}
        bound = [fields[port.name] for port in compiled.ports]
        self._environment = bytearray(numbers_of(compiled, launch, bound) + params_of(compiled, launch))
        arrays = [field.data for field in bound]
        self._elements = [one if one.flags.c_contiguous else np.ascontiguousarray(one) for one in arrays]
        self._places = [address(array) for array in self._elements]

    # ------------------------------------------------------------ schedules

    def map(self) -> None:
        self._drive("run", self._count, self._compiled.chunk_of(self._compiled.group))

    def fold(self, schedule: ir.Fold) -> None:
        if self._count == 0:
            raise empty_fold(schedule.over, self._compiled.program.origin)
        block, size = self._facts.block, byte_size(self._compiled.program.result)
        blocks = -(-self._count // block)
        more = _memory(16 + 2 * size * (blocks + 1))
        more[:16].view(np.int64)[:] = self._count, blocks
        self._drive("run", blocks, max(1, self._compiled.chunk_of(1) // block), more)
        self._drive("merge", blocks, blocks, more)

    def walk(self) -> None:
        if self._count:
            more = _memory(byte_size(self._compiled.program.result))
            self._drive("start", 1, 1, more)
            self._drive("run", self._count, int(max(1, _WALK_UNITS / self._facts.units)), more, threads=1)

    def scatter(self) -> None:
        """Where no order matters and the target is small, each thread has a target of its own."""
        [output] = self.outputs.values()
        target = math.prod(output.shape)
        threads = self._compiled.threads if self._facts.is_unordered else 1
        if threads == 1 or self._count < _WORTH * target * threads:
            self._drive("run", self._count, self._compiled.chunk_of(1), threads=1)
            return
        targets = [np.empty_like(output.data) for _ in range(threads)]
        for one in targets:
            self._drive("clear", target, max(target, 1), threads=1, targets=[one])
        self._drive("run", self._count, self._compiled.chunk_of(1), targets=targets)
        for one in targets:
            self._drive("join", target, max(target, 1), one, threads=1)

    def prefix(self) -> None:
        length = min(self._compiled.chunk, _IN_CACHE)
        slots = -(-self._count // length) + 1
        more = np.zeros(SLOTS_START + slots * slot_size(self._compiled.program.result), np.uint8)
        more[:8].view(np.int64)[:] = length
        self._drive("start", 1, 1, more)
        self._drive("run", self._count, length, more)

    # ------------------------------------------------------------ drivers

    def _drive(
        self,
        driver: str,
        count: int,
        size: int,
        more: AnyArray | None = None,
        *,
        threads: int | None = None,
        targets: Sequence[AnyArray] = (),
    ) -> None:
        """Run a driver over 0 to `count`, in chunks of `size`.

        `more` is the schedule's own memory, `targets` what each worker writes to in place of the output.
        """
        facts, threads = self._facts, threads or self._compiled.threads
        pointers = [self._pointers(more, target) for target in targets or (None,)]
        work = Work(
            self._compiled.loaded.entrances[driver],
            [ctypes.addressof(one) for one in pointers],
            SCRATCH_START + facts.scratch,
            facts.stack,
            count,
            size,
            self._stop,
            (self, pointers, more, targets),
        )
        if count * facts.units < SHORT:
            threads = 1
        site = run_chunks(work, threads, self._cancelled, self._progress, here=self._compiled.is_here)
        if site >= 0:
            raise failure(self._compiled.program, site)

    def _pointers(self, more: AnyArray | None, target: AnyArray | None) -> ctypes.Array[ctypes.c_void_p]:
        """What a driver takes, see `schedules.driver`; the output, to put `target` in its place, is the last port."""
        shared = (address_of(self._environment), ctypes.addressof(self._stop))
        places = self._places if target is None else [*self._places[:-1], address(target)]
        return self._compiled.pointers(*shared, None if more is None else address(more), *places)


def failure(program: ir.Program, site: int) -> Exception:
    """The error of a site."""
    position, node = list(fallible(program))[site]
    function = program.functions[position]
    origin = function.origins[node.id]
    match node:
        case ir.At() | ir.SampleAt():
            return empty_read(node.port, origin)
        case ir.Load():
            return empty_read(node.memory, origin)
        case _:
            return divergent_exchange(origin)


# ---------------------------------------------------------------- memory


def address(array: AnyArray) -> int:
    """Where the elements of a contiguous array lie."""
    if array.size and array.flags.writeable:
        return address_of(array.data)  # four times as quick as what fits all arrays
    return array.ctypes.data


def _memory(size: int) -> AnyArray:
    return np.empty(size, np.uint8)


def _copy(memory: Field) -> Field:
    return Field(memory.type, copied(memory.data), memory.extent)


def new_outputs(compiled: Compiled, launch: Launch) -> dict[str, Field]:
    """Fields for the outputs: every element is still to be written, but for a scatter's, which is its target."""
    shape, box, schedule = output_shape(launch), output_extent(launch), launch.program.schedule
    into = schedule.into if isinstance(schedule, ir.CombineByAddress) else None
    made = {}
    for port, inner, dtype in compiled.outputs:
        data = empty(shape + inner, dtype) if into is None else copied(launch.inputs[into].data)
        made[port.name] = Field(port.type, data, box)
    return made


def numbers_of(compiled: Compiled, launch: Launch, bound: Sequence[Field]) -> bytes:
    """What all elements share, as `module.Environment` says, but for the params; `bound` are the ports' fields."""
    numbers: list[float] = list(launch.shape[::-1])
    for field in bound:
        numbers += field.shape[::-1]
        numbers += field.extent.size
    return compiled.numbers.pack(*numbers)


def params_of(compiled: Compiled, launch: Launch) -> bytes:
    """The rest of what all elements share."""
    return b"".join([launch.params[param.name].tobytes() for param in compiled.program.params])

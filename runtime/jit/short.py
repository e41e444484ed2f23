"""Short maps, which are over before a thread would have started: one chunk, on the caller's thread.

What is the same whenever one runs over the same arrays is worked out once, so that a run costs some ten microseconds.
"""

from __future__ import annotations

import math
import struct
import weakref

from kcheck.checker import ir
from kcheck.runtime.backend import Launch, Outcome
from kcheck.runtime.fields import Field
from kcheck.runtime.jit.runs import SHORT, Compiled, address, failure, new_outputs, numbers_of, params_of
from kcheck.runtime.jit.schedules.driver import SCRATCH_START
from kcheck.runtime.jit.threads import NOTHING, Queue, address_of
from kcheck.runtime.memory import empty

_ALIGNED = 16
_MOST_SCRATCH = 1 << 16
_SITE = struct.Struct("=i")
"""What a `threads.Report` begins with."""


class ShortMap:
    """A short map over certain arrays, which it does not keep.

    All that a driver takes lies in one block of memory: the pointers, the flag that stops it, the queue, the worker's
    memory, and the environment.
    """

    def __init__(self, compiled: Compiled, launch: Launch) -> None:
        inputs = [launch.inputs[port.name] for port in compiled.program.inputs]
        outputs = new_outputs(compiled, launch)
        self._compiled, self._shape = compiled, launch.shape
        self._bound = [
            (port.name, weakref.ref(field.data), field.data.shape, field.extent)
            for port, field in zip(compiled.program.inputs, inputs, strict=True)
        ]
        self._places = [address(field.data) for field in inputs]
        self._outputs = [(name, f.type, f.data.shape, f.data.dtype, f.extent) for name, f in outputs.items()]
        self._run = compiled.loaded.entrances["run"]
        self._pointers = struct.Struct(f"={3 + len(compiled.ports)}Q")
        count, size = math.prod(launch.shape), compiled.chunk_of(compiled.group)
        own = NOTHING + bytes(SCRATCH_START - len(NOTHING) + compiled.facts.scratch)
        parts = [bytes(self._pointers.size), bytes(4), bytes(Queue(0, size, count, 0)), own]
        padded = [part + bytes(-len(part) % _ALIGNED) for part in parts]
        self._stop = len(padded[0])
        self._queue = self._stop + len(padded[1])
        self._own = self._queue + len(padded[2])
        self._environment = self._own + len(padded[3])
        self._block = b"".join([*padded, numbers_of(compiled, launch, [*inputs, *outputs.values()])])

    def fits(self, launch: Launch) -> bool:
        """Whether a launch of the program is of the same shape, and over the same arrays."""
        if launch.shape != self._shape:
            return False
        for name, array, shape, extent in self._bound:
            field = launch.inputs[name]
            if field.data is not array() or field.data.shape != shape or field.extent is not extent:
                return False
        return True

    def run(self, launch: Launch, compile_seconds: float) -> Outcome:
        """Run a launch that fits; raises `RunError`."""
        outputs, places = {}, []
        for name, type_, shape, dtype, extent in self._outputs:
            data = empty(shape, dtype)
            places.append(address(data))
            outputs[name] = Field(type_, data, extent)
        block = bytearray(self._block + params_of(self._compiled, launch))
        start = address_of(block)
        environment, stop = start + self._environment, start + self._stop
        self._pointers.pack_into(block, 0, environment, stop, 0, *self._places, *places)
        self._run(start, start + self._own, start + self._queue, 1)
        [site] = _SITE.unpack_from(block, self._own)
        if site >= 0:
            raise failure(self._compiled.program, site)
        return Outcome(outputs, {}, compile_seconds=compile_seconds)


def is_short(compiled: Compiled, launch: Launch) -> bool:
    """Whether a launch is one of a short map, whose arrays can be read where they lie."""
    program, count = compiled.program, math.prod(launch.shape)
    return (
        isinstance(program.schedule, (ir.Elements, ir.Lanes))
        and not program.memories
        and compiled.is_here
        and 0 < count <= compiled.chunk_of(compiled.group)
        and count * compiled.facts.units < SHORT
        and compiled.facts.scratch < _MOST_SCRATCH
        and all(field.data.flags.c_contiguous for field in launch.inputs.values())
    )

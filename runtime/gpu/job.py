"""A launch on its way through a device: the buffers of its ports and what its shaders need to know."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kcheck.checker import ir, types
from kcheck.checker.types import Type, leaf_count
from kcheck.runtime.backend import Cancelled, Interrupted, Launch, Outcome, Progress, Unsupported
from kcheck.runtime.failures import empty_read
from kcheck.runtime.fields import Box, Field
from kcheck.runtime.gpu.device import Device, Dispatch, Numbers, groups_for
from kcheck.runtime.gpu.memory import Buffer
from kcheck.runtime.gpu.packing import pack, param_words
from kcheck.runtime.gpu.resident import OnDevice, buffer_on
from kcheck.runtime.gpu.wgsl.module import Stage, Subject
from kcheck.runtime.outputs import output_extent, output_shape
from kcheck.runtime.resident import Held, ResidentField, is_resident

_NO_FAILURE = 0x7FFFFFFF


@dataclass(slots=True)
class Job:
    """`subject` is the program as it is compiled for this launch, `stages` the shaders that it has had so far."""

    device: Device
    launch: Launch
    subject: Subject
    cancelled: Cancelled
    progress: Progress
    stages: dict[object, Stage]
    buffers: dict[str, Buffer] = field(default_factory=dict)
    _failures: list[tuple[Stage, Buffer]] = field(default_factory=list)

    @property
    def program(self) -> ir.Program:
        return self.subject.program

    @property
    def count(self) -> int:
        """The elements of the domain."""
        return math.prod(self.launch.shape)

    # ------------------------------------------------------------ buffers

    def bind(self) -> None:
        """Make room for the outputs, and bring the inputs, memories and params to the device."""
        for port in self.program.outputs:  # first, for they may be too large
            self.buffers[f"out_{port.name}"] = self.room(port.type.element, math.prod(output_shape(self.launch)))
        for name, bound in self.launch.inputs.items():
            self.buffers[f"in_{name}"] = self.buffers[f"wide_{name}"] = self._on_device(bound)
        for name, bound in self.launch.memories.items():
            there = self._on_device(bound)
            self.buffers[f"memory_{name}"] = self.device.copied(there) if isinstance(bound, ResidentField) else there
        if self.program.params:
            self.buffers["params"] = self.device.constant(param_words(self.program, self.launch.params))

    def _on_device(self, bound: Field) -> Buffer:
        """The elements of a field on the device; those of a resident one stay there."""
        if isinstance(bound, ResidentField):
            known = buffer_on(self.device, bound.held)
            if known is not None:
                return known
        buffer = self.device.upload(pack(bound.type.element, bound.data, math.prod(bound.shape)))
        if isinstance(bound, ResidentField):
            bound.held.remote = OnDevice(self.device, buffer, bound.type, bound.shape, self.program.origin)
        return buffer

    def room(self, type_: Type, count: int) -> Buffer:
        """Room for elements; what it holds is not known."""
        return self.device.room(leaf_count(type_) * count)

    # ------------------------------------------------------------ running

    def stage(self, write: Callable[..., Stage], *args: object, **options: object) -> Stage:
        """The shader that `write` makes of the subject and what else it asks for; written once."""
        key = (write, args, tuple(options.items()))
        known = self.stages.get(key)
        if known is None:
            known = self.stages[key] = write(self.subject, *args, **options)
        return known

    def dispatch(
        self, stage: Stage, numbers: Numbers, groups: int | None = None, buffers: Mapping[str, Buffer] | None = None
    ) -> Dispatch:
        """A run of a shader with as many invocations as `numbers.count`, or so many `groups`.

        `buffers` are those that this run has of its own, beside the launch's.
        """
        bound = {}
        for name, _ in stage.buffers:
            if buffers and name in buffers:
                bound[name] = buffers[name]
            elif name == "tables":
                bound[name] = self.device.constant(np.array(stage.tables, np.uint32).tobytes())
            elif name == "failures":
                bound[name] = self._failures_of(stage)
            else:
                bound[name] = self.buffers[name]
        needed = groups_for(numbers.count, stage.elements) if groups is None else groups
        return Dispatch(stage, needed, numbers, self._facts(stage), bound)

    def _failures_of(self, stage: Stage) -> Buffer:
        known = next((buffer for other, buffer in self._failures if other is stage), None)
        if known is None:
            known = self.device.upload(np.array([0, *[_NO_FAILURE] * len(stage.sites)], np.uint32))
            self._failures.append((stage, known))
        return known

    def run(self, *dispatches: Dispatch) -> None:
        if self.cancelled():
            raise Interrupted
        self.device.run(dispatches)

    def _facts(self, stage: Stage) -> list[int]:
        facts: list[int] = []
        for what, port in stage.facts:
            if what == "extent":
                facts += _float_words(self._extent(port))
            else:
                facts += _four(self._shape(port)[::-1] if what == "size" else self.launch.shape[::-1])
        return facts

    def _field(self, port: str) -> Field | None:
        return self.launch.inputs.get(port) or self.launch.memories.get(port)

    def _shape(self, port: str) -> tuple[int, ...]:
        bound = self._field(port)
        return output_shape(self.launch) if bound is None else bound.shape

    def _extent(self, port: str) -> tuple[float, ...]:
        bound = self._field(port)
        return (output_extent(self.launch) if bound is None else bound.extent).size

    # ------------------------------------------------------------ ends

    def check(self) -> None:
        """Raise what shaders have noted: reads of empty fields, or that one of them ran out of rounds."""
        for stage, buffer in self._failures:
            short, *first = self.device.download(buffer).tolist()
            if short:
                raise Unsupported(f"it loops longer than the driver lets an invocation ({self.device.adapter.name})")
            if min(first, default=_NO_FAILURE) != _NO_FAILURE:
                raise empty_read(*stage.sites[first.index(min(first))])

    def outcome(self, results: Sequence[tuple[ir.PortDecl, Buffer]]) -> Outcome:
        """The outputs, which lie in these buffers, and the memories; read back unless an input stays on the device."""
        self.check()
        shape, box = output_shape(self.launch), output_extent(self.launch)
        sent = self.device.submit() if is_resident(self.launch) else None
        outputs = {port.name: self._field_in(buffer, port.type, shape, box, sent) for port, buffer in results}
        memories = {
            name: self._field_in(self.buffers[f"memory_{name}"], bound.type, bound.shape, bound.extent, sent)
            for name, bound in self.launch.memories.items()
        }
        return Outcome(outputs, memories)

    def _field_in(
        self, buffer: Buffer, type_: types.Field, shape: tuple[int, ...], box: Box, sent: int | None
    ) -> Field:
        """The field in a buffer, which stays there where it was `sent` for."""
        there = OnDevice(self.device, buffer, type_, shape, self.program.origin, sent or 0)
        if sent is None:
            return Field(type_, there.elements(), box)
        return ResidentField(type_, shape, Held(None, there), box)


def _four(size: tuple[int, ...]) -> tuple[int, ...]:
    """A size, x first, in four words."""
    return (*size, 1, 1, 1)[:4]


def _float_words(size: tuple[float, ...]) -> tuple[int, ...]:
    whole = (*size, 0.0, 0.0, 0.0)[:4]
    return struct.unpack("<4I", struct.pack("<4f", *np.array(whole, np.float32)))

"""The backend: programs to shaders, launches to outcomes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from math import prod

from kcheck.checker import ir
from kcheck.checker.prelude import expand_prelude
from kcheck.runtime.backend import Cancelled, Launch, Outcome, Progress, never, silent
from kcheck.runtime.failures import device_failed
from kcheck.runtime.gpu import driver, probe, schedules
from kcheck.runtime.gpu.device import Device
from kcheck.runtime.gpu.job import Job
from kcheck.runtime.gpu.wgsl.module import Stage, Subject
from kcheck.runtime.gpu.wgsl.traits import Traits

_KEPT = 64


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A program as it is compiled, and its shaders.  `source` is kept so that no other program takes its identity."""

    source: ir.Program
    subject: Subject
    stages: dict[object, Stage] = field(default_factory=dict)


class Gpu:
    """Runs programs on the best device there is; raises `Missing` where there is none."""

    def __init__(self) -> None:
        with _lock:
            self._opened = _open()
        self._compiled: OrderedDict[object, _Compiled] = OrderedDict()

    @property
    def name(self) -> str:
        return "gpu"

    @property
    def device(self) -> Device:
        return self._opened.device

    @property
    def traits(self) -> Traits:
        return self._opened.traits

    def run(self, launch: Launch, cancelled: Cancelled = never, progress: Progress = silent) -> Outcome:
        """Run the launch; raises `RunError` for what only shows at run time, and changes nothing then.

        Raises `Unsupported` for what this device cannot do.
        """
        with _lock:
            return self._run(launch, cancelled, progress)

    def _run(self, launch: Launch, cancelled: Cancelled, progress: Progress) -> Outcome:
        if self._opened.has_failed:
            self._opened = _open()
        try:
            before = self.device.compile_seconds
            outcome = _run(self.device, self._compile(launch), launch, cancelled, progress)
            return replace(outcome, compile_seconds=self.device.compile_seconds - before)
        except self.device.wgpu.GPUError as error:
            self._opened.has_failed = True
            raise device_failed(self.device.adapter.name, _first_line(error), launch.program.origin) from error

    def _compile(self, launch: Launch) -> _Compiled:
        fields = {**launch.inputs, **launch.memories}
        empty = frozenset(name for name, bound in fields.items() if not prod(bound.shape))
        key = (id(launch.program), empty)
        known = self._compiled.get(key)
        if known is None:
            known = self._compiled[key] = _compiled(launch.program, self.traits, empty)
            while len(self._compiled) > _KEPT:
                self._compiled.popitem(last=False)
        self._compiled.move_to_end(key)
        return known


def _first_line(error: Exception) -> str:
    """What a message of wgpu says, without where within wgpu."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith(("Validation Error", "Caused by", "In wgpu"))]
    return told[0] if told else str(error)


def _compiled(program: ir.Program, traits: Traits, empty: frozenset[str]) -> _Compiled:
    expanded = expand_prelude(program, remainder=True)
    return _Compiled(program, Subject(expanded, traits, empty))


def _run(device: Device, compiled: _Compiled, launch: Launch, cancelled: Cancelled, progress: Progress) -> Outcome:
    expanded = replace(launch, program=compiled.subject.program)
    job = Job(device, expanded, compiled.subject, cancelled, progress, compiled.stages)
    return schedules.execute(job)


@dataclass(slots=True)
class _Opened:
    """A device that is open, and what holds for it; once it `has_failed` it is not used again."""

    device: Device
    traits: Traits
    has_failed: bool = False


_lock = threading.RLock()
"""A device does one thing at a time."""

_devices: list[_Opened] = []
"""The device that all in this process share, once it is open."""


def _open() -> _Opened:
    if not _devices or _devices[-1].has_failed:
        device = Device(driver.best_adapter())

        def run(launch: Launch, traits: Traits) -> Outcome:
            return _run(device, _compiled(launch.program, traits, frozenset()), launch, never, silent)

        _devices[:] = [_Opened(device, probe.traits_of(device, run))]
    return _devices[-1]

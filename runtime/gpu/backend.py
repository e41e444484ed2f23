"""The backend: programs to shaders, launches to outcomes."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from kcheck.checker import ir
from kcheck.checker.prelude import COMPOSITE_BUILTINS, expand_prelude
from kcheck.runtime.backend import Cancelled, Launch, Missing, Outcome, Progress, Unsupported, never, silent
from kcheck.runtime.failures import device_failed
from kcheck.runtime.gpu import driver, known, probe, schedules
from kcheck.runtime.gpu.device import Device, TooLarge
from kcheck.runtime.gpu.job import Job
from kcheck.runtime.gpu.splitting import run_by_pieces
from kcheck.runtime.gpu.wgsl.module import Stage, Subject
from kcheck.runtime.gpu.wgsl.traits import Traits
from kcheck.runtime.gpu.wgsl.traits import fast as fast_traits

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
        if self.device.is_inherited:
            raise Unsupported(f"{self.device.adapter.name} was opened before this process was forked")
        if self.device.has_failed:
            self._open_anew(launch.program)
        device = self.device
        with device.lock:
            before = device.compile_seconds
            try:
                outcome = self._run(launch, cancelled, progress)
            except device.wgpu.GPUError as error:
                device.has_failed = not device.works()
                raise device_failed(device.adapter.name, _first_line(error), launch.program.origin) from error
            except BaseException:
                device.drop()
                raise
            return Outcome(outcome.outputs, outcome.memories, compile_seconds=device.compile_seconds - before)

    def _open_anew(self, program: ir.Program) -> None:
        try:
            with _lock:
                self._opened = _open()
        except Missing as gone:
            raise device_failed(self.device.adapter.name, str(gone), program.origin) from gone
        self._compiled.clear()  # what another driver does to numbers may be another

    def _run(self, launch: Launch, cancelled: Cancelled, progress: Progress) -> Outcome:
        """Run the launch, by pieces where it is too large for the device."""

        def run(part: Launch, progress: Progress = silent) -> Outcome:
            return _run(self.device, self._compile(part), part, cancelled, progress)

        try:
            return run(launch, progress)
        except TooLarge as reason:
            self.device.drop()
            return run_by_pieces(launch, reason, run, progress)

    def _compile(self, launch: Launch) -> _Compiled:
        bound = (launch.inputs, launch.memories)
        empty = frozenset([name for fields in bound for name, field in fields.items() if 0 in field.shape])
        key = (id(launch.program), empty, launch.fast)
        known = self._compiled.get(key)
        if known is None:
            known = self._compiled[key] = _compiled(launch.program, self.traits, empty, fast=launch.fast)
            while len(self._compiled) > _KEPT:
                self._compiled.popitem(last=False)
        self._compiled.move_to_end(key)
        return known


def _first_line(error: Exception) -> str:
    """What a message of wgpu says, without where within wgpu."""
    lines = [line.strip() for line in str(error).splitlines()]
    told = [line for line in lines if line and not line.startswith(("Validation Error", "Caused by", "In wgpu"))]
    return told[0] if told else str(error)


def _compiled(program: ir.Program, traits: Traits, empty: frozenset[str], *, fast: bool = False) -> _Compiled:
    """With `fast` the driver's own arithmetic and elementary functions are used."""
    if fast:
        return _Compiled(program, Subject(expand_prelude(program, COMPOSITE_BUILTINS), fast_traits(traits), empty))
    return _Compiled(program, Subject(expand_prelude(program, remainder=True), traits, empty))


def _run(device: Device, compiled: _Compiled, launch: Launch, cancelled: Cancelled, progress: Progress) -> Outcome:
    job = Job(device, launch, compiled.subject, cancelled, progress, compiled.stages)
    return schedules.execute(job)


@dataclass(slots=True)
class _Opened:
    """A device that is open, and what holds for it."""

    device: Device
    traits: Traits


_lock = threading.Lock()
"""Held while the device is opened."""

_devices: list[_Opened] = []
"""The device that all in this process share, once it is open."""


def _open() -> _Opened:
    if not _devices or _devices[-1].device.has_failed:
        device = Device(driver.best_adapter())

        def run(launch: Launch, traits: Traits) -> Outcome:
            return _run(device, _compiled(launch.program, traits, frozenset()), launch, never, silent)

        _devices[:] = [_Opened(device, known.traits_of(device, lambda: probe.traits_of(device, run)))]
    return _devices[-1]


def _leave_to_parent() -> None:
    for opened in _devices:
        opened.device.leave_to_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_to_parent)

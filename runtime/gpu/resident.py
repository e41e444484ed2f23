"""Elements that lie on a device."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kcheck.checker import types
from kcheck.grammar.spans import Origin
from kcheck.runtime.failures import device_failed
from kcheck.runtime.gpu.device import Device
from kcheck.runtime.gpu.memory import Buffer
from kcheck.runtime.gpu.packing import unpack
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.resident import Held


@dataclass(slots=True)
class OnDevice:
    """The elements of a field of this type and shape; `origin` is the kernel that brought or made them.

    They are there once what was submitted with the number `sent` is done.
    """

    device: Device
    buffer: Buffer
    type: types.Field
    shape: tuple[int, ...]
    origin: Origin
    sent: int = 0

    def elements(self) -> AnyArray:
        """A copy of them here; raises `GPUError` where the device has failed."""
        count = types.leaf_count(self.type.element) * math.prod(self.shape)
        return unpack(self.type.element, self.device.download(self.buffer, count), self.shape)

    def read(self) -> AnyArray:
        """The same for those who do not know the device: raises `RunError` then, for the elements are lost."""
        with self._safely():
            return self.elements()

    def wait(self) -> None:
        with self._safely():
            self.device.wait(self.sent)

    @contextmanager
    def _safely(self) -> Iterator[None]:
        device = self.device
        if device.is_inherited:
            raise device_failed(device.adapter.name, "it was opened before this process was forked", self.origin)
        lost = device_failed(device.adapter.name, "what lay there is lost", self.origin)
        with device.lock:
            if device.has_failed:
                raise lost
            try:
                yield
            except device.wgpu.GPUError as error:
                device.has_failed = not device.works()
                raise lost from error


def buffer_on(device: Device, held: Held) -> Buffer | None:
    """Where elements lie on this device, if they do."""
    there = held.remote
    return there.buffer if isinstance(there, OnDevice) and there.device is device else None

"""Elements that lie on a device."""

from __future__ import annotations

import math
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

    `near` is a copy that can be read at once, when what was sent with the number `sent` is done.
    """

    device: Device
    buffer: Buffer
    type: types.Field
    shape: tuple[int, ...]
    origin: Origin
    near: Buffer | None = None
    sent: int = 0

    def elements(self) -> AnyArray:
        """A copy of them here; raises `GPUError` where the device has failed."""
        if self.near is None:
            words = self.device.download(self.buffer, self.words)
        else:
            words = self.device.read_near(self.near, self.sent)
            self.near = None  # its memory may be used again
        return unpack(self.type.element, words, self.shape)

    @property
    def words(self) -> int:
        return types.leaf_count(self.type.element) * math.prod(self.shape)

    def read(self) -> AnyArray:
        """The same for those who do not know the device: raises `RunError` then, for the elements are lost."""
        with self.device.lock:
            try:
                return self.elements()
            except self.device.wgpu.GPUError as error:
                self.device.has_failed = not self.device.works()
                raise device_failed(self.device.adapter.name, "what lay there is lost", self.origin) from error


def buffer_on(device: Device, held: Held) -> Buffer | None:
    """Where elements lie on this device, if they do."""
    there = held.remote
    return there.buffer if isinstance(there, OnDevice) and there.device is device else None

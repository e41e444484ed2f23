"""The few calls of wgpu's library that every run makes, straight to it: wgpu-py spends more on each than it takes.

All else goes by way of wgpu-py, whose objects these take.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from kcheck.runtime.gpu import driver
from kcheck.runtime.gpu.packing import Words

_UNKNOWN = -1
"""Of a request to map a buffer, before it is answered."""


class Commands:
    """Commands for a device, which are collected until `submit` sends them; the device runs them in order."""

    def __init__(self, device: Any) -> None:
        """`device` is wgpu's object."""
        self._native = driver.native()
        self._lib, self._ffi = self._native.lib, self._native.ffi
        self._device, self._queue = device._internal, device.queue._internal
        self._encoder: Any = None
        self._pass: Any = None
        self._sent = self._ffi.new("WGPUSubmissionIndex *")
        self._awaited = self._ffi.new("WGPUSubmissionIndex *")
        self._mapped = self._ffi.callback(
            "void(WGPUMapAsyncStatus, WGPUStringView, void *, void *)", self._on_mapped, onerror=self._on_error
        )
        told = {"mode": self._lib.WGPUCallbackMode_AllowProcessEvents, "callback": self._mapped}
        self._told = self._ffi.new("WGPUBufferMapCallbackInfo *", told)
        self._status = _UNKNOWN
        self._asking = 0
        self._raised: BaseException | None = None

    # ------------------------------------------------------------ commands

    @property
    def waiting(self) -> bool:
        """Whether there are commands that were not sent."""
        return self._encoder is not None

    def dispatch(self, pipeline: Any, group: Any, grid: tuple[int, int]) -> None:
        """Run a pipeline by so many workgroups each way."""
        lib = self._lib
        if self._pass is None:
            self._pass = lib.wgpuCommandEncoderBeginComputePass(self._open(), self._ffi.NULL)
        lib.wgpuComputePassEncoderSetPipeline(self._pass, pipeline._internal)
        lib.wgpuComputePassEncoderSetBindGroup(self._pass, 0, group._internal, 0, self._ffi.NULL)
        lib.wgpuComputePassEncoderDispatchWorkgroups(self._pass, *grid, 1)

    def copy(self, source: Any, begin: int, target: Any, at: int, size: int) -> None:
        """Copy bytes between two buffers."""
        self._end_pass()
        lib = self._lib
        lib.wgpuCommandEncoderCopyBufferToBuffer(self._open(), source._internal, begin, target._internal, at, size)

    def clear(self, buffer: Any) -> None:
        """Make all bytes of a buffer zero."""
        self._end_pass()
        self._lib.wgpuCommandEncoderClearBuffer(self._open(), buffer._internal, 0, buffer.size)

    def submit(self) -> int:
        """Send what was collected, and give the number of the last that was sent.

        Raises `GPUError` where a command was wrong.
        """
        if self._encoder is None:
            return int(self._sent[0])
        lib = self._lib
        with self.errors():  # the library ends the process where it is given what was wrong
            self._end_pass()
            encoder, self._encoder = self._encoder, None
            commands = lib.wgpuCommandEncoderFinish(encoder, self._ffi.NULL)
        with self.errors():
            one = self._ffi.new("WGPUCommandBuffer[1]", [commands])
            self._sent[0] = lib.wgpuQueueSubmitForIndex(self._queue, 1, one)
            lib.wgpuCommandBufferRelease(commands)
            lib.wgpuCommandEncoderRelease(encoder)
        return int(self._sent[0])

    def drop(self) -> None:
        """Forget what was collected."""
        self._end_pass()
        if self._encoder is not None:
            dropped, self._encoder = self._encoder, None
            self._lib.wgpuCommandEncoderRelease(dropped)

    def _open(self) -> Any:
        if self._encoder is None:
            with self.errors():
                made = self._lib.wgpuDeviceCreateCommandEncoder(self._device, self._ffi.NULL)
            self._encoder = made
        return self._encoder

    def _end_pass(self) -> None:
        if self._pass is not None:
            ended, self._pass = self._pass, None  # first, for Ctrl-C may come between any two calls
            self._lib.wgpuComputePassEncoderEnd(ended)
            self._lib.wgpuComputePassEncoderRelease(ended)

    # ------------------------------------------------------------ memory that both sides reach

    @contextmanager
    def mapped(self, buffer: Any, size: int, after: int, *, write: bool = False) -> Iterator[Words]:
        """The first bytes of a staging buffer as words, once what was sent up to the number `after` is done."""
        lib = self._lib
        get = lib.wgpuBufferGetMappedRange if write else lib.wgpuBufferGetConstMappedRange
        mode = lib.WGPUMapMode_Write if write else lib.WGPUMapMode_Read
        try:
            with self.errors():
                lib.wgpuBufferMapAsync(buffer._internal, mode, 0, size, self._asked())
                while self._status == _UNKNOWN:
                    self._poll(after)
            if self._status != lib.WGPUMapAsyncStatus_Success:
                raise driver.library().GPUError("memory of the device cannot be reached any more")
            yield np.frombuffer(self._ffi.buffer(get(buffer._internal, 0, size), size), np.uint32)
        finally:
            with self.errors():  # takes back what was only asked for, too
                lib.wgpuBufferUnmap(buffer._internal)

    def _asked(self) -> Any:
        """Whom to tell that a buffer is mapped, with a number: an answer may come to what nobody waits for any more."""
        self._status = _UNKNOWN
        self._asking += 1
        self._told.userdata1 = self._ffi.cast("void *", self._asking)
        return self._told[0]

    def _on_mapped(self, status: int, _: Any, number: Any, __: Any) -> None:
        if int(self._ffi.cast("intptr_t", number)) == self._asking:
            self._status = status

    def _on_error(self, _: object, problem: BaseException, __: object) -> None:
        """Note what was raised in `_on_mapped`: Ctrl-C, if it comes while the library waits."""
        self._raised = problem

    def wait(self, number: int) -> None:
        """Wait until what was sent up to this number is done."""
        with self.errors():
            self._poll(number)

    def _poll(self, number: int) -> None:
        self._awaited[0] = number
        self._lib.wgpuDevicePoll(self._device, True, self._awaited)
        if self._raised is not None:
            raised, self._raised = self._raised, None
            raise raised

    # ------------------------------------------------------------ errors

    def errors(self) -> _Errors:
        """Raise what the library complains of meanwhile, which wgpu-py would log."""
        return _Errors(self._native)


class _Errors:
    """A context of which each run enters a few: a generator would take longer."""

    __slots__ = ("_native",)

    def __init__(self, native: driver.Native) -> None:
        self._native = native

    def __enter__(self) -> None:
        self._native.errors.capture("kcheck")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        found = self._native.errors.release("kcheck")
        if found is not None and kind is None:
            raise self._native.error_types.get(found[0], driver.library().GPUError)(found[1])

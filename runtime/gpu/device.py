"""A device that is open: its buffers, pipelines and dispatches."""

from __future__ import annotations

import struct
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from kcheck.runtime.backend import Unsupported
from kcheck.runtime.gpu import driver
from kcheck.runtime.gpu.commands import Commands
from kcheck.runtime.gpu.memory import Buffer, Pool, byte_size
from kcheck.runtime.gpu.packing import Words
from kcheck.runtime.gpu.transfers import Transfers
from kcheck.runtime.gpu.wgsl.module import Stage

_ONE, _NEGATIVE_ZERO = 0x3F800000, 0x80000000
_MOST_GROUPS = 65_535
_KEPT = 256
_KEPT_BYTES, _KEPT_SOFTWARE = 1 << 31, 1 << 28
"""The bytes of memory that are kept for the next runs: of a device's own, and of the processor's where it is one."""
_SMALL = 1 << 12
"""The most bytes of a constant that is kept."""


Made = TypeVar("Made")


class _Cache(OrderedDict[Any, Made], Generic[Made]):
    """The last few things that were made, by what they were made of."""

    def get_or(self, key: Any, make: Callable[[], Made]) -> Made:
        known = self.get(key)
        if known is None:
            known = self[key] = make()
            if len(self) > _KEPT:
                self.popitem(last=False)
        self.move_to_end(key)
        return known


@dataclass(frozen=True, slots=True)
class _Pipeline:
    handle: Any
    layout: Any


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers of the uniform block that a dispatch has of its own."""

    count: int
    first: int = 0
    step: int = 0
    limit: int = 0


@dataclass(frozen=True, slots=True)
class Dispatch:
    """One run of a shader by so many workgroups; `facts` are the words of its uniform block's facts."""

    stage: Stage
    groups: int
    numbers: Numbers
    facts: Sequence[int]
    buffers: Mapping[str, Buffer]


class TooLarge(Unsupported):
    """A field is larger than the device binds: `times` as large."""

    def __init__(self, words: int, most: int) -> None:
        super().__init__(f"it needs a buffer of {4 * words} bytes, and the device binds at most {most}")
        self.times = 4 * words / most


class Device:
    """wgpu's device with caches of what is costly to make.  Who uses it holds its `lock`."""

    def __init__(self, adapter: driver.Adapter) -> None:
        self.adapter = adapter
        self.wgpu = driver.library()
        self.handle = driver.open_device(adapter)
        self.features = frozenset(self.handle.features)
        """wgpu's names of what the device can do beyond what all can: `subgroup`, `timestamp-query` and the like."""
        self.most_bytes = int(self.handle.limits["max-storage-buffer-binding-size"])
        """The bytes of the largest buffer that a shader may use."""
        self.lock = threading.RLock()
        self.is_inherited = False
        """Whether a parent process opened it, whose threads a fork leaves behind: to wait for it would never end."""
        self.has_failed = False
        """Whether it is lost; it is not used again then."""
        self.compile_seconds = 0.0
        """What compiling shaders has taken so far."""
        self._commands = Commands(self.handle)
        self._transfers = Transfers(self.wgpu, self.handle, self._commands)
        self._pipelines: _Cache[_Pipeline] = _Cache()
        self._groups: _Cache[Any] = _Cache()
        self._uniforms: _Cache[Any] = _Cache()
        self._constants: _Cache[Buffer] = _Cache()
        self._pool = Pool(self._memory, _KEPT_SOFTWARE if adapter.is_software else _KEPT_BYTES, self._groups.clear)

    def leave_to_parent(self) -> None:
        """Never use it again in this process, which was forked from the one that opened it."""
        self.is_inherited = True
        self.handle._internal = None  # to close it is to wait for it, and wgpu-py does so when the process ends

    # ------------------------------------------------------------ buffers

    def room(self, words: int) -> Buffer:
        """A buffer to be written; what it holds is not known."""
        self.check_size(words)
        return self._pool.take(words)

    def buffer(self, words: int) -> Buffer:
        """A buffer in which every word is zero."""
        made = self.room(words)
        self._commands.clear(made.handle)
        return made

    def upload(self, words: Words) -> Buffer:
        buffer = self.room(words.size)
        if words.size:
            self._transfers.upload(np.ascontiguousarray(words), buffer.handle)
        return buffer

    def constant(self, words: bytes) -> Buffer:
        """A buffer with these words, which nobody writes to; small ones are kept."""

        def make() -> Buffer:
            return self.upload(np.frombuffer(words, np.uint32))

        return make() if len(words) > _SMALL else self._constants.get_or(words, make)

    def copied(self, source: Buffer) -> Buffer:
        """A buffer with the same words."""
        made = self.room(source.words)
        self.copy(source, made)
        return made

    def copy(self, source: Buffer, destination: Buffer) -> None:
        self._commands.copy(source.handle, 0, destination.handle, 0, 4 * max(1, source.words))

    def download(self, buffer: Buffer, words: int | None = None) -> Words:
        """The first words of a buffer, after all that was submitted; an array of its own."""
        count = buffer.words if words is None else words
        return self._transfers.download(buffer.handle, count) if count else np.zeros(0, np.uint32)

    def check_size(self, words: int) -> None:
        """Raise `TooLarge` for more words than a shader may use at once."""
        if byte_size(words) > self.most_bytes:
            raise TooLarge(words, self.most_bytes)

    def _memory(self, size: int) -> Any:
        usage = self.wgpu.BufferUsage
        flags = usage.STORAGE | usage.COPY_SRC | usage.COPY_DST
        try:
            return self.handle.create_buffer(size=size, usage=flags)
        except self.wgpu.GPUError as error:
            if not self._is_full(error):
                raise
            self._pool.give_up()
            return self.handle.create_buffer(size=size, usage=flags)

    def _is_full(self, error: Exception) -> bool:
        """Whether memory has run out, of which wgpu tells in two ways."""
        return isinstance(error, self.wgpu.GPUOutOfMemoryError) or "Not enough memory" in str(error)

    # ------------------------------------------------------------ dispatches

    def run(self, dispatches: Sequence[Dispatch]) -> None:
        """Run dispatches, each of which sees what those before it wrote."""
        for dispatch in dispatches:
            self._commands.dispatch(*self.bound(dispatch))

    def submit(self) -> int:
        """Send all that is to be done on its way, and give its number; what reads results does so by itself."""
        return self._commands.submit()

    def wait(self, number: int) -> None:
        """Wait until what was submitted up to this number is done."""
        self._commands.wait(number)

    def drop(self) -> None:
        """Forget what was not submitted."""
        self._commands.drop()

    def works(self) -> bool:
        """Whether the device still does what it is told."""
        words = np.array([1, 2], np.uint32)
        try:
            self.drop()
            return np.array_equal(self.download(self.upload(words)), words)
        except self.wgpu.GPUError as error:
            return self._is_full(error)

    def bound(self, dispatch: Dispatch) -> tuple[Any, Any, tuple[int, int]]:
        """What an encoder takes for a dispatch: its pipeline, its bind group, and how many workgroups each way."""
        pipeline = self._pipelines.get_or(dispatch.stage.code, lambda: self._compile(dispatch.stage))
        return pipeline.handle, self._group(dispatch, pipeline), _grid(dispatch.groups)

    def _compile(self, stage: Stage) -> _Pipeline:
        start = time.perf_counter()
        visibility = self.wgpu.ShaderStage.COMPUTE
        kinds = ["uniform", *("storage" if writes else "read-only-storage" for _, writes in stage.buffers)]
        layout = self.handle.create_bind_group_layout(
            entries=[{"binding": i, "visibility": visibility, "buffer": {"type": kind}} for i, kind in enumerate(kinds)]
        )
        module = self.handle.create_shader_module(code=stage.code)
        pipeline = self.handle.create_compute_pipeline(
            layout=self.handle.create_pipeline_layout(bind_group_layouts=[layout]),
            compute={"module": module, "entry_point": "main"},
        )
        self.compile_seconds += time.perf_counter() - start
        return _Pipeline(pipeline, layout)

    def _group(self, dispatch: Dispatch, pipeline: _Pipeline) -> Any:
        uniform = self._uniform(dispatch)
        handles = [uniform, *(dispatch.buffers[name].handle for name, _ in dispatch.stage.buffers)]

        def make() -> Any:
            entries = [{"binding": i, "resource": {"buffer": handle}} for i, handle in enumerate(handles)]
            return self.handle.create_bind_group(layout=pipeline.layout, entries=entries)

        # wgpu's objects are equal only to themselves, and are kept by the key.
        return self._groups.get_or((pipeline.layout, *handles), make)

    def _uniform(self, dispatch: Dispatch) -> Any:
        """The uniform block, which stays as it is once it is made."""
        numbers = dispatch.numbers
        fixed = (_ONE, _NEGATIVE_ZERO, numbers.count, numbers.first, numbers.step, numbers.limit, 0, 0, 0, 0, 0, 0)
        block = struct.pack(f"<{12 + len(dispatch.facts)}I", *fixed, *dispatch.facts)
        usage = self.wgpu.BufferUsage.UNIFORM
        return self._uniforms.get_or(block, lambda: self.handle.create_buffer_with_data(data=block, usage=usage))


def _grid(groups: int) -> tuple[int, int]:
    """So many workgroups or a few more, in as many dimensions as that takes."""
    rows = -(-groups // _MOST_GROUPS)
    return -(-groups // rows), rows


def groups_for(count: int, threads: int) -> int:
    return max(1, -(-count // threads))

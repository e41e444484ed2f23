"""A device that is open: its buffers, pipelines and dispatches."""

from __future__ import annotations

import struct
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kcheck.runtime.backend import Unsupported
from kcheck.runtime.gpu import driver
from kcheck.runtime.gpu.packing import Words
from kcheck.runtime.gpu.wgsl.module import Stage

_ONE, _NEGATIVE_ZERO = 0x3F800000, 0x80000000
_MOST_GROUPS = 65_535
_KEPT = 256
_LARGE = 1 << 18
"""The words from which on it pays to read back by way of a buffer that is kept."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """A buffer of `words` words; `handle` is wgpu's object for it."""

    handle: Any
    words: int


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


class Device:
    """wgpu's device with caches of what is costly to make."""

    def __init__(self, adapter: driver.Adapter) -> None:
        self.adapter = adapter
        self.wgpu = driver.library()
        self.handle = driver.open_device(adapter)
        self._pipelines: OrderedDict[str, _Pipeline] = OrderedDict()
        self._staging: Any = None
        self.compile_seconds = 0.0
        """What compiling shaders has taken so far."""

    # ------------------------------------------------------------ buffers

    def buffer(self, words: int) -> Buffer:
        """A buffer in which every word is zero."""
        self._check_size(words)
        usage = self.wgpu.BufferUsage
        flags = usage.STORAGE | usage.COPY_SRC | usage.COPY_DST
        return Buffer(self.handle.create_buffer(size=_bytes(words), usage=flags), words)

    def upload(self, words: Words) -> Buffer:
        buffer = self.buffer(words.size)
        if words.size:
            self.handle.queue.write_buffer(buffer.handle, 0, np.ascontiguousarray(words))
        return buffer

    def download(self, buffer: Buffer, words: int | None = None) -> Words:
        """The first words of a buffer, after all that was submitted; an array of its own."""
        count = buffer.words if words is None else words
        if not count:
            return np.zeros(0, np.uint32)
        if count < _LARGE:
            return np.frombuffer(self.handle.queue.read_buffer(buffer.handle, 0, 4 * count), np.uint32)
        staging = self._staging_of(_bytes(count))
        encoder = self.handle.create_command_encoder()
        encoder.copy_buffer_to_buffer(buffer.handle, 0, staging, 0, 4 * count)
        self.handle.queue.submit([encoder.finish()])
        staging.map_sync("READ", 0, 4 * count)
        try:
            return np.frombuffer(staging.read_mapped(0, 4 * count, copy=False), np.uint32).copy()
        finally:
            staging.unmap()

    def _staging_of(self, size: int) -> Any:
        """The buffer that the processor reads from, which grows and is kept: to make one costs more than to use it."""
        if self._staging is None or self._staging.size < size:
            usage = self.wgpu.BufferUsage
            self._staging = self.handle.create_buffer(size=size, usage=usage.MAP_READ | usage.COPY_DST)
        return self._staging

    def _check_size(self, words: int) -> None:
        most = self.handle.limits["max-storage-buffer-binding-size"]
        if _bytes(words) > most:
            raise Unsupported(f"it needs a buffer of {4 * words} bytes, and the device binds at most {most}")

    # ------------------------------------------------------------ dispatches

    def run(self, dispatches: Sequence[Dispatch]) -> None:
        """Submit dispatches, each of which sees what those before it wrote."""
        encoder = self.handle.create_command_encoder()
        work = encoder.begin_compute_pass()
        for dispatch in dispatches:
            pipeline, group, grid = self.bound(dispatch)
            work.set_pipeline(pipeline)
            work.set_bind_group(0, group)
            work.dispatch_workgroups(*grid)
        work.end()
        self.handle.queue.submit([encoder.finish()])

    def bound(self, dispatch: Dispatch) -> tuple[Any, Any, tuple[int, int]]:
        """What an encoder takes for a dispatch: its pipeline, its bind group, and how many workgroups each way."""
        pipeline = self._pipeline(dispatch.stage)
        return pipeline.handle, self._group(dispatch, pipeline), _grid(dispatch.groups)

    def copy(self, source: Buffer, destination: Buffer) -> None:
        encoder = self.handle.create_command_encoder()
        encoder.copy_buffer_to_buffer(source.handle, 0, destination.handle, 0, 4 * max(1, source.words))
        self.handle.queue.submit([encoder.finish()])

    def _pipeline(self, stage: Stage) -> _Pipeline:
        known = self._pipelines.get(stage.code)
        if known is None:
            start = time.perf_counter()
            known = self._pipelines[stage.code] = self._compile(stage)
            self.compile_seconds += time.perf_counter() - start
            while len(self._pipelines) > _KEPT:
                self._pipelines.popitem(last=False)
        self._pipelines.move_to_end(stage.code)
        return known

    def _compile(self, stage: Stage) -> _Pipeline:
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
        return _Pipeline(pipeline, layout)

    def _group(self, dispatch: Dispatch, pipeline: _Pipeline) -> Any:
        numbers = dispatch.numbers
        fixed = (_ONE, _NEGATIVE_ZERO, numbers.count, numbers.first, numbers.step, numbers.limit, 0, 0, 0, 0, 0, 0)
        block = struct.pack(f"<{12 + len(dispatch.facts)}I", *fixed, *dispatch.facts)
        uniform = self.handle.create_buffer_with_data(data=block, usage=self.wgpu.BufferUsage.UNIFORM)
        handles = [uniform, *(dispatch.buffers[name].handle for name, _ in dispatch.stage.buffers)]
        entries = [{"binding": i, "resource": {"buffer": handle}} for i, handle in enumerate(handles)]
        return self.handle.create_bind_group(layout=pipeline.layout, entries=entries)


def _bytes(words: int) -> int:
    """With room for three more elements of four words, for what takes four elements at once."""
    return -(-(words + 12) // 16) * 64


def _grid(groups: int) -> tuple[int, int]:
    """So many workgroups or a few more, in as many dimensions as that takes."""
    rows = -(-groups // _MOST_GROUPS)
    return -(-groups // rows), rows


def groups_for(count: int, threads: int) -> int:
    return max(1, -(-count // threads))

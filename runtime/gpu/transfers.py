"""Words to a device and back: small ones as they come, large ones by way of two buffers that both sides can reach.

While one of the two is on its way, the processor fills or empties the other, with a few threads: copying takes longer
than the way.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from kcheck.runtime.gpu.commands import Commands
from kcheck.runtime.gpu.packing import Words
from kcheck.runtime.memory import empty

LARGE = 1 << 18
"""The words from which on the two buffers are used."""
_CHUNK = 1 << 24
"""The words of each of them: 64 MiB."""
_SLICE = 1 << 20
"""The fewest words for which a thread pays."""


@dataclass(slots=True)
class _Staging:
    """A buffer that both sides can reach, and the number of the last submission that used it."""

    handle: Any
    used: int = 0


class Transfers:
    """What moves words between the processor and a device, which is wgpu's object."""

    def __init__(self, wgpu: Any, device: Any, commands: Commands) -> None:
        self._wgpu = wgpu
        self._device = device
        self._commands = commands
        self._staging: dict[tuple[str, int], _Staging] = {}

    # ------------------------------------------------------------ to the device

    def upload(self, words: Words, handle: Any) -> None:
        """Write words to the beginning of a device's buffer, after all commands so far."""
        self._commands.submit()
        if words.size < LARGE:
            self._device.queue.write_buffer(handle, 0, words)
            return
        for number, (begin, part) in enumerate(_chunks(words)):
            staging = self._staging_of("WRITE", number, part.size)
            with self._commands.mapped(staging.handle, part.nbytes, staging.used, write=True) as room:
                _copy(part, room)
            self._commands.copy(staging.handle, 0, handle, 4 * begin, part.nbytes)
            staging.used = self._commands.submit()

    # ------------------------------------------------------------ from the device

    def download(self, handle: Any, words: int) -> Words:
        """The first words of a device's buffer, after all commands so far; an array of its own."""
        if words < LARGE:
            staging = self._fetch(handle, 0, 0, words)
            with self._commands.mapped(staging.handle, 4 * words, staging.used) as room:
                return room.copy()
        found = empty((words,), np.dtype(np.uint32))
        coming: deque[tuple[_Staging, Words]] = deque()
        for number, (begin, part) in enumerate(_chunks(found)):
            coming.append((self._fetch(handle, number, begin, part.size), part))
            if number:
                self._take(*coming.popleft())
        self._take(*coming.popleft())
        return found

    def _take(self, staging: _Staging, part: Words) -> None:
        with self._commands.mapped(staging.handle, part.nbytes, staging.used) as room:
            _copy(room, part)

    def _fetch(self, handle: Any, number: int, begin: int, words: int) -> _Staging:
        """Have words brought to one of the two buffers."""
        staging = self._staging_of("READ", number, words)
        self._commands.copy(handle, 4 * begin, staging.handle, 0, 4 * words)
        staging.used = self._commands.submit()
        return staging

    def _staging_of(self, way: str, number: int, words: int) -> _Staging:
        """One of the two buffers of a way, which grow and are kept: to make them costs more than to use them."""
        key = (way, number % 2)
        if key not in self._staging or self._staging[key].handle.size < 4 * words:
            usage = self._wgpu.BufferUsage
            flags = usage.MAP_READ | usage.COPY_DST if way == "READ" else usage.MAP_WRITE | usage.COPY_SRC
            size = 4 * min(_CHUNK, max(1 << 10, 1 << (words - 1).bit_length()))
            self._staging[key] = _Staging(self._device.create_buffer(size=size, usage=flags))
        return self._staging[key]


def _chunks(words: Words) -> Iterator[tuple[int, Words]]:
    for begin in range(0, words.size, _CHUNK):
        yield begin, words[begin : begin + _CHUNK]


@cache
def _most_threads() -> int:
    return min(16, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_most_threads(), "kcheck transfers")


def _copy(source: Words, target: Words) -> None:
    """Copy by several threads where that pays: NumPy lets others run meanwhile."""
    if source.size < 2 * _SLICE:
        np.copyto(target, source)
        return
    count = min(_most_threads(), source.size // _SLICE)
    step = -(-source.size // count)
    pieces: Sequence[slice] = [slice(begin, begin + step) for begin in range(0, source.size, step)]
    for done in [_threads().submit(np.copyto, target[piece], source[piece]) for piece in pieces]:
        done.result()

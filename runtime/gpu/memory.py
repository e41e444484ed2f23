"""Memory of a device: what nobody holds any more is used again, for to ask a driver for more costs much."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any


class Buffer:
    """`words` words of a device's memory, which goes back to its pool when nobody holds the buffer any more.

    `handle` is wgpu's object for the memory.
    """

    __slots__ = ("_returned", "handle", "words")

    def __init__(self, handle: Any, words: int, returned: deque[int]) -> None:
        self.handle = handle
        self.words = words
        self._returned = returned

    def __del__(self) -> None:
        self._returned.append(id(self.handle))


class Pool:
    """`create` makes memory of so many bytes; at most `most` bytes that nobody uses are kept.

    A device does one thing after the other, so memory may be given out again while work on it is still to be done.
    `forget` is told when memory is given up, for whatever may hold it.
    """

    def __init__(self, create: Callable[[int], Any], most: int, forget: Callable[[], None]) -> None:
        self._create = create
        self._most = most
        self._forget = forget
        self._used: dict[int, Any] = {}  # held here too, or garbage might be cleared before its buffer is
        self._returned: deque[int] = deque()  # buffers are dropped at any time, by any thread
        self._free: dict[int, list[Any]] = {}
        self._kept = 0

    def take(self, words: int) -> Buffer:
        """A buffer; what it holds is not known."""
        self._collect()
        size = byte_size(words)
        free = self._free.get(size)
        if free:
            self._kept -= size
        handle = free.pop() if free else self._create(size)
        self._used[id(handle)] = handle
        return Buffer(handle, words, self._returned)

    def give_up(self) -> None:
        """Keep none of the memory that nobody uses."""
        self._collect()
        self._free.clear()
        self._kept = 0
        self._forget()

    def _collect(self) -> None:
        while self._returned:
            handle = self._used.pop(self._returned.popleft())
            self._free.setdefault(handle.size, []).append(handle)
            self._kept += handle.size
        while self._kept > self._most:
            self._drop_largest()

    def _drop_largest(self) -> None:
        size = max(size for size, handles in self._free.items() if handles)
        self._free[size].pop(0)
        self._kept -= size
        self._forget()


def byte_size(words: int) -> int:
    """With room for three more elements of four words, for what takes four elements at once."""
    return -(-(words + 12) // 16) * 64

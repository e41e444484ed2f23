"""Memory for outputs: that of large ones which nobody holds any more is used again.

A new large array costs more than a simple map over it, as the system clears its pages before it gives them out.
"""

from __future__ import annotations

import ctypes
import math
import weakref
from typing import Any

import numpy as np

from kcheck.runtime.layout import AnyArray

_LARGE = 1 << 20
_MOST = 1 << 28
"""The bytes that are kept at most."""

_kept: dict[int, AnyArray] = {}
"""Memory that nobody uses, as bytes, the oldest first; by what tells it from others.

Garbage is collected at any time, which may add to this, so each step below is one that nothing comes in between."""


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> AnyArray:
    """As `numpy.empty`."""
    size = math.prod(shape) * dtype.itemsize
    if size < _LARGE:
        return np.empty(shape, dtype)
    memory = _take(size)
    # All arrays over this memory hold its owner, if only by the array that they are a view of.
    owner = (ctypes.c_char * size).from_buffer(memory.data)
    weakref.finalize(owner, _keep, memory).atexit = False
    return np.frombuffer(memoryview(owner), dtype).reshape(shape)


def copied(array: AnyArray) -> AnyArray:
    """A copy, row-major."""
    copy = empty(array.shape, array.dtype)
    copy[...] = array
    return copy


def _take(size: int) -> AnyArray:
    for key in list(_kept):
        if (memory := _kept.get(key)) is not None and memory.size == size and _kept.pop(key, None) is not None:
            return memory
    try:
        return np.empty(size, np.uint8)
    except MemoryError:
        _kept.clear()
        return np.empty(size, np.uint8)


def _keep(memory: AnyArray) -> None:
    _kept[id(memory)] = memory
    left = sum([one.size for one in list(_kept.values())])
    for key in list(_kept):
        if left <= _MOST:
            break
        oldest = _kept.pop(key, None)
        left -= 0 if oldest is None else oldest.size

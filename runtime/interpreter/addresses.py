"""Addresses of elements: from what a program computed to positions in row-major order.

Sizes and the parts of an address are x first.  Positions are int64, as Grid and Volume may have more elements
along all axes together than a Float can count.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kcheck.runtime.interpreter.numbers import F0, maximum, minimum
from kcheck.runtime.interpreter.values import a_bool, a_float, an_int, component, pick
from kcheck.runtime.layout import AnyArray

_I0 = an_int(0)


def address_parts(address: Sequence[AnyArray]) -> list[AnyArray]:
    """One scalar per axis: the Ints as they are, the components of a vector floored."""
    first = address[0]
    if first.ndim < 2:
        return list(address)
    return [np.floor(component(first, axis)) for axis in range(first.shape[1])]


def clamped(parts: Sequence[AnyArray], size: Sequence[int]) -> AnyArray:
    """The position of the nearest element; NaN counts as 0."""
    return row_major([_clamp(part, n) for part, n in zip(parts, size, strict=True)], size)


def _clamp(part: AnyArray, size: int) -> AnyArray:
    if part.dtype == np.int32:
        return np.minimum(np.maximum(part, _I0), an_int(size - 1))
    bounded = minimum(maximum(part, F0), a_float(size - 1))
    return bounded.astype(np.int64)


def inside(parts: Sequence[AnyArray], size: Sequence[int]) -> AnyArray:
    """Whether an address is of an element; Floats are tested as Floats, so NaN is outside."""
    result = a_bool(True)
    for part, n in zip(parts, size, strict=True):
        zero, end = part.dtype.type(0), part.dtype.type(n)
        result = result & (part >= zero) & (part < end)
    return result


def positions_inside(parts: Sequence[AnyArray], size: Sequence[int]) -> tuple[AnyArray, AnyArray]:
    """Positions, and whether they are of an element; those outside are 0."""
    found = inside(parts, size)
    safe = [pick(found, part, part.dtype.type(0)).astype(np.int64) for part in parts]
    return row_major(safe, size), found


def row_major(parts: Sequence[AnyArray], size: Sequence[int]) -> AnyArray:
    """The position of the element at whole, in-range coordinates."""
    position = parts[-1]
    for axis in reversed(range(len(parts) - 1)):
        position = position.astype(np.int64) * np.int64(size[axis]) + parts[axis]
    return position

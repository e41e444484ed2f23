"""Addresses of elements: from what a program computed to positions in row-major order.

Sizes and the parts of an address are x first.  Positions fit an Int, as no field has more than 2^31 - 1 elements.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

import numpy as np

from kcheck.runtime.interpreter.numbers import F0
from kcheck.runtime.interpreter.values import a_float, an_int, component, pick
from kcheck.runtime.layout import AnyArray

_I0 = an_int(0)


def address_parts(address: Sequence[AnyArray]) -> list[AnyArray]:
    """One scalar per axis: the Ints as they are, the components of a vector floored."""
    first = address[0]
    if first.ndim < 2:
        return list(address)
    return [np.floor(component(first, axis)) for axis in range(first.shape[1])]


def is_uniform(parts: Sequence[AnyArray]) -> bool:
    return all(part.size == 1 for part in parts)


# ---------------------------------------------------------------- many lanes


def clamped(parts: Sequence[AnyArray], size: Sequence[int]) -> AnyArray:
    """The positions of the nearest elements; NaN counts as 0."""
    return row_major([_clamp(part, n) for part, n in zip(parts, size, strict=True)], size)


def _clamp(part: AnyArray, size: int) -> AnyArray:
    if part.dtype == np.int32:
        return np.minimum(np.maximum(part, an_int(0)), an_int(size - 1))
    # The floor above has made any NaN a quiet one, which fmax ignores; the sign of a zero does not matter here.
    bounded: AnyArray = np.fmin(np.fmax(part, F0), a_float(size - 1))
    return bounded.astype(np.int32)


def positions_inside(parts: Sequence[AnyArray], size: Sequence[int]) -> tuple[AnyArray, AnyArray]:
    """Positions, and whether they are of an element; those outside are 0."""
    found = reduce(lambda a, b: a & b, [_is_inside(part, n) for part, n in zip(parts, size, strict=True)])
    if not found.all():
        parts = [pick(found, part, part.dtype.type(0)) for part in parts]
    return row_major([part.astype(np.int32, copy=False) for part in parts], size), found


def _is_inside(part: AnyArray, size: int) -> AnyArray:
    if part.dtype == np.int32:
        return part.view(np.uint32) < np.uint32(size)  # negative ones are large
    return (part >= F0) & (part < a_float(size))  # as Floats, so that NaN is outside


def row_major(parts: Sequence[AnyArray], size: Sequence[int]) -> AnyArray:
    """The position of the element at whole, in-range coordinates."""
    position = parts[-1]
    for axis in reversed(range(len(parts) - 1)):
        position = position * an_int(size[axis]) + parts[axis]
    return position


# ---------------------------------------------------------------- one lane

# The same in Python's numbers, for scans, where NumPy's cost of a call is all there is.


def clamped_one(parts: Sequence[AnyArray], size: Sequence[int]) -> int:
    """The position of the nearest element to a uniform address; NaN counts as 0."""
    return _row_major_one([_clamp_one(part.item(), n) for part, n in zip(parts, size, strict=True)], size)


def _clamp_one(part: float, size: int) -> int:
    return 0 if math.isnan(part) else int(min(max(part, 0), size - 1))


def position_inside_one(parts: Sequence[AnyArray], size: Sequence[int]) -> int | None:
    """The position of the element at a uniform address, or None where there is none."""
    numbers = [part.item() for part in parts]
    if not all(0 <= number < n for number, n in zip(numbers, size, strict=True)):
        return None
    return _row_major_one([int(number) for number in numbers], size)


def _row_major_one(parts: Sequence[int], size: Sequence[int]) -> int:
    position = parts[-1]
    for axis in reversed(range(len(parts) - 1)):
        position = position * size[axis] + parts[axis]
    return position

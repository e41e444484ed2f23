"""Numbers summed up: the range, the mean, how they are spread, and how many are not finite."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kcheck.runtime.layout import AnyArray

_BLOCK = 1 << 15
"""Numbers that are looked at in one go: they stay in the caches, and need little memory beside the field's own."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """`low`, `high` and `mean` are of what is finite, and NaN where nothing is.

    `bins` counts what is finite in equal parts of `low` to `high`; they are empty where nothing is.
    """

    count: int
    low: float
    high: float
    mean: float
    nans: int
    infinite: int
    bins: tuple[int, ...]


def statistics(values: AnyArray, bins: int) -> Statistics:
    """What there is to say of Bools, Ints or Floats of any shape."""
    low, high, total, finite_count, nans = math.inf, -math.inf, 0.0, 0, 0
    for block in _blocks(values):
        finite = _finite(block)
        if finite is not block:
            nans += int(np.isnan(block).sum())
        if finite.size:
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
            total += float(finite.sum(dtype=np.float64))
            finite_count += finite.size
    infinite = values.size - finite_count - nans
    if not finite_count:
        return Statistics(values.size, math.nan, math.nan, math.nan, nans, infinite, ())
    return Statistics(
        values.size, low, high, total / finite_count, nans, infinite, _histogram(values, finite_count, bins, low, high)
    )


def finite_range(values: AnyArray) -> tuple[float, float]:
    """The least and the greatest finite number, or 0 and 0 where there is none."""
    if not values.size:
        return 0.0, 0.0
    low, high = float(values.min()), float(values.max())
    if math.isfinite(low) and math.isfinite(high):
        return low, high
    finite = values[np.isfinite(values)]
    return (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)


def precision(values: AnyArray, low: float, high: float) -> type[np.float32 | np.float64]:
    """What to calculate in: Floats are as exact as their own arithmetic, where their range leaves room for it."""
    return np.float32 if values.dtype == np.float32 and 1e-30 < high - low < 1e30 else np.float64


def _histogram(values: AnyArray, count: int, bins: int, low: float, high: float) -> tuple[int, ...]:
    """How many of the `count` finite numbers lie in each of `bins` equal parts of `low` to `high`; all of them in the
    middle where these are the same."""
    if low == high:
        return tuple(count if i == bins // 2 else 0 for i in range(bins))
    wide, scale = precision(values, low, high), bins / (high - low)
    counts = np.zeros(bins + 1, np.int64)
    for block in _blocks(values):
        numbers: AnyArray = _finite(block).astype(wide, copy=False)
        counts += np.bincount(((numbers - low) * scale).astype(np.int32), minlength=bins + 1)
    counts[bins - 1] += counts[bins]  # the greatest number closes the last part
    return tuple(counts[:bins].tolist())


def _blocks(values: AnyArray) -> Iterator[AnyArray]:
    """The numbers in rows without gaps, some at a time."""
    rows = max(1, _BLOCK * len(values) // max(values.size, 1)) if values.ndim > 1 else _BLOCK
    for start in range(0, len(values), rows):
        yield np.ascontiguousarray(values[start : start + rows]).reshape(-1)


def _finite(block: AnyArray) -> AnyArray:
    """What is finite of a block; the block itself where all is."""
    where = np.isfinite(block)
    return block if where.all() else block[where]

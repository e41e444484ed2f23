"""Grids as pictures of 8 bits a channel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kcheck.checker.types import BOOL, FLOAT, INT, Type, Vec
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.pictures import to_bytes
from kcheck.runtime.views.statistics import finite_range, precision


@dataclass(frozen=True, slots=True)
class Pixels:
    """`samples` are uint8, `(h, w)`, `(h, w, 3)` or `(h, w, 4)`.

    Colours are encoded as sRGB (`is_srgb`), clamped to 0..1.  Other numbers lie linearly between `low`, which is 0,
    and `high`, which is 255.  NaN is magenta, so a picture in grey that holds some has three channels.  A pixel stands
    for `step` x `step` elements.
    """

    samples: AnyArray
    low: float
    high: float
    is_srgb: bool
    step: int

    @property
    def channels(self) -> int:
        return self.samples.shape[2] if self.samples.ndim == 3 else 1


def has_pixels(type_: Type) -> bool:
    """Whether a grid of this element type has a picture."""
    return type_ in (FLOAT, INT, BOOL) or isinstance(type_, Vec)


def pixels_of(type_: Type, data: AnyArray, most: int, *, means: bool) -> Pixels:
    """The picture of a grid `(h, w, …)` with elements, at most `most` pixels a side.

    Grids that are larger are thinned to every n-th element, or to the `means` of n x n elements.
    """
    step = -(-max(data.shape[:2]) // most)
    shown = _fewer(data, step, means=means)
    if type_ in (Vec(3), Vec(4)):
        return Pixels(_marked(_colours(shown), shown), 0.0, 1.0, True, step)
    low, high = (0.0, 1.0) if type_ is BOOL else finite_range(data)
    levels = _levels(shown, low, high)
    if type_ == Vec(2):
        levels = np.concatenate([levels, np.zeros_like(levels[..., :1])], axis=2)
    return Pixels(_marked(levels, shown), low, high, False, step)


def _fewer(data: AnyArray, step: int, *, means: bool) -> AnyArray:
    """Every n-th element, or means over n x n elements; what is left over at the end is in none of these."""
    if step == 1 or not means or min(data.shape[:2]) < step:
        return data[::step, ::step]
    height, width = (n // step for n in data.shape[:2])
    found = np.empty((height, width, *data.shape[2:]), np.float32)
    with np.errstate(over="ignore", invalid="ignore"):  # of infinities
        for row in range(height):  # a few rows at a time stay in the caches
            rows = data[row * step : (row + 1) * step, : width * step]
            column_sums = rows.sum(axis=0, dtype=np.float32)
            found[row] = sum(column_sums[x::step] for x in range(step))
        return found / np.float32(step * step)


def _levels(numbers: AnyArray, low: float, high: float) -> AnyArray:
    """Numbers as 0..255 from `low` to `high`; NaN is 0, and all is in the middle where both ends are the same."""
    if high == low:
        return np.where(np.isfinite(numbers), np.uint8(128), np.uint8(0))
    levels = np.empty(numbers.shape, np.uint8)
    wide, scale = precision(numbers, low, high), 255.0 / (high - low)
    rows = max(1, _BLOCK * len(numbers) // max(numbers.size, 1))
    for start in range(0, len(numbers), rows):
        block = slice(start, start + rows)
        exact: AnyArray = numbers[block].astype(wide)
        levels[block] = np.fmin(np.fmax((exact - low) * scale + 0.5, 0.0), 255.0)
    return levels


_BLOCK = 1 << 15
"""Numbers that stay in the caches."""


def _marked(samples: AnyArray, numbers: AnyArray) -> AnyArray:
    """The samples, magenta where a number or a part of a colour is NaN."""
    if not np.isnan(numbers.min()):
        return samples
    strange = np.isnan(numbers) if numbers.ndim == 2 else np.isnan(numbers[..., :3]).any(axis=2)
    if samples.ndim == 2:
        samples = np.repeat(samples[..., np.newaxis], 3, axis=2)
    samples[strange] = _MAGENTA[: samples.shape[2]]
    return samples


_MAGENTA = (255, 0, 255, 255)


def _colours(data: AnyArray) -> AnyArray:
    """Colours as samples, without an alpha channel that says nothing."""
    if data.shape[2] == 4 and (data[..., 3] >= 1.0).all():
        data = data[..., :3]
    return to_bytes(data, srgb=False)

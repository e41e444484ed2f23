"""Long rows of numbers as few: the least and the greatest of each stretch."""

from __future__ import annotations

import numpy as np

from kcheck.runtime.layout import AnyArray


def envelope(values: AnyArray, most: int) -> tuple[AnyArray, AnyArray]:
    """The least and greatest numbers of up to `most` stretches of `(n)`, n >= 1, as doubles.

    NaNs are left out; a stretch that holds nothing else is NaN.
    """
    numbers = values.astype(np.float64)
    count = min(most, len(numbers))
    starts = np.arange(count) * len(numbers) // count
    return np.fmin.reduceat(numbers, starts), np.fmax.reduceat(numbers, starts)

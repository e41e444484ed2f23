"""What is different in a field since a run before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.leaves import leaf_views

_BLOCK = 1 << 15
"""Elements that are looked at in one go, so that this needs little memory beside the fields' own."""


@dataclass(frozen=True, slots=True)
class Changes:
    """`changed` counts elements.  `apart`, float32 with the field's axes, says how far each went: the farthest of
    its numbers, infinite where NaN came or went."""

    changed: int
    apart: AnyArray

    @property
    def largest(self) -> float:
        return float(self.apart.max()) if self.apart.size else 0.0


def changes(got: Field, before: Field) -> Changes:
    """From one field to another of its type and shape."""
    apart = np.zeros(got.shape, np.float32)
    rows = max(1, _BLOCK * len(apart) // max(apart.size, 1))
    changed = 0
    for start in range(0, len(apart), rows):
        block = slice(start, start + rows)
        for ours, theirs in zip(_numbers(got, block), _numbers(before, block), strict=True):
            np.maximum(apart[block], _distance(ours, theirs), out=apart[block])
        changed += int(np.count_nonzero(apart[block]))
    return Changes(changed, apart)


def _numbers(field: Field, block: slice) -> Iterator[AnyArray]:
    """The scalars of the elements, as arrays with the axes of the field."""
    for _, values in leaf_views(field.type.element, field.data[block], field.type.rank):
        yield np.ascontiguousarray(values)


def _distance(ours: AnyArray, theirs: AnyArray) -> AnyArray:
    """How far numbers lie apart, as float32; more than 0 unless they are equal or both NaN."""
    wide = np.float32 if ours.dtype == np.float32 else np.float64
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(np.subtract(ours, theirs, dtype=wide)).astype(np.float32)
    odd = np.isnan(distance)
    if odd.any():  # from a NaN, or from two infinities
        same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
        distance[odd] = np.where(same[odd], np.float32(0.0), np.float32(np.inf))
    return distance

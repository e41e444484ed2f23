"""Reading the elements of ports: at a run's own place, at an address, and filtered at a position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from kcheck.runtime.interpreter.addresses import row_major
from kcheck.runtime.interpreter.frames import Lanes, Source
from kcheck.runtime.interpreter.numbers import F0, F1, maximum, minimum
from kcheck.runtime.interpreter.values import Value, a_float, component, expand, map_pairs, tidy
from kcheck.runtime.layout import AnyArray

_HALF = a_float(0.5)


def load(elements: Value, lanes: Lanes) -> Value:
    """The elements at the lanes' own places."""
    if isinstance(elements, tuple):
        return tuple([load(part, lanes) for part in elements])
    if lanes.numbers is not None:
        return _gather(elements, lanes.numbers)
    if lanes.count == 1 and elements.ndim == 1:
        return cast(AnyArray, elements[lanes.first])
    return tidy(elements[lanes.first : lanes.first + lanes.count])


def gather(elements: Value, positions: AnyArray) -> Value:
    """The elements at these positions (in range, per lane or uniform)."""
    if isinstance(elements, tuple):
        return tuple([gather(part, positions) for part in elements])
    return _gather(elements, positions)


def _gather(elements: AnyArray, positions: AnyArray) -> AnyArray:
    if positions.size > 1:
        return tidy(np.take(elements, positions, axis=0))
    position = positions.item()
    return elements[position] if elements.ndim == 1 else elements[position : position + 1]


def filtered(source: Source, position: AnyArray) -> Value:
    """Linear filtering at a normalised position: a lerp along x, then y, then z."""
    parts = [position] if position.ndim < 2 else [component(position, i) for i in range(position.shape[1])]
    axes = [_Axis(part, size) for part, size in zip(parts, source.size, strict=True)]
    return _mix_axes(source, axes, [])


class _Axis:
    """The two texels around a position along one axis, and how far it is from the first to the second."""

    __slots__ = ("high", "low", "t")

    def __init__(self, position: AnyArray, size: int) -> None:
        bounded = minimum(maximum(position, F0), F1)
        texel = bounded * a_float(size) - _HALF
        floor = np.floor(texel)
        first = floor.astype(np.int64)
        last = np.int64(size - 1)
        self.t = texel - floor
        self.low = np.minimum(np.maximum(first, np.int64(0)), last)
        self.high = np.minimum(np.maximum(first + np.int64(1), np.int64(0)), last)


def _mix_axes(source: Source, axes: Sequence[_Axis], chosen: list[AnyArray]) -> Value:
    """Mix along the last of `axes`; `chosen` are the texels along the axes behind it."""
    if not axes:
        return gather(source.elements, row_major(chosen, source.size))
    axis = axes[-1]
    low = _mix_axes(source, axes[:-1], [axis.low, *chosen])
    high = _mix_axes(source, axes[:-1], [axis.high, *chosen])
    return map_pairs(lambda a, b: mix(a, b, expand(axis.t, max(a.ndim, b.ndim))), low, high)


def mix(a: AnyArray, b: AnyArray, t: AnyArray) -> AnyArray:
    mixed: AnyArray = a * (F1 - t) + b * t
    return mixed

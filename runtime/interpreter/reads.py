"""Reading the elements of ports: at a run's own place, at an address, and filtered at a position."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kcheck.runtime.interpreter.addresses import address_parts, clamped, clamped_one, is_uniform, row_major
from kcheck.runtime.interpreter.frames import Lanes, Source
from kcheck.runtime.interpreter.numbers import F0, F1, float_to_int
from kcheck.runtime.interpreter.values import Value, a_float, an_int, component, expand, map_pairs, tidy
from kcheck.runtime.layout import AnyArray

_HALF = a_float(0.5)


def load(elements: Value, lanes: Lanes) -> Value:
    """The elements at the lanes' own places."""
    if isinstance(elements, tuple):
        return tuple([load(part, lanes) for part in elements])
    if lanes.numbers is not None:
        return _gather(elements, lanes.numbers)
    if lanes.count == 1:
        return element_at(elements, lanes.first)
    return tidy(elements[lanes.first : lanes.first + lanes.count])


def read_at(source: Source, address: Sequence[AnyArray]) -> Value:
    """The elements nearest to an address (as in the IR); there is at least one."""
    parts = address_parts(address)
    if is_uniform(parts):
        return element_at(source.elements, clamped_one(parts, source.size))
    return gather(source.elements, clamped(parts, source.size))


def element_at(elements: Value, position: int) -> Value:
    """The element at a position, as a uniform value."""
    if isinstance(elements, tuple):
        return tuple([element_at(part, position) for part in elements])
    return elements[position] if elements.ndim == 1 else elements[position : position + 1]


def gather(elements: Value, positions: AnyArray) -> Value:
    """The elements at these positions (in range, per lane or uniform)."""
    if isinstance(elements, tuple):
        return tuple([gather(part, positions) for part in elements])
    return _gather(elements, positions)


def _gather(elements: AnyArray, positions: AnyArray) -> AnyArray:
    return tidy(np.take(elements, positions.reshape(-1), axis=0))


def filtered(source: Source, position: AnyArray) -> Value:
    """Linear filtering at a normalised position: a lerp along x, then y, then z."""
    parts = [position] if position.ndim < 2 else [component(position, i) for i in range(position.shape[1])]
    axes = [_Axis(part, size) for part, size in zip(parts, source.size, strict=True)]
    return _mix_axes(source, axes, [])


class _Axis:
    """The two texels around a position along one axis, and how far it is from the first to the second."""

    __slots__ = ("high", "low", "t")

    def __init__(self, position: AnyArray, size: int) -> None:
        # Times 1 to make any NaN a quiet one, which fmax ignores; the sign of a zero does not matter here.
        bounded = np.fmin(np.fmax(position * F1, F0), F1)
        texel = bounded * a_float(size) - _HALF
        floor = np.floor(texel)
        # Rows may have so many elements that the next Float is not the next Int: the next texel is taken in Ints.
        first, last = float_to_int(floor), an_int(size - 1)
        self.t = texel - floor
        self.low = np.minimum(np.maximum(first, an_int(0)), last)
        self.high = np.minimum(first + an_int(1), last)


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

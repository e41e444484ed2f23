"""Fields: the arrays that are bound to ports, with their place in space."""

from __future__ import annotations

from dataclasses import dataclass
from operator import sub
from typing import Any

import numpy as np

from kcheck.checker import types
from kcheck.runtime.layout import AnyArray, field_shape


@dataclass(frozen=True, slots=True)
class Box:
    """A field's extent in space, x first."""

    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def size(self) -> tuple[float, ...]:
        return tuple(map(sub, self.high, self.low))


def default_box(shape: tuple[int, ...]) -> Box:
    """The box 0..size of a field with this NumPy shape (height before width)."""
    return Box((0.0,) * len(shape), tuple(map(float, reversed(shape))))


@dataclass(frozen=True, slots=True)
class Field:
    """`data` has the axes of the field (NumPy order, last axis fastest) and then those of its elements,
    with the dtypes of `layout`."""

    type: types.Field
    data: AnyArray
    extent: Box

    def to_xarray(self) -> Any:
        """A DataArray with the axes x, y, z and the centres of the elements as coordinates; needs xarray."""
        import xarray

        names = ("z", "y", "x")[-self.type.rank :]
        inner = [f"axis {i}" for i in range(self.data.ndim - self.type.rank)]
        spans = zip(names, reversed(self.extent.low), reversed(self.extent.size), self.shape, strict=True)
        coords = {name: low + (np.arange(n) + 0.5) * size / max(n, 1) for name, low, size, n in spans}
        return xarray.DataArray(self.data, coords, (*names, *inner))

    def to_arrow(self) -> Any:
        """A pyarrow Table with a column for each part of an element, as `position.x`; for rows without enums."""
        from kcheck.runtime.values import columns, tables

        if not tables.fits(self.type):
            raise TypeError(f"a table holds rows of anything but enums, not {self.type}")
        return columns.to_table(self)

    @property
    def shape(self) -> tuple[int, ...]:
        """The axes of the field, NumPy order: (n), (h, w), (d, h, w)."""
        return field_shape(self.type, self.data)


def field_of(type_: types.Field, data: AnyArray, extent: Box | None = None) -> Field:
    """A field over `data`, which already has the layout of `type_`."""
    return Field(type_, data, extent or default_box(field_shape(type_, data)))

"""Fields: the arrays that are bound to ports, with their place in space."""

from __future__ import annotations

from dataclasses import dataclass

from kcheck.checker import types
from kcheck.runtime.layout import AnyArray, field_shape


@dataclass(frozen=True, slots=True)
class Box:
    """A field's extent in space, x first."""

    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def size(self) -> tuple[float, ...]:
        return tuple(high - low for low, high in zip(self.low, self.high, strict=True))


def default_box(shape: tuple[int, ...]) -> Box:
    """The box 0..size of a field with this NumPy shape (height before width)."""
    return Box((0.0,) * len(shape), tuple(float(n) for n in reversed(shape)))


@dataclass(frozen=True, slots=True)
class Field:
    """`data` has the axes of the field (NumPy order, last axis fastest) and then those of its elements,
    with the dtypes of `layout`."""

    type: types.Field
    data: AnyArray
    extent: Box

    @property
    def shape(self) -> tuple[int, ...]:
        """The axes of the field, NumPy order: (n), (h, w), (d, h, w)."""
        return field_shape(self.type, self.data)


def field_of(type_: types.Field, data: AnyArray, extent: Box | None = None) -> Field:
    """A field over `data`, which already has the layout of `type_`."""
    return Field(type_, data, extent or default_box(field_shape(type_, data)))

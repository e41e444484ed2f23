"""The one way in: what is given for a port or param becomes its array, or a K7 error that names it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol, TypeAlias, cast

import numpy as np

from kcheck.checker import rules, types
from kcheck.checker.bindings import BoundValue, FileValue, Generated
from kcheck.runtime.fields import Field, field_of
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.resident import DeviceArray
from kcheck.runtime.values.arrays import from_array
from kcheck.runtime.values.foreign import Found, from_foreign, is_foreign
from kcheck.runtime.values.generators import generate
from kcheck.runtime.values.literals import from_literal
from kcheck.runtime.values.reading import Reading
from kcheck.runtime.values.slot import Slot


class SupportsArray(Protocol):
    """An array of another library: of torch, xarray, pandas, …"""

    def __array__(self, *args: Any, **options: Any) -> AnyArray: ...


Value: TypeAlias = "BoundValue | AnyArray | DeviceArray | Field | os.PathLike[str] | SupportsArray"
"""What may be given: a literal, a generator, a file's path, an array or table of NumPy or another library, or a field
of an earlier run."""


def take(slot: Slot, value: Value, reading: Reading) -> AnyArray:
    """The array of a value: the slot's axes, then those of its elements, with the dtypes of `layout`."""
    return _taken(slot, value, reading).array


def take_field(slot: Slot, value: Value, reading: Reading) -> Field:
    """The field that a value makes for a port; its extent is that of a given field, else 0..size."""
    assert isinstance(slot.type, types.Field)
    if isinstance(value, DeviceArray):
        return value.field(slot)
    if isinstance(value, Field) and value.type == slot.type:
        return value
    found = _taken(slot, value, reading)
    return field_of(slot.type, found.array, found.extent)


def _taken(slot: Slot, value: Value, reading: Reading) -> Found:
    match value:
        case Field():
            if value.type != slot.type:
                raise slot.error(rules.VALUE_DOES_NOT_FIT, f"got a field of {value.type}")
            return Found(value.data, value.extent)
        case np.ndarray():
            return Found(from_array(slot, value))
        case FileValue():
            return Found(_from_file(slot, value.path, reading))
        case os.PathLike():
            return Found(_from_file(slot, os.fspath(value), reading))
        case Generated():
            return Found(generate(slot, value))
        case np.generic():
            return Found(from_literal(slot, plain(value)))
        case _ if is_foreign(value):
            found = from_foreign(slot, value)
            return replace(found, array=from_array(slot, found.array))
        case _:
            return Found(from_literal(slot, plain(value)))


def _from_file(slot: Slot, written: str, reading: Reading) -> AnyArray:
    from kcheck.runtime.values.files import read

    found = read(slot, written, reading)
    return from_array(slot, found) if isinstance(found, np.ndarray) else from_literal(slot, found)


def plain(value: object) -> BoundValue:
    """A literal in plain Python: tuples are lists, NumPy's numbers and arrays Python's."""
    match value:
        case np.generic() | np.ndarray():
            return cast(BoundValue, value.tolist())
        case list() | tuple():
            return [plain(item) for item in value]
        case Mapping():
            return {str(key): plain(item) for key, item in value.items()}
        case _:
            return cast(BoundValue, value)

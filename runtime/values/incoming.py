"""The one way in: what is given for a port or param becomes its array, or a K7 error that names it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, cast

import numpy as np

from kcheck.checker import rules, types
from kcheck.checker.bindings import BoundValue, FileValue, Generated
from kcheck.runtime.fields import Box, Field, field_of
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.arrays import from_array
from kcheck.runtime.values.generators import generate
from kcheck.runtime.values.literals import from_literal
from kcheck.runtime.values.slot import Slot

Value: TypeAlias = "BoundValue | AnyArray | Field | os.PathLike[str]"
"""What may be given: a literal, a generator, a file's path, a NumPy array or a field of an earlier run."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How files are read: paths are relative to `folder`; `srgb` takes pictures as they are stored."""

    folder: Path = Path()
    srgb: bool = False


def take(slot: Slot, value: Value, reading: Reading) -> AnyArray:
    """The array of a value: the slot's axes, then those of its elements, with the dtypes of `layout`."""
    match value:
        case Field():
            if value.type != slot.type:
                raise slot.error(rules.VALUE_DOES_NOT_FIT, f"got a field of {value.type}")
            return value.data
        case np.ndarray():
            return from_array(slot, value)
        case FileValue():
            return _from_file(slot, value.path, reading)
        case os.PathLike():
            return _from_file(slot, os.fspath(value), reading)
        case Generated():
            return generate(slot, value)
        case _:
            return from_literal(slot, plain(value))


def take_field(slot: Slot, value: Value, reading: Reading) -> Field:
    """The field that a value makes for a port; its extent is that of a given field, else 0..size."""
    assert isinstance(slot.type, types.Field)
    extent: Box | None = value.extent if isinstance(value, Field) else None
    return field_of(slot.type, take(slot, value, reading), extent)


def _from_file(slot: Slot, written: str, reading: Reading) -> AnyArray:
    from kcheck.runtime.values.files import read

    found = read(slot, written, reading.folder, srgb=reading.srgb)
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

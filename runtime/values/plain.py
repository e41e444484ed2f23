"""Fields as plain Python values, as JSON output writes them.

Structs are dicts, vectors and arrays lists, matrices lists of columns, an enum its variant's name or
`{variant: {field: value}}`.  Floats have the fewest digits that give the same 32 bits back; NaN and the
infinities, which JSON lacks, are the strings "NaN", "Infinity" and "-Infinity".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from kcheck.checker.types import Array, Enum, Mat, Scalar, Struct, Type, Unit, Vec
from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray, inner_shape


def field_document(field: Field) -> dict[str, Any]:
    """`{"type": "Rows<Int>", "shape": [3], "values": [1, 3, 6]}`; `shape` has the field's axes, as NumPy."""
    return {"type": str(field.type), "shape": list(field.shape), "values": to_plain(field)}


def to_plain(field: Field) -> Any:
    """The values, nested by the axes of the field: rows of rows for a grid."""
    return _nested(elements(field), field.shape)


def elements(field: Field) -> list[Any]:
    """The elements in row-major order."""
    return _column(field.type.element, field.data.reshape(-1, *inner_shape(field.type.element)))


def _nested(flat: list[Any], shape: tuple[int, ...]) -> Any:
    for length in reversed(shape[1:]):
        flat = [flat[i : i + length] for i in range(0, len(flat), length)] if length else []
    return flat if flat or len(shape) < 2 or not shape[0] else [_nested([], shape[1:]) for _ in range(shape[0])]


def _column(type_: Type, data: AnyArray) -> list[Any]:
    """The plain values of `(n, *inner_shape)`."""
    match type_:
        case Scalar():
            return floats(data) if type_ is Scalar.FLOAT else data.tolist()
        case Vec(size=size):
            return _chunks(_column(Scalar.FLOAT, data.reshape(-1)), size)
        case Mat(size=size):
            return _chunks(_column(Vec(size), data.reshape(-1, size)), size)
        case Array(element=element, length=length):
            return _chunks(_column(element, data.reshape(-1, *inner_shape(element))), length)
        case Struct(fields=fields):
            columns = {field.name: _column(field.type, data[field.name]) for field in fields}
            return [{name: column[i] for name, column in columns.items()} for i in range(len(data))]
        case Enum():
            return _enums(type_, data)
        case Unit():
            raise TypeError("no value has this type")


def _chunks(values: list[Any], size: int) -> list[Any]:
    return [values[i : i + size] for i in range(0, len(values), size)]


def _enums(type_: Enum, data: AnyArray) -> list[Any]:
    plain: list[Any] = [type_.variants[tag].name for tag in data["tag"].tolist()]
    for tag, variant in enumerate(type_.variants):
        if variant.fields:
            where = np.flatnonzero(data["tag"] == tag).tolist()
            payload = data[variant.name][where]
            columns = {field.name: _column(field.type, payload[field.name]) for field in variant.fields}
            for row, i in enumerate(where):
                plain[i] = {variant.name: {name: column[row] for name, column in columns.items()}}
    return plain


def floats(data: AnyArray) -> list[Any]:
    """Float32 values as Python floats whose `repr` is the shortest that means the same Float."""
    plain: list[Any] = list(map(float, data.astype("S").tolist()))
    for i in np.flatnonzero(~np.isfinite(data)).tolist():
        plain[i] = special(plain[i])
    return plain


def special(value: float) -> str:
    """How a float that is not finite is spelled."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"

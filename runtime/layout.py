"""How values of each type lie in NumPy arrays (language.md, section 2)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from kcheck.checker.types import BOOL, FLOAT, INT, Array, Enum, Field, Mat, Scalar, Struct, Type, Unit, Vec

AnyArray = npt.NDArray[Any]

SCALAR_DTYPES: dict[Scalar, np.dtype[Any]] = {
    BOOL: np.dtype(np.bool_),
    INT: np.dtype(np.int32),
    FLOAT: np.dtype(np.float32),
}


@lru_cache(maxsize=1024)
def base_dtype(type_: Type) -> np.dtype[Any]:
    """The dtype of an array's items, the axes of vectors, matrices and arrays left out."""
    match type_:
        case Scalar():
            return SCALAR_DTYPES[type_]
        case Vec() | Mat():
            return SCALAR_DTYPES[FLOAT]
        case Array():
            return base_dtype(type_.element)
        case Struct():
            return np.dtype([(f.name, packed_dtype(f.type)) for f in type_.fields])
        case Enum():
            payloads = [
                (v.name, np.dtype([(f.name, packed_dtype(f.type)) for f in v.fields]))
                for v in type_.variants
                if v.fields
            ]
            return np.dtype([("tag", np.dtype(np.int32)), *payloads])
        case Unit():
            raise TypeError("no value has this type")


@lru_cache(maxsize=1024)
def inner_shape(type_: Type) -> tuple[int, ...]:
    """The axes that a value of this type adds behind those of its field."""
    match type_:
        case Vec():
            return (type_.size,)
        case Mat():
            return (type_.size, type_.size)
        case Array():
            return (type_.length, *inner_shape(type_.element))
        case _:
            return ()


def packed_dtype(type_: Type) -> np.dtype[Any]:
    """One dtype for a whole value, with sub-arrays, for use as a field of a structured dtype."""
    shape = inner_shape(type_)
    return np.dtype((base_dtype(type_), shape)) if shape else base_dtype(type_)


def zeros(type_: Type, shape: tuple[int, ...]) -> AnyArray:
    """A field's array of this shape in which every bit is zero."""
    return np.zeros(shape + inner_shape(type_), base_dtype(type_))


def field_shape(type_: Field, data: AnyArray) -> tuple[int, ...]:
    """The axes of the field alone, without those of its elements."""
    return data.shape[: type_.rank]

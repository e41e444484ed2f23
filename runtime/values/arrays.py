"""NumPy arrays to arrays of a slot: without a copy where dtype and layout fit, and only by exact conversions.

Integers become Ints where all of them fit, Floats are rounded to 32 bits, structured arrays fit structs by
the names of their fields (in any order).  Nothing is truncated, wrapped or guessed.
"""

from __future__ import annotations

import numpy as np

from kcheck.checker import rules
from kcheck.checker.near import did_you_mean
from kcheck.checker.types import Array, Enum, FieldOf, Mat, Scalar, Struct, Type, Unit, Vec, contains_enum
from kcheck.runtime.errors import RunError
from kcheck.runtime.layout import AnyArray, base_dtype, inner_shape, zeros
from kcheck.runtime.values.literals import INT_MAX, INT_MIN
from kcheck.runtime.values.sizes import check_limits
from kcheck.runtime.values.slot import Slot


def from_array(slot: Slot, array: AnyArray) -> AnyArray:
    """`array` with the dtype and in the layout of `slot`; `array` itself where it has them already."""
    if isinstance(array, np.ma.MaskedArray):
        raise _unfit(slot, "a masked array says where there is no value, and a field has one everywhere; fill it first")
    inner = inner_shape(slot.element)
    if array.ndim != slot.rank + len(inner) or array.shape[slot.rank :] != inner:
        raise slot.error(rules.SHAPE_MISMATCH, f"got an array of shape {array.shape}, needs {_wanted(slot)}")
    check_limits(slot, array.shape[: slot.rank])
    if array.dtype == base_dtype(slot.element) and not contains_enum(slot.element):
        return np.ascontiguousarray(array).reshape(array.shape)
    return _converted(slot, slot.element, array, slot.name)


def _wanted(slot: Slot) -> str:
    """The NumPy shape that a slot takes, for messages: `(h, w, 4)`."""
    axes = {0: (), 1: ("n",), 2: ("h", "w"), 3: ("d", "h", "w")}[slot.rank]
    names = [*axes, *(str(n) for n in inner_shape(slot.element))]
    return "(" + ", ".join(names) + ("," if len(names) == 1 else "") + ")"


def _converted(slot: Slot, type_: Type, array: AnyArray, place: str) -> AnyArray:
    """A new array of `type_`'s dtype; the shape is right already."""
    match type_:
        case Scalar():
            return scalars(slot, type_, array, place)
        case Vec() | Mat():
            return scalars(slot, Scalar.FLOAT, array, place)
        case Array(element=element):
            return _converted(slot, element, array, place)
        case Struct():
            made = zeros(type_, array.shape)
            _copy_fields(slot, type_.name, type_.fields, array, made, place)
            return made
        case Enum():
            return _enums(slot, type_, array, place)
        case Unit():
            raise TypeError("no value has this type")


def scalars(slot: Slot, scalar: Scalar, array: AnyArray, place: str) -> AnyArray:
    """Numbers or Bools of any dtype as those of a scalar; refuses what would lose something."""
    kind = array.dtype.kind
    match scalar:
        case Scalar.BOOL if kind == "b":
            return np.array(array, np.bool_, order="C")
        case Scalar.INT if kind in "iu":
            return _ints(slot, array, place)
        case Scalar.FLOAT if kind in "iuf":
            return _floats(slot, array, place)
        case _:
            raise _unfit(slot, f"`{place}` is an array of {array.dtype}{_nan_in(array)}, {_NEEDS[scalar]}")


_NEEDS = {
    Scalar.BOOL: "but Bool takes arrays of bool only",
    Scalar.INT: "but Int takes arrays of integers only",
    Scalar.FLOAT: "but Float takes arrays of floats or integers only",
}


def _nan_in(array: AnyArray) -> str:
    return " that holds NaN" if array.dtype.kind == "f" and bool(np.isnan(array).any()) else ""


def _ints(slot: Slot, array: AnyArray, place: str) -> AnyArray:
    if array.size:
        low, high = int(array.min()), int(array.max())
        if low < INT_MIN or high > INT_MAX:
            odd = low if low < INT_MIN else high
            raise _unfit(slot, f"`{place}` holds {odd}, outside the Ints {INT_MIN}..{INT_MAX}")
    return np.array(array, np.int32, order="C")


def _floats(slot: Slot, array: AnyArray, place: str) -> AnyArray:
    with np.errstate(over="ignore"):
        narrow = np.array(array, np.float32, order="C")
    if array.dtype.itemsize > 4 and array.dtype.kind == "f":
        lost = np.isinf(narrow) & np.isfinite(array)
        if lost.any():
            raise _unfit(slot, f"`{place}` holds {float(array[lost][0])!r}, too large for a Float")
    return narrow


def _copy_fields(
    slot: Slot, owner: str, fields: tuple[FieldOf, ...], array: AnyArray, into: AnyArray, place: str
) -> None:
    """Field by field from a structured array into another."""
    wanted = [field.name for field in fields]
    given = list(array.dtype.names or ())
    if sorted(wanted) != sorted(given):
        unknown = next((name for name in given if name not in wanted), "")
        raise _unfit(
            slot,
            f"`{place}` has {_got(array)}, but {owner} has {_names(wanted)}{did_you_mean(unknown, wanted)}",
        )
    for field in fields:
        part = array[field.name]
        inner = inner_shape(field.type)
        here = f"{place}.{field.name}"
        if part.shape != array.shape + inner:
            got = part.shape[array.ndim :]
            problem = f"`{here}` has the inner shape {got}, but {field.type} has {inner}"
            raise slot.error(rules.SHAPE_MISMATCH, problem)
        into[field.name] = _converted(slot, field.type, part, here)


def _enums(slot: Slot, type_: Enum, array: AnyArray, place: str) -> AnyArray:
    """Tags in range, and zeros in the payloads of the variants that are not chosen."""
    made = np.zeros(array.shape, base_dtype(type_))
    wanted, given = made.dtype.names or (), array.dtype.names or ()
    if sorted(wanted) != sorted(given):
        raise _unfit(slot, f"`{place}` has {_got(array)}, but {type_} has {_names(wanted)}")
    tags = scalars(slot, Scalar.INT, array["tag"], f"{place}.tag")
    if tags.size and not 0 <= tags.min() <= tags.max() < len(type_.variants):
        odd = int(tags.min()) if tags.min() < 0 else int(tags.max())
        raise _unfit(slot, f"`{place}.tag` holds {odd}, but {type_} has the variants 0..{len(type_.variants)}")
    made["tag"] = tags
    for tag, variant in enumerate(type_.variants):
        if variant.fields:
            here = tags == tag
            chosen = np.zeros(int(here.sum()), made.dtype[variant.name])
            owner, below = f"{type_}.{variant.name}", f"{place}.{variant.name}"
            _copy_fields(slot, owner, variant.fields, array[variant.name][here], chosen, below)
            made[variant.name][here] = chosen
    return made


def _got(array: AnyArray) -> str:
    return f"the fields {_names(array.dtype.names)}" if array.dtype.names else f"dtype {array.dtype}"


def _names(names: list[str] | tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _unfit(slot: Slot, problem: str) -> RunError:
    return slot.error(rules.VALUE_DOES_NOT_FIT, problem)

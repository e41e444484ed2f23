"""Nested literals to arrays: lists, numbers, objects, as JSON and the examples write them.

The axes of the field are read from the nesting and must be the same everywhere; then each leaf type is
converted as one column over all elements, so that a long literal costs a few passes, not a call per number.
Every message names the place: `source[2].position[0]`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, assert_never

import numpy as np

from kcheck.checker import rules
from kcheck.checker.bindings import BoundValue, FileValue, Generated
from kcheck.checker.near import did_you_mean
from kcheck.checker.rules.rule import Rule
from kcheck.checker.types import Array, Enum, FieldOf, Mat, Scalar, Struct, Type, Unit, Variant, Vec
from kcheck.runtime.errors import RunError
from kcheck.runtime.layout import AnyArray, base_dtype, inner_shape, zeros
from kcheck.runtime.values.sizes import check_limits
from kcheck.runtime.values.slot import Shape, Slot

INT_MIN, INT_MAX = -(1 << 31), (1 << 31) - 1

SPECIAL_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""How JSON output spells the floats that JSON has no numbers for; read back as Floats."""

Place: TypeAlias = Callable[[int], str]
"""Names the value at a position of a column."""


def from_literal(slot: Slot, value: BoundValue) -> AnyArray:
    """The array of a literal: the slot's axes, then those of its elements."""
    shape, elements = _elements(slot, value)
    check_limits(slot, shape)
    converted = convert_column(slot, slot.element, elements, lambda i: _indexed(slot, shape, i))
    return converted.reshape(shape + inner_shape(slot.element))


def convert_column(slot: Slot, type_: Type, values: Sequence[BoundValue], place: Place) -> AnyArray:
    """Values of one type as an array `(len(values), *inner_shape(type_))`."""
    return _Converter(slot).column(type_, values, place)


def _elements(slot: Slot, value: BoundValue) -> tuple[Shape, Sequence[BoundValue]]:
    """The field's axes, and its elements in one row."""
    level: Sequence[BoundValue] = [value]
    shape: Shape = ()
    for _ in range(slot.rank):
        lists = [_list(slot, item, shape, i) for i, item in enumerate(level)]
        length = len(lists[0]) if lists else 0
        for i, items in enumerate(lists):
            if len(items) != length:
                odd, first = _indexed(slot, shape, i), _indexed(slot, shape, 0)
                raise slot.error(
                    rules.SHAPE_MISMATCH, f"`{odd}` has {len(items)} elements where `{first}` has {length}"
                )
        shape = (*shape, length)
        level = [item for items in lists for item in items]
    return shape, level


def _list(slot: Slot, value: BoundValue, shape: Shape, position: int) -> list[BoundValue]:
    if isinstance(value, list):
        return value
    needed = {1: "a list", 2: "a list of rows", 3: "a list of layers of rows"}[slot.rank]
    raise slot.error(
        rules.SHAPE_MISMATCH if isinstance(value, int | float) else rules.VALUE_DOES_NOT_FIT,
        f"`{_indexed(slot, shape, position)}` is {shown(value)}, but {slot.type} needs {needed}",
    )


def _indexed(slot: Slot, shape: Shape, position: int) -> str:
    """`source[2][0]`, the element at a row-major position of `shape`."""
    steps = np.unravel_index(position, shape) if shape else ()
    return slot.name + "".join(f"[{step}]" for step in steps)


class _Converter:
    """Converts columns for one slot; all methods give `(len(values), *inner_shape(type))`."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot

    def column(self, type_: Type, values: Sequence[BoundValue], place: Place) -> AnyArray:
        match type_:
            case Scalar():
                return _SCALARS[type_](self, values, place)
            case Vec(size=size):
                return self._sequence(type_, Scalar.FLOAT, size, values, place)
            case Mat(size=size):
                return self._sequence(type_, Vec(size), size, values, place)
            case Array(element=element, length=length):
                return self._sequence(type_, element, length, values, place)
            case Struct():
                return self._structs(type_, values, place)
            case Enum():
                return self._enums(type_, values, place)
            case Unit():
                raise TypeError("no value has this type")
            case _:
                assert_never(type_)

    def _sequence(self, type_: Type, part: Type, length: int, values: Sequence[BoundValue], place: Place) -> AnyArray:
        parts: list[BoundValue] = []
        for i, value in enumerate(values):
            if not isinstance(value, list):
                raise self._unfit(f"`{place(i)}` is {shown(value)}, but a {type_} is a list of {length}")
            if len(value) != length:
                raise self._unfit(
                    f"`{place(i)}` has {len(value)} parts, but a {type_} has {length}", rules.SHAPE_MISMATCH
                )
            parts += value
        inner = self.column(part, parts, lambda i: f"{place(i // length)}[{i % length}]")
        return inner.reshape(len(values), *inner_shape(type_))

    def _structs(self, type_: Struct, values: Sequence[BoundValue], place: Place) -> AnyArray:
        array = zeros(type_, (len(values),))
        rows = [self._fields(type_.name, type_.fields, value, place, i) for i, value in enumerate(values)]
        self._fill(array, type_.fields, rows, place)
        return array

    def _fill(
        self,
        array: AnyArray,
        fields: Sequence[FieldOf],
        rows: Sequence[Mapping[str, BoundValue]],
        place: Place,
    ) -> None:
        for field in fields:
            named = _member(place, field.name)
            array[field.name] = self.column(field.type, [row[field.name] for row in rows], named)

    def _fields(
        self, owner: str, fields: Sequence[FieldOf], value: BoundValue, place: Place, i: int
    ) -> Mapping[str, BoundValue]:
        """`value` as an object that has exactly these fields."""
        names = [field.name for field in fields]
        if not isinstance(value, dict):
            wanted = ", ".join(names)
            raise self._unfit(f"`{place(i)}` is {shown(value)}, but {owner} is an object with {wanted or 'no fields'}")
        if missing := [name for name in names if name not in value]:
            raise self._unfit(f"`{place(i)}` lacks {_listed(missing)} of {owner}")
        if extra := [name for name in value if name not in names]:
            meant = did_you_mean(extra[0], names)
            raise self._unfit(f"`{place(i)}` has {_listed(extra)}, which {owner} has not{meant}")
        return value

    def _enums(self, type_: Enum, values: Sequence[BoundValue], place: Place) -> AnyArray:
        array = np.zeros(len(values), base_dtype(type_))
        chosen = [self._variant(type_, value, place, i) for i, value in enumerate(values)]
        array["tag"] = [tag for tag, _ in chosen]
        for tag, variant in enumerate(type_.variants):
            if variant.fields:
                where = [i for i, (found, _) in enumerate(chosen) if found == tag]
                payload = np.zeros(len(where), array.dtype[variant.name])
                at = _member(_picked(place, where), variant.name)
                self._fill(payload, variant.fields, [chosen[i][1] for i in where], at)
                array[variant.name][where] = payload
        return array

    def _variant(self, type_: Enum, value: BoundValue, place: Place, i: int) -> tuple[int, Mapping[str, BoundValue]]:
        """The tag and the payload of an enum's literal."""
        name, payload = _named_variant(value)
        tag = None if name is None else type_.index(name)
        if tag is None:
            known = [variant.name for variant in type_.variants]
            meant = did_you_mean(name, known) if name is not None else ""
            raise self._unfit(f"`{place(i)}` is {shown(value)}, but {type_} is one of {_listed(known)}{meant}")
        variant = type_.variants[tag]
        named = _member(place, variant.name)
        return tag, self._fields(_of(type_, variant), variant.fields, payload, named, i)

    def bools(self, values: Sequence[BoundValue], place: Place) -> AnyArray:
        for i, value in enumerate(values):
            if value is not True and value is not False:
                raise self._not_a("Bool", value, place(i), "true or false")
        return np.array(values, np.bool_)

    def ints(self, values: Sequence[BoundValue], place: Place) -> AnyArray:
        for i, value in enumerate(values):
            if type(value) is not int:
                raise self._not_a("Int", value, place(i), "a whole number, written without a point")
            if not INT_MIN <= value <= INT_MAX:
                raise self._unfit(f"`{place(i)}` is {shown(value)}, outside the Ints {INT_MIN}..{INT_MAX}")
        return np.array(values, np.int32)

    def floats(self, values: Sequence[BoundValue], place: Place) -> AnyArray:
        numbers = [self._number(value, place, i) for i, value in enumerate(values)]
        with np.errstate(over="ignore"):
            narrow = np.array(numbers, np.float64).astype(np.float32)
        for i in np.flatnonzero(np.isinf(narrow)).tolist():
            if not math.isinf(numbers[i]):
                raise self._unfit(f"`{place(i)}` is {shown(values[i])}, too large for a Float")
        return narrow

    def _number(self, value: BoundValue, place: Place, i: int) -> float:
        if type(value) is float:
            return value
        if type(value) is int:
            try:
                return float(value)
            except OverflowError:
                raise self._unfit(f"`{place(i)}` is {shown(value)}, too large for a Float") from None
        if isinstance(value, str) and value in SPECIAL_FLOATS:
            return SPECIAL_FLOATS[value]
        raise self._not_a("Float", value, place(i), "a number")

    def _not_a(self, wanted: str, value: BoundValue, place: str, written: str) -> RunError:
        if isinstance(value, list):
            return self._unfit(
                f"`{place}` is {shown(value)}, one bracket too deep: {self._slot.type} has {written} there",
                rules.SHAPE_MISMATCH,
            )
        article = "an" if wanted[0] in "AEIOU" else "a"
        return self._unfit(f"`{place}` is {shown(value)}, not {article} {wanted}: {written}")

    def _unfit(self, problem: str, rule: Rule = rules.VALUE_DOES_NOT_FIT) -> RunError:
        return self._slot.error(rule, problem)


_SCALARS: dict[Scalar, Callable[[_Converter, Sequence[BoundValue], Place], AnyArray]] = {
    Scalar.BOOL: _Converter.bools,
    Scalar.INT: _Converter.ints,
    Scalar.FLOAT: _Converter.floats,
}


def _named_variant(value: BoundValue) -> tuple[str | None, BoundValue]:
    if isinstance(value, str):
        return value, {}
    if isinstance(value, dict) and len(value) == 1:
        return next(iter(value.items()))
    return None, {}


def _of(type_: Enum, variant: Variant) -> str:
    return f"{type_}.{variant.name}"


def _member(place: Place, name: str) -> Place:
    return lambda i: f"{place(i)}.{name}"


def _picked(place: Place, positions: Sequence[int]) -> Place:
    return lambda i: place(positions[i])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def shown(value: Any) -> str:
    """A value in a few words, for messages."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value) if abs(value) < 10**20 else "a number of more than 20 digits"
        case float():
            return "NaN" if math.isnan(value) else repr(value).replace("inf", "Infinity")
        case str():
            return f'"{value}"' if len(value) < 60 else "a long text"
        case list():
            return "an empty list" if not value else f"a list of {len(value)}"
        case dict():
            return "an object"
        case FileValue():
            return f"the file {value.path}"
        case Generated():
            return f"{value.kind}(…)"
        case None:
            return "null"
        case _:
            return f"a {type(value).__name__}"

"""Values of runs as plain Python, and how an actual one is held to an expected one.

Plain values are what `kcheck run --format json` shows: numbers and booleans, vectors and arrays as lists, matrices
as lists of columns, structs as dicts, enums as `"Dot"` or `{"Disc": {"r": 1.0}}`.  NaN and the infinities may be
written as strings where a value comes from JSON.
"""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kcheck.checker import types
from kcheck.runtime.fields import Field

NAMED_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@dataclass(frozen=True)
class Tolerance:
    """How far a Float may be from what is expected; without `ulp` and `relative` it has the very same bits."""

    ulp: float | None = None
    relative: float | None = None


EXACT = Tolerance()


def plain(field: Field) -> Any:
    """The contents of a field as nested lists of plain values."""
    return _elements(field.type.element, field.data, field.type.rank)


def differences(got: Any, want: Any, tolerance: Tolerance = EXACT, where: str = "") -> Iterator[str]:
    """A line for each place where `got` is not `want`.

    `got` decides what kind of number stands at a place: a bool, an int and a float are never the same.
    """
    if isinstance(got, float) and isinstance(want, int | float | str) and not isinstance(want, bool):
        if not _same_float(got, _named(want), tolerance):
            yield f"{where}: got {got!r}, expected {want!r}"
    elif isinstance(got, list) and isinstance(want, list) and len(got) == len(want):
        if got == want and set(map(type, got)) == set(map(type, want)) == {int}:
            return  # long rows of Ints
        for i, (g, w) in enumerate(zip(got, want, strict=True)):
            yield from differences(g, w, tolerance, f"{where}[{i}]")
    elif isinstance(got, dict) and isinstance(want, dict) and got.keys() == want.keys():
        for key in got:
            yield from differences(got[key], want[key], tolerance, f"{where}.{key}")
    elif type(got) is not type(want) or got != want or isinstance(got, list | dict):
        yield f"{where}: got {got!r}, expected {want!r}"


def numbers(value: Any) -> Any:
    """`value` with the strings that stand for NaN and the infinities as floats."""
    match value:
        case str():
            return NAMED_FLOATS.get(value, value)
        case list():
            return [numbers(v) for v in value]
        case dict():
            return {key: numbers(v) for key, v in value.items()}
        case _:
            return value


def f32(x: float) -> float:
    """`x` rounded to the nearest Float, halves to even; too large ones become infinite."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", x))[0])
    except OverflowError:
        return math.copysign(math.inf, x)


def ulp(x: float) -> float:
    """The distance between Floats around `x`."""
    if x == 0.0 or not math.isfinite(x):
        return 2.0**-149
    return 2.0 ** (max(math.frexp(x)[1] - 24, -149))


def _elements(type_: types.Type, data: Any, depth: int) -> Any:
    if depth > 1:
        return [_elements(type_, part, depth - 1) for part in data]
    return _row(type_, data)


def _row(type_: types.Type, data: Any) -> list[Any]:
    """The values of a row of elements, all at once for the sake of long rows."""
    match type_:
        case types.Scalar():
            assert data.dtype == {"Bool": np.bool_, "Int": np.int32, "Float": np.float32}[type_.value]
            return list(data.tolist())
        case types.Struct():
            names = [f.name for f in type_.fields]
            columns = [_row(f.type, data[f.name]) for f in type_.fields]
            return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]
        case types.Enum():
            return [_variant(type_, item) for item in data]
        case _:
            columns = [_row(part, data[:, i]) for i, part in enumerate(types.parts(type_))]
            return [list(values) for values in zip(*columns, strict=True)]


def _variant(type_: types.Enum, item: Any) -> Any:
    variant = type_.variants[int(item["tag"])]
    if not variant.fields:
        return variant.name
    payload = item[variant.name]
    values = {f.name: _row(f.type, payload[f.name][np.newaxis])[0] for f in variant.fields}
    return {variant.name: values}


def _same_float(got: float, want: float, tolerance: Tolerance) -> bool:
    if math.isnan(got) or math.isnan(want):
        return math.isnan(got) and math.isnan(want)
    rounded = f32(want)
    if got == rounded:
        return got != 0.0 or math.copysign(1.0, got) == math.copysign(1.0, want)
    if math.isinf(got) or math.isinf(rounded):
        return False
    error = abs(got - want)
    if tolerance.ulp is not None:
        return error <= tolerance.ulp * ulp(want)
    return tolerance.relative is not None and error <= tolerance.relative * abs(want)


def _named(want: int | float | str) -> float:
    return NAMED_FLOATS[want] if isinstance(want, str) else float(want)

"""Fields as plain values, and the way there and back."""

import json
import math
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.checker import types
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Enum, Mat, Scalar, Struct, Type, Vec
from kcheck.runtime.fields import field_of
from kcheck.runtime.layout import zeros
from kcheck.runtime.values.literals import from_literal
from kcheck.runtime.values.plain import field_document, floats, to_plain
from tests.runtime.slots import ALL_TYPES, SHAPE, slot


def plain_of(rank: int, element: Type, literal: Any) -> Any:
    return to_plain(field_of(types.Field(rank, element), from_literal(slot(rank, element), literal)))


@pytest.mark.parametrize(
    ("rank", "element", "literal"),
    [
        (1, INT, [1, -2]),
        (1, BOOL, [True]),
        (2, FLOAT, [[0.5, 0.1], [3.0, 1e20]]),
        (3, INT, [[[1, 2], [3, 4]]]),
        (1, Mat(2), [[[1.0, 2.0], [3.0, 4.0]]]),
        (2, Vec(2), [[[1.0, 2.0]]]),
        (1, Array(Array(INT, 2), 1), [[[1, 2]]]),
        (1, SHAPE, ["Dot", {"Disc": {"r": 0.1, "filled": True}}, {"Box": {"size": [1.0, 2.0]}}]),
    ],
)
def test_literals_come_back(rank: int, element: Type, literal: Any) -> None:
    assert plain_of(rank, element, literal) == literal


@pytest.mark.parametrize(
    ("rank", "shape", "expected"), [(1, (0,), []), (2, (0, 3), []), (2, (2, 0), [[], []]), (3, (1, 2, 0), [[[], []]])]
)
def test_empty_fields(rank: int, shape: tuple[int, ...], expected: Any) -> None:
    assert to_plain(field_of(types.Field(rank, INT), zeros(INT, shape))) == expected


def test_document_is_json_that_keeps_the_sign_of_zero() -> None:
    field = field_of(types.Field(1, FLOAT), np.array([-0.0, 0.1, np.nan, np.inf, -np.inf], np.float32))
    assert json.dumps(field_document(field), allow_nan=False) == (
        '{"type": "Rows<Float>", "shape": [5], "values": [-0.0, 0.1, "NaN", "Infinity", "-Infinity"]}'
    )


def test_shape_counts_the_axes_of_the_field_alone() -> None:
    assert field_document(field_of(types.Field(2, Vec(4)), zeros(Vec(4), (2, 3))))["shape"] == [2, 3]


@given(st.integers(0, 2**32 - 1))
def test_floats_are_the_shortest_that_come_back(bits: int) -> None:
    value = np.frombuffer(struct.pack("<I", bits), np.float32)
    [plain] = floats(value)
    if math.isnan(value[0]):
        assert plain == "NaN"
    elif math.isinf(value[0]):
        assert plain in ("Infinity", "-Infinity")
    else:
        assert np.float32(plain).tobytes() == value.tobytes()
        digits = len(repr(plain).split("e")[0].replace(".", "").replace("-", "").strip("0"))
        assert digits <= 9


def values_of(type_: Type) -> st.SearchStrategy[Any]:
    match type_:
        case Scalar.BOOL:
            return st.booleans()
        case Scalar.INT:
            return st.integers(-(2**31), 2**31 - 1)
        case Scalar.FLOAT:
            return st.floats(width=32, allow_nan=False, allow_infinity=False) | st.sampled_from(["NaN", "-Infinity"])
        case Vec(size=n):
            return st.lists(values_of(FLOAT), min_size=n, max_size=n)
        case Mat(size=n):
            return st.lists(values_of(Vec(n)), min_size=n, max_size=n)
        case Array(element=element, length=n):
            return st.lists(values_of(element), min_size=n, max_size=n)
        case Struct(fields=fields):
            return st.fixed_dictionaries({f.name: values_of(f.type) for f in fields})
        case Enum(variants=variants):
            payloads = [
                st.fixed_dictionaries({v.name: st.fixed_dictionaries({f.name: values_of(f.type) for f in v.fields})})
                if v.fields
                else st.just(v.name)
                for v in variants
            ]
            return st.one_of(payloads)
        case _:
            raise AssertionError(type_)


@given(st.data(), st.sampled_from(ALL_TYPES), st.integers(0, 3), st.integers(1, 3))
def test_any_grid_comes_back(data: st.DataObject, element: Type, height: int, width: int) -> None:
    row = st.lists(values_of(element), min_size=width, max_size=width)
    literal = data.draw(st.lists(row, min_size=height, max_size=height))
    once = plain_of(2, element, literal)
    assert repr(plain_of(2, element, once)) == repr(once)
    assert as_floats32(once) == as_floats32(literal)


def as_floats32(value: Any) -> Any:
    """`value` with every float rounded to 32 bits."""
    match value:
        case float():
            return float(np.float32(value))
        case list():
            return [as_floats32(item) for item in value]
        case dict():
            return {key: as_floats32(item) for key, item in value.items()}
        case _:
            return value

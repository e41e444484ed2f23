"""Where two fields differ first, bit for bit."""

import math

import numpy as np
import pytest

from kcheck.checker import types
from kcheck.checker.types import FLOAT, INT, FieldOf, Struct, Type, Vec
from kcheck.runtime.comparison import differences, same_bits
from kcheck.runtime.fields import Field, field_of
from kcheck.runtime.layout import base_dtype

BODY = Struct("Body", "file.Body", (FieldOf("mass", INT), FieldOf("place", Vec(2))))


def field(element: Type, data: object, rank: int) -> Field:
    return field_of(types.Field(rank, element), np.array(data, base_dtype(element)))


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (1.0, 1.0, True),
        (1.0, 1.0 + 2.0**-23, False),
        (0.0, -0.0, False),
        (math.nan, math.nan, True),
        (math.nan, math.inf, False),
    ],
)
def test_same_bits(a: float, b: float, same: bool) -> None:
    assert same_bits(np.array([a], np.float32), np.array([b], np.float32)).tolist() == [same]


def test_all_nans_are_one() -> None:
    bits = np.array([0x7FC00000, 0xFFC00001], np.uint32).view(np.float32)
    assert same_bits(bits[:1], bits[1:]).all()


def test_equal_fields() -> None:
    assert differences(field(FLOAT, [1.0, math.nan], 1), field(FLOAT, [1.0, math.nan], 1), same_bits) == []


def test_the_first_place_of_a_grid() -> None:
    got, other = np.zeros((3, 4)), np.zeros((3, 4))
    got[1, 2], got[2, 0] = 0.5, 0.25
    [found] = differences(field(FLOAT, got, 2), field(FLOAT, other, 2), same_bits)
    assert (found.place(field(FLOAT, got, 2)), found.count, found.texts) == ((1, 2), 2, ("0.5", "0.0"))


def test_the_first_part_of_structs() -> None:
    got = np.zeros(3, base_dtype(BODY))
    other = got.copy()
    got["mass"][2], got["place"][1, 1] = 7, 0.1
    ours = field_of(types.Field(1, BODY), got)
    first, second = differences(ours, field_of(types.Field(1, BODY), other), same_bits)
    assert (first.steps(ours), first.texts) == ("[1].place.y", ("0.1", "0.0"))
    assert (second.steps(ours), second.texts) == ("[2].mass", ("7", "0"))

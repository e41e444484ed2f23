"""NumPy arrays: taken as they are where they fit, converted only where nothing is lost."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kcheck.checker.types import BOOL, FLOAT, INT, Mat, Type, Vec
from kcheck.runtime.errors import RunError
from kcheck.runtime.layout import base_dtype
from kcheck.runtime.values.arrays import from_array
from tests.runtime.slots import NESTED, PARTICLE, SHAPE, Refusal, slot

Array = npt.NDArray[Any]


def refused(rank: int, element: Type, array: Array) -> Refusal:
    with pytest.raises(RunError) as info:
        from_array(slot(rank, element), array)
    return Refusal(info)


@pytest.mark.parametrize(
    ("rank", "element", "array"),
    [
        (1, INT, np.zeros(3, np.int32)),
        (2, FLOAT, np.zeros((2, 3), np.float32)),
        (2, Vec(4), np.zeros((2, 3, 4), np.float32)),
        (1, BOOL, np.zeros(3, np.bool_)),
        (1, PARTICLE, np.zeros(3, base_dtype(PARTICLE))),
        (0, Mat(2), np.zeros((2, 2), np.float32)),
    ],
)
def test_what_fits_is_not_copied(rank: int, element: Type, array: Array) -> None:
    assert np.shares_memory(from_array(slot(rank, element), array), array)


def test_other_layouts_are_copied() -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3).T
    taken = from_array(slot(2, FLOAT), array)
    assert taken.flags.c_contiguous
    assert taken.tolist() == array.tolist()


@pytest.mark.parametrize("dtype", ["u1", "i1", "u2", "i8", "u8", ">i4"])
def test_integers_that_fit_are_ints(dtype: str) -> None:
    taken = from_array(slot(1, INT), np.array([0, 1, 100], dtype))
    assert taken.dtype == np.int32
    assert taken.tolist() == [0, 1, 100]


@pytest.mark.parametrize("array", [np.array([2**31]), np.array([-(2**31) - 1]), np.array([2**63], np.uint64)])
def test_integers_that_do_not_fit(array: Array) -> None:
    refusal = refused(1, INT, array)
    assert refusal.code == "K703"
    assert str(array[0]) in refusal.message


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", "u1", "i8"])
def test_numbers_are_floats(dtype: str) -> None:
    taken = from_array(slot(1, FLOAT), np.array([0, 1, 100], dtype))
    assert taken.dtype == np.dtype("=f4")
    assert taken.tolist() == [0.0, 1.0, 100.0]


def test_doubles_are_rounded_and_specials_stay() -> None:
    taken = from_array(slot(1, FLOAT), np.array([0.1, np.nan, np.inf, -np.inf]))
    assert taken[0] == np.float32(0.1)
    assert np.isnan(taken[1])
    assert taken[2:].tolist() == [np.inf, -np.inf]


def test_doubles_too_large() -> None:
    assert "1e+39" in refused(1, FLOAT, np.array([1.0, 1e39])).message


@pytest.mark.parametrize(
    ("element", "array"),
    [
        (INT, np.array([1.0, 2.0])),
        (INT, np.array([True])),
        (INT, np.array(["1"])),
        (INT, np.array([None])),
        (BOOL, np.array([0, 1])),
        (FLOAT, np.array([True])),
        (FLOAT, np.array([1j])),
        (FLOAT, np.array(["2020-01-01"], "M8[D]")),
        (PARTICLE, np.array([1.0])),
        (SHAPE, np.array([1.0])),
    ],
)
def test_other_kinds_are_refused(element: Type, array: Array) -> None:
    assert refused(1, element, array).code == "K703"


def test_nan_in_an_int_port_is_named() -> None:
    assert "NaN" in refused(1, INT, np.array([1.0, np.nan])).message


@pytest.mark.parametrize(
    ("rank", "element", "shape", "needs"),
    [
        (1, FLOAT, (2, 3), "(n,)"),
        (2, FLOAT, (2,), "(h, w)"),
        (2, Vec(4), (2, 3, 3), "(h, w, 4)"),
        (3, FLOAT, (2, 3), "(d, h, w)"),
        (1, Mat(2), (5, 2), "(n, 2, 2)"),
        (0, FLOAT, (1,), "()"),
    ],
)
def test_shapes_that_do_not_fit(rank: int, element: Type, shape: tuple[int, ...], needs: str) -> None:
    refusal = refused(rank, element, np.zeros(shape, np.float32))
    assert refusal.code == "K704"
    assert f"got an array of shape {shape}, needs {needs}" in refusal.message


def test_struct_fields_by_name_in_any_order() -> None:
    dtype = np.dtype([("id", "i8"), ("position", "f8", (2,)), ("mass", "f4")])
    array = np.array([(7, (1, 2), 3)], dtype)
    taken = from_array(slot(1, PARTICLE), array)
    assert taken.dtype == base_dtype(PARTICLE)
    assert taken["position"].tolist() == [[1, 2]]
    assert taken["id"].tolist() == [7]


def test_struct_with_other_names() -> None:
    array = np.zeros(1, [("id", "i4"), ("position", "f4", (2,)), ("weight", "f4")])
    refusal = refused(1, PARTICLE, array)
    assert refusal.code == "K703"
    assert "`weight`" in refusal.message


def test_struct_with_other_inner_shapes() -> None:
    array = np.zeros(1, [("id", "i4"), ("position", "f4", (3,)), ("mass", "f4")])
    assert refused(1, PARTICLE, array).code == "K704"


def test_enum_payloads_that_are_not_chosen_become_zero() -> None:
    array = np.zeros(3, base_dtype(SHAPE))
    array["tag"] = [0, 1, 2]
    array["Disc"]["r"] = 5.0
    taken = from_array(slot(1, SHAPE), array)
    assert taken["Disc"]["r"].tolist() == [0.0, 5.0, 0.0]
    assert array["Disc"]["r"].tolist() == [5.0, 5.0, 5.0]


@pytest.mark.parametrize("tag", [-1, 3])
def test_enum_tags_beyond_the_variants(tag: int) -> None:
    array = np.zeros(2, base_dtype(NESTED))
    array["shape"]["tag"][1] = tag
    refusal = refused(1, NESTED, array)
    assert refusal.code == "K703"
    assert f"`source.shape.tag` holds {tag}" in refusal.message


def test_empty_arrays() -> None:
    assert from_array(slot(1, INT), np.zeros(0, np.int64)).shape == (0,)
    assert from_array(slot(2, SHAPE), np.zeros((0, 4), base_dtype(SHAPE))).shape == (0, 4)

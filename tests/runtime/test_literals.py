"""Literals become arrays, or an error that names the place."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.checker.types import BOOL, FLOAT, INT, Array, Mat, Type, Vec
from kcheck.runtime.errors import RunError
from kcheck.runtime.layout import base_dtype, inner_shape
from kcheck.runtime.values.incoming import plain
from kcheck.runtime.values.literals import from_literal
from tests.runtime.slots import ALL_TYPES, NESTED, ORIGIN, PARTICLE, SHAPE, Refusal, slot


def refused(rank: int, element: Type, value: Any) -> Refusal:
    with pytest.raises(RunError) as info:
        from_literal(slot(rank, element), value)
    return Refusal(info)


@pytest.mark.parametrize(
    ("rank", "element", "value", "shape", "dtype"),
    [
        (1, INT, [1, 2, 3], (3,), np.int32),
        (1, INT, [], (0,), np.int32),
        (1, FLOAT, [1, 0.5, -0.0], (3,), np.float32),
        (1, BOOL, [True, False], (2,), np.bool_),
        (2, FLOAT, [[1, 2, 3], [4, 5, 6]], (2, 3), np.float32),
        (2, FLOAT, [], (0, 0), np.float32),
        (2, FLOAT, [[], []], (2, 0), np.float32),
        (3, INT, [[[1], [2]]], (1, 2, 1), np.int32),
        (1, Vec(2), [[1, 2], [3, 4]], (2, 2), np.float32),
        (2, Vec(3), [[[1, 2, 3]]], (1, 1, 3), np.float32),
        (1, Mat(2), [[[1, 2], [3, 4]]], (1, 2, 2), np.float32),
        (1, Array(INT, 2), [[1, 2]], (1, 2), np.int32),
        (0, FLOAT, 0.5, (), np.float32),
        (0, Vec(2), [1, 2], (2,), np.float32),
    ],
)
def test_shape_and_dtype(rank: int, element: Type, value: Any, shape: tuple[int, ...], dtype: type) -> None:
    array = from_literal(slot(rank, element), value)
    assert array.shape == shape
    assert array.dtype == dtype
    assert array.reshape(-1).tolist() == np.array(value, dtype).reshape(-1).tolist()


def test_negative_zero_stays() -> None:
    assert math.copysign(1.0, from_literal(slot(1, FLOAT), [-0.0])[0]) == -1.0


def test_floats_that_json_has_no_numbers_for() -> None:
    array = from_literal(slot(1, FLOAT), ["NaN", "Infinity", "-Infinity", math.nan])
    assert np.isnan(array[[0, 3]]).all()
    assert array[1:3].tolist() == [math.inf, -math.inf]


def test_matrices_are_lists_of_columns() -> None:
    array = from_literal(slot(0, Mat(2)), [[1, 2], [3, 4]])
    assert array[0].tolist() == [1.0, 2.0]  # the first column


def test_structs() -> None:
    array = from_literal(
        slot(1, PARTICLE), [{"position": [1, 2], "mass": 3, "id": 4}, {"id": 5, "mass": 0, "position": [0, 1]}]
    )
    assert array["position"].tolist() == [[1, 2], [0, 1]]
    assert array["mass"].tolist() == [3, 0]
    assert array["id"].tolist() == [4, 5]


def test_enums_leave_the_other_payloads_zero() -> None:
    array = from_literal(
        slot(1, SHAPE), ["Dot", {"Disc": {"r": 1.5, "filled": True}}, {"Box": {"size": [1, 2]}}, {"Dot": {}}]
    )
    assert array["tag"].tolist() == [0, 1, 2, 0]
    assert array["Disc"]["r"].tolist() == [0, 1.5, 0, 0]
    assert array["Disc"]["filled"].tolist() == [False, True, False, False]
    assert array["Box"]["size"].tolist() == [[0, 0], [0, 0], [1, 2], [0, 0]]


def test_enums_within_structs() -> None:
    array = from_literal(slot(1, NESTED), [{"shape": {"Disc": {"r": 2, "filled": False}}, "weights": [7, 8]}])
    assert array["shape"]["Disc"]["r"].tolist() == [2.0]
    assert array["weights"].tolist() == [[7, 8]]


@pytest.mark.parametrize("value", [0.5, 1.0, math.nan, True, "1", [1], {}, None, 2**31, -(2**31) - 1, 10**400])
def test_int_ports_take_whole_numbers_only(value: Any) -> None:
    refusal = refused(1, INT, [1, value])
    assert refusal.code == ("K704" if value == [1] else "K703")
    assert "`source[1]`" in refusal.message
    assert refusal.origin == ORIGIN


def test_int_limits_fit() -> None:
    assert from_literal(slot(1, INT), [2**31 - 1, -(2**31)]).tolist() == [2**31 - 1, -(2**31)]


@pytest.mark.parametrize("value", [1, 0, "true", None, 1.0])
def test_bool_ports_take_true_and_false_only(value: Any) -> None:
    assert refused(1, BOOL, [value]).code == "K703"


@pytest.mark.parametrize("value", [True, "x", None, 1e39, -1e39, 10**400, {}])
def test_float_ports_take_numbers_that_fit(value: Any) -> None:
    assert refused(1, FLOAT, [0, value]).code == "K703"


def test_largest_float_fits() -> None:
    assert from_literal(slot(0, FLOAT), 3.4028235e38).item() == np.finfo(np.float32).max


@pytest.mark.parametrize(
    ("rank", "element", "value", "says"),
    [
        (2, FLOAT, [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3]], "`source[2]` has 3 elements where `source[0]` has 4"),
        (3, FLOAT, [[[1], [2]], [[1]]], "`source[1]` has 1 elements where `source[0]` has 2"),
        (1, FLOAT, 5, "`source` is 5, but Rows<Float> needs a list"),
        (2, FLOAT, [1, 2], "`source[0]` is 1, but Grid<Float> needs a list of rows"),
        (1, FLOAT, [[1], [2]], "`source[0]` is a list of 1, one bracket too deep"),
        (1, Vec(3), [[1, 2, 3], [1, 2]], "`source[1]` has 2 parts, but a Vec3 has 3"),
        (1, Mat(2), [[[1, 2], [3]]], "`source[0][1]` has 1 parts, but a Vec2 has 2"),
    ],
)
def test_nesting_that_does_not_fit(rank: int, element: Type, value: Any, says: str) -> None:
    refusal = refused(rank, element, value)
    assert refusal.code == "K704"
    assert says in refusal.message


@pytest.mark.parametrize("value", ["x", {}, None])
def test_what_is_no_list(value: Any) -> None:
    refusal = refused(1, INT, value)
    assert refusal.code == "K703"
    assert "but Rows<Int> needs a list" in refusal.message


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"position": [0, 0], "mass": 1}, "`source[0]` lacks `id`"),
        ({"position": [0, 0], "mas": 1, "id": 0}, "lacks `mass`"),
        ({"position": [0, 0], "mass": 1, "id": 0, "mas": 1}, "has `mas`, which Particle has not; did you mean `mass`?"),
        ([0, 0], "but Particle is an object with position, mass, id"),
        ({"position": [0, "x"], "mass": 1, "id": 0}, '`source[0].position[1]` is "x", not a Float'),
    ],
)
def test_structs_that_do_not_fit(value: Any, says: str) -> None:
    refusal = refused(1, PARTICLE, [value])
    assert refusal.code == "K703"
    assert says in refusal.message


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("Dott", "did you mean `Dot`?"),
        ("Disc", "lacks `r`, `filled` of Shape.Disc"),
        ({"Disc": {"r": "big", "filled": True}}, '`source[0].Disc.r` is "big"'),
        ({"Dot": {"r": 1}}, "has `r`, which Shape.Dot has not"),
        ({"Dot": {}, "Disc": {}}, "is one of `Dot`, `Disc`, `Box`"),
        (3, "`source[0]` is 3, but Shape is one of"),
    ],
)
def test_enums_that_do_not_fit(value: Any, says: str) -> None:
    refusal = refused(1, SHAPE, [value])
    assert refusal.code == "K703"
    assert says in refusal.message


def test_numpy_numbers_in_lists_are_numbers() -> None:
    given = plain([np.float32(0.5), np.int64(2), (np.True_, np.arange(2))])
    assert given == [0.5, 2, [True, [0, 1]]]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["Dot", "Disc", "NaN"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["Disc", "r", "filled", "position", "mass", "id"]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(JSON, st.sampled_from(ALL_TYPES), st.integers(0, 3))
def test_any_literal_fits_or_is_refused(value: Any, element: Type, rank: int) -> None:
    array, code = None, None
    try:
        array = from_literal(slot(rank, element), value)
    except RunError as error:
        code = error.code
    if array is None:
        assert code in ("K703", "K704")
    else:
        assert array.ndim == rank + len(inner_shape(element))
        assert array.dtype == base_dtype(element)

"""What is shown of fields in few numbers and pixels, against NumPy, Pillow and values worked out by hand."""

import io
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image

from kcheck.checker import types
from kcheck.checker.types import BOOL, FLOAT, INT, FieldOf, Struct, Type, Vec
from kcheck.runtime.fields import Field, field_of
from kcheck.runtime.layout import base_dtype
from kcheck.runtime.views import changes as changes_module
from kcheck.runtime.views import statistics as statistics_module
from kcheck.runtime.views.changes import changes
from kcheck.runtime.views.pixels import pixels_of
from kcheck.runtime.views.plots import envelope
from kcheck.runtime.views.png import png, quick_png
from kcheck.runtime.views.statistics import finite_range, statistics

Array = npt.NDArray[Any]

NAN, INF = math.nan, math.inf


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that small fields have seams between blocks too."""
    monkeypatch.setattr(statistics_module, "_BLOCK", 10)
    monkeypatch.setattr(changes_module, "_BLOCK", 10)


def field(element: Type, data: object, rank: int = 2) -> Field:
    return field_of(types.Field(rank, element), np.array(data, base_dtype(element)))


# ---------------------------------------------------------------- statistics


def test_what_is_not_finite_is_counted_apart() -> None:
    found = statistics(np.array([1.0, NAN, 3.0, INF, -INF, NAN, 2.0], np.float32), 2)
    assert (found.count, found.low, found.high, found.mean) == (7, 1.0, 3.0, 2.0)
    assert (found.nans, found.infinite, found.bins) == (2, 2, (1, 2))


def test_nothing_finite() -> None:
    found = statistics(np.array([NAN, INF], np.float32), 4)
    assert (found.nans, found.infinite, found.bins) == (1, 1, ())
    assert math.isnan(found.low)
    assert math.isnan(found.mean)


def test_no_numbers() -> None:
    assert statistics(np.zeros((0, 3), np.float32), 4).count == 0


def test_equal_numbers_are_in_the_middle() -> None:
    assert statistics(np.full(25, 7, np.int32), 4).bins == (0, 0, 25, 0)


def test_bools() -> None:
    found = statistics(np.array([[True, False, True]]), 2)
    assert (found.low, found.high, found.mean, found.bins) == (0.0, 1.0, 2 / 3, (1, 2))


def test_floats_as_far_apart_as_there_are() -> None:
    most = np.finfo(np.float32).max
    assert statistics(np.array([-most, most, 0.0], np.float32), 4).bins == (1, 0, 1, 1)


def test_floats_as_close_as_there_are() -> None:
    tiny = np.finfo(np.float32).smallest_subnormal
    assert statistics(np.array([0.0, tiny], np.float32), 4).bins == (1, 0, 0, 1)
    made = pixels_of(FLOAT, np.array([[0.0, tiny]], np.float32), 10, means=True)
    assert made.samples.tolist() == [[0, 255]]


@pytest.mark.parametrize("shape", [(1000,), (7, 31), (3, 5, 8)])
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_statistics_against_numpy(shape: tuple[int, ...], dtype: type) -> None:
    values = np.random.default_rng(3).integers(-50, 78, shape).astype(dtype)
    found = statistics(values, 64)
    assert (found.low, found.high) == (values.min(), values.max())
    assert found.mean == pytest.approx(values.mean(dtype=np.float64))
    assert found.bins == tuple(np.histogram(values, 64)[0].tolist())


def test_parts_of_elements_that_lie_apart() -> None:
    values = np.random.default_rng(4).random((40, 30, 4), np.float32)[..., 1]
    found = statistics(values, 8)
    assert (found.low, found.high, sum(found.bins)) == (values.min(), values.max(), 1200)


def test_finite_range() -> None:
    assert finite_range(np.array([3.0, NAN, -2.0, INF], np.float32)) == (-2.0, 3.0)
    assert finite_range(np.array([NAN], np.float32)) == (0.0, 0.0)
    assert finite_range(np.zeros((0, 2), np.int32)) == (0.0, 0.0)


# ---------------------------------------------------------------- plots


def test_envelope_of_stretches() -> None:
    low, high = envelope(np.array([3, 1, 2, 9, 5, 7], np.int32), 3)
    assert (low.tolist(), high.tolist()) == ([1.0, 2.0, 5.0], [3.0, 9.0, 7.0])


def test_envelope_of_few() -> None:
    low, high = envelope(np.array([2.0, NAN], np.float32), 100)
    assert (low[0], high[0]) == (2.0, 2.0)
    assert np.isnan([low[1], high[1]]).all()


def test_envelope_leaves_nans_out() -> None:
    low, high = envelope(np.array([NAN, 4.0, NAN, NAN], np.float32), 2)
    assert (low[0], high[0]) == (4.0, 4.0)
    assert np.isnan(low[1])


@given(st.integers(1, 300), st.integers(1, 50))
def test_envelope_holds_every_number(count: int, most: int) -> None:
    values = np.random.default_rng(count).random(count, np.float32)
    low, high = envelope(values, most)
    assert len(low) == len(high) == min(count, most)
    assert (low.min(), high.max()) == (values.min(), values.max())


# ---------------------------------------------------------------- pictures


def test_numbers_from_the_least_to_the_greatest() -> None:
    made = pixels_of(FLOAT, np.array([[-1.0, 0.0], [1.0, -1.0]], np.float32), 10, means=True)
    assert made.samples.tolist() == [[0, 128], [255, 0]]
    assert (made.low, made.high, made.is_srgb, made.channels, made.step) == (-1.0, 1.0, False, 1, 1)


@pytest.mark.parametrize("means", [False, True])
def test_nan_is_magenta(means: bool) -> None:
    grey = pixels_of(FLOAT, np.array([[-1.0, 0.0], [1.0, NAN]], np.float32), 10, means=means)
    assert grey.samples.tolist() == [[[0] * 3, [128] * 3], [[255] * 3, [255, 0, 255]]]
    assert (grey.low, grey.high) == (-1.0, 1.0)
    lost = pixels_of(FLOAT, np.full((4, 4), NAN, np.float32), 2, means=means)
    assert lost.samples.tolist() == [[[255, 0, 255]] * 2] * 2
    pairs = pixels_of(Vec(2), np.array([[[0.0, 2.0], [NAN, 0.0]]], np.float32), 10, means=means)
    assert pairs.samples.tolist() == [[[0, 255, 0], [255, 0, 255]]]
    clear = np.array([[[0.0, NAN, 0.0, 0.0], [1.0, 1.0, 1.0, NAN]]], np.float32)
    assert pixels_of(Vec(4), clear, 10, means=means).samples.tolist() == [[[255, 0, 255, 255], [255, 255, 255, 0]]]


def test_infinities_are_at_the_ends() -> None:
    made = pixels_of(FLOAT, np.array([[-INF, 2.0, 4.0, INF]], np.float32), 10, means=True)
    assert made.samples.tolist() == [[0, 0, 255, 255]]


def test_the_greatest_floats() -> None:
    most = np.finfo(np.float32).max
    assert pixels_of(FLOAT, np.array([[-most, most, 0]], np.float32), 10, means=True).samples.tolist() == [
        [0, 255, 128]
    ]


def test_all_ints() -> None:
    made = pixels_of(INT, np.array([[-(2**31), 2**31 - 1]], np.int32), 10, means=True)
    assert (made.samples.tolist(), made.low, made.high) == ([[0, 255]], -(2.0**31), 2.0**31 - 1)


def test_bools_are_black_and_white() -> None:
    assert pixels_of(BOOL, np.array([[True, True], [False, True]]), 10, means=True).samples.tolist() == [
        [255, 255],
        [0, 255],
    ]


def test_equal_numbers_are_grey() -> None:
    assert pixels_of(FLOAT, np.full((2, 2), 5.0, np.float32), 10, means=True).samples.tolist() == [[128, 128]] * 2


def test_pairs_are_red_and_green() -> None:
    made = pixels_of(Vec(2), np.array([[[0.0, 2.0], [1.0, 0.0]]], np.float32), 10, means=True)
    assert made.samples.tolist() == [[[0, 255, 0], [128, 0, 0]]]
    assert (made.low, made.high) == (0.0, 2.0)


def test_colours_are_encoded() -> None:
    """0.2158605 is the light that sRGB stores as 128 (IEC 61966-2-1)."""
    made = pixels_of(Vec(3), np.array([[[0.2158605, 2.0, -1.0]]], np.float32), 10, means=True)
    assert (made.samples.tolist(), made.is_srgb, made.low, made.high) == ([[[128, 255, 0]]], True, 0.0, 1.0)


def test_alpha_stays_where_it_says_something() -> None:
    clear = np.array([[[0, 0, 0, 0.2], [0, 0, 0, 1]]], np.float32)
    assert pixels_of(Vec(4), clear, 10, means=True).samples.tolist() == [[[0, 0, 0, 51], [0, 0, 0, 255]]]
    assert pixels_of(Vec(4), np.ones((1, 2, 4), np.float32), 10, means=True).channels == 3


def test_large_grids_are_thinned() -> None:
    data = np.arange(35, dtype=np.float32).reshape(5, 7)
    made = pixels_of(FLOAT, data, 3, means=False)
    assert made.step == 3
    assert made.samples.tolist() == [[0, 23, 45], [158, 180, 203]]  # 7.5 times 0, 3, 6; 21, 24, 27


def test_large_grids_in_means() -> None:
    data = np.array([[0, 2, 8, 8, 9], [2, 0, 8, 8, 9]], np.float32)  # the last column is in no pair
    made = pixels_of(FLOAT, data, 3, means=True)
    assert (made.samples.tolist(), made.high) == ([[28, 227]], 9.0)


def test_means_against_numpy() -> None:
    data = np.random.default_rng(1).random((64, 96, 3), np.float32)
    made = pixels_of(Vec(3), data, 24, means=True)
    means = data.reshape(16, 4, 24, 4, 3).mean(axis=(1, 3), dtype=np.float64)
    expected = np.where(means <= 0.0031308, means * 12.92, 1.055 * means ** (1 / 2.4) - 0.055)
    assert np.abs(made.samples - expected * 255).max() < 0.51


def test_narrow_grids() -> None:
    made = pixels_of(FLOAT, np.arange(1000, dtype=np.float32).reshape(1, 1000), 10, means=True)
    assert made.samples.shape == (1, 10)


@pytest.mark.parametrize("level", [0, 1, 9])
@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (4, 1, 3), (2, 7, 4), (70, 90, 3)])
def test_png_as_pillow_reads_it(shape: tuple[int, ...], level: int) -> None:
    samples = np.random.default_rng(2).integers(0, 256, shape, np.uint8)
    with Image.open(io.BytesIO(png(samples, level))) as picture:
        assert picture.mode == {2: "L", 3: {3: "RGB", 4: "RGBA"}.get(shape[-1])}[len(shape)]
        assert np.array_equal(np.asarray(picture), samples)


def test_quick_pngs() -> None:
    random = np.random.default_rng(2)
    noise = random.integers(0, 256, (64, 80, 3), np.uint8)
    ramp = np.repeat(np.arange(200, dtype=np.uint8)[np.newaxis], 90, axis=0)
    grainy = np.clip(ramp + random.normal(0, 3, ramp.shape), 0, 255).astype(np.uint8)
    # What is left of a grainy pixel is its distance to the one before: 4.1 bits, for a deviation of 3 * sqrt(2).
    for samples, part in ((noise, 1.0), (ramp, 0.1), (grainy, 0.6), (ramp[:1, :1], 1.0)):
        file = quick_png(samples)
        assert len(file) < part * samples.size + 200
        with Image.open(io.BytesIO(file)) as picture:
            assert np.array_equal(np.asarray(picture), samples)


# ---------------------------------------------------------------- changes


def test_changes_of_numbers() -> None:
    got = field(FLOAT, [[1.0, 2.5], [NAN, 4.0]])
    found = changes(got, field(FLOAT, [[1.0, 2.0], [NAN, 7.0]]))
    assert (found.changed, found.largest, found.apart.tolist()) == (2, 3.0, [[0.0, 0.5], [0.0, 3.0]])


def test_changes_to_and_from_nan_and_infinity() -> None:
    got = field(FLOAT, [[NAN, INF, INF, -INF, 1.0]])
    found = changes(got, field(FLOAT, [[1.0, INF, -INF, -INF, NAN]]))
    assert (found.changed, found.apart.tolist()) == (3, [[INF, 0.0, INF, 0.0, INF]])


def test_the_sign_of_zero_is_no_change() -> None:
    assert changes(field(FLOAT, [[0.0]]), field(FLOAT, [[-0.0]])).changed == 0


def test_smallest_changes_count() -> None:
    tiny = float(np.finfo(np.float32).smallest_subnormal)
    assert changes(field(FLOAT, [[tiny]]), field(FLOAT, [[0.0]])).changed == 1
    assert changes(field(INT, [[2**31 - 1]]), field(INT, [[2**31 - 2]])).largest == 1.0
    assert changes(field(BOOL, [[True, False]]), field(BOOL, [[False, False]])).changed == 1


def test_an_element_changes_once() -> None:
    found = changes(field(Vec(2), [[[1.0, 5.0]]]), field(Vec(2), [[[0.0, 1.0]]]))
    assert (found.changed, found.apart.tolist()) == (1, [[4.0]])


def test_changes_of_structs() -> None:
    pair = Struct("Pair", "file.Pair", (FieldOf("a", INT), FieldOf("b", FLOAT)))
    found = changes(field(pair, [(1, 0.5), (2, 0.5)], 1), field(pair, [(1, 0.5), (9, 0.25)], 1))
    assert (found.changed, found.apart.tolist()) == (1, [0.0, 7.0])


def test_no_elements() -> None:
    found = changes(field(FLOAT, np.zeros((0, 4))), field(FLOAT, np.zeros((0, 4))))
    assert (found.changed, found.largest) == (0, 0.0)


@given(arrays.arrays(np.float32, (7, 3)), arrays.arrays(np.float32, (7, 3)))
def test_changes_against_numpy(got: Array, before: Array) -> None:
    differs = ~((got == before) | (np.isnan(got) & np.isnan(before)))
    found = changes(field(FLOAT, got), field(FLOAT, before))
    assert np.array_equal(found.apart > 0, differs)
    assert found.changed == np.count_nonzero(differs)

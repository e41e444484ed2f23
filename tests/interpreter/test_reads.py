"""Reading ports and places: addresses, filtering, sizes and extents."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kcheck.checker.types import FLOAT, Vec
from kcheck.checker.types import Field as FieldType
from kcheck.runtime.errors import RunError
from kcheck.runtime.fields import Box, field_of
from kcheck.runtime.layout import AnyArray
from tests.interpreter.build import kernel, outcome, run

NAN, INF = math.nan, math.inf


def floats(*values: float) -> AnyArray:
    return np.array(values, np.float32)


# ---------------------------------------------------------------- at


def test_int_addresses_clamp() -> None:
    source = kernel("input f: Rows<Int>; input i: Rows<Int>; output result: Rows<Int>;", "compute { at(f, sample(i)) }")
    at = np.array([-5, 0, 1, 2, 3, 2**31 - 1, -(2**31)], np.int32)
    want = [10, 10, 20, 30, 30, 30, 10]
    assert run(source, {"f": [10, 20, 30], "i": at}).tolist() == want
    for address, value in zip(at, want, strict=True):
        assert run(source, {"f": [10, 20, 30], "i": [address]}).tolist() == [value]


def test_float_addresses_floor_clamp_and_take_nan_as_zero() -> None:
    source = kernel(
        "input f: Grid<Int>; input p: Rows<Vec2>; output result: Rows<Int>;", "compute { at(f, sample(p)) }"
    )
    grid = np.array([[0, 1, 2], [10, 11, 12]], np.int32)
    points = [[0.9, 0.9], [1.0, 1.5], [-0.5, 0], [9, 9], [NAN, 1], [INF, -INF], [2, NAN], [-0.0, 1e30]]
    want = [0, 11, 0, 12, 10, 2, 2, 10]
    assert run(source, {"f": grid, "p": floats(*np.ravel(points)).reshape(-1, 2)}).tolist() == want
    for point, value in zip(points, want, strict=True):
        assert run(source, {"f": grid, "p": floats(*point).reshape(1, 2)}).tolist() == [value]


def test_addresses_by_axis() -> None:
    box = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    source = kernel(
        "input f: Volume<Int>; input x: Rows<Int>; input y: Rows<Int>; input z: Rows<Int>; output result: Rows<Int>;",
        "compute { at(f, sample(x), sample(y), sample(z)) + 100 * at(f, vec3(1.0, 2.0, float(sample(z)))) }",
    )
    x, y, z = [0, 3, 9, -1], [0, 2, 9, 1], [0, 1, 9, -7]
    want = []
    for i, j, k in zip(x, y, z, strict=True):
        ci, cj, ck = min(max(i, 0), 3), min(max(j, 0), 2), min(max(k, 0), 1)
        want.append(int(box[ck, cj, ci] + 100 * box[ck, 2, 1]))
    assert run(source, {"f": box, "x": x, "y": y, "z": z}).tolist() == want


def test_structs_are_read_whole() -> None:
    cell = np.dtype([("at", np.float32, 2), ("counts", np.int32, 3)])
    f = np.zeros(3, cell)
    f["at"], f["counts"] = [[1, 2], [3, 4], [5, 6]], [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    source = kernel(
        "input f: Rows<Cell>; input i: Rows<Int>; output result: Rows<Cell>;",
        "compute { var c = at(f, sample(i)); c.counts[1] = index(); c }",
        "struct Cell { at: Vec2; counts: [Int; 3]; }",
    )
    got = run(source, {"f": f, "i": [2, 0, 9, 1]})
    assert got["at"].tolist() == [[5, 6], [1, 2], [5, 6], [3, 4]]
    assert got["counts"].tolist() == [[7, 0, 9], [1, 1, 3], [7, 2, 9], [4, 3, 6]]


# ---------------------------------------------------------------- filtered sample


def lerp(a: np.float32, b: np.float32, t: np.float32) -> np.float32:
    return np.float32(a * np.float32(np.float32(1) - t)) + np.float32(b * t)


def texels(p: float, size: int) -> tuple[int, int, np.float32]:
    clamped = np.float32(0 if math.isnan(p) else min(max(p, 0.0), 1.0))
    u = np.float32(clamped * np.float32(size)) - np.float32(0.5)
    low = math.floor(u)
    return min(max(low, 0), size - 1), min(max(low + 1, 0), size - 1), np.float32(u - np.float32(low))


POSITIONS = [0.0, 0.1, 0.25, 0.5, 0.77, 1.0, -3.0, 7.0, NAN, INF, -INF, 1 / 3]


def test_filtering_along_rows() -> None:
    f = floats(0.1, 0.7, 0.2, 0.9, 0.4)
    source = kernel(
        "input f: Rows<Float>; input p: Rows<Float>; output result: Rows<Float>;",
        "compute { sample(f, sample(p)) }",
    )
    want = [lerp(f[i], f[j], t) for i, j, t in (texels(p, 5) for p in POSITIONS)]
    assert run(source, {"f": f, "p": floats(*POSITIONS)}).tolist() == [float(w) for w in want]
    single = [run(source, {"f": f, "p": floats(p)}).item() for p in POSITIONS]
    assert single == [float(w) for w in want]


def test_filtering_goes_x_then_y_then_z() -> None:
    rng = np.random.default_rng(5)
    f = rng.random((2, 3, 4), np.float32)
    points = np.array([(x, y, z) for x in POSITIONS for y in POSITIONS[:8] for z in POSITIONS[:9]], np.float32)
    source = kernel(
        "input f: Volume<Float>; input p: Rows<Vec3>; output result: Rows<Float>;",
        "compute { sample(f, sample(p)) }",
    )
    want = []
    for x, y, z in points:
        (x0, x1, tx), (y0, y1, ty), (z0, z1, tz) = texels(x, 4), texels(y, 3), texels(z, 2)
        planes = []
        for plane in (z0, z1):
            rows = [lerp(f[plane, row, x0], f[plane, row, x1], tx) for row in (y0, y1)]
            planes.append(lerp(rows[0], rows[1], ty))
        want.append(float(lerp(planes[0], planes[1], tz)))
    assert run(source, {"f": f, "p": points}).tolist() == want


def test_filtering_vectors_and_matrices() -> None:
    image = np.random.default_rng(6).random((3, 5, 4), np.float32)
    centres = kernel("input f: Image; output result: Image;", "compute { sample(f, place()) }")
    # At the centre of an element the filter gives the element, up to the rounding of the position.
    np.testing.assert_allclose(run(centres, {"f": image}, (5, 3)), image, atol=1e-6)
    mats = np.array([np.eye(2), 3 * np.eye(2)], np.float32)
    middle = kernel("input f: Rows<Mat2>; output result: Rows<Mat2>;", "compute { sample(f, 0.5) }")
    assert run(middle, {"f": mats}, (1,)).tolist() == [[[2, 0], [0, 2]]]


def test_filtered_read_of_an_empty_field() -> None:
    source = kernel("input f: Rows<Float>; output result: Rows<Float>;", "compute { sample(f, 0.5) }")
    with pytest.raises(RunError, match="K707"):
        run(source, {"f": floats()}, (2,))
    assert run(source, {"f": floats()}, (0,)).tolist() == []


# ---------------------------------------------------------------- places


def test_places_on_rows() -> None:
    source = kernel(
        "input f: Rows<Int>; output i: Rows<Int>; output c: Rows<Int>; output p: Rows<Float>; output d: Rows<Int>; "
        "output s: Rows<Int>;",
        "compute { { i: index(), c: coord(), p: place(), d: domain(), s: size(f) } }",
    )
    for count in (1, 4):
        got = outcome(source, {"f": [7, 8]}, (count,)).outputs
        assert got["i"].data.tolist() == got["c"].data.tolist() == list(range(count))
        assert got["p"].data.tolist() == [(i + 0.5) / count for i in range(count)]
        assert got["d"].data.tolist() == [count] * count
        assert got["s"].data.tolist() == [2] * count


def test_places_on_a_volume() -> None:
    source = kernel(
        "input f: Volume<Int>; output i: Volume<Int>; output c: Volume<Vec3>; output p: Volume<Vec3>; "
        "output d: Volume<Vec3>; output s: Volume<Vec3>;",
        "compute { { i: index(), c: coord(), p: place(), d: domain(), s: size(f) } }",
    )
    got = outcome(source, {"f": np.zeros((1, 2, 3), np.int32)}, (4, 2, 3)).outputs
    assert got["i"].data.tolist() == np.arange(24).reshape(3, 2, 4).tolist()
    assert got["c"].data[2, 1, 3].tolist() == [3, 1, 2]
    assert got["p"].data[2, 1, 3].tolist() == [float(np.float32(c)) for c in (3.5 / 4, 1.5 / 2, 2.5 / 3)]
    assert got["d"].data[0, 0, 0].tolist() == [4, 2, 3]
    assert got["s"].data[0, 0, 0].tolist() == [3, 2, 1]


# ---------------------------------------------------------------- extents

BOX = Box((-1.0, 2.0), (3.0, 10.0))


def test_maps_pass_on_the_extent_of_what_they_sample() -> None:
    source = kernel(
        "input a: Grid<Float>; input b: Grid<Float>; output result: Grid<Vec2>;",
        "compute { extent(a) + vec2(sample(a), sample(b)) }",
    )
    type_ = FieldType(2, FLOAT)
    zeros = np.zeros((2, 3), np.float32)
    a, b = field_of(type_, zeros, BOX), field_of(type_, zeros, BOX)
    got = outcome(source, {"a": a, "b": b}).outputs["result"]
    assert got.extent == BOX
    assert got.type == FieldType(2, Vec(2))
    assert got.data[0, 0].tolist() == [4, 8]
    other = outcome(source, {"a": a, "b": field_of(type_, zeros)}).outputs["result"]
    assert other.extent == Box((0.0, 0.0), (3.0, 2.0))


def test_scatter_passes_on_the_extent_of_its_target() -> None:
    source = kernel(
        "input x: Rows<Float>; input t: Grid<Float>; output result: Grid<Float>;",
        "scatter over x into t with sum { Pair { at: vec2(0.0, 0.0), value: sample(x) } }",
        "struct Pair { at: Vec2; value: Float; }",
    )
    target = field_of(FieldType(2, FLOAT), np.zeros((2, 3), np.float32), BOX)
    got = outcome(source, {"x": floats(1, 2), "t": target}).outputs["result"]
    assert got.extent == BOX
    assert got.data.tolist() == [[3, 0, 0], [0, 0, 0]]
    assert not target.data.any()

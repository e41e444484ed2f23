"""Built-ins that are not one operation of the machine."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp
from kcheck.checker.types import BOOL, FLOAT, INT, Mat, Type, Vec
from kcheck.runtime.interpreter.builtins import OPERATIONS
from kcheck.runtime.layout import AnyArray
from tests.checker.build import binary, call
from tests.interpreter.build import evaluate, evaluate_each, local

NAN, INF = math.nan, math.inf


def test_every_builtin_is_there() -> None:
    assert set(OPERATIONS) == set(Builtin)


def floats(*values: float) -> AnyArray:
    return np.array(values, np.float32)


def result(builtin: Builtin, *args: tuple[Type, object]) -> list[object]:
    """The built-in on rows of values, both many at once and one by one."""
    arrays = [(t, np.array(v, np.bool_ if t is BOOL else np.int32 if t is INT else np.float32)) for t, v in args]
    node = call(builtin, *[local(i, t) for i, (t, _) in enumerate(args)])
    many, each = evaluate(node, *arrays), evaluate_each(node, *arrays)
    np.testing.assert_array_equal(many, each)
    return many.tolist()


def same(got: list[object], want: list[object]) -> None:
    np.testing.assert_array_equal(np.array(got), np.array(want))


# ---------------------------------------------------------------- elementary

ELEMENTARY: dict[Builtin, Callable[[float], float]] = {
    Builtin.EXP: math.exp,
    Builtin.EXP2: math.exp2,
    Builtin.SIN: math.sin,
    Builtin.COS: math.cos,
    Builtin.TAN: math.tan,
    Builtin.ATAN: math.atan,
    Builtin.SINH: math.sinh,
    Builtin.COSH: math.cosh,
    Builtin.TANH: math.tanh,
}


@pytest.mark.parametrize("builtin", ELEMENTARY, ids=lambda b: b.name)
def test_elementary_function(builtin: Builtin) -> None:
    points = floats(*np.linspace(-20, 20, 101))
    got = np.array(result(builtin, (FLOAT, points)), np.float32)
    want = np.array([ELEMENTARY[builtin](float(x)) for x in points])
    # Within two units in the last place of a Float.
    assert (np.abs(got - want) <= 2 * np.spacing(np.abs(want).astype(np.float32))).all()


@pytest.mark.parametrize(
    ("builtin", "points", "want"),
    [
        (Builtin.LOG, [1, math.e, 0, -0.0, -1, INF, NAN], [0, 0.99999994, -INF, -INF, NAN, INF, NAN]),
        (Builtin.LOG2, [1, 8, 0.25, 0, -1, INF], [0, 3, -2, -INF, NAN, INF]),
        (Builtin.EXP, [0, -INF, INF, NAN, 100], [1, 0, INF, NAN, INF]),
        (Builtin.SIN, [0, INF, -INF, NAN], [0, NAN, NAN, NAN]),
        (Builtin.ASIN, [0, 1.5, -2], [0, NAN, NAN]),
        (Builtin.ACOS, [1, 1.5], [0, NAN]),
        (Builtin.INVERSESQRT, [4, 0.25, 0, INF, -1], [0.5, 2, INF, 0, NAN]),
        (Builtin.TANH, [INF, -INF], [1, -1]),
    ],
)
def test_elementary_edges(builtin: Builtin, points: list[float], want: list[float]) -> None:
    # math.e as a Float is 2.71828175: a little less than e.
    np.testing.assert_allclose(result(builtin, (FLOAT, points)), want, rtol=1e-7)


def test_elementary_functions_of_two() -> None:
    base, exponent = [2, -8, 0, 1, NAN, -2, 0.5, 2], [10, 1 / 3, -1, NAN, 0, 3, -INF, 0.5]
    got = result(Builtin.POW, (FLOAT, base), (FLOAT, exponent))
    np.testing.assert_allclose(got, [1024, NAN, INF, 1, 1, -8, INF, 2**0.5], rtol=1e-7)
    got = result(Builtin.ATAN2, (FLOAT, [0, 0, 1, -1]), (FLOAT, [1, -1, 0, -1]))
    np.testing.assert_allclose(got, [0, math.pi, math.pi / 2, -3 * math.pi / 4], rtol=1e-7)


# ---------------------------------------------------------------- componentwise


def test_steps() -> None:
    same(result(Builtin.STEP, (FLOAT, [1, 1, 1, NAN]), (FLOAT, [0.5, 1, NAN, 0])), [0, 1, 1, 1])
    low, high = [0, 0, 0, 2, 2, 0], [1, 1, 4, 2, 2, 1]
    points = [0.5, -1, 1, 1.5, 2, NAN]
    # At a quarter of the way: 0.25 * 0.25 * (3 - 0.5); equal edges are a step; NaN counts as 0.
    same(result(Builtin.SMOOTHSTEP, (FLOAT, low), (FLOAT, high), (FLOAT, points)), [0.5, 0, 0.15625, 0, 1, 0])


def test_clamping() -> None:
    same(result(Builtin.SATURATE, (FLOAT, [-1, 0.5, 2, NAN, INF])), [0, 0.5, 1, 0, 1])
    same(result(Builtin.CLAMP, (FLOAT, [5, NAN, 1]), (FLOAT, [0, 1, NAN]), (FLOAT, [2, 2, 0.5])), [2, 1, 0.5])
    same(result(Builtin.CLAMP, (INT, [5, -5, 1]), (INT, [0, 0, 3]), (INT, [2, 2, 2])), [2, 0, 2])


def test_mix_rounds_every_step() -> None:
    a, b, t = np.float32(0.1), np.float32(0.7), np.float32(0.3)
    want = np.float32(a * np.float32(np.float32(1) - t)) + np.float32(b * t)
    same(result(Builtin.MIX, (FLOAT, [a]), (FLOAT, [b]), (FLOAT, [t])), [float(want)])
    # The ends are met exactly, but infinities are not: 0 * inf is NaN.
    same(result(Builtin.MIX, (FLOAT, [3, 3, INF]), (FLOAT, [7, 7, 1]), (FLOAT, [0, 1, 1])), [3, 7, NAN])


def test_fractions_and_angles() -> None:
    same(result(Builtin.FRACT, (FLOAT, [1.25, -1.25, INF])), [0.25, 0.75, NAN])
    np.testing.assert_allclose(result(Builtin.RADIANS, (FLOAT, [180])), [math.pi], rtol=1e-7)
    np.testing.assert_allclose(result(Builtin.DEGREES, (FLOAT, [math.pi])), [180], rtol=1e-7)


def test_classes_of_floats() -> None:
    same(result(Builtin.ISNAN, (FLOAT, [0, NAN, INF])), [False, True, False])
    same(result(Builtin.ISINF, (FLOAT, [0, NAN, -INF])), [False, False, True])


def test_select_takes_any_type() -> None:
    u, v = [[1, 2], [3, 4]], [[5, 6], [7, 8]]
    same(result(Builtin.SELECT, (BOOL, [True, False]), (Vec(2), u), (Vec(2), v)), [[1, 2], [7, 8]])


# ---------------------------------------------------------------- vectors

V3 = Vec(3)


def test_dot_adds_from_the_left() -> None:
    big = 2.0**24
    # (2^24 * 1 + 1 * 1) rounds to 2^24 before -2^24 is added; in another order the result would be 1.
    same(result(Builtin.DOT, (V3, [[big, 1, -big]]), (V3, [[1, 1, 1]])), [0])
    same(result(Builtin.DOT, (V3, [[big, -big, 1]]), (V3, [[1, 1, 1]])), [1])


def test_geometry() -> None:
    x, y = [[1, 0, 0], [1, 2, 3]], [[0, 1, 0], [4, 5, 6]]
    same(result(Builtin.CROSS, (V3, x), (V3, y)), [[0, 0, 1], [-3, 6, -3]])
    same(result(Builtin.LENGTH, (Vec(2), [[3, 4], [0, 0]])), [5, 0])
    same(result(Builtin.LENGTH, (FLOAT, [-3])), [3])
    same(result(Builtin.DISTANCE, (Vec(2), [[1, 1]]), (Vec(2), [[4, 5]])), [5])
    same(result(Builtin.NORMALIZE, (Vec(2), [[0, 2], [0, 0]])), [[0, 1], [NAN, NAN]])


def test_reflection_and_refraction() -> None:
    down, up = [[1, -1]], [[0, 1]]
    same(result(Builtin.REFLECT, (Vec(2), down), (Vec(2), up)), [[1, 1]])
    # With eta 1 the ray goes straight on; out of glass at a flat angle it is reflected totally.
    s = math.sqrt(0.5)
    straight = result(Builtin.REFRACT, (Vec(2), [[s, -s]]), (Vec(2), up), (FLOAT, [1]))
    np.testing.assert_allclose(straight, [[s, -s]], rtol=1e-6)
    same(result(Builtin.REFRACT, (Vec(2), [[1, 0]]), (Vec(2), up), (FLOAT, [1.5])), [[0, 0]])


def test_luma() -> None:
    r, g, b = (np.float32(x) for x in (0.2126, 0.7152, 0.0722))
    same(result(Builtin.LUMA, (V3, [[1, 1, 1], [0, 0, 1]])), [float((r + g) + b), float(b)])
    same(result(Builtin.LUMA, (Vec(4), [[0, 1, 0, 9]])), [float(g)])


# ---------------------------------------------------------------- matrices: lists of columns

TURN = [[0, 1], [-1, 0]]
SCALE = [[2, 0], [0, 3]]


def test_matrix_products() -> None:
    m, v = local(0, Mat(2)), local(1, Vec(2))
    product = binary(m, BinaryOp.MATMUL, v)
    got = evaluate(
        product, (Mat(2), floats(*np.ravel([TURN, SCALE])).reshape(2, 2, 2)), (Vec(2), floats(1, 2, 1, 2).reshape(2, 2))
    )
    assert got.tolist() == [[-2, 1], [2, 6]]
    both = binary(m, BinaryOp.MATMUL, local(1, Mat(2)))
    turns, scales = (np.array([x], np.float32) for x in (TURN, SCALE))
    assert evaluate(both, (Mat(2), turns), (Mat(2), scales)).tolist() == [[[0, 2], [-3, 0]]]


@pytest.mark.parametrize("size", [2, 3, 4])
def test_inverse_and_determinant(size: int) -> None:
    rng = np.random.default_rng(size)
    columns = rng.integers(-4, 5, (50, size, size)).astype(np.float32)
    exact = np.linalg.det(columns.astype(np.float64).swapaxes(1, 2))
    got = result(Builtin.DETERMINANT, (Mat(size), columns))
    np.testing.assert_allclose(got, exact, atol=1e-3)
    regular = columns[np.abs(exact) > 0.5]
    inverses = np.array(result(Builtin.INVERSE, (Mat(size), regular)))
    # As lists of columns, transposes multiply the other way round: inverse(m) * m is the identity all the same.
    np.testing.assert_allclose(regular @ inverses, np.broadcast_to(np.eye(size), regular.shape), atol=1e-3)


def test_determinant_of_small_integers_is_exact() -> None:
    m = [[2, 0, 1], [3, 1, 0], [1, 4, 5]]
    same(result(Builtin.DETERMINANT, (Mat(3), [m])), [21])
    same(result(Builtin.INVERSE, (Mat(2), [[[4, 2], [7, 4]]])), [[[2, -1], [-3.5, 2]]])


def test_transpose() -> None:
    same(result(Builtin.TRANSPOSE, (Mat(2), [[[1, 2], [3, 4]]])), [[[1, 3], [2, 4]]])

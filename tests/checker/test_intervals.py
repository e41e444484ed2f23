"""Interval arithmetic is sound: what an operation gives for members of intervals is a member of its interval."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kcheck.checker import arithmetic, floats
from kcheck.checker.ranges import interval as iv
from kcheck.checker.ranges.interval import Interval
from kcheck.checker.types import BOOL, FLOAT, INT

SMALL = st.integers(-40, 40)
INTS = st.one_of(SMALL, st.sampled_from([iv.INT_MIN, iv.INT_MIN + 1, iv.INT_MAX]), st.integers(iv.INT_MIN, iv.INT_MAX))
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, math.inf, -math.inf, 3.4028235e38, 1.4e-45, 2147483648.0, -1e10]
FLOATS = st.one_of(st.sampled_from(EDGES), st.floats(width=32), SMALL.map(float)).map(arithmetic.single)


@st.composite
def int_in(draw: st.DrawFn, values: st.SearchStrategy[int] = INTS) -> tuple[Interval, int]:
    """An interval and a member of it."""
    low, value, high = sorted(draw(st.tuples(values, values, values)))
    return Interval(low, high), value


@st.composite
def float_in(draw: st.DrawFn) -> tuple[Interval, float]:
    drawn = draw(st.tuples(FLOATS, FLOATS, FLOATS))
    numbers = sorted(v for v in drawn if not math.isnan(v)) or [0.0]
    nan = draw(st.booleans())
    value = math.nan if nan and draw(st.booleans()) else draw(st.sampled_from(numbers))
    return Interval(numbers[0], numbers[-1], nan), value


TWO_INTS: dict[str, tuple[Callable[..., Interval], Callable[..., int]]] = {
    "+": (iv.add_ints, lambda a, b: arithmetic.wrap(a + b)),
    "-": (iv.subtract_ints, lambda a, b: arithmetic.wrap(a - b)),
    "*": (iv.multiply_ints, lambda a, b: arithmetic.wrap(a * b)),
    "/": (iv.divide_ints, arithmetic.divide_ints),
    "%": (iv.remainder_ints, arithmetic.remainder_ints),
    "&": (iv.and_ints, lambda a, b: a & b),
    "|": (iv.or_ints, lambda a, b: a | b),
    "^": (iv.xor_ints, lambda a, b: a ^ b),
    "<<": (iv.shift_left, arithmetic.shift_left),
    ">>": (iv.shift_right, arithmetic.shift_right),
    ">>>": (iv.shift_right_logical, arithmetic.shift_right_logical),
    "min": (iv.least_ints, min),
    "max": (iv.greatest_ints, max),
}


@pytest.mark.parametrize("name", TWO_INTS)
@given(data=st.data())
def test_two_ints(name: str, data: st.DataObject) -> None:
    abstract, concrete = TWO_INTS[name]
    (a, x), (b, y) = data.draw(int_in()), data.draw(st.one_of(int_in(), int_in(SMALL)))
    assert abstract(a, b).holds(concrete(x, y))
    assert abstract(iv.point(x), iv.point(y)).holds(concrete(x, y))


ONE_INT: dict[str, tuple[Callable[[Interval], Interval], Callable[[int], float]]] = {
    "-": (iv.negate_ints, lambda a: arithmetic.wrap(-a)),
    "~": (iv.invert, lambda a: ~a),
    "abs": (iv.absolute_ints, lambda a: arithmetic.wrap(abs(a))),
    "sign": (iv.sign_ints, arithmetic.sign_of_int),
    "float": (iv.to_float, lambda a: arithmetic.single(float(a))),
}


@pytest.mark.parametrize("name", ONE_INT)
@given(pair=int_in())
def test_one_int(name: str, pair: tuple[Interval, int]) -> None:
    abstract, concrete = ONE_INT[name]
    assert abstract(pair[0]).holds(concrete(pair[1]))


TWO_FLOATS: dict[str, tuple[Callable[..., Interval], Callable[..., float]]] = {
    "+": (iv.add_floats, arithmetic.add),
    "-": (iv.subtract_floats, arithmetic.subtract),
    "*": (iv.multiply_floats, arithmetic.multiply),
    "/": (iv.divide_floats, arithmetic.divide),
    "%": (iv.remainder_floats, arithmetic.remainder),
    "min": (iv.least_floats, arithmetic.least),
    "max": (iv.greatest_floats, arithmetic.greatest),
    "<": (iv.less, lambda a, b: int(a < b)),
    "<=": (iv.at_most, lambda a, b: int(a <= b)),
    "==": (iv.equal, lambda a, b: int(a == b)),
}


@pytest.mark.parametrize("name", TWO_FLOATS)
@given(first=float_in(), second=float_in())
def test_two_floats(name: str, first: tuple[Interval, float], second: tuple[Interval, float]) -> None:
    abstract, concrete = TWO_FLOATS[name]
    (a, x), (b, y) = first, second
    assert abstract(a, b).holds(concrete(x, y))


ONE_FLOAT: dict[str, tuple[Callable[[Interval], Interval], Callable[[float], float]]] = {
    "-": (iv.negate_floats, lambda a: -a),
    "abs": (iv.absolute_floats, abs),
    "sign": (iv.sign_floats, arithmetic.sign),
    "sqrt": (iv.square_root, arithmetic.square_root),
    "floor": (iv.floor, arithmetic.floor),
    "ceil": (iv.ceil, arithmetic.ceil),
    "round": (iv.nearest, arithmetic.nearest),
    "trunc": (iv.trunc, arithmetic.trunc),
    "fract": (iv.fract, arithmetic.fract),
    "saturate": (iv.saturate, arithmetic.saturate),
    "int": (iv.to_int, arithmetic.int_from),
}


@pytest.mark.parametrize("name", ONE_FLOAT)
@given(pair=float_in())
def test_one_float(name: str, pair: tuple[Interval, float]) -> None:
    abstract, concrete = ONE_FLOAT[name]
    assert abstract(pair[0]).holds(concrete(pair[1]))


@given(first=float_in(), second=float_in(), third=float_in())
def test_clamp(first: tuple[Interval, float], second: tuple[Interval, float], third: tuple[Interval, float]) -> None:
    (a, x), (b, y), (c, z) = first, second, third
    assert iv.clamp_floats(a, b, c).holds(arithmetic.clamp(x, y, z))


@given(first=float_in(), second=float_in())
def test_hull_and_meet(first: tuple[Interval, float], second: tuple[Interval, float]) -> None:
    (a, x), (b, _) = first, second
    assert iv.hull(a, b).holds(x)
    common = iv.meet(a, b)
    if b.holds(x):
        assert common is not None
        assert common.holds(x)


#       narrow enough to be of use
@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (iv.add_ints(Interval(0, 3), Interval(1, 2)), (1, 5, False)),
        (iv.multiply_ints(Interval(-2, 3), Interval(-5, 1)), (-15, 10, False)),
        (iv.divide_ints(Interval(10, 20), Interval(2, 5)), (2, 10, False)),
        (iv.remainder_ints(iv.ALL_INTS, iv.point(8)), (-7, 7, False)),
        (iv.remainder_ints(Interval(0, 100), iv.point(8)), (0, 7, False)),
        (iv.and_ints(iv.ALL_INTS, iv.point(7)), (0, 7, False)),
        (iv.or_ints(Interval(0, 4), Interval(0, 2)), (0, 7, False)),
        (iv.shift_left(Interval(0, 3), iv.point(4)), (0, 48, False)),
        (iv.shift_right(Interval(-8, 8), iv.point(2)), (-2, 2, False)),
        (iv.shift_right_logical(iv.ALL_INTS, iv.point(24)), (0, 255, False)),
        (iv.square_root(Interval(0.0, 4.0)), (0.0, 2.0, False)),
        (iv.square_root(iv.NUMBERS), (0.0, math.inf, True)),
        (iv.divide_floats(iv.point(1.0), Interval(2.0, 4.0)), (0.25, 0.5, False)),
        (iv.greatest_floats(iv.ALL_FLOATS, iv.point(0.0)), (0.0, math.inf, False)),
        (iv.saturate(iv.ALL_FLOATS), (0.0, 1.0, False)),
        (iv.to_int(Interval(-1.5, 7.9)), (-1, 7, False)),
        (iv.absolute_floats(Interval(-3.0, 2.0)), (0.0, 3.0, False)),
        (iv.less(Interval(0.0, 1.0), Interval(2.0, 3.0)), (1, 1, False)),
        (iv.less(Interval(0.0, 1.0, True), Interval(2.0, 3.0)), (0, 1, False)),
        (iv.at_most(Interval(3, 4), Interval(1, 2)), (0, 0, False)),
    ],
)
def test_bounds(found: Interval, expected: tuple[float, float, bool]) -> None:
    assert found == expected


def test_neighbours() -> None:
    assert (iv.above(3, INT), iv.below(3, INT)) == (4, 2)
    assert iv.above(0.0, FLOAT) == 2.0**-149
    assert iv.below(0.0, FLOAT) == -(2.0**-149)
    assert iv.above(1.0, FLOAT) == 1.0 + 2.0**-23
    assert iv.below(1.0, FLOAT) == 1.0 - 2.0**-24
    assert iv.above(-1.0, FLOAT) == -1.0 + 2.0**-24
    assert iv.above(math.inf, FLOAT) == math.inf
    assert iv.above(floats.to_float(0x7F7FFFFF), FLOAT) == math.inf
    assert iv.everything(BOOL) == (0, 1, False)

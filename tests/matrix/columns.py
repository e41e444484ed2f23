"""The data that features run on."""

from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any

from tests.matrix.arithmetic import MAX, MIN, random
from tests.matrix.feature import INT, Column, Feature, ResultType, Shape
from tests.values import f32

TINY = 2.0**-149
"""The least subnormal."""
LEAST = 2.0**-126
"""The least normal."""
HUGE = f32(3.4e38)

EDGE_INTS = (0, 1, -1, 2, -3, 7, 100003, MAX, MIN)
SMALL_INTS = (-9, -4, -1, 0, 1, 2, 3, 5, 8, 12, 31)
COUNTS = (0, 1, 5, 31, 32, 33, -1, -32, MAX)
EDGE_FLOATS = (0.0, -0.0, 1.5, -2.75, f32(0.1), inf, -inf, nan, HUGE, 3 * TINY)
PLAIN_FLOATS = tuple(f32(x) for x in (0.0, 1.0, -1.0, 0.1, -0.3, 2.5, -7.25, 100.5, -1e6, 1e-3, 3.14159))
SUBNORMALS = (0.0, TINY, -TINY, 5 * TINY, LEAST / 2, LEAST - TINY, LEAST, -LEAST, LEAST + TINY, 1.0)
HALVES = tuple(
    f32(x)
    for x in (
        *(0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.5, 0.49999997, -0.49999997, 0.3, -0.3, 0.75, -0.75),
        *(8388607.5, -8388607.5, 8388609.0, 16777217.0, 1e10, inf, -inf, nan, TINY, -TINY, 1.0, -1.0, 41.0),
    )
)
INTO_INTS = tuple(
    f32(x)
    for x in (
        *(0.0, -0.0, 0.99, -0.99, 1.0, -1.5, 7.9, -7.9, 2147483520.0, 2147483648.0, -2147483648.0, 3e9, -3e9),
        *(-2147483904.0, 1e20, inf, -inf, nan, TINY, 65536.5, 16777217.0),
    )
)


def listed(values: Sequence[Any]) -> Callable[[int], Any]:
    """The values in turn, over and over."""
    return lambda i: values[i % len(values)]


def pairs(type_: str, names: str, left: Sequence[Any], right: Sequence[Any]) -> tuple[Column, Column]:
    """Two columns whose elements meet in every combination once in `len(left) * len(right)` elements."""
    return (
        Column(names[0], type_, lambda i: left[i // len(right) % len(left)]),
        Column(names[1], type_, lambda i: right[i % len(right)]),
    )


INT_PAIRS = pairs("Int", "ab", EDGE_INTS, EDGE_INTS)
SHIFT_PAIRS = pairs("Int", "ab", EDGE_INTS, COUNTS)
SMALL_PAIRS = pairs("Int", "ab", SMALL_INTS, (-3, 0, 1, 4, 6))
FLOAT_PAIRS = pairs("Float", "uv", EDGE_FLOATS, EDGE_FLOATS)
PLAIN_PAIRS = pairs("Float", "uv", PLAIN_FLOATS, (0.5, -1.25, 3.0, f32(0.7)))
A = (INT_PAIRS[0],)
SMALL = (Column("a", "Int", listed(SMALL_INTS)),)
MIXED = (SMALL[0], Column("u", "Float", listed(PLAIN_FLOATS[::-1])))


def floats(values: Sequence[float]) -> tuple[Column]:
    return (Column("u", "Float", listed(values)),)


def scattered(low: float, high: float) -> tuple[Column]:
    """Floats between `low` and `high`, spread evenly by a hash."""
    return (Column("u", "Float", lambda i: f32(low + (high - low) * random(i + 77))),)


def feature(
    name: str,
    columns: tuple[Column, ...],
    body: str,
    oracle: Callable[[Any], Any],
    result: ResultType = INT,
    *,
    count: int = 37,
    shapes: tuple[Shape, ...] = (),
    **more: Any,
) -> Feature:
    """A feature over `count` elements in a row, where `shapes` do not say otherwise."""
    return Feature(
        name=name,
        columns=columns,
        body=body,
        oracle=oracle,
        result=result,
        shapes=shapes or ((count,),),
        **more,
    )

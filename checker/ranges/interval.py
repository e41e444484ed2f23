"""Interval arithmetic on the scalars of the language: pure, and sound for every operation as backends compute it.

An interval holds all that a scalar may be: Ints and Bools (as 0 and 1) from `low` to `high`, Floats likewise, with
`nan` for whether a NaN may be among them.  Every function here gives an interval that holds the result for all
members of its arguments; where little is known it gives all values.  Float bounds are binary32 numbers; rounding is
monotone, so rounded bounds hold rounded results.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from kcheck.checker import arithmetic, floats
from kcheck.checker.arithmetic import INT_MAX, INT_MIN
from kcheck.checker.types import BOOL, FLOAT, INT, Scalar

INFINITY = math.inf


class Interval(NamedTuple):
    """All numbers from `low` to `high`, both ends included; and NaN where `nan`."""

    low: float
    high: float
    nan: bool = False

    @property
    def is_point(self) -> bool:
        return self.low == self.high and not self.nan

    def holds(self, value: float) -> bool:
        return self.nan if value != value else self.low <= value <= self.high  # noqa: PLR0124 - NaN is not itself


ALL_INTS = Interval(INT_MIN, INT_MAX)
ALL_FLOATS = Interval(-INFINITY, INFINITY, True)
NUMBERS = Interval(-INFINITY, INFINITY)
"""All Floats but NaN."""
EITHER = Interval(0, 1)
"""A Bool."""
NEVER, ALWAYS = Interval(0, 0), Interval(1, 1)


def everything(scalar: Scalar) -> Interval:
    return {BOOL: EITHER, INT: ALL_INTS, FLOAT: ALL_FLOATS}[scalar]


def point(value: float) -> Interval:
    return ALL_FLOATS if math.isnan(value) else Interval(value, value)


def hull(*parts: Interval) -> Interval:
    """The smallest interval that holds all of them."""
    return Interval(min(p.low for p in parts), max(p.high for p in parts), any(p.nan for p in parts))


def meet(a: Interval, b: Interval) -> Interval | None:
    """What is in both; None where nothing is."""
    low, high, nan = max(a.low, b.low), min(a.high, b.high), a.nan and b.nan
    if low <= high:
        return Interval(low, high, nan)
    # A NaN alone has no ends: any will do.
    return Interval(a.low, a.low, True) if nan else None


def above(value: float, scalar: Scalar) -> float:
    """The least number of a type that is greater than `value`."""
    return value + 1 if scalar is not FLOAT else _next_float(value)


def below(value: float, scalar: Scalar) -> float:
    """The greatest number of a type that is less than `value`."""
    return value - 1 if scalar is not FLOAT else -_next_float(-value)


def _next_float(value: float) -> float:
    """The binary32 number after `value`."""
    if value == INFINITY:
        return value
    if value == 0.0:
        return floats.to_float(1)
    bits = floats.from_float(value)
    return floats.to_float(bits + 1 if value > 0.0 else bits - 1)


# ---------------------------------------------------------------- Int

Operation = Callable[[Interval, Interval], Interval]


def _wrapped(low: float, high: float) -> Interval:
    """The Ints from `low` to `high`, or all where some of them would wrap."""
    return Interval(low, high) if low >= INT_MIN and high <= INT_MAX else ALL_INTS


def add_ints(a: Interval, b: Interval) -> Interval:
    return _wrapped(a.low + b.low, a.high + b.high)


def subtract_ints(a: Interval, b: Interval) -> Interval:
    return _wrapped(a.low - b.high, a.high - b.low)


def multiply_ints(a: Interval, b: Interval) -> Interval:
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return _wrapped(min(corners), max(corners))


def negate_ints(a: Interval) -> Interval:
    return _wrapped(-a.high, -a.low)


def invert(a: Interval) -> Interval:
    return Interval(-1 - a.high, -1 - a.low)


def divide_ints(a: Interval, b: Interval) -> Interval:
    if a.low == INT_MIN and b.holds(-1):
        return ALL_INTS
    parts = [
        Interval(min(found), max(found))
        for low, high in ((b.low, min(b.high, -1)), (max(b.low, 1), b.high))
        if low <= high
        for found in [[arithmetic.divide_ints(int(x), int(y)) for x in (a.low, a.high) for y in (low, high)]]
    ]
    return hull(*parts, *([a] if b.holds(0) else []))


def remainder_ints(a: Interval, b: Interval) -> Interval:
    """Smaller than the divisor, no further from 0 than the dividend, and of its sign."""
    most = max(abs(b.low), abs(b.high), 1) - 1
    return Interval(max(a.low, -most) if a.low < 0 else 0, min(a.high, most) if a.high > 0 else 0)


def and_ints(a: Interval, b: Interval) -> Interval:
    ends = [x.high for x in (a, b) if x.low >= 0]
    if ends:
        return Interval(0, min(ends))
    return Interval(INT_MIN, -1) if a.high < 0 and b.high < 0 else ALL_INTS


def or_ints(a: Interval, b: Interval) -> Interval:
    if a.low >= 0 and b.low >= 0:
        return Interval(max(a.low, b.low), _all_bits(max(a.high, b.high)))
    return Interval(INT_MIN, -1) if a.high < 0 or b.high < 0 else ALL_INTS


def xor_ints(a: Interval, b: Interval) -> Interval:
    if a.low >= 0 and b.low >= 0:
        return Interval(0, _all_bits(max(a.high, b.high)))
    return ALL_INTS


def _all_bits(value: float) -> int:
    """The least number of the form 111…1 that is not less."""
    return (1 << int(value).bit_length()) - 1


def shift_left(a: Interval, count: Interval) -> Interval:
    if not count.is_point:
        return ALL_INTS
    factor = 1 << (int(count.low) & 31)
    return _wrapped(a.low * factor, a.high * factor)


def shift_right(a: Interval, count: Interval) -> Interval:
    if count.is_point:
        return Interval(int(a.low) >> (int(count.low) & 31), int(a.high) >> (int(count.low) & 31))
    return Interval(min(a.low, 0), max(a.high, -1 if a.high < 0 else 0))


def shift_right_logical(a: Interval, count: Interval) -> Interval:
    if a.low >= 0:
        return shift_right(a, count)
    bits = int(count.low) & 31 if count.is_point else 0
    return Interval(0, (1 << (32 - bits)) - 1) if bits else ALL_INTS


def least_ints(a: Interval, b: Interval) -> Interval:
    return Interval(min(a.low, b.low), min(a.high, b.high))


def greatest_ints(a: Interval, b: Interval) -> Interval:
    return Interval(max(a.low, b.low), max(a.high, b.high))


def absolute_ints(a: Interval) -> Interval:
    if a.low == INT_MIN:
        return ALL_INTS
    least = 0 if a.holds(0) else min(abs(a.low), abs(a.high))
    return Interval(least, max(abs(a.low), abs(a.high)))


def sign_ints(a: Interval) -> Interval:
    return Interval(arithmetic.sign_of_int(int(a.low)), arithmetic.sign_of_int(int(a.high)))


# ---------------------------------------------------------------- Float


def _spread(corners: Iterable[float], nan: bool) -> Interval:
    """The numbers between corners; a corner that is NaN has no say, and corners that all are tell nothing."""
    known = [c for c in corners if not math.isnan(c)]
    return Interval(min(known), max(known), nan) if known else ALL_FLOATS


def _is_endless(a: Interval) -> bool:
    return a.low == -INFINITY or a.high == INFINITY


def add_floats(a: Interval, b: Interval) -> Interval:
    opposed = (a.low == -INFINITY and b.high == INFINITY) or (a.high == INFINITY and b.low == -INFINITY)
    nan = a.nan or b.nan or opposed
    low, high = arithmetic.add(a.low, b.low), arithmetic.add(a.high, b.high)
    return Interval(-INFINITY if math.isnan(low) else low, INFINITY if math.isnan(high) else high, nan)


def subtract_floats(a: Interval, b: Interval) -> Interval:
    return add_floats(a, negate_floats(b))


def negate_floats(a: Interval) -> Interval:
    return Interval(-a.high, -a.low, a.nan)


def multiply_floats(a: Interval, b: Interval) -> Interval:
    nan = a.nan or b.nan or (a.holds(0.0) and _is_endless(b)) or (b.holds(0.0) and _is_endless(a))
    corners = [arithmetic.multiply(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return _spread([0.0 if math.isnan(c) else c for c in corners], nan)


def divide_floats(a: Interval, b: Interval) -> Interval:
    if b.holds(0.0):
        return Interval(-INFINITY, INFINITY, a.nan or b.nan or a.holds(0.0) or (_is_endless(a) and _is_endless(b)))
    nan = a.nan or b.nan or (_is_endless(a) and _is_endless(b))
    return _spread((arithmetic.divide(x, y) for x in (a.low, a.high) for y in (b.low, b.high)), nan)


def remainder_floats(a: Interval, b: Interval) -> Interval:
    most = max(abs(b.low), abs(b.high))
    nan = a.nan or b.nan or b.holds(0.0) or _is_endless(a)
    return Interval(max(a.low, -most) if a.low < 0.0 else 0.0, min(a.high, most) if a.high > 0.0 else 0.0, nan)


def least_floats(a: Interval, b: Interval) -> Interval:
    """A NaN is ignored: the other argument is the result then."""
    high = min(a.high, b.high)
    high = max(high, b.high if a.nan else high, a.high if b.nan else high)
    return Interval(min(a.low, b.low), high, a.nan and b.nan)


def greatest_floats(a: Interval, b: Interval) -> Interval:
    return negate_floats(least_floats(negate_floats(a), negate_floats(b)))


def absolute_floats(a: Interval) -> Interval:
    least = 0.0 if a.holds(0.0) else min(abs(a.low), abs(a.high))
    return Interval(least, max(abs(a.low), abs(a.high)), a.nan)


def sign_floats(a: Interval) -> Interval:
    found = Interval(arithmetic.sign(a.low), arithmetic.sign(a.high))
    return hull(found, point(0.0)) if a.nan else found


def square_root(a: Interval) -> Interval:
    if a.high < 0.0:
        return Interval(0.0, 0.0, True)
    return Interval(arithmetic.square_root(max(a.low, 0.0)), arithmetic.square_root(a.high), a.nan or a.low < 0.0)


def rising(function: Callable[[float], float]) -> Callable[[Interval], Interval]:
    """A function that never falls and keeps NaN, on intervals."""

    def on_interval(a: Interval) -> Interval:
        return Interval(function(a.low), function(a.high), a.nan)

    return on_interval


floor, ceil = rising(arithmetic.floor), rising(arithmetic.ceil)
nearest, trunc = rising(arithmetic.nearest), rising(arithmetic.trunc)


def fract(a: Interval) -> Interval:
    return Interval(0.0, 1.0, a.nan or _is_endless(a))


def saturate(a: Interval) -> Interval:
    return clamp_floats(a, point(0.0), point(1.0))


def clamp_floats(a: Interval, low: Interval, high: Interval) -> Interval:
    return least_floats(greatest_floats(a, low), high)


def clamp_ints(a: Interval, low: Interval, high: Interval) -> Interval:
    return least_ints(greatest_ints(a, low), high)


# ---------------------------------------------------------------- between types


def to_int(a: Interval) -> Interval:
    """A Float's whole part, at most the greatest Int; NaN gives 0."""
    found = Interval(arithmetic.int_from(a.low), arithmetic.int_from(a.high))
    return hull(found, point(0)) if a.nan else found


def to_float(a: Interval) -> Interval:
    return Interval(arithmetic.single(a.low), arithmetic.single(a.high))


# ---------------------------------------------------------------- Bool


def less(a: Interval, b: Interval) -> Interval:
    """`a < b`; false where either is NaN."""
    if a.low >= b.high:
        return NEVER
    return ALWAYS if a.high < b.low and not (a.nan or b.nan) else EITHER


def at_most(a: Interval, b: Interval) -> Interval:
    """`a <= b`."""
    if a.low > b.high:
        return NEVER
    return ALWAYS if a.high <= b.low and not (a.nan or b.nan) else EITHER


def equal(a: Interval, b: Interval) -> Interval:
    if a.low > b.high or b.low > a.high:
        return NEVER
    return ALWAYS if a.is_point and b.is_point else EITHER


def negate(a: Interval) -> Interval:
    return Interval(1 - a.high, 1 - a.low)


def both(a: Interval, b: Interval) -> Interval:
    return Interval(min(a.low, b.low), min(a.high, b.high))


def either(a: Interval, b: Interval) -> Interval:
    return Interval(max(a.low, b.low), max(a.high, b.high))

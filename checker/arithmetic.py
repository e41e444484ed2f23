"""The scalar operations of the language, as exact as their definitions, in pure Python.

An Int is an int in -2^31 .. 2^31 - 1.  A Float is a double that holds a binary32 number; every function here
rounds its result to one.  No operation fails: each has a result for all arguments.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from kcheck.checker import floats

INT_MIN, INT_MAX = -(1 << 31), (1 << 31) - 1
_MASK = (1 << 32) - 1


# ---------------------------------------------------------------- Int


def wrap(value: int) -> int:
    """The Int that equals `value` modulo 2^32."""
    return ((value - INT_MIN) & _MASK) + INT_MIN


def unsigned(value: int) -> int:
    return value & _MASK


def divide_ints(a: int, b: int) -> int:
    if b == 0:
        return a
    quotient = abs(a) // abs(b)
    return wrap(quotient if (a < 0) == (b < 0) else -quotient)


def remainder_ints(a: int, b: int) -> int:
    """Has the sign of `a`."""
    if b == 0:
        return 0
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def shift_left(a: int, count: int) -> int:
    return wrap(a << (count & 31))


def shift_right(a: int, count: int) -> int:
    return a >> (count & 31)


def shift_right_logical(a: int, count: int) -> int:
    return wrap(unsigned(a) >> (count & 31))


def divide_unsigned(a: int, b: int) -> int:
    return wrap(unsigned(a) // unsigned(b)) if b else a


def remainder_unsigned(a: int, b: int) -> int:
    return wrap(unsigned(a) % unsigned(b)) if b else 0


def count_leading_zeros(a: int) -> int:
    return 32 - unsigned(a).bit_length()


def count_trailing_zeros(a: int) -> int:
    return (a & -a).bit_length() - 1 if a else 32


def reverse_bits(a: int) -> int:
    return wrap(int(f"{unsigned(a):032b}"[::-1], 2))


def sign_of_int(a: int) -> int:
    return (a > 0) - (a < 0)


def hash_int(a: int) -> int:
    """PCG: one step of the generator, then its output permutation."""
    state = wrap(a * 747796405 + 2891336453)
    shifted = shift_right_logical(state, shift_right_logical(state, 28) + 4)
    word = wrap((shifted ^ state) * 277803737)
    return shift_right_logical(word, 22) ^ word


def random_from(a: int) -> float:
    """In 0 <= x < 1."""
    return shift_right_logical(hash_int(a), 8) / (1 << 24)


def int_from(a: float) -> int:
    """Truncated and saturated; NaN gives 0."""
    if math.isnan(a):
        return 0
    return math.trunc(max(float(INT_MIN), min(a, float(INT_MAX))))


# ---------------------------------------------------------------- Float: basic operations


def single(value: float) -> float:
    """The binary32 number nearest to a double."""
    return floats.to_float(floats.from_float(value))


def add(a: float, b: float) -> float:
    return single(a + b)


def subtract(a: float, b: float) -> float:
    return single(a - b)


def multiply(a: float, b: float) -> float:
    return single(a * b)


def divide(a: float, b: float) -> float:
    if b != 0.0:
        return single(a / b)
    if a == 0.0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def remainder(a: float, b: float) -> float:
    """C's `fmod`, which is exact."""
    return single(_in_domain(math.fmod, a, b))


def square_root(a: float) -> float:
    return single(_in_domain(math.sqrt, a))


def least(a: float, b: float) -> float:
    """A NaN is ignored, and -0.0 is below 0.0."""
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return min(a, b, key=_order)


def greatest(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return max(a, b, key=_order)


def _order(a: float) -> tuple[float, float]:
    return a, math.copysign(1.0, a)


def clamp(a: float, low: float, high: float) -> float:
    return least(greatest(a, low), high)


def saturate(a: float) -> float:
    return clamp(a, 0.0, 1.0)


def sign(a: float) -> float:
    return float((a > 0.0) - (a < 0.0))


def floor(a: float) -> float:
    return _whole(math.floor, a)


def ceil(a: float) -> float:
    return _whole(math.ceil, a)


def nearest(a: float) -> float:
    """Halves to even."""
    return _whole(round, a)


def trunc(a: float) -> float:
    return _whole(math.trunc, a)


def _whole(function: Callable[[float], int], a: float) -> float:
    """A result of zero has the sign of the argument."""
    return math.copysign(function(a), a) if math.isfinite(a) else a


def _in_domain(function: Callable[..., float], *args: float) -> float:
    """NaN where `function` is not defined."""
    try:
        return function(*args)
    except ValueError:
        return math.nan


# ---------------------------------------------------------------- Float: composite


def fract(a: float) -> float:
    return subtract(a, floor(a))


def radians(a: float) -> float:
    return multiply(a, single(math.pi / 180.0))


def degrees(a: float) -> float:
    return multiply(a, single(180.0 / math.pi))


def mix(a: float, b: float, t: float) -> float:
    return add(multiply(a, subtract(1.0, t)), multiply(b, t))


def step(edge: float, a: float) -> float:
    return 0.0 if a < edge else 1.0


def smoothstep(low: float, high: float, a: float) -> float:
    if low == high:
        return step(low, a)
    t = saturate(divide(subtract(a, low), subtract(high, low)))
    return multiply(multiply(t, t), subtract(3.0, multiply(2.0, t)))

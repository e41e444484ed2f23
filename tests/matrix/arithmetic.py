"""The language's numbers in plain Python: what the features' oracles calculate with.

Written from the language's rules alone, over Python's own ints and doubles; it shares nothing with the tool.
A Float is a Python float that has a 32-bit value.  One operation in doubles, rounded once more, gives the
correctly rounded Float for `+ - * /` and `sqrt`: 53 bits are more than twice 24 and two.
"""

import math
import struct
from typing import Any

from tests.values import f32

MIN, MAX = -(2**31), 2**31 - 1
NAN_BITS = 0x7FC00000


def wrap(x: int) -> int:
    """`x` as an Int: the low 32 bits, signed."""
    return (x + 2**31) % 2**32 - 2**31


def unsigned(x: int) -> int:
    return x % 2**32


def div(a: int, b: int) -> int:
    if b == 0:
        return a
    quotient = abs(a) // abs(b)
    return wrap(quotient if (a < 0) == (b < 0) else -quotient)


def rem(a: int, b: int) -> int:
    if b == 0:
        return 0
    rest = abs(a) % abs(b)
    return -rest if a < 0 else rest


def udiv(a: int, b: int) -> int:
    return a if b == 0 else wrap(unsigned(a) // unsigned(b))


def urem(a: int, b: int) -> int:
    return 0 if b == 0 else wrap(unsigned(a) % unsigned(b))


def shl(a: int, n: int) -> int:
    return wrap(a << (n % 32))


def shr(a: int, n: int) -> int:
    return a >> (n % 32)


def ushr(a: int, n: int) -> int:
    return wrap(unsigned(a) >> (n % 32))


def fadd(a: float, b: float) -> float:
    return f32(a + b)


def fsub(a: float, b: float) -> float:
    return f32(a - b)


def fmul(a: float, b: float) -> float:
    return f32(a * b)


def fdiv(a: float, b: float) -> float:
    if b != 0.0:
        return f32(a / b)
    if a == 0.0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.copysign(math.inf, math.copysign(1.0, a) * math.copysign(1.0, b))


def frem(a: float, b: float) -> float:
    if math.isinf(a) or b == 0.0 or math.isnan(a) or math.isnan(b):
        return math.nan
    return math.fmod(a, b)


def fsqrt(x: float) -> float:
    return f32(math.sqrt(x)) if x >= 0.0 else math.nan


def fmin(a: float, b: float) -> float:
    """The smaller; NaN only where both are, -0.0 below 0.0."""
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return min((a, b), key=_order)


def fmax(a: float, b: float) -> float:
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return max((a, b), key=_order)


def fclamp(x: float, low: float, high: float) -> float:
    return fmin(fmax(x, low), high)


def floor(x: float) -> float:
    return _whole(x, math.floor)


def ceil(x: float) -> float:
    return _whole(x, math.ceil)


def trunc(x: float) -> float:
    return _whole(x, math.trunc)


def round_even(x: float) -> float:
    return _whole(x, round)


def to_int(x: float) -> int:
    if math.isnan(x):
        return 0
    return MIN if x <= MIN else MAX if x >= MAX else math.trunc(x)


def to_float(x: int | bool) -> float:
    return f32(float(x))


def bits(x: float) -> int:
    """The 32 bits of a Float, read as an Int; those of every NaN are the same."""
    if math.isnan(x):
        return NAN_BITS
    return int(struct.unpack("<i", struct.pack("<f", x))[0])


def from_bits(n: int) -> float:
    return float(struct.unpack("<f", struct.pack("<i", n))[0])


def mix(a: float, b: float, t: float) -> float:
    return fadd(fmul(a, fsub(1.0, t)), fmul(b, t))


def pcg(i: int) -> int:
    """The language's `hash`."""
    state = unsigned(i * 747796405 + 2891336453)
    word = unsigned(((state >> ((state >> 28) + 4)) ^ state) * 277803737)
    return wrap((word >> 22) ^ word)


def random(i: int) -> float:
    return (unsigned(pcg(i)) >> 8) / 2.0**24


def leaves(value: Any) -> list[bool | int | float]:
    """The scalars of a plain value, in order."""
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def digest(value: Any) -> int:
    """One Int that depends on every bit of a value; a lone Int is its own."""
    scalars = [bits(x) if isinstance(x, float) else int(x) for x in leaves(value)]
    total = scalars[0]
    for scalar in scalars[1:]:
        total = wrap(total * 31 + scalar)
    return total


def _order(x: float) -> tuple[float, float]:
    return (x, math.copysign(1.0, x))


def _whole(x: float, rounded: Any) -> float:
    return math.copysign(float(rounded(x)), x) if math.isfinite(x) else x

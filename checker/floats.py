"""IEEE binary32 numbers as bit patterns (unsigned 32-bit ints), in pure Python.

A double holds every binary32 number, and one operation of `+ - * /` or a square root on such doubles, rounded
once more by `from_float`, is the correctly rounded binary32 result: 53 >= 2 * 24 + 2.
"""

from __future__ import annotations

import math
import re
import struct
from functools import lru_cache

ZERO = 0x00000000
INFINITY = 0x7F800000
NAN = 0x7FC00000
"""The one NaN that operations give."""
SIGN_BIT = 0x80000000

_MANTISSA_BITS = 23
_LEAST_EXPONENT = -149
"""Every binary32 number is a multiple of 2 to this power."""

_LITERAL = re.compile(r"([+-]?)([0-9]*)\.?([0-9]*)(?:[eE]([+-]?)([0-9]+))?")
_KEPT_DIGITS = 200
"""More than the at most 113 significant digits of a number halfway between two neighbours."""
_LARGE_EXPONENT = 10**15
"""Beyond what the digits of any text that fits in memory could make up for."""


@lru_cache(maxsize=4096)
def bits_of(text: str) -> int | None:
    """The binary32 number nearest to a decimal literal, halves to even; None where that is an infinity.

    Reads what `float` reads, underscores between digits included, but for the words for infinity and NaN.
    """
    found = _LITERAL.fullmatch(text.replace("_", ""))
    if found is None or not (found[2] or found[3]):
        raise ValueError(f"not a decimal literal: {text!r}")
    sign, whole, part, exponent_sign, exponent = found.groups(default="")
    digits = (whole + part).lstrip("0")
    power = _clipped_exponent(exponent_sign, exponent) - len(part)
    magnitude = _rounded_decimal(digits, power) if digits else ZERO
    if magnitude >= INFINITY:
        return None
    return magnitude | (SIGN_BIT if sign == "-" else 0)


def to_float(bits: int) -> float:
    """The double that equals the binary32 number."""
    value: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return value


def from_float(value: float) -> int:
    """The binary32 number nearest to a double, halves to even; too large ones give an infinity."""
    if math.isnan(value):
        return NAN
    try:
        bits: int = struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return INFINITY if value > 0.0 else INFINITY | SIGN_BIT
    return bits


def is_nan(bits: int) -> bool:
    return bits & ~SIGN_BIT > INFINITY


def _clipped_exponent(sign: str, digits: str) -> int:
    digits = digits.lstrip("0")
    if not digits:
        return 0
    size = _LARGE_EXPONENT if len(digits) > 15 else int(digits)
    return -size if sign == "-" else size


def _rounded_decimal(digits: str, power: int) -> int:
    """`digits` * 10**`power` > 0, with no leading zero; `INFINITY` or more where it is too large."""
    magnitude = len(digits) + power
    if magnitude > 40:
        return INFINITY
    if magnitude < -50:
        return ZERO
    kept = digits[:_KEPT_DIGITS]
    power += len(digits) - len(kept)
    if digits[_KEPT_DIGITS:].strip("0"):
        kept, power = kept + "1", power - 1
    number = int(kept)
    return _rounded_ratio(number * 10**power, 1) if power >= 0 else _rounded_ratio(number, 10**-power)


def _rounded_ratio(above: int, below: int) -> int:
    """The bits of `above / below`, both positive."""
    exponent = above.bit_length() - below.bit_length()
    if above << max(-exponent, 0) < below << max(exponent, 0):
        exponent -= 1
    step = max(exponent - _MANTISSA_BITS, _LEAST_EXPONENT)
    quotient, rest = divmod(above << max(-step, 0), below << max(step, 0))
    half = 2 * rest - (below << max(step, 0))
    if half > 0 or (half == 0 and quotient % 2 == 1):
        quotient += 1
    # The implicit leading bit of a normal number carries into the exponent.
    return ((step - _LEAST_EXPONENT) << _MANTISSA_BITS) + quotient

"""The numbers of the language (its reference, "Numbers") on NumPy arrays and scalars of any shape.

Bools are `bool`, Ints `int32`, Floats `float32`; operands have one dtype and broadcast.  Constants are typed,
so that no operation is ever done, and rounded, in another type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from kcheck.checker.ir import BinaryOp
from kcheck.checker.types import BOOL, FLOAT, INT, Scalar
from kcheck.runtime.interpreter.values import a_float, an_int, pick
from kcheck.runtime.layout import AnyArray

Unary: TypeAlias = Callable[[AnyArray], AnyArray]
Operation: TypeAlias = Callable[[AnyArray, AnyArray], AnyArray]

INT_MIN, INT_MAX = -(2**31), 2**31 - 1

_I0, _I31, _LOW31 = an_int(0), an_int(31), an_int(INT_MAX)
_U0, _U1, _U31 = np.uint32(0), np.uint32(1), np.uint32(31)
F0, F1 = a_float(0), a_float(1)
_TWO31 = a_float(2**31)
_NAN_BITS = an_int(0x7FC00000)


def wrap(number: int) -> int:
    """A Python int modulo 2^32, as an Int."""
    return (number + 2**31) % 2**32 - 2**31


# ---------------------------------------------------------------- Int


def int_div(a: AnyArray, b: AnyArray) -> AnyArray:
    """The quotient towards zero; x / 0 = x and MIN / -1 = MIN."""
    # In float64 the quotient is off by less than 2^-22 / |b|, and a quotient that is not whole is 1 / |b| or
    # more away from a whole number.  By way of int64, because 2^31 (MIN / -1) has to wrap.
    quotient: AnyArray = a.astype(np.float64) / (b + (b == _I0))
    return quotient.astype(np.int64).astype(np.int32)


def int_rem(a: AnyArray, b: AnyArray) -> AnyArray:
    """What the quotient leaves, with the sign of `a`; x % 0 = 0 and MIN % -1 = 0."""
    divisor = b + (b == _I0)
    rest: AnyArray = a - int_div(a, divisor) * divisor
    return rest


def shift_left(a: AnyArray, count: AnyArray) -> AnyArray:
    return (a.view(np.uint32) << (count.view(np.uint32) & _U31)).view(np.int32)


def shift_right(a: AnyArray, count: AnyArray) -> AnyArray:
    return a >> (count & _I31)


def shift_right_logical(a: AnyArray, count: AnyArray) -> AnyArray:
    return (a.view(np.uint32) >> (count.view(np.uint32) & _U31)).view(np.int32)


def unsigned_div(a: AnyArray, b: AnyArray) -> AnyArray:
    divisor = b.view(np.uint32)
    quotient: AnyArray = a.view(np.uint32) // (divisor + (divisor == _U0))
    return quotient.view(np.int32)


def unsigned_rem(a: AnyArray, b: AnyArray) -> AnyArray:
    divisor = b.view(np.uint32)
    rest: AnyArray = a.view(np.uint32) % (divisor + (divisor == _U0))
    return rest.view(np.int32)


def unsigned_less(a: AnyArray, b: AnyArray) -> AnyArray:
    return a.view(np.uint32) < b.view(np.uint32)


def _masked_sum(x: AnyArray, mask: int, shift: int) -> AnyArray:
    """Neighbouring groups of bits, `shift` wide and chosen by `mask`, added."""
    bits = np.uint32(mask)
    return (x & bits) + (x >> np.uint32(shift) & bits)


def _count_bits(x: AnyArray) -> AnyArray:
    for mask, shift in ((0x55555555, 1), (0x33333333, 2), (0x0F0F0F0F, 4), (0x00FF00FF, 8), (0x0000FFFF, 16)):
        x = _masked_sum(x, mask, shift)
    return x.astype(np.int32)


def popcount(a: AnyArray) -> AnyArray:
    return _count_bits(a.view(np.uint32))


def leading_zeros(a: AnyArray) -> AnyArray:
    x = a.view(np.uint32)
    for shift in (1, 2, 4, 8, 16):  # copy the highest 1 into every place below it
        x = x | x >> np.uint32(shift)
    return _count_bits(~x)


def trailing_zeros(a: AnyArray) -> AnyArray:
    x = a.view(np.uint32)
    return _count_bits(~x & (x - _U1))


def reverse_bits(a: AnyArray) -> AnyArray:
    x = a.view(np.uint32)
    for mask, shift in ((0x55555555, 1), (0x33333333, 2), (0x0F0F0F0F, 4), (0x00FF00FF, 8), (0x0000FFFF, 16)):
        low, by = np.uint32(mask), np.uint32(shift)
        x = (x & low) << by | (x >> by & low)
    return x.view(np.int32)


# ---------------------------------------------------------------- Float


def minimum(a: AnyArray, b: AnyArray) -> AnyArray:
    """The smaller Float; a NaN is ignored and -0 is below +0."""
    result = np.fmin(a, b)
    if not _needs_care(result):
        return result
    result = pick((a < b) | np.isnan(b), a, b)
    return pick((a == F0) & (b == F0), (a.view(np.int32) | b.view(np.int32)).view(np.float32), result)


def maximum(a: AnyArray, b: AnyArray) -> AnyArray:
    """The larger Float; a NaN is ignored and -0 is below +0."""
    result = np.fmax(a, b)
    if not _needs_care(result):
        return result
    result = pick((a > b) | np.isnan(b), a, b)
    return pick((a == F0) & (b == F0), (a.view(np.int32) & b.view(np.int32)).view(np.float32), result)


def _needs_care(result: AnyArray) -> bool:
    """Whether zeros may have tied, or a signalling NaN (of which fmin and fmax make a NaN) has won."""
    return bool((result == F0).any()) or bool(np.isnan(result).any())


def float_sign(x: AnyArray) -> AnyArray:
    """-1, 0 or 1; 0 for NaN and both zeros."""
    return (x > F0).astype(np.float32) - (x < F0).astype(np.float32)


def float_to_int(x: AnyArray) -> AnyArray:
    """Truncated and saturated; NaN gives 0."""
    if (np.abs(x) < _TWO31).all():
        return x.astype(np.int32)
    # Saturation is done in float64, which holds every Int.
    bounded = np.fmin(np.fmax(x.astype(np.float64), np.float64(INT_MIN)), np.float64(INT_MAX))
    return pick(np.isnan(x), _I0, bounded.astype(np.int32))


def bits_of(x: AnyArray) -> AnyArray:
    """The bits of a Float as an Int; any NaN gives 0x7FC00000."""
    bits, nans = x.view(np.int32), x != x  # noqa: PLR0124 - `isnan`, ten times as quick on a single number
    return pick(nans, _NAN_BITS, bits) if _any(nans) else bits


def _any(mask: AnyArray) -> bool:
    """`mask.any()`, which is slow on a single truth."""
    return bool(mask.any() if mask.ndim else mask)


def float_of_bits(i: AnyArray) -> AnyArray:
    return i.view(np.float32)


# ---------------------------------------------------------------- order-preserving keys

NEVER_MIN, NEVER_MAX = INT_MAX, INT_MIN
"""The keys of what can win no minimum, and no maximum; read back they are NaNs."""


def ordered_keys(x: AnyArray, nan: int) -> AnyArray:
    """Ints that are ordered as the Floats are, -0 below +0; NaNs have the key `nan`."""
    keys, nans = _flip(x.view(np.int32)), np.isnan(x)
    return pick(nans, an_int(nan), keys) if nans.any() else keys


def from_keys(keys: AnyArray) -> AnyArray:
    return _flip(keys).view(np.float32)


def _flip(bits: AnyArray) -> AnyArray:
    """Turn the order of the negative ones round; its own inverse."""
    flipped: AnyArray = bits ^ ((bits >> _I31) & _LOW31)
    return flipped


# ---------------------------------------------------------------- the tables of operators

_COMPARISONS: dict[BinaryOp, Operation] = {
    BinaryOp.LT: lambda a, b: a < b,
    BinaryOp.LE: lambda a, b: a <= b,
    BinaryOp.GT: lambda a, b: a > b,
    BinaryOp.GE: lambda a, b: a >= b,
}

_BITWISE: dict[BinaryOp, Operation] = {
    BinaryOp.AND: lambda a, b: a & b,
    BinaryOp.OR: lambda a, b: a | b,
    BinaryOp.XOR: lambda a, b: a ^ b,
}

_ADDITIVE: dict[BinaryOp, Operation] = {
    BinaryOp.ADD: lambda a, b: a + b,
    BinaryOp.SUB: lambda a, b: a - b,
    BinaryOp.MUL: lambda a, b: a * b,
}

OPERATORS: dict[Scalar, dict[BinaryOp, Operation]] = {
    BOOL: _BITWISE,
    INT: {
        **_ADDITIVE,
        **_BITWISE,
        **_COMPARISONS,
        BinaryOp.DIV: int_div,
        BinaryOp.REM: int_rem,
        BinaryOp.SHL: shift_left,
        BinaryOp.SHR: shift_right,
        BinaryOp.USHR: shift_right_logical,
    },
    FLOAT: {
        **_ADDITIVE,
        **_COMPARISONS,
        BinaryOp.DIV: lambda a, b: a / b,
        BinaryOp.REM: np.fmod,
    },
}
"""What the operators mean for each kind of scalar, componentwise."""

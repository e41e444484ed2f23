"""Terms evaluated exactly: a Float is the real number that it is, and a result is known or it is not.

Reals are intervals of fractions, of one point as long as all steps are rational.  Comparisons that an interval does
not decide, and steps without a value, give None, which spreads unless a branch or a Bool leaves it out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from fractions import Fraction
from typing import TypeAlias

from kcheck.checker import arithmetic, floats
from kcheck.checker.law.euclid import GCD, gcd_of_ints
from kcheck.checker.law.terms import MAX_BITS, Op, Sort, Term, number, postorder, saturated


@dataclass(frozen=True, slots=True)
class Interval:
    """A real number that lies between two fractions, both included."""

    low: Fraction
    high: Fraction

    @property
    def is_point(self) -> bool:
        return self.low == self.high


Value: TypeAlias = "bool | int | Interval | None"
"""A Bool, an Int or a Real; None where it is not known."""


def point(value: Fraction | float | int) -> Interval:
    """A number that is known exactly."""
    fraction = Fraction(value)
    return Interval(fraction, fraction)


def known(value: bool | int | float | None) -> Value:
    """A scalar of a run: a Float as the real number that it is, if it is one."""
    if isinstance(value, float):
        return point(value) if math.isfinite(value) else None
    return value


def evaluated(terms: Sequence[Term], variables: Mapping[Term, Value]) -> tuple[Value, ...]:
    """The values of terms; a variable that is not in `variables` is not known."""
    values: dict[Term, Value] = dict(variables)
    for term in postorder(terms):
        if term not in values:
            values[term] = _value(term, [values[arg] for arg in term.args])
    return tuple(values[term] for term in terms)


def differ(left: Value, right: Value) -> bool:
    """Whether two values are surely not equal."""
    if isinstance(left, Interval) and isinstance(right, Interval):
        return left.high < right.low or right.high < left.low
    return left is not None and right is not None and left != right


def _value(term: Term, args: Sequence[Value]) -> Value:
    match term.op:
        case Op.CONST:
            return _constant(term)
        case Op.VAR:
            return None
        case Op.NOT:
            return None if args[0] is None else not args[0]
        case Op.AND:
            return _decided(args, False)
        case Op.OR:
            return _decided(args, True)
        case Op.IF:
            return None if args[0] is None else args[1] if args[0] else args[2]
        case _:
            known = [arg for arg in args if arg is not None]
            return _operation(term, known) if len(known) == len(args) else None


def _constant(term: Term) -> Value:
    value = number(term)
    return point(value) if term.sort is Sort.REAL or isinstance(value, Fraction) else value


def _decided(args: Sequence[Value], deciding: bool) -> Value:
    if any(arg is deciding for arg in args):
        return deciding
    return None if None in args else not deciding


def _operation(term: Term, args: Sequence[bool | int | Interval]) -> Value:
    if term.op is Op.FUNCTION:
        function = _FUNCTIONS.get(str(term.value))
        return None if function is None else function(*args)
    kind = _REALS if isinstance(args[0], Interval) else _INTS
    value = kind[term.op](*args)
    return _short(value) if isinstance(value, Interval) else value


_MOST_BITS = 4096
"""The longest fractions that are kept as they are while a number is known exactly,"""
_MOST_OF_OTHERS = 1024
"""and else."""
_KEPT_BITS = 512


def _short(value: Interval) -> Interval | None:
    """The same or, where its fractions have become long, a slightly wider one of shorter fractions.

    None where no fraction is short, as the number is far from 1.
    """
    ends = (value.low, value.high)
    longest = max(max(end.numerator.bit_length(), end.denominator.bit_length()) for end in ends)
    if longest < (_MOST_BITS if value.is_point else _MOST_OF_OTHERS):
        return value
    if max(abs(end.numerator.bit_length() - end.denominator.bit_length()) for end in ends) > MAX_BITS:
        return None
    return Interval(_rounded(value.low, -1), _rounded(value.high, 1))


def _rounded(value: Fraction, direction: int) -> Fraction:
    """A near fraction of few bits, not above (direction -1) or not below the value."""
    shift = _KEPT_BITS - value.numerator.bit_length() + value.denominator.bit_length()
    scale = Fraction(2) ** shift
    scaled = value * scale
    whole = scaled.numerator // scaled.denominator
    return Fraction(whole + (direction > 0 and whole != scaled)) / scale


# ---------------------------------------------------------------- Bool and Int


def _same(a: object, b: object) -> bool:
    return a == b


def _wrapped(function: Callable[..., int]) -> Callable[..., int]:
    return lambda *args: arithmetic.wrap(function(*args))


_INTS: Mapping[Op, Callable[..., Value]] = {
    Op.EQ: _same,
    Op.LT: lambda a, b: a < b,
    Op.LE: lambda a, b: a <= b,
    Op.ULT: lambda a, b: arithmetic.unsigned(a) < arithmetic.unsigned(b),
    Op.ADD: _wrapped(lambda a, b: a + b),
    Op.SUB: _wrapped(lambda a, b: a - b),
    Op.MUL: _wrapped(lambda a, b: a * b),
    Op.NEG: _wrapped(lambda a: -a),
    Op.MIN: min,
    Op.MAX: max,
    Op.ABS: _wrapped(abs),
    Op.DIV: arithmetic.divide_ints,
    Op.REM: arithmetic.remainder_ints,
    Op.BIT_AND: lambda a, b: a & b,
    Op.BIT_OR: lambda a, b: a | b,
    Op.BIT_XOR: lambda a, b: a ^ b,
    Op.BIT_NOT: lambda a: ~a,
    Op.SHL: arithmetic.shift_left,
    Op.SHR: arithmetic.shift_right,
    Op.USHR: arithmetic.shift_right_logical,
    Op.UDIV: arithmetic.divide_unsigned,
    Op.UREM: arithmetic.remainder_unsigned,
    Op.POPCOUNT: lambda a: arithmetic.unsigned(a).bit_count(),
    Op.CLZ: arithmetic.count_leading_zeros,
    Op.CTZ: arithmetic.count_trailing_zeros,
    Op.REVERSE_BITS: arithmetic.reverse_bits,
    Op.TO_REAL: point,
}


# ---------------------------------------------------------------- Real


def _equal(a: Interval, b: Interval) -> Value:
    if a.is_point and a == b:
        return True
    return False if differ(a, b) else None


def _less(a: Interval, b: Interval) -> Value:
    if a.high < b.low:
        return True
    return False if a.low >= b.high else None


def _less_or_equal(a: Interval, b: Interval) -> Value:
    if a.high <= b.low:
        return True
    return False if a.low > b.high else None


def _negated(a: Interval) -> Interval:
    return Interval(-a.high, -a.low)


def _sum(a: Interval, b: Interval) -> Interval:
    return Interval(a.low + b.low, a.high + b.high)


def _hull(values: Sequence[Fraction]) -> Interval:
    return Interval(min(values), max(values))


def _product(a: Interval, b: Interval) -> Interval:
    if a.is_point and b.is_point:
        return point(a.low * b.low)
    return _hull([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high])


def _quotient(a: Interval, b: Interval) -> Interval | None:
    if b.low <= 0 <= b.high:
        return None
    return _product(a, Interval(1 / b.high, 1 / b.low))


def _remainder(a: Interval, b: Interval) -> Interval | None:
    """a - b * truncate(a / b), where it is known which whole number that is."""
    quotient = _quotient(a, b)
    if quotient is None or int(quotient.low) != int(quotient.high):
        return None
    return _sum(a, _negated(_product(b, point(int(quotient.low)))))


def _absolute(a: Interval) -> Interval:
    if a.low >= 0:
        return a
    return _negated(a) if a.high <= 0 else Interval(Fraction(0), max(-a.low, a.high))


def _floor(a: Interval) -> Interval | None:
    low, high = a.low.numerator // a.low.denominator, a.high.numerator // a.high.denominator
    return point(low) if low == high else None


def _int(a: Interval) -> int | None:
    low, high = saturated(a.low), saturated(a.high)
    return low if low == high else None


_DIGITS = 80
_MARGIN = Fraction(1, 10 ** (_DIGITS - 5))
"""More than the relative error of the decimal functions below, each rounded to `_DIGITS`."""

_CONTEXT = Context(
    prec=_DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[InvalidOperation, DivisionByZero, Overflow], clamp=0
)
_LARGEST_EXPONENT = 1000
"""Of e: beyond what any Float could hold by far."""


def _decimal(value: Fraction) -> Decimal:
    return _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))


def _around(value: Decimal, slack: Fraction) -> Interval:
    exact = Fraction(value)
    return Interval(exact - abs(exact) * _MARGIN - slack, exact + abs(exact) * _MARGIN + slack)


def _span(low: Interval, high: Interval) -> Interval:
    return Interval(low.low, high.high)


def _exp(a: Interval) -> Interval | None:
    if a.is_point and a.low == 0:
        return point(1)
    if max(abs(a.low), abs(a.high)) > _LARGEST_EXPONENT:
        return None

    def at(x: Fraction) -> Interval:
        # The argument is off by a part of 10^-80, so the result by a part of at most 1000 times that.
        return _around(_CONTEXT.exp(_decimal(x)), Fraction(0))

    return _span(at(a.low), at(a.high))


def _log(a: Interval) -> Interval | None:
    if a.low <= 0:
        return None
    if a.is_point and a.low == 1:
        return point(0)

    def at(x: Fraction) -> Interval:
        return _around(_CONTEXT.ln(_decimal(x)), _MARGIN)

    return _span(at(a.low), at(a.high))


def _sqrt(a: Interval) -> Interval | None:
    if a.low < 0:
        return None

    def at(x: Fraction) -> Interval:
        root = _CONTEXT.sqrt(_decimal(x))
        exact = Fraction(root)
        return point(exact) if exact * exact == x else _around(root, Fraction(0))

    return _span(at(a.low), at(a.high))


_REALS: Mapping[Op, Callable[..., Value]] = {
    Op.EQ: _equal,
    Op.LT: _less,
    Op.LE: _less_or_equal,
    Op.ADD: _sum,
    Op.SUB: lambda a, b: _sum(a, _negated(b)),
    Op.MUL: _product,
    Op.NEG: _negated,
    Op.MIN: lambda a, b: Interval(min(a.low, b.low), min(a.high, b.high)),
    Op.MAX: lambda a, b: Interval(max(a.low, b.low), max(a.high, b.high)),
    Op.ABS: _absolute,
    Op.DIV: _quotient,
    Op.REM: _remainder,
    Op.FLOOR: _floor,
    Op.TO_INT: _int,
    Op.EXP: _exp,
    Op.LOG: _log,
    Op.SQRT: _sqrt,
}


# ---------------------------------------------------------------- angles, bits

_TERMS = 60
"""Enough of each series below for its margin."""
_SERIES_MARGIN = Fraction(1, 10**40)
_SERIES_BITS = 256
"""Behind the point, so that all rounding within a series stays far below its margin."""
_LARGEST_ANGLE = 8


def _sin(a: Interval) -> Interval | None:
    return _by_series(a, 1)


def _cos(a: Interval) -> Interval | None:
    return _by_series(a, 0)


def _by_series(a: Interval, first: int) -> Interval | None:
    """The sine (first power 1) or cosine (0) at a point; its slope is at most 1, so an interval widens by its width."""
    if max(abs(a.low), abs(a.high)) > _LARGEST_ANGLE:
        return None
    # Fixed point: powers of an exact fraction would grow without need.
    x, width = math.floor((a.low + a.high) / 2 * 2**_SERIES_BITS), a.high - a.low
    square = x * x >> _SERIES_BITS
    term, total = (x if first else 1 << _SERIES_BITS), 0
    for power in range(first, first + 2 * _TERMS, 2):
        total += term
        term = -(term * square >> _SERIES_BITS) // ((power + 1) * (power + 2))
    near = Fraction(total, 1 << _SERIES_BITS)
    return Interval(near - width - _SERIES_MARGIN, near + width + _SERIES_MARGIN)


_BEYOND_FLOATS = 10**39


def _bits_of(a: Interval) -> Value:
    """The bits of a number that is a Float; which zero it is is not known."""
    number_ = float(a.low) if a.is_point and abs(a.low) < _BEYOND_FLOATS else 0.0
    if number_ == 0.0 or arithmetic.single(number_) != a.low:
        return None
    return arithmetic.wrap(floats.from_float(number_))


def _from_bits(a: int) -> Value:
    value = floats.to_float(arithmetic.unsigned(a))
    return point(value) if math.isfinite(value) else None


_FUNCTIONS: Mapping[str, Callable[..., Value]] = {
    "sin": _sin,
    "cos": _cos,
    "bitcast_int": _bits_of,
    "bitcast_float": _from_bits,
    GCD: gcd_of_ints,
}

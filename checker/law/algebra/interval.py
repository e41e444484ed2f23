"""Intervals of real numbers with open, closed and infinite ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from kcheck.checker.arithmetic import INT_MAX, INT_MIN
from kcheck.checker.law.algebra.polynomial import Number, tidy


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from `low` to `high`; None is no bound.  An open end is itself left out."""

    low: Number | None = None
    high: Number | None = None
    low_open: bool = False
    high_open: bool = False

    @property
    def is_point(self) -> bool:
        """Whether it holds one number only."""
        return self.low is not None and self.low == self.high

    @property
    def is_empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (self.low == self.high and (self.low_open or self.high_open))

    @property
    def positive(self) -> bool:
        return self.low is not None and (self.low > 0 or (self.low == 0 and self.low_open))

    @property
    def negative(self) -> bool:
        return self.high is not None and (self.high < 0 or (self.high == 0 and self.high_open))

    @property
    def not_negative(self) -> bool:
        return self.low is not None and self.low >= 0

    @property
    def not_positive(self) -> bool:
        return self.high is not None and self.high <= 0

    def within(self, low: Number, high: Number) -> bool:
        return self.low is not None and self.high is not None and low <= self.low and self.high <= high

    def without_ends(self) -> Iterator[tuple[Number, Interval]]:
        """Each end that is in it, with what is left of it without that end."""
        if self.low is not None and not self.low_open:
            yield self.low, replace(self, low_open=True)
        if self.high is not None and not self.high_open:
            yield self.high, replace(self, high_open=True)

    def meet(self, other: Interval) -> Interval:
        low, low_open = self.low, self.low_open
        if other.low is not None and (low is None or (other.low, other.low_open) > (low, low_open)):
            low, low_open = other.low, other.low_open
        high, high_open = self.high, self.high_open
        if other.high is not None and (high is None or (-other.high, other.high_open) > (-high, high_open)):
            high, high_open = other.high, other.high_open
        return Interval(low, high, low_open, high_open)

    def join(self, other: Interval) -> Interval:
        low = high = None
        low_open = high_open = False
        if self.low is not None and other.low is not None:
            low, low_open = min((self.low, self.low_open), (other.low, other.low_open))
        if self.high is not None and other.high is not None:
            high, high_open = max((self.high, not self.high_open), (other.high, not other.high_open))
            high_open = not high_open
        return Interval(low, high, low_open, high_open)

    def __neg__(self) -> Interval:
        return Interval(
            None if self.high is None else -self.high,
            None if self.low is None else -self.low,
            self.high_open,
            self.low_open,
        )

    def __add__(self, other: Interval) -> Interval:
        return Interval(
            None if self.low is None or other.low is None else self.low + other.low,
            None if self.high is None or other.high is None else self.high + other.high,
            self.low_open or other.low_open,
            self.high_open or other.high_open,
        )

    def scaled(self, factor: Number) -> Interval:
        if factor == 0:
            return ZERO
        if factor < 0:
            return (-self).scaled(-factor)
        return Interval(
            None if self.low is None else self.low * factor,
            None if self.high is None else self.high * factor,
            self.low_open,
            self.high_open,
        )

    def __mul__(self, other: Interval) -> Interval:
        products = [_signed_product(x, y) for x in _parts(self) for y in _parts(other)]
        result = products[0]
        for product in products[1:]:
            result = result.join(product)
        return result

    def power(self, exponent: Number) -> Interval:
        """Of a number that is not 0 where the exponent is negative, and above 0 where it is no whole number."""
        if isinstance(exponent, Fraction):
            return POSITIVE
        if exponent < 0:
            return self._inverse().power(-exponent)
        if exponent % 2 == 0 and not self.not_negative:
            sides = [part if part.not_negative else -part for part in _parts(self)]
            return sides[0].join(sides[-1]).power(exponent)
        result = self
        for _ in range(exponent - 1):
            result = result * self
        return result

    def _inverse(self) -> Interval:
        """Of 1 / x, for an x that is not 0."""
        if not self.not_negative:
            return -((-self)._inverse()) if self.not_positive else EVERYTHING
        assert self.low is not None
        high = None if self.low == 0 else tidy(Fraction(1) / self.low)
        if self.high is None or self.high == 0:
            return Interval(0, high, True, self.low_open)
        return Interval(tidy(Fraction(1) / self.high), high, self.high_open, self.low_open)


ZERO = Interval(0, 0)
POSITIVE = Interval(0, None, low_open=True)
NOT_NEGATIVE = Interval(0)
BOOL = Interval(0, 1)
INT = Interval(INT_MIN, INT_MAX)
EVERYTHING = Interval()


def point(value: Number) -> Interval:
    return Interval(value, value)


def least(x: Interval, y: Interval) -> Interval:
    """Of the smaller of two numbers."""
    low, high = x.join(y), x.meet(y)
    return Interval(low.low, high.high, low.low_open, high.high_open)


def _parts(x: Interval) -> list[Interval]:
    """An interval as one or two that lie on one side of 0 each."""
    if x.not_negative or x.not_positive:
        return [x]
    return [Interval(x.low, 0, x.low_open), Interval(0, x.high, False, x.high_open)]


def _signed_product(x: Interval, y: Interval) -> Interval:
    """Of two intervals on one side of 0 each."""
    if not x.not_negative:
        return -_signed_product(-x, y)
    return _product(x, y) if y.not_negative else -_product(x, -y)


def _product(x: Interval, y: Interval) -> Interval:
    """Of two intervals without a negative number."""
    assert x.low is not None
    assert y.low is not None
    low = x.low * y.low
    # A product of 0 is reached unless both factors leave it out; any other end unless one factor does.
    if low == 0:
        low_open = not ((x.low == 0 and not x.low_open) or (y.low == 0 and not y.low_open))
    else:
        low_open = x.low_open or y.low_open
    if x.high == 0 or y.high == 0:
        return Interval(low, 0, low_open)
    if x.high is None or y.high is None:
        return Interval(low, None, low_open)
    return Interval(low, x.high * y.high, low_open, x.high_open or y.high_open)

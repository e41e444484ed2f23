"""The signs of polynomials that are linear in each of the numbers they are made of.

Such a polynomial is a mean of its values in the corners of where these numbers lie, so it has no other signs than these
values.  It is 0 just where the corners that count are: on each side of the box these are the corners of that side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kcheck.checker.law import work
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.algebra.polynomial import Number, Polynomial, add, constant, constant_value, multiply, scale

Factor: TypeAlias = tuple[int, Number]
"""An atom with its exponent, taken for a number by itself: this may allow more signs, but never fewer."""

MAX_FACTORS = 6
_CORNER = 1e-5
"""The work of finding the value in a corner."""


@dataclass(frozen=True, slots=True)
class Range:
    """Where a factor lies: between these, one of which is there; an end that is `open` is left out."""

    low: Polynomial | None
    high: Polynomial | None
    low_open: bool = False
    high_open: bool = False

    @classmethod
    def of(cls, interval: Interval) -> Range:
        low, high = (None if end is None else constant(end) for end in (interval.low, interval.high))
        return cls(low, high, interval.low_open, interval.high_open)

    @property
    def is_point(self) -> bool:
        return self.low is not None and self.low == self.high


def factors(p: Polynomial) -> list[Factor]:
    """What the monomials of a polynomial are products of."""
    return sorted({factor for monomial in p for factor in monomial})


def signs(p: Polynomial, ranges: Mapping[Factor, Range]) -> tuple[bool, bool, bool] | None:
    """Whether p may be below 0, be 0, be above 0, if its factors lie there; None where it is not linear in them.

    The ends of a range may be factors whose ranges come later.
    """
    work.count(_CORNER * (1 << len(ranges)))
    corners = [p]
    for factor, where in ranges.items():
        pairs = [_ends(corner, factor, where) for corner in corners]
        corners = [first for first, _ in pairs] + [second for _, second in pairs]
    values = [constant_value(corner) for corner in corners]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    below, above = any(value < 0 for value in known), any(value > 0 for value in known)
    return below, (below and above) or _vanishes(known, list(ranges.values())[::-1]), above


def _ends(p: Polynomial, factor: Factor, where: Range) -> tuple[Polynomial, Polynomial]:
    """p at the one end of where a factor lies; at the other or, where there is none, how p grows on the way there."""
    times, rest = _divided(p, factor)
    if where.low is None:
        assert where.high is not None
        return add(rest, multiply(times, where.high)), scale(times, -1)
    first = add(rest, multiply(times, where.low))
    return first, times if where.high is None else add(rest, multiply(times, where.high))


def _divided(p: Polynomial, factor: Factor) -> tuple[Polynomial, Polynomial]:
    """The q and r of p = factor * q + r."""
    times = {tuple(f for f in monomial if f != factor): c for monomial, c in p.items() if factor in monomial}
    return times, {monomial: c for monomial, c in p.items() if factor not in monomial}


def _vanishes(values: Sequence[Number], ranges: Sequence[Range]) -> bool:
    """Whether what has these values in the corners, all of one sign, may be 0."""
    if all(values):
        return False
    if not ranges:
        return True
    where, *others = ranges
    half = len(values) // 2
    first, second = values[:half], values[half:]
    at_low = not where.low_open and where.low is not None
    at_high = not where.high_open and where.high is not None
    if where.low is None:
        at_low, at_high = at_high, False
    if where.is_point:
        return _vanishes(first, others)
    if (at_low and _vanishes(first, others)) or (at_high and _vanishes(second, others)):
        return True
    return _vanishes([x + y for x, y in zip(first, second, strict=True)], others)

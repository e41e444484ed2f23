"""Sums of products lie between their values at the ends of what they are made of, as `a + b - a * b` does.

Where no number is multiplied with itself they are linear in each, so they are least and greatest where each number is
at one of its ends.  Plain interval arithmetic takes a number that stands in two places for two numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.algebra.polynomial import Number, tidy
from kcheck.checker.law.terms import Op, Term, number

_MOST_NUMBERS, _MOST_PARTS = 4, 24
_LINEAR = frozenset({Op.ADD, Op.SUB, Op.MUL, Op.NEG})


def between_ends(term: Term, found: Mapping[Term, Interval]) -> Interval | None:
    """Where a sum of Reals lies; None where it is not linear in each number, or plain arithmetic says as much."""
    if term.op is not Op.ADD and term.op is not Op.SUB:
        return None
    left = [_MOST_PARTS]
    x, y = (_numbers(arg, left) for arg in term.args)
    if x is None or y is None or not x & y or len(x | y) > _MOST_NUMBERS:
        return None
    numbers = sorted(x | y, key=lambda part: part.number)
    ends = [(found[part].low, found[part].high) for part in numbers]
    values = []
    for corner in product(*ends):
        at = {part: end for part, end in zip(numbers, corner, strict=True) if end is not None}
        if len(at) < len(numbers):
            return None
        values.append(_value(term, at))
    return Interval(min(values), max(values))


def _numbers(term: Term, left: list[int]) -> frozenset[Term] | None:
    """What sums and products are made of; None where one is multiplied with itself, or there are too many parts."""
    left[0] -= 1
    if term.is_const:
        return frozenset()
    if term.op not in _LINEAR:
        return frozenset({term})
    found: frozenset[Term] = frozenset()
    for arg in term.args:
        some = _numbers(arg, left) if left[0] > 0 else None
        if some is None or (term.op is Op.MUL and found & some):
            return None
        found |= some
    return found


def _value(term: Term, at: Mapping[Term, Number]) -> Number:
    if term.is_const:
        return tidy(number(term))
    if term.op not in _LINEAR:
        return at[term]
    x, *rest = (_value(arg, at) for arg in term.args)
    match term.op:
        case Op.ADD:
            return x + rest[0]
        case Op.SUB:
            return x - rest[0]
        case Op.MUL:
            return x * rest[0]
        case _:
            return -x

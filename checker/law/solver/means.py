"""Weighted means lie between what is averaged, however they are written.

`(x * s + y * t) / (s + t)`, `x + (y - x) * t / (s + t)`, and `x * (1 - k) + y * k` where k is from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import permutations

from kcheck.checker.law.algebra.interval import Interval, point
from kcheck.checker.law.terms import Op, Sort, Term

_SHARE = Interval(0, 1)


def mean(term: Term, found: Mapping[Term, Interval]) -> Interval | None:
    """Where a Real lies that is a mean; None where it is not seen to be one.  All below it are in `found`."""
    if term.op is Op.DIV:
        return _quotient(term.args[0], term.args[1], found)
    if term.op is Op.ADD:
        return next((i for a, b in permutations(term.args) for i in (*_moved(a, b, found), *_mixed(a, b, found))), None)
    return None


def _quotient(above: Term, below: Term, found: Mapping[Term, Interval]) -> Interval | None:
    """Of a sum of products, each with a weight of its own, by the sum of all weights."""
    weights = _addends(below, found)
    if not all(found[weight].not_negative for weight in weights):
        return None
    averaged: list[Interval] = []
    for addend in _addends(above, found):
        product = _weighted(addend, weights, found)
        if product is None:
            return None
        weight, value = product
        weights.remove(weight)
        averaged.append(value)
    return reduce(Interval.join, [*averaged, *(point(0) for _ in weights[:1])])


def _weighted(addend: Term, weights: Sequence[Term], found: Mapping[Term, Interval]) -> tuple[Term, Interval] | None:
    """One of the weights, and what it is multiplied by."""
    if addend in weights:
        return addend, point(1)
    is_product = addend.op is Op.MUL and addend.sort is Sort.REAL  # one of Ints may wrap
    for value, weight in permutations(addend.args) if is_product else ():
        if _plain(weight) in weights:
            return _plain(weight), found[value]
    return None


def _moved(x: Term, by: Term, found: Mapping[Term, Interval]) -> Iterator[Interval]:
    """Of `x + (y - x) * share`."""
    for way, is_share in _shared(by, found):
        if is_share and way.op is Op.SUB and way.args[1] is x:
            yield found[x].join(found[way.args[0]])


def _shared(term: Term, found: Mapping[Term, Interval]) -> Iterator[tuple[Term, bool]]:
    """The ways to read it as something times another, and whether the other is from 0 to 1."""
    if term.op is Op.MUL:
        for a, b in permutations(term.args):
            yield a, found[b].within(0, 1)
    elif term.op is Op.DIV and term.args[0].op is Op.MUL:
        for a, b in permutations(term.args[0].args):
            share = _quotient(b, term.args[1], found)
            yield a, share is not None and share.within(0, 1)


def _mixed(kept: Term, other: Term, found: Mapping[Term, Interval]) -> Iterator[Interval]:
    """Of `x * (1 - share) + y * share`."""
    for x, rest in permutations(kept.args) if kept.op is other.op is Op.MUL else ():
        for y, share in permutations(other.args):
            is_rest = rest.op is Op.SUB and rest.args[0].value == 1 and rest.args[1] is share
            if is_rest and found[share].within(0, 1):
                yield found[x].join(found[y])


def _addends(term: Term, found: Mapping[Term, Interval]) -> list[Term]:
    """What is added up, Ints in place of the Reals that they are."""
    term = _plain(term)
    if term.op is not Op.ADD or not _is_exact(term, found):
        return [term]
    return [addend for arg in term.args for addend in _addends(arg, found)]


def _is_exact(total: Term, found: Mapping[Term, Interval]) -> bool:
    """Whether a sum does not wrap: one of two Ints that are not below 0 is below 0 where it does."""
    return total.sort is Sort.REAL or all(found[term].not_negative for term in (total, *total.args))


def _plain(term: Term) -> Term:
    return term.args[0] if term.op is Op.TO_REAL else term

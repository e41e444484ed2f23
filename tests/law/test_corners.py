"""Polynomials that are linear in each number: signs and bounds told by corners, held to their values at many points."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product

import pytest

from kcheck.checker.law.algebra import corners
from kcheck.checker.law.algebra.atoms import Atoms, Kind
from kcheck.checker.law.algebra.elimination import refute
from kcheck.checker.law.algebra.facts import ABOVE, NEGATIVE, NULL, Contradiction, Facts, Query, Usage
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.algebra.polynomial import ONE, Monomial, Number, Polynomial, of_atom
from kcheck.checker.law.solver.ends import between_ends
from kcheck.checker.law.solver.intervals import ranges
from kcheck.checker.law.terms import Op, Sort, Term, Terms
from tests.law.reference import evaluate

A, B, C = ((0, 1),), ((1, 1),), ((2, 1),)
OVER: Polynomial = {A: 1, B: 1, ((0, 1), (1, 1)): -1}
"""a + b - a b."""
SHARE = Interval(0, 1)
ENDS: tuple[Number, ...] = (-2, -1, 0, Fraction(1, 2), 1, 3)


def drawn_interval(source: random.Random) -> Interval:
    low, high = sorted(source.sample(ENDS, 2))
    is_open = [source.random() < 0.4 for _ in range(2)]
    kind = source.randrange(4)
    if kind == 0:
        return Interval(low, None, is_open[0])
    if kind == 1:
        return Interval(None, high, False, is_open[1])
    return Interval(low, high, *is_open)


def drawn_polynomial(source: random.Random, count: int) -> dict[Monomial, Number]:
    p: dict[Monomial, Number] = {}
    for chosen in product((False, True), repeat=count):
        monomial = tuple((atom, 1) for atom, is_there in enumerate(chosen) if is_there)
        coefficient = source.choice((0, 0, 1, -1, 2, Fraction(-1, 2)))
        if coefficient:
            p[monomial] = coefficient
    return p


def points_of(interval: Interval) -> Iterator[Fraction]:
    """Its ends, as far as they are in it, and some between them."""
    low = Fraction(interval.low if interval.low is not None else (interval.high or 0) - 50)
    high = Fraction(interval.high if interval.high is not None else low + 50)
    for part in (Fraction(0), Fraction(1, 1000), Fraction(1, 3), Fraction(999, 1000), Fraction(1)):
        point = low + part * (high - low)
        at_end = (point == low and interval.low_open) or (point == high and interval.high_open)
        if not at_end:
            yield point


def value(p: Polynomial, at: Mapping[int, Fraction]) -> Fraction:
    return sum((Fraction(c) * math.prod(at[atom] ** int(e) for atom, e in m) for m, c in p.items()), Fraction(0))


def sign_of(number: Fraction) -> int:
    return NULL if number == 0 else ABOVE if number > 0 else NEGATIVE


def signs(p: Polynomial, *intervals: Interval) -> int:
    found = corners.signs(p, {(atom, 1): corners.Range.of(interval) for atom, interval in enumerate(intervals)})
    assert found is not None
    below, zero, above = found
    return NEGATIVE * below | NULL * zero | ABOVE * above


@pytest.mark.parametrize("part", range(4))
def test_signs_allow_every_value(part: int) -> None:
    for seed in range(150 * part, 150 * (part + 1)):
        source = random.Random(seed)
        count = source.choice((1, 2, 3))
        p, intervals = drawn_polynomial(source, count), [drawn_interval(source) for _ in range(count)]
        found = signs(p, *intervals)
        taken = 0
        for point in product(*map(points_of, intervals)):
            taken |= sign_of(value(p, dict(enumerate(point))))
        assert not taken & ~found, (p, intervals)
        if all(None not in (i.low, i.high) for i in intervals):  # else a sign may show beyond what is tried
            assert not found & (NEGATIVE | ABOVE) & ~taken, (p, intervals)


def test_a_zero_is_seen_where_it_is() -> None:
    above_zero, below_one = Interval(0, 1, True), Interval(0, 1, False, True)
    assert signs(OVER, SHARE, SHARE) == NULL | ABOVE
    assert signs(OVER, above_zero, SHARE) == ABOVE
    assert signs(OVER, SHARE, above_zero) == ABOVE
    rest: Polynomial = {ONE: 1, **{m: -c for m, c in OVER.items()}}
    assert signs(rest, SHARE, below_one) == NULL | ABOVE
    assert signs(rest, below_one, below_one) == ABOVE
    apart: Polynomial = {A: 1, B: 1, ((0, 1), (1, 1)): -2}  # is 0 at two corners only: both 0, or both 1
    assert signs(apart, above_zero, below_one) == ABOVE
    assert signs(apart, above_zero, SHARE) == NULL | ABOVE
    weighed: Polynomial = {((0, 1), (1, 1)): 1, C: 1}
    assert signs(weighed, Interval(0, None), Interval(0, None, True), Interval(0, None)) == NULL | ABOVE
    assert signs(weighed, Interval(0, None, True), Interval(0, None, True), Interval(0, None)) == ABOVE
    assert signs(weighed, Interval(0, None, True), Interval(0, None), Interval(0, None)) == NULL | ABOVE


def boxed(*intervals: Interval) -> Facts:
    atoms = Atoms()
    for i, interval in enumerate(intervals):
        assert atoms.make(Kind.VARIABLE, i, interval=interval) == i
    return Facts(atoms, Usage(math.inf), refute)


@pytest.mark.parametrize("part", range(4))
def test_what_is_learnt_holds_of_every_point(part: int) -> None:
    learnt = 0
    for seed in range(100 * part, 100 * (part + 1)):
        source = random.Random(seed)
        count = source.choice((2, 3))
        p, intervals = drawn_polynomial(source, count), [drawn_interval(source) for _ in range(count)]
        if source.random() < 0.5:  # at an end: what is below or above 0 elsewhere
            intervals = [source.choice((SHARE, Interval(0, 3), Interval(0, None), Interval(-2, 0))) for _ in intervals]
            p.pop(ONE, None)
        wanted = source.choice((NULL, NEGATIVE | NULL, NULL | ABOVE, NEGATIVE, ABOVE))
        points = [dict(enumerate(point)) for point in product(*map(points_of, intervals))]
        held = [point for point in points if sign_of(value(p, point)) & wanted]
        facts = boxed(*intervals)
        try:
            facts.assume(Query(p, wanted))
        except Contradiction:
            assert not held, (p, intervals, wanted)
            continue
        learnt += any(atom in facts.solved for atom in range(count))
        q = drawn_polynomial(source, count)
        for point in held:
            assert sign_of(value(q, point)) & facts.sign(q), (p, intervals, wanted, q)
            for atom in range(count):
                assert sign_of(point[atom]) & facts.sign(of_atom(atom)), (p, intervals, wanted)
                if atom in facts.solved:
                    assert point[atom] == value(facts.solved[atom], point)
    assert learnt > 3


def test_a_sum_that_is_zero_makes_what_it_is_made_of_zero() -> None:
    facts = boxed(SHARE, SHARE, Interval(0, None))
    facts.assume(Query(OVER, NULL))
    assert facts.sign(of_atom(0)) == facts.sign(of_atom(1)) == NULL
    facts = boxed(Interval(0, None), Interval(0, None, True), Interval(0, None))
    facts.assume(Query({((0, 1), (1, 1)): 1, C: 1}, NEGATIVE | NULL))
    assert facts.sign(of_atom(0)) == facts.sign(of_atom(2)) == NULL
    assert facts.sign(of_atom(1)) == ABOVE
    for beyond in (Interval(0, 3), Interval(-1, 1), Interval(0, None)):  # then terms may cancel
        facts = boxed(beyond, beyond, SHARE)
        facts.assume(Query({**OVER, C: 1}, NULL))
        assert facts.sign(of_atom(0)) != NULL
        assert facts.sign(of_atom(1)) != NULL


def test_signs_allow_every_value_of_what_is_in_order() -> None:
    told = 0
    for seed in range(250):
        source = random.Random(seed)
        p = drawn_polynomial(source, 3)
        intervals = [
            source.choice((SHARE, Interval(0, 3), Interval(0, None), drawn_interval(source))) for _ in range(3)
        ]
        low, high = source.sample(range(3), 2)
        p.pop(ONE, None)
        points = [dict(enumerate(point)) for point in product(*map(points_of, intervals))]
        points += [{**point, low: point[high]} for point in points if point[high] in points_of(intervals[low])]
        held = [point for point in points if point[low] <= point[high]]
        facts = boxed(*intervals)
        plain = facts.sign(p)
        try:
            facts.assume(Query({((low, 1),): 1, ((high, 1),): -1}, NEGATIVE | NULL))
        except Contradiction:
            assert not held
            continue
        told += facts.sign(p) != plain
        for point in held:
            assert sign_of(value(p, point)) & facts.sign(p), (p, intervals, low, high)
    assert told > 1


def test_colours_up_to_their_alpha_stay_so() -> None:
    facts = boxed(SHARE, SHARE, SHARE, SHARE)
    front, back, front_alpha, back_alpha = (((atom, 1),) for atom in range(4))
    for colour, alpha in ((front, front_alpha), (back, back_alpha)):
        facts.assume(Query({colour: 1, alpha: -1}, NEGATIVE | NULL))
    through: Monomial = ((1, 1), (2, 1))  # the back, by the front's alpha
    seen: Polynomial = {front: 1, back: 1, through: -1}
    assert facts.sign({**seen, ONE: -1}) == NEGATIVE | NULL
    assert facts.sign(seen) == NULL | ABOVE
    unweighted: Polynomial = {front: 1, back: 1, ONE: -1}
    assert facts.sign(unweighted) & ABOVE


def drawn_term(terms: Terms, source: random.Random, variables: list[Term], depth: int) -> Term:
    if depth == 0 or source.random() < 0.2:
        return source.choice((*variables, terms.real(source.choice((0, 1, -2, Fraction(1, 2))))))
    x, y = (drawn_term(terms, source, variables, depth - 1) for _ in range(2))
    op = source.choice((Op.ADD, Op.SUB, Op.MUL, Op.MUL, Op.MAX))
    return terms.apply(op, x, source.choice((y, terms.mul(*source.sample(variables, 2)))))


@pytest.mark.parametrize("part", range(4))
def test_terms_lie_between_their_values_at_the_ends(part: int) -> None:
    tightened = 0
    for seed in range(200 * part, 200 * (part + 1)):
        source = random.Random(seed)
        terms = Terms()
        variables = [terms.var(name, Sort.REAL) for name in "xyz"]
        known = {v: source.choice((SHARE, Interval(-1, 2), Interval(0, 3), drawn_interval(source))) for v in variables}
        term = drawn_term(terms, source, variables, source.choice((2, 3, 4)))
        found = ranges((term,), known)
        between = between_ends(term, found)
        tightened += between is not None
        for point in product(*(points_of(known[v]) for v in variables)):
            [result] = evaluate([term], dict(zip(variables, point, strict=True)))
            for interval in (found[term], between or found[term]):
                assert interval.low is None or interval.low <= result, (term, known)
                assert interval.high is None or result <= interval.high, (term, known)
    assert tightened > 5


def test_what_stands_in_two_places_is_one_number() -> None:
    terms = Terms()
    a, b = (terms.var(name, Sort.REAL) for name in "ab")
    both = terms.mul(a, b)
    joined = terms.sub(terms.add(a, b), both)
    assert ranges((joined,), {a: SHARE, b: SHARE})[joined] == SHARE
    assert ranges((joined,), {a: SHARE, b: Interval(0, 2)})[joined] == Interval(0, 2)
    squared = terms.sub(a, terms.mul(a, a))  # is 1/4 in the middle, and 0 at the ends
    assert between_ends(squared, ranges((squared,), {a: SHARE})) is None

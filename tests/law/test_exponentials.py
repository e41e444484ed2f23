"""What is known of exponentials by their arguments, held to their values at many points."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from itertools import product

import pytest

from kcheck.checker.law.algebra.atoms import Atoms, Kind
from kcheck.checker.law.algebra.elimination import refute
from kcheck.checker.law.algebra.facts import ABOVE, NEGATIVE, NULL, Contradiction, Facts, Query, Usage
from kcheck.checker.law.algebra.interval import NOT_NEGATIVE, POSITIVE, Interval
from kcheck.checker.law.algebra.polynomial import ONE, Monomial, Number, Polynomial, of_atom

X, Y, EXP_X, EXP_Y = range(4)
"""Atoms: two numbers, and e to each."""
SIGNS = (NEGATIVE, NULL, ABOVE, NEGATIVE | NULL, NULL | ABOVE, NEGATIVE | ABOVE)
INTERVALS = (Interval(), NOT_NEGATIVE, POSITIVE, Interval(None, 0), Interval(-1, 1), Interval(0, 1), Interval(-2, 0))


def known(x: Interval, y: Interval) -> Facts:
    atoms = Atoms()
    for name, interval in enumerate((x, y)):
        atoms.make(Kind.VARIABLE, name, interval=interval)
    for atom in (X, Y):
        atoms.make(Kind.EXP, (((atom, 1),), ONE), interval=POSITIVE)
    return Facts(atoms, Usage(math.inf), refute)


def points(x: Interval, y: Interval) -> Iterator[tuple[float, float]]:
    numbers = (-2, -1, -0.25, 0, 0.5, 1, 3)
    for point in product(numbers, repeat=2):
        if all(_is_in(number, interval) for number, interval in zip(point, (x, y), strict=True)):
            yield point


def _is_in(number: float, where: Interval) -> bool:
    above = where.low is None or number > where.low or (number == where.low and not where.low_open)
    return above and (where.high is None or number < where.high or (number == where.high and not where.high_open))


def value(p: Polynomial, x: float, y: float) -> float:
    at = (x, y, math.exp(x), math.exp(y))
    total = math.fsum(float(c) * math.prod(at[a] ** float(e) for a, e in m) for m, c in p.items())
    return 0.0 if abs(total) < 1e-9 else total


def sign(number: float) -> int:
    return NULL if number == 0 else ABOVE if number > 0 else NEGATIVE


def drawn(source: random.Random) -> Polynomial:
    """Mostly differences of exponentials, also by something else."""
    p: dict[Monomial, Number] = {}
    for factor in (1, -1, *source.sample((1, -1, 2), source.choice((0, 0, 1)))):
        factors = [(atom, source.choice((-1, 1, 2))) for atom in (EXP_X, EXP_Y) if source.random() < 0.6]
        other = [(source.choice((X, Y)), 1)] if source.random() < 0.15 else []
        monomial = tuple(sorted((*other, *factors)))
        p[monomial] = p.get(monomial, 0) + factor
    return {m: c for m, c in p.items() if c}


@pytest.mark.parametrize("part", range(4))
def test_what_is_known_holds_of_every_point(part: int) -> None:
    told = 0
    for seed in range(300 * part, 300 * (part + 1)):
        source = random.Random(seed)
        x, y = source.choice(INTERVALS), source.choice(INTERVALS)
        facts, fact, wanted = known(x, y), drawn(source), source.choice(SIGNS)
        held = [point for point in points(x, y) if sign(value(fact, *point)) & wanted]
        try:
            facts.assume(Query(fact, wanted))
        except Contradiction:
            assert not held, (x, y, fact, wanted)
            continue
        for p in (drawn(source), of_atom(X), of_atom(Y), {((X, 1),): 1, ((Y, 1),): -1}):
            signs = facts.sign(p)
            told += signs in (NEGATIVE, NULL, ABOVE)
            for point in held:
                assert sign(value(p, *point)) & signs, (x, y, fact, wanted, p)
    assert told > 100


def test_an_exponential_is_one_where_its_argument_is_zero() -> None:
    facts = known(NOT_NEGATIVE, NOT_NEGATIVE)
    both: Monomial = ((EXP_X, -1), (EXP_Y, -1))
    hidden: Polynomial = {ONE: 1, both: -1}
    assert facts.sign(hidden) == NULL | ABOVE
    clear = facts.copy()
    clear.assume(Query(hidden, NULL))
    assert clear.sign(of_atom(X)) == clear.sign(of_atom(Y)) == NULL
    facts.assume(Query({((X, 1),): 1, ((Y, 1),): 1}, ABOVE))
    assert facts.sign(hidden) == ABOVE
    assert facts.sign({ONE: 1, ((EXP_X, -1),): -1}) == NULL | ABOVE


def test_exponentials_are_in_the_order_of_their_arguments() -> None:
    facts = known(Interval(), Interval())
    difference: Polynomial = {((EXP_X, 1),): 1, ((EXP_Y, 1),): -1}
    assert facts.sign(difference) == NEGATIVE | NULL | ABOVE
    facts.assume(Query(difference, ABOVE))
    assert facts.sign({((X, 1),): 1, ((Y, 1),): -1}) == ABOVE
    assert facts.sign({((EXP_X, 1), (EXP_Y, -1)): 1, ONE: -1}) == ABOVE
    assert facts.sign({((EXP_X, 1),): 2, ((EXP_Y, 1),): -3}) == NEGATIVE | NULL | ABOVE

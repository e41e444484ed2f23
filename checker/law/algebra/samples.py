"""A few values for all variables: where goals fail for one, no proof need be looked for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

from kcheck.checker.law.algebra.search import Goal
from kcheck.checker.law.exact import Value, differ, evaluated, point
from kcheck.checker.law.terms import Sort, Term, variables

TRIES = 4
_INTS = (0, 1, -1, 2, 3, 5, -7, 100, (1 << 31) - 1, -(1 << 31))
_REALS = (
    Fraction(0),
    Fraction(1),
    Fraction(-1),
    Fraction(2),
    Fraction(1, 2),
    Fraction(-3, 2),
    Fraction(5),
    Fraction(3),
)


def fails(goals: Sequence[Goal], assumptions: Sequence[Term]) -> bool:
    """Whether some goal is surely false for values that fulfil the assumptions."""
    source = random.Random(0)
    flat = [term for goal in goals for term in goal]
    unknowns = variables([*flat, *assumptions])
    for _ in range(TRIES):
        values = {variable: _some(variable.sort, source) for variable in unknowns}
        sides = evaluated([*assumptions, *flat], values)
        given, sides = sides[: len(assumptions)], sides[len(assumptions) :]
        if all(value is True for value in given) and any(map(differ, sides[::2], sides[1::2])):
            return True
    return False


def _some(sort: Sort, source: random.Random) -> Value:
    if sort is Sort.BOOL:
        return source.random() < 0.5
    return source.choice(_INTS) if sort is Sort.INT else point(source.choice(_REALS))

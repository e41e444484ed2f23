"""Greatest common divisors of whole numbers that are polynomials.

The common divisors of numbers are those of all sums of their multiples.  So one set of polynomials, made by Euclid's
algorithm for each monomial in turn (Hermite's normal form), stands for all sets with the same sums: the divisor of
a - b and b - c is that of a - c and b - c.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.checker.law.algebra.polynomial import Key, Monomial, Polynomial, add, key, scale

_MOST_NUMBERS = 12
"""More are left as they are."""


def divided(numbers: Sequence[Polynomial]) -> frozenset[Key]:
    """Polynomials with the same common divisors, the same for all numbers that have these; none of zeros."""
    rows = [p for p in numbers if p]
    if len(rows) > _MOST_NUMBERS or not all(isinstance(c, int) for p in rows for c in p.values()):
        return frozenset(map(key, rows))
    basis: list[Polynomial] = []
    for monomial in sorted({m for p in rows for m in p}):
        rows, pivot = _eliminated(rows, monomial)
        if pivot is not None:
            basis = [_reduced(p, pivot, monomial) for p in basis]
            basis.append(pivot)
    return frozenset(map(key, basis))


def _eliminated(rows: Sequence[Polynomial], monomial: Monomial) -> tuple[list[Polynomial], Polynomial | None]:
    """The rows without a monomial, and the one that is left with it, as Euclid's algorithm makes them."""
    rest = [p for p in rows if monomial not in p]
    having = [p for p in rows if monomial in p]
    while len(having) > 1:
        having.sort(key=lambda p: abs(int(p[monomial])))
        pivot = having[0]
        others = [_reduced(p, pivot, monomial) for p in having[1:]]
        rest += [p for p in others if p and monomial not in p]
        having = [pivot, *(p for p in others if monomial in p)]
    if not having:
        return rest, None
    [last] = having
    return rest, last if last[monomial] > 0 else scale(last, -1)


def _reduced(p: Polynomial, pivot: Polynomial, monomial: Monomial) -> Polynomial:
    """p less as many pivots as go into it at a monomial."""
    return add(p, pivot, -(p.get(monomial, 0) // pivot[monomial]))

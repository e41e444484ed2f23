"""Euclid's algorithm: the loop whose result has a name, `gcd`, so that nobody has to go through its rounds.

A round turns (p, q) into (q, p % q) unless q is 0.  Where p and q are not below 0 and the loop has rounds enough, it
ends with the greatest common divisor and 0.
"""

from __future__ import annotations

import math

from kcheck.checker import arithmetic
from kcheck.checker.law.terms import Op, Sort, Term, Terms

GCD = "gcd"
"""The name of the function of two Ints: of their values without signs, wrapped to the range of Int."""


def gcd_of_ints(a: int, b: int) -> int:
    return arithmetic.wrap(math.gcd(a, b))


def is_round(terms: Terms, p: Term, q: Term, then: tuple[Term, Term]) -> bool:
    """Whether `then` is what a round of Euclid's algorithm makes of p and q."""
    ends = terms.eq(q, terms.integer(0))
    rests = (terms.apply(op, p, q) for op in (Op.REM, Op.UREM))
    return any(then == (terms.if_(ends, p, q), terms.if_(ends, q, rest)) for rest in rests)


def ends_after(terms: Terms, p: Term, q: Term, rounds: int) -> Term:
    """That so many rounds are enough for p and q, neither of which is below 0.

    Where n rounds are not, one of which may only put the larger number first, the smaller number is at least the
    Fibonacci number F(n + 1), and the larger one F(n + 2).
    """
    zero = terms.integer(0)
    signs = terms.and_(terms.le(zero, p), terms.le(zero, q))
    smaller, larger = 1, 1
    for _ in range(rounds):
        smaller, larger = larger, smaller + larger
        if larger > arithmetic.INT_MAX:
            return signs
    few = terms.any(terms.lt(x, terms.integer(smaller)) for x in (p, q))
    small = terms.all(terms.lt(x, terms.integer(larger)) for x in (p, q))
    return terms.and_(signs, terms.or_(few, small))


def gcd(terms: Terms, p: Term, q: Term) -> Term:
    return terms.function(GCD, (p, q), Sort.INT)

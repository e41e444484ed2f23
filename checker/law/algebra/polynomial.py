"""Sparse polynomials over numbered atoms, as plain dicts that nobody changes once they are made.

A monomial is a sorted tuple of (atom, exponent); `ONE` has no atom.  An exponent may be negative, and of an
exponential any fraction.  A polynomial maps each of its monomials to a coefficient that is not 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache
from heapq import heapify, heappop, heappush
from typing import TypeAlias

from kcheck.checker.law import work
from kcheck.checker.law.terms import MAX_BITS

Number: TypeAlias = "int | Fraction"
Monomial: TypeAlias = tuple[tuple[int, Number], ...]
Polynomial: TypeAlias = Mapping[Monomial, Number]
Key: TypeAlias = frozenset[tuple[Monomial, Number]]
"""A polynomial as a value with a hash."""

ONE: Monomial = ()
ZERO: Polynomial = {}
MAX_TERMS = 10_000
"""The most monomials that a product may go through."""


_PRODUCT = 1e-5
"""The work of one product of monomials."""


class TooLarge(Exception):
    """A normal form beyond its cap, or with numbers that are: nothing is decided."""


def tidy(value: Number) -> Number:
    """An int where the number is whole, as ints are many times faster."""
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def constant(value: Number) -> Polynomial:
    return {ONE: tidy(value)} if value else ZERO


def power(atom: int, exponent: Number = 1) -> Monomial:
    return ((atom, exponent),)


def of_atom(atom: int) -> Polynomial:
    return {power(atom): 1}


def key(p: Polynomial) -> Key:
    return frozenset(p.items())


def constant_value(p: Polynomial) -> Number | None:
    """Its value if it has no atoms."""
    if not p:
        return 0
    return p[ONE] if len(p) == 1 and ONE in p else None


def single_atom(p: Polynomial) -> int | None:
    """The atom that this polynomial is, if it is one."""
    if len(p) != 1:
        return None
    [(monomial, coefficient)] = p.items()
    return monomial[0][0] if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 else None


def add(p: Polynomial, q: Polynomial, factor: Number = 1) -> Polynomial:
    """p + factor * q."""
    result = dict(p)
    for monomial, coefficient in q.items():
        total = result.get(monomial, 0) + factor * coefficient
        if total:
            result[monomial] = total
        else:
            result.pop(monomial, None)
    return result


def subtract(p: Polynomial, q: Polynomial) -> Polynomial:
    return add(p, q, -1)


def scale(p: Polynomial, factor: Number) -> Polynomial:
    if factor == 1:
        return p
    return {monomial: tidy(coefficient * factor) for monomial, coefficient in p.items()} if factor else ZERO


def multiply_monomials(m: Monomial, n: Monomial) -> Monomial:
    if not m or not n:
        return m or n
    exponents = dict(m)
    for atom, exponent in n:
        exponents[atom] = exponents.get(atom, 0) + exponent
    return tuple(sorted((atom, tidy(exponent)) for atom, exponent in exponents.items() if exponent))


def multiply(p: Polynomial, q: Polynomial) -> Polynomial:
    products = len(p) * len(q)
    if products > MAX_TERMS:
        raise TooLarge
    work.count(_PRODUCT * products)
    result: dict[Monomial, Number] = {}
    for m, a in p.items():
        for n, b in q.items():
            product = multiply_monomials(m, n)
            result[product] = result.get(product, 0) + a * b
    if any(coefficient.numerator.bit_length() > MAX_BITS for coefficient in result.values()):
        raise TooLarge
    return {monomial: tidy(coefficient) for monomial, coefficient in result.items() if coefficient}


def shift(p: Polynomial, monomial: Monomial) -> Polynomial:
    """p times a monomial."""
    return {multiply_monomials(m, monomial): c for m, c in p.items()} if monomial else p


def inverse(monomial: Monomial) -> Monomial:
    return tuple((atom, -exponent) for atom, exponent in monomial)


def atoms(p: Polynomial) -> set[int]:
    return {atom for monomial in p for atom, _ in monomial}


@lru_cache(maxsize=1 << 16)
def rank(monomial: Monomial) -> tuple[Number, list[tuple[int, Number]]]:
    """Orders monomials, the leading one first: by degree, then by the first atoms.

    Products respect the order where no exponent is negative.
    """
    return -sum(exponent for _, exponent in monomial), [(atom, -exponent) for atom, exponent in monomial]


def leading(p: Polynomial) -> Monomial:
    return min(p, key=rank)


def content(p: Polynomial) -> Number:
    """The positive number by which to divide, so that the coefficients are whole and have no common factor."""
    if all(isinstance(c, int) for c in p.values()):
        return math.gcd(*(c.numerator for c in p.values()))
    numerators = math.gcd(*(c.numerator for c in p.values()))
    denominators = math.lcm(*(c.denominator for c in p.values()))
    return tidy(Fraction(numerators, denominators))


def primitive(p: Polynomial) -> tuple[Number, Polynomial]:
    """(c, q) with p = c * q, where q is the same for p and all its multiples; c may be negative.  p is not 0."""
    factor = content(p)
    if p[leading(p)] < 0:
        factor = -factor
    if factor == 1:
        return 1, p
    if isinstance(factor, int):
        return factor, {m: c // factor for m, c in p.items()}
    return factor, {m: tidy(c / factor) for m, c in p.items()}


def least_exponents(polynomials: Iterable[Polynomial], wanted: Iterable[int]) -> Monomial:
    """The largest monomial over the wanted atoms that divides every term of these polynomials."""
    terms = [dict(monomial) for p in polynomials for monomial in p]
    result = [(atom, tidy(min(term.get(atom, 0) for term in terms))) for atom in sorted(wanted)]
    return tuple((atom, exponent) for atom, exponent in result if exponent)


def divide(p: Polynomial, q: Polynomial) -> Polynomial | None:
    """p / q if q divides p; q is not 0 and no monomial divides it."""
    common = least_exponents([p], atoms(p))
    rest = dict(shift(p, inverse(common)))
    lead = leading(q)
    undo, factor = inverse(lead), q[lead]
    lower = [(monomial, coefficient) for monomial, coefficient in q.items() if monomial != lead]
    quotient: dict[Monomial, Number] = {}
    queue = [(rank(monomial), monomial) for monomial in rest]
    heapify(queue)
    while queue:
        work.count(_PRODUCT * len(q))
        _, top = heappop(queue)
        coefficient = rest.pop(top, 0)
        if not coefficient:
            continue
        step = multiply_monomials(top, undo)
        if any(exponent < 0 for _, exponent in step) or len(quotient) * len(q) > MAX_TERMS:
            return None
        quotient[step] = value = tidy(Fraction(coefficient) / factor)
        for monomial, other in lower:
            product = multiply_monomials(monomial, step)
            if product not in rest:
                heappush(queue, (rank(product), product))
            rest[product] = rest.get(product, 0) - value * other
    return shift(quotient, common)

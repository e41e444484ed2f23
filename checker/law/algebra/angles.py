"""Sines and cosines: those of sums as products of those of the parts.

`cos(x + y)` and `sin(x + y)` are the parts of a product of complex numbers.  Of each part `sin^2` is `1 - cos^2`, and
an angle that is `atan2(s, c)` with `s^2 + c^2 = 1` has the sine s and the cosine c.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from kcheck.checker.law.algebra.atoms import Kind
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.algebra.polynomial import (
    ONE,
    Monomial,
    Number,
    Polynomial,
    add,
    constant,
    key,
    multiply,
    of_atom,
    single_atom,
    tidy,
)
from kcheck.checker.law.algebra.reals import Ratio, Reals
from kcheck.checker.law.terms import Sort

Turn: TypeAlias = tuple[Ratio, Ratio]
"""The cosine and the sine of an angle."""

MOST_TIMES = 4
"""Angles that are taken more often are one part."""
_WITHIN_ONE = Interval(Fraction(-1), Fraction(1))
_NO_TURN: Turn = Ratio(constant(1)), Ratio({})


@dataclass(frozen=True, slots=True)
class Angles:
    """Cosines and sines of real values."""

    reals: Reals

    def cosine(self, x: Ratio) -> Ratio:
        return self._turn(x)[0]

    def sine(self, x: Ratio) -> Ratio:
        return self._turn(x)[1]

    def _turn(self, x: Ratio) -> Turn:
        result = _NO_TURN
        for monomial, coefficient in x.numerator.items():
            part, times = _part(monomial, coefficient)
            one = self._of_part(Ratio(part, x.denominator))
            for _ in range(abs(times)):
                result = self._together(result, one if times > 0 else (one[0], self.reals.negate(one[1])))
        return result

    def _together(self, x: Turn, y: Turn) -> Turn:
        """The cosine and the sine of a sum."""
        (c, s), (d, t) = x, y
        multiplied = self.reals.multiply
        return (
            self.reals.add(multiplied(c, d), multiplied(s, t), -1),
            self.reals.add(multiplied(c, t), multiplied(s, d)),
        )

    def _of_part(self, x: Ratio) -> Turn:
        known = self._of_arc(x)
        if known is not None:
            return known
        atoms = self.reals.atoms
        cosine = of_atom(atoms.make(Kind.COSINE, x.key, interval=_WITHIN_ONE))
        square = add(constant(1), multiply(cosine, cosine), -1)
        return Ratio(cosine), Ratio(of_atom(atoms.make(Kind.SINE, x.key, interval=_WITHIN_ONE, square=square)))

    def _of_arc(self, x: Ratio) -> Turn | None:
        """That of `atan2(s, c)`, where s and c are a sine and a cosine."""
        atom = single_atom(x.numerator) if x.denominator == ONE else None
        if atom is None or self.reals.atoms[atom].kind is not Kind.OTHER:
            return None
        match self.reals.atoms[atom].key:
            case ("atan2", Sort.REAL, s, c):
                sine, cosine = _ratio(s), _ratio(c)
                multiplied = self.reals.multiply
                norm = self.reals.add(multiplied(sine, sine), multiplied(cosine, cosine))
                return (cosine, sine) if norm.key == (key(constant(1)), ONE) else None
            case _:
                return None


def _ratio(its_key: object) -> Ratio:
    assert isinstance(its_key, tuple)
    return Ratio(dict(its_key[0]), its_key[1])


def _part(monomial: Monomial, coefficient: Number) -> tuple[Polynomial, int]:
    """A term of an angle as a part of it that is taken a whole number of times."""
    value = Fraction(coefficient)
    if abs(value.numerator) <= MOST_TIMES:
        return {monomial: tidy(Fraction(1, value.denominator))}, value.numerator
    return {monomial: tidy(abs(value))}, 1 if value > 0 else -1

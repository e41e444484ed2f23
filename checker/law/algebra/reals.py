"""Real values as fractions: a polynomial over a product of numbered factors.

Every divisor is taken to be not 0, every logarithm's argument to be above 0 and every square root's not below 0: the
problem's obligations say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from kcheck.checker.law.algebra.atoms import Atom, Atoms, Kind
from kcheck.checker.law.algebra.facts import ABOVE, ANY, NEGATIVE, Facts
from kcheck.checker.law.algebra.interval import NOT_NEGATIVE, POSITIVE
from kcheck.checker.law.algebra.lattice import extreme, form_of, increasing
from kcheck.checker.law.algebra.polynomial import (
    ONE,
    ZERO,
    Key,
    Monomial,
    Number,
    Polynomial,
    TooLarge,
    add,
    atoms,
    constant,
    constant_value,
    content,
    divide,
    inverse,
    key,
    least_exponents,
    multiply,
    multiply_monomials,
    of_atom,
    power,
    primitive,
    scale,
    shift,
    tidy,
)

MAX_POWER = 16


class Undefined(Exception):
    """A division by what is 0 here: the path means nothing, or was not seen to be impossible."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """numerator / (factor ^ exponent * …); the denominator is a monomial over `Atoms.factors`."""

    numerator: Polynomial
    denominator: Monomial = ONE

    @property
    def key(self) -> tuple[Key, Monomial]:
        return key(self.numerator), self.denominator


class Reals:
    """The operations, with what one path knows."""

    def __init__(self, facts: Facts, tropical: bool) -> None:
        self._facts = facts
        self._tropical = tropical
        self._atoms: Atoms = facts.atoms

    @property
    def atoms(self) -> Atoms:
        return self._atoms

    # ------------------------------------------------------------ the field

    def add(self, x: Ratio, y: Ratio, factor: int = 1) -> Ratio:
        """x + factor * y."""
        if x.denominator == y.denominator:
            return self._reduced(add(x.numerator, y.numerator, factor), x.denominator)
        common = _least_common(x.denominator, y.denominator)
        left = multiply(x.numerator, self._product(multiply_monomials(common, inverse(x.denominator))))
        right = multiply(y.numerator, self._product(multiply_monomials(common, inverse(y.denominator))))
        return self._reduced(add(left, right, factor), common)

    def negate(self, x: Ratio) -> Ratio:
        return Ratio(scale(x.numerator, -1), x.denominator)

    def multiply(self, x: Ratio, y: Ratio) -> Ratio:
        product = multiply(x.numerator, y.numerator)
        return self._reduced(product, multiply_monomials(x.denominator, y.denominator))

    def divide(self, x: Ratio, y: Ratio) -> Ratio:
        """Raises `Undefined` where y is 0."""
        if not y.numerator:
            raise Undefined
        monomial, factors, coefficient = self._factored(y.numerator)
        above = shift(scale(x.numerator, tidy(1 / Fraction(coefficient))), inverse(monomial))
        above = multiply(above, self._product(y.denominator))
        return self._reduced(above, multiply_monomials(x.denominator, factors))

    def power(self, x: Ratio, exponent: int) -> Ratio:
        if abs(exponent) > MAX_POWER:
            raise TooLarge
        result = Ratio(constant(1))
        for _ in range(abs(exponent)):
            result = self.multiply(result, x)
        return result if exponent >= 0 else self.divide(Ratio(constant(1)), result)

    def _factored(self, p: Polynomial) -> tuple[Monomial, Monomial, Number]:
        """p as a monomial, times a product of numbered factors, times a number."""
        monomial = least_exponents([p], atoms(p))
        coefficient, rest = primitive(shift(p, inverse(monomial)))
        factors: Monomial = ONE
        for number, factor in enumerate(self._atoms.factors):
            while len(rest) > 1 and (quotient := divide(rest, factor)) is not None:
                self._facts.check_time()
                rest, factors = quotient, multiply_monomials(factors, power(number))
        if len(rest) > 1:
            coefficient_of_rest, rest = primitive(rest)
            coefficient *= coefficient_of_rest
            factors = multiply_monomials(factors, power(len(self._atoms.factors)))
            self._atoms.factors.append(rest)
        else:
            [(left, c)] = rest.items()
            monomial, coefficient = multiply_monomials(monomial, left), coefficient * c
        return monomial, factors, tidy(coefficient)

    def _product(self, factors: Monomial) -> Polynomial:
        result: Polynomial = constant(1)
        for number, exponent in factors:
            for _ in range(int(exponent)):
                result = multiply(result, self._atoms.factors[number])
        return result

    def _reduced(self, numerator: Polynomial, denominator: Monomial) -> Ratio:
        """With squares of roots put in and common factors cancelled."""
        self._facts.check_time()
        found = self._with_square(numerator)
        if found is not None:
            return self._without_square(numerator, denominator, found)
        for number, exponent in denominator:
            factor = self._atoms.factors[number]
            for _ in range(int(exponent)):
                self._facts.check_time()
                quotient = divide(numerator, factor) if len(numerator) >= len(factor) else None
                if quotient is None:
                    break
                numerator = quotient
                denominator = multiply_monomials(denominator, inverse(power(number)))
        return Ratio(numerator, denominator if numerator else ONE)

    def _with_square(self, p: Polynomial) -> Atom | None:
        for monomial in p:
            for number, exponent in monomial:
                if exponent not in (0, 1) and self._atoms[number].square is not None:
                    return self._atoms[number]
        return None

    def _without_square(self, p: Polynomial, denominator: Monomial, atom: Atom) -> Ratio:
        assert atom.square is not None
        square = Ratio(atom.square)
        by_power: dict[int, dict[Monomial, Number]] = {}
        for monomial, coefficient in p.items():
            exponent = int(dict(monomial).get(atom.number, 0))
            rest = multiply_monomials(monomial, ((atom.number, -(exponent // 2) * 2),)) if exponent // 2 else monomial
            by_power.setdefault(exponent // 2, {})[rest] = coefficient
        result = Ratio(ZERO)
        for half, part in by_power.items():
            result = self.add(result, self.multiply(Ratio(part, denominator), self.power(square, half)))
        return result

    # ------------------------------------------------------------ signs

    def sign_of(self, x: Ratio) -> Polynomial:
        """A polynomial with the sign of x, the same for all that are a positive multiple of x."""
        p = x.numerator
        for number, exponent in x.denominator:
            factor = self._atoms.factors[number]
            sign = self._facts.sign(factor)
            if exponent % 2 == 0 or sign == ABOVE:
                continue
            p = scale(p, -1) if sign == NEGATIVE else multiply(p, factor)
        return self._simplest(p)

    def zero_of(self, x: Ratio) -> Polynomial:
        """A polynomial that is 0 where x is: of a quotient that has a value, whatever it is divided by."""
        return self._simplest(x.numerator)

    def _simplest(self, p: Polynomial) -> Polynomial:
        """p without what is common to all its terms and above 0, or a square."""
        wanted = {a for monomial in p for a, e in monomial if e < 0 or self._facts.positive(a)}
        common = least_exponents([p], wanted) if wanted and p else ONE
        undo = tuple((a, -e if self._facts.positive(a) else -(e - e % 2)) for a, e in common)
        return shift(p, tuple((a, e) for a, e in undo if e))

    def sign(self, x: Ratio) -> int:
        return self._facts.sign(self.sign_of(x))

    # ------------------------------------------------------------ other functions

    def extreme(self, x: Ratio, y: Ratio, greatest: bool) -> Ratio | None:
        """The maximum or minimum; None where the denominators' signs are not known."""
        common = _least_common(x.denominator, y.denominator)
        sign = ABOVE
        for number, exponent in common:
            if exponent % 2:
                known = self._facts.sign(self._atoms.factors[number])
                if known not in (ABOVE, NEGATIVE):
                    return None
                sign = ABOVE if known == sign else NEGATIVE
        parts = [
            multiply(z.numerator, self._product(multiply_monomials(common, inverse(z.denominator)))) for z in (x, y)
        ]
        return self._reduced(extreme(self._facts, parts, greatest == (sign == ABOVE), self._tropical), common)

    def absolute(self, x: Ratio) -> Ratio:
        sign = self.sign(x)
        if not sign & NEGATIVE:
            return x
        if not sign & ABOVE:
            return self.negate(x)
        above = self._absolute(x.numerator)
        below: Monomial = ONE
        for number, exponent in x.denominator:
            odd = int(exponent % 2)
            above = multiply(above, self._absolute(self._atoms.factors[number])) if odd else above
            below = multiply_monomials(below, ((number, exponent + odd),))
        return self._reduced(above, below)

    def _absolute(self, p: Polynomial) -> Polynomial:
        """|p|; of a product it is the product of its factors' absolute values."""
        sign = self._facts.sign(p)
        if sign != ANY and (not sign & NEGATIVE or not sign & ABOVE):
            return p if not sign & NEGATIVE else scale(p, -1)
        monomial = least_exponents([p], atoms(p))
        coefficient, rest = primitive(shift(p, inverse(monomial)))
        size = coefficient if coefficient > 0 else -coefficient
        result = constant(size)
        if constant_value(rest) is None:
            result = scale(of_atom(self._absolute_atom(rest)), size)
        for atom, exponent in monomial:
            even = exponent if exponent % 2 == 0 or self._facts.positive(atom) else exponent - 1
            result = shift(result, ((atom, even),)) if even else result
            if even != exponent:
                result = multiply(result, of_atom(self._absolute_atom(of_atom(atom))))
        return result

    def _absolute_atom(self, p: Polynomial) -> int:
        whole = self._atoms.whole(p)
        return self._atoms.make(Kind.ABS, key(p), integral=whole, interval=NOT_NEGATIVE, square=multiply(p, p))

    def exponential(self, x: Ratio) -> Ratio:
        """The product over the terms t of x of e^t."""
        result = Ratio(constant(1))
        exponents: dict[int, Number] = {}
        for monomial, coefficient in x.numerator.items():
            inner = self._logarithm_argument(monomial) if x.denominator == ONE else None
            if inner is not None and isinstance(coefficient, int):
                result = self.multiply(result, self.power(inner, coefficient))
            else:
                exponents[self._atoms.make(Kind.EXP, (monomial, x.denominator), interval=POSITIVE)] = coefficient
        return self.multiply(result, Ratio({tuple(sorted(exponents.items())): 1}))

    def has_logarithms(self, x: Ratio) -> bool:
        """Whether the exponential of x is simpler than x."""
        return x.denominator == ONE and any(
            isinstance(c, int) and self._logarithm_argument(m) is not None for m, c in x.numerator.items()
        )

    def _logarithm_argument(self, monomial: Monomial) -> Ratio | None:
        if len(monomial) != 1 or monomial[0][1] != 1 or self._atoms[monomial[0][0]].kind is not Kind.LOG:
            return None
        argument = self._atoms[monomial[0][0]].key
        assert isinstance(argument, tuple)
        return Ratio(dict(argument[0]), argument[1])

    def logarithm(self, x: Ratio) -> Ratio:
        """The sum of the logarithms of the factors, as far as they are known to be above 0."""
        if any(self._facts.sign(self._atoms.factors[number]) != ABOVE for number, _ in x.denominator):
            return Ratio(of_atom(self._atoms.make(Kind.LOG, x.key)))
        result = self._logarithm(x.numerator)
        for number, exponent in x.denominator:
            result = self.add(result, self._logarithm(self._atoms.factors[number]), -int(exponent))
        return result

    def _logarithm(self, p: Polynomial) -> Ratio:
        if not p:
            raise Undefined
        monomial = least_exponents([p], {a for a in atoms(p) if self._facts.positive(a)})
        number = content(p)
        rest = scale(shift(p, inverse(monomial)), tidy(1 / Fraction(number)))
        result = Ratio(self._logarithm_of_number(Fraction(number)))
        for factor in self._positive_factors(rest):
            result = self.add(result, Ratio(of_atom(self._atoms.make(Kind.LOG, (key(factor), ONE)))))
        for atom, exponent in monomial:
            if self._atoms[atom].kind is Kind.EXP:
                argument = self._atoms[atom].key
                assert isinstance(argument, tuple)
                part = Ratio({argument[0]: exponent}, argument[1])
            else:
                part = Ratio({power(self._atoms.make(Kind.LOG, (key(of_atom(atom)), ONE))): exponent})
            result = self.add(result, part)
        return result

    def _positive_factors(self, p: Polynomial) -> Iterator[Polynomial]:
        """Numbered factors of p that are above 0, as far as there are some, and the rest of it, if it is not 1."""
        for factor in tuple(self._atoms.factors):
            while len(p) > len(factor) > 1 and self._facts.sign(factor) == ABOVE:
                self._facts.check_time()
                quotient = divide(p, factor)
                if quotient is None:
                    break
                yield factor
                p = quotient
        if constant_value(p) != 1:
            yield p

    def _logarithm_of_number(self, value: Fraction) -> Polynomial:
        result: dict[Monomial, Number] = {}
        for base, exponent in (
            *_prime_powers(value.numerator),
            *((b, -e) for b, e in _prime_powers(value.denominator)),
        ):
            result[power(self._atoms.make(Kind.LOG, (key(constant(base)), ONE)))] = exponent
        return result

    def root(self, x: Ratio) -> Ratio:
        """The square root, with squares taken out of it."""
        p, below = x.numerator, ONE
        for number, exponent in x.denominator:
            factor = self._atoms.factors[number]
            p = multiply(p, factor) if exponent % 2 else p
            below = multiply_monomials(below, power(number, (exponent + exponent % 2) // 2))
        if not p:
            return Ratio(ZERO)
        monomial = least_exponents([p], atoms(p))
        outside = tuple((a, e // 2) for a, e in monomial if e // 2)
        inside = shift(p, tuple((a, -2 * e) for a, e in outside))
        outer, squared = _square_part(Fraction(content(inside)))
        inside = scale(inside, tidy(1 / squared))
        result = self.absolute(self._reduced({outside: tidy(outer)}, below))
        if constant_value(inside) == 1:
            return result
        atom = self._atoms.make(Kind.SQRT, key(inside), interval=NOT_NEGATIVE, square=inside)
        return self.multiply(result, Ratio(of_atom(atom)))

    def floor(self, x: Ratio) -> Ratio:
        """What is whole is taken out."""
        if x.denominator != ONE:
            return self.opaque("floor", x)
        inner = next((m for m, c in x.numerator.items() if c > 0 and form_of(self._atoms, m) is not None), None)
        if inner is not None:
            return self._floor_of_extreme(x.numerator, inner)
        whole = {m: c for m, c in x.numerator.items() if self._atoms.whole({m: c})}
        rest = {m: c for m, c in x.numerator.items() if m not in whole}
        offset = rest.get(ONE, 0) // 1
        fraction = add(rest, constant(-offset))
        floored = add(whole, constant(offset))
        if constant_value(fraction) is not None:
            return Ratio(floored)
        return Ratio(add(floored, of_atom(self._atoms.make(Kind.FLOOR, key(fraction), integral=True))))

    def _floor_of_extreme(self, p: Polynomial, monomial: Monomial) -> Ratio:
        """Of p, which grows with this EXTREME atom: the floor of the largest is the largest floor."""
        factor = p[monomial]
        rest = add(p, {monomial: factor}, -1)
        form = form_of(self._atoms, monomial)
        assert form is not None

        def of_leaf(leaf: Polynomial) -> Polynomial:
            return self.floor(Ratio(add(rest, leaf, factor))).numerator

        return Ratio(increasing(self._facts, form, of_leaf, self._tropical))

    def opaque(self, name: str, *arguments: Ratio) -> Ratio:
        """A function of which nothing is known."""
        return Ratio(of_atom(self._atoms.make(Kind.OTHER, (name, *(argument.key for argument in arguments)))))


def _least_common(x: Monomial, y: Monomial) -> Monomial:
    exponents = dict(x)
    for number, exponent in y:
        exponents[number] = max(exponents.get(number, 0), exponent)
    return tuple(sorted(exponents.items()))


@lru_cache(maxsize=1000)
def _prime_powers(value: int) -> tuple[tuple[int, int], ...]:
    """The factors of a positive whole number with their exponents; one without small factors is left whole."""
    result = []
    divisor = 2
    while divisor * divisor <= value and divisor < 5000:
        exponent = 0
        while value % divisor == 0:
            value //= divisor
            exponent += 1
        if exponent:
            result.append((divisor, exponent))
        divisor += 1
    return (*result, (value, 1)) if value > 1 else tuple(result)


@lru_cache(maxsize=1000)
def _square_part(value: Fraction) -> tuple[Fraction, Fraction]:
    """(r, r * r), where r * r times a whole number without small squares is the value."""
    whole = value.numerator * value.denominator
    root = isqrt(whole)
    if root * root != whole:
        root = 1
        for divisor, exponent in _prime_powers(whole):
            root *= divisor ** (exponent // 2)
    result = Fraction(root, value.denominator)
    return result, result * result

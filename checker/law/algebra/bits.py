"""`&`, `|`, `^` and `~`: each of 32 bits is an exclusive or of conjunctions, which is one form for all that are equal.

A form maps sets of operands to the bits where their conjunction takes part; the empty set stands for a constant.  As a
polynomial, x ^ y is x + y - 2 (x & y): so `(a ^ b) + 2 * (a & b)` is a + b.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import combinations
from typing import TypeAlias

from kcheck.checker.arithmetic import INT_MAX, wrap
from kcheck.checker.law.algebra.atoms import Atoms, Kind
from kcheck.checker.law.algebra.elimination import refute
from kcheck.checker.law.algebra.facts import Facts, Usage
from kcheck.checker.law.algebra.interval import INT, Interval
from kcheck.checker.law.algebra.polynomial import (
    Key,
    Monomial,
    Number,
    Polynomial,
    TooLarge,
    constant,
    constant_value,
    key,
    of_atom,
)

Operands: TypeAlias = frozenset[Key]
Form: TypeAlias = Mapping[Operands, int]
"""The masks are Ints, none of them 0."""

CONSTANT: Operands = frozenset()
ALL = -1
MAX_FORM = 256
MAX_EXPANDED = 4
"""A form with more conjunctions is one atom, as its polynomial has 2^n terms."""
MAX_COUNTED = 7
"""The bits of a form with more conjunctions are not counted one conjunction after the other."""


class Bits:
    """Goes from polynomials (whose values as Ints are meant) to forms and back."""

    def __init__(self, atoms: Atoms) -> None:
        self._atoms = atoms
        self._always = Facts(atoms, Usage(math.inf), refute)
        self._forms: dict[Key, Form] = {}
        self._possible: dict[Key, int] = {}

    def form(self, p: Polynomial) -> Form:
        value = constant_value(p)
        if value is not None:
            return {CONSTANT: wrap(int(value))} if value else {}
        operand = key(p)
        return self._forms.get(operand) or ({frozenset({operand}): ALL} if self._possible_bits(operand) else {})

    def polynomial(self, form: Form) -> Polynomial:
        """With coefficients that are not reduced modulo 2^32."""
        if len(form) <= MAX_EXPANDED:
            result = self._expanded(form)
        else:
            result = of_atom(self._atoms.make(Kind.BITS, frozenset(form.items()), integral=True, interval=INT))
        self._forms.setdefault(key(result), form)
        return result

    def _expanded(self, form: Form) -> Polynomial:
        """x1 ^ … ^ xn is the sum over all sets of some of them, of (-2)^(size - 1) times their conjunction."""
        return self._summed(form, lambda conjunction: conjunction)

    def count(self, form: Form, count: Callable[[Polynomial], Polynomial]) -> Polynomial | None:
        """How many bits are set, where `count` says it of a conjunction; None of a form of many conjunctions.

        That is a sum over bits, so it is the same sum over sets as the value itself.
        """
        return self._summed(form, count) if len(form) <= MAX_COUNTED else None

    def _summed(self, form: Form, of: Callable[[Polynomial], Polynomial]) -> Polynomial:
        total: dict[Monomial, Number] = {}
        terms = list(form.items())
        for size in range(1, len(terms) + 1):
            for some in combinations(terms, size):
                operands: Operands = frozenset().union(*(each for each, _ in some))
                mask = ALL
                for _, each in some:
                    mask &= each
                for monomial, coefficient in of(self._conjunction(operands, mask)).items():
                    total[monomial] = total.get(monomial, 0) + (-2) ** (size - 1) * coefficient
        return {monomial: coefficient for monomial, coefficient in total.items() if coefficient}

    def _conjunction(self, operands: Operands, mask: int) -> Polynomial:
        mask = self._mask(operands, mask)
        if not operands or not mask:
            return constant(mask)
        if mask == ALL and len(operands) == 1:
            return dict(next(iter(operands)))
        interval = INT if mask < 0 else Interval(0, mask)
        return of_atom(self._atoms.make(Kind.BITS, (operands, mask), integral=True, interval=interval))

    def _mask(self, operands: Operands, mask: int) -> int:
        """The mask without the bits that the operands never have; ALL if it has all others."""
        if not operands:
            return mask
        possible = ALL
        for operand in operands:
            possible &= self._possible_bits(operand)
        return ALL if possible and mask & possible == possible else mask & possible

    def _possible_bits(self, operand: Key) -> int:
        """The bits that may be set, whatever is known on a path."""
        bits = self._possible.get(operand)
        if bits is None:
            p = dict(operand)
            common = math.gcd(*(int(c) for c in p.values()))
            bits = -(common & -common)
            interval = self._always.interval(p)
            if interval.within(0, INT_MAX) and interval.high is not None:
                bits &= (1 << int(interval.high).bit_length()) - 1
            self._possible[operand] = bits
        return bits

    def exclusive_or(self, x: Form, y: Form) -> Form:
        result = dict(x)
        for operands, mask in y.items():
            self._add_term(result, operands, mask)
        return result

    def conjunction(self, x: Form, y: Form) -> Form:
        if len(x) * len(y) > MAX_FORM:
            raise TooLarge
        result: dict[Operands, int] = {}
        for operands, mask in x.items():
            for others, other_mask in y.items():
                self._add_term(result, operands | others, mask & other_mask)
        return result

    def disjunction(self, x: Form, y: Form) -> Form:
        return self.exclusive_or(self.exclusive_or(x, y), self.conjunction(x, y))

    def _add_term(self, form: dict[Operands, int], operands: Operands, mask: int) -> None:
        """Changes `form` to its exclusive or with one more conjunction."""
        bits = self._mask(operands, form.pop(operands, 0) ^ mask)
        if bits:
            form[operands] = bits
        if len(form) > MAX_FORM:
            raise TooLarge

    def shifted_right(self, form: Form, count: int, shift: Callable[[Polynomial], Polynomial]) -> Form:
        """A shift moves all bits alike, so it may be done to each operand; `shift` also does constants.

        Of a mask beside operands the sign is kept: the operands, shifted, have their own upper bits.
        """
        moved = {operand: key(shift(dict(operand))) for operands in form for operand in operands}
        result: dict[Operands, int] = {}
        for operands, mask in form.items():
            bits = mask >> count if operands else int(constant_value(shift(constant(mask))) or 0)
            if bits:
                self._add_term(result, frozenset(moved[operand] for operand in operands), bits)
        return result

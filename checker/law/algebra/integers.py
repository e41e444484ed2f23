"""Int values as polynomials modulo 2^32, with coefficients from -2^31 to 2^31 - 1.

Atoms stand for whole numbers of any size, of which the ring sees the rest modulo 2^32.  Comparisons, `min`, division
and conversions need the value itself: `exact` gives a polynomial that is equal to it as a whole number.
"""

from __future__ import annotations

import math
from collections.abc import Hashable

from kcheck.checker.arithmetic import INT_MAX, unsigned, wrap
from kcheck.checker.law.algebra.atoms import Kind
from kcheck.checker.law.algebra.bits import CONSTANT, Bits
from kcheck.checker.law.algebra.facts import ABOVE, MAX_UNSIGNED, NEGATIVE, NULL, TWO_TO_32, Facts, Query, reduced
from kcheck.checker.law.algebra.interval import INT, NOT_NEGATIVE, Interval
from kcheck.checker.law.algebra.lattice import extreme
from kcheck.checker.law.algebra.polynomial import (
    ONE,
    ZERO,
    Monomial,
    Number,
    Polynomial,
    add,
    constant,
    constant_value,
    key,
    leading,
    multiply,
    of_atom,
    scale,
    single_atom,
    subtract,
)
from kcheck.checker.law.terms import Op


class Integers:
    """The operations, with what one path knows."""

    def __init__(self, facts: Facts, bits: Bits, tropical: bool) -> None:
        self._facts = facts
        self._tropical = tropical
        self._atoms = facts.atoms
        self._bits = bits

    # ------------------------------------------------------------ the value behind the ring

    def exact(self, x: Polynomial) -> Polynomial:
        """A polynomial with the signed value of x."""
        if self._facts.is_int(x):
            return x
        return of_atom(self._atoms.make(Kind.SIGNED, key(x), integral=True, interval=INT))

    def unsigned(self, x: Polynomial) -> Polynomial:
        """A polynomial with the unsigned value of x."""
        if self._facts.within(x, 0, MAX_UNSIGNED):
            return x
        bounds = Interval(0, MAX_UNSIGNED)
        return of_atom(self._atoms.make(Kind.UNSIGNED, key(x), integral=True, interval=bounds))

    def unsigned_below(self, x: Polynomial, y: Polynomial) -> Polynomial:
        """A polynomial that is 1 where x is below y as unsigned numbers, else 0.

        The unsigned value of x is x - 2^32 carry(x).  The difference of two such lies between -2^32 and 2^32, and is
        below 0 where its own carry is -1.
        """
        result = subtract(self._facts.carry(x), self._facts.carry(y))
        return subtract(result, self._facts.carry(subtract(x, y)))

    # ------------------------------------------------------------ comparisons

    def difference(self, x: Polynomial, y: Polynomial) -> Polynomial:
        """A polynomial with the sign of x - y as signed numbers."""
        return subtract(self.exact(x), self.exact(y))

    def inequality(self, x: Polynomial, y: Polynomial) -> Polynomial:
        """A polynomial that is 0 where x = y: the same however the equation's terms stand on its sides."""
        d = reduced(subtract(x, y))
        if not d or self._facts.is_int(d):
            return d
        if d[leading(d)] < 0:
            d = reduced(scale(d, -1))
        above = {m: c for m, c in d.items() if c > 0 and m != ONE}
        return self.difference(above, reduced(subtract(above, d)))

    # ------------------------------------------------------------ operations

    def apply(self, op: Op, arguments: list[Polynomial]) -> Polynomial:
        """The result of one of the operations on Ints."""
        x = arguments[0]
        if len(arguments) == 1:
            return self._unary(op, x)
        y = arguments[1]
        match op:
            case Op.ADD:
                return self._sum_of_carries(x, y) or self._with_rests_joined(reduced(add(x, y)))
            case Op.SUB:
                return reduced(subtract(x, y))
            case Op.MUL:
                return self._without_lost_rests(reduced(multiply(x, y)))
            case Op.MIN | Op.MAX:
                value = extreme(self._facts, [self.exact(x), self.exact(y)], op is Op.MAX, self._tropical)
                self._facts.note_int(value)
                return reduced(value)
            case Op.BIT_AND | Op.BIT_OR | Op.BIT_XOR:
                return self._bitwise(op, x, y)
            case Op.SHL | Op.SHR | Op.USHR:
                return self._shifted(op, x, y)
            case Op.REM | Op.UREM:
                return self._remainder(op, x, y)
            case _:
                return self._quotient(op, x, y)

    def _unary(self, op: Op, x: Polynomial) -> Polynomial:
        match op:
            case Op.NEG:
                return reduced(scale(x, -1))
            case Op.ABS:
                return self._absolute(x)
            case Op.BIT_NOT:
                return reduced(self._bits.polynomial(self._bits.exclusive_or(self._bits.form(x), {CONSTANT: -1})))
            case Op.POPCOUNT:
                return self._bits_set(x)
            case Op.CLZ | Op.CTZ:
                return self._opaque(op, x, bounds=Interval(0, 32))
            case _:
                return self._opaque(op, x)

    def _bits_set(self, x: Polynomial) -> Polynomial:
        """As a number of 0 to 32, which no sum of them needs to wrap for."""

        def count(conjunction: Polynomial) -> Polynomial:
            value = constant_value(conjunction)
            if value is not None:
                return constant(unsigned(int(value)).bit_count())
            return self._opaque(Op.POPCOUNT, conjunction, bounds=Interval(0, 32))

        total = self._bits.count(self._bits.form(x), count)
        if total is None:
            return count(x)
        self._facts.note_int(total)
        return total

    def _opaque(self, op: Op, *arguments: Polynomial, bounds: Interval = INT) -> Polynomial:
        name: tuple[Hashable, ...] = (op.value, *(key(argument) for argument in arguments))
        return of_atom(self._atoms.make(Kind.OTHER, name, integral=True, interval=bounds))

    def _absolute(self, x: Polynomial) -> Polynomial:
        """As whole numbers |MIN| is 2^31, which is MIN modulo 2^32."""
        if x and x[leading(x)] < 0:
            x = reduced(scale(x, -1))  # which has the same absolute value
        value = self.exact(x)
        sign = self._facts.sign(value)
        if not sign & NEGATIVE:
            return x
        if not sign & ABOVE:
            return reduced(scale(x, -1))
        square = multiply(value, value)
        return of_atom(self._atoms.make(Kind.ABS, key(value), integral=True, interval=NOT_NEGATIVE, square=square))

    def _bitwise(self, op: Op, x: Polynomial, y: Polynomial) -> Polynomial:
        if op is Op.BIT_AND:
            for value, mask in ((x, y), (y, x)):
                low = constant_value(mask)
                if low is not None and low > 0 and not (int(low) + 1) & int(low) and self._is_sum(value):
                    return self._modulo(value, int(low) + 1)
        exclusive = self._sum_of_carries(x, y) if op is not Op.BIT_AND else None
        if exclusive is not None:
            return exclusive
        bits = self._bits
        combine = {Op.BIT_AND: bits.conjunction, Op.BIT_OR: bits.disjunction, Op.BIT_XOR: bits.exclusive_or}[op]
        return reduced(bits.polynomial(combine(bits.form(x), bits.form(y))))

    def _sum_of_carries(self, x: Polynomial, y: Polynomial) -> Polynomial | None:
        """x + y where both are 0 or 1 and never 1 together, as the two carries of a + b + c are where c is 0 or 1.

        Their sum is how often 2^32 goes into the unsigned a + b + c: carry(a + b + c) - carry(a) - carry(b).
        """
        total = add(x, y)
        carries: dict[Number, list[Polynomial]] = {}
        for monomial, coefficient in total.items():
            if len(monomial) != 1 or monomial[0][1] != 1 or self._atoms[monomial[0][0]].kind is not Kind.CARRY:
                return None
            of = self._atoms[monomial[0][0]].key
            assert isinstance(of, frozenset)
            carries.setdefault(coefficient, []).append(dict(of))
        if carries.keys() != {1, -1} or (len(carries[1]), len(carries[-1])) != (1, 2):
            return None
        [whole], [a, b] = carries[1], carries[-1]
        rest = subtract(subtract(whole, a), b)
        if not all(self._facts.within(part, 0, 1) for part in (rest, x, y)):
            return None
        self._facts.assume(Query(total, NULL | ABOVE))
        self._facts.assume(Query(add(total, constant(-1)), NULL | NEGATIVE))
        return total

    def _is_sum(self, x: Polynomial) -> bool:
        """Whether arithmetic made x: its lower bits are then a rest, and no form of bits."""
        return single_atom(x) is None and self._bits.form(x) == {frozenset({key(x)}): -1}

    def _shifted(self, op: Op, x: Polynomial, y: Polynomial) -> Polynomial:
        value = constant_value(y)
        if value is None:
            return self._opaque(op, x, y)
        count = int(value) & 31
        if count == 0:
            return x
        if op is Op.SHL:
            return self._without_lost_rests(reduced(scale(x, 1 << count)))
        form = self._bits.form(x)
        if form == {frozenset({key(x)}): -1}:
            return self._shifted_right(op, x, count)
        shifted = self._bits.shifted_right(form, count, lambda p: self._shifted_right(op, p, count))
        return reduced(self._bits.polynomial(shifted))

    def _shifted_right(self, op: Op, x: Polynomial, count: int) -> Polynomial:
        value = constant_value(x)
        if value is not None:
            return constant(wrap((int(value) if op is Op.SHR else unsigned(int(value))) >> count))
        top = 1 << (32 - count)
        if self._facts.within(x, 0, (1 << count) - 1):
            return ZERO
        if op is Op.USHR:
            above = {m: int(c) >> count for m, c in x.items() if c % (1 << count) == 0}
            below = {m: c for m, c in x.items() if m not in above}
            if above and self._facts.within(below, 0, (1 << count) - 1):
                return self._modulo(above, top)
        bounds = Interval(0, top - 1) if op is Op.USHR else Interval(-top // 2, top // 2 - 1)
        return self._opaque(op, x, constant(count), bounds=bounds)

    def _without_lost_rests(self, x: Polynomial) -> Polynomial:
        """c * (p modulo m) is c * p modulo 2^32 where c * m is 0 modulo 2^32."""
        total = x
        for monomial, coefficient in x.items():
            if len(monomial) == 1 and monomial[0][1] == 1 and coefficient % 2 == 0:
                modulus = TWO_TO_32 // math.gcd(int(coefficient), TWO_TO_32)
                rest = self._without_modulo(monomial[0][0], modulus)
                if rest != {monomial: 1}:
                    total = add(add(total, {monomial: coefficient}, -1), rest, coefficient)
        return reduced(total)

    def _remainder(self, op: Op, x: Polynomial, y: Polynomial) -> Polynomial:
        divisor = constant_value(y)
        if divisor is None:
            rest = self._rest_by(x, y)
            return self._opaque(op, x, y) if rest is None else rest
        if divisor <= 0:
            return self._opaque(op, x, y)
        p = int(divisor)
        if op is Op.UREM and not p & (p - 1):
            return self._modulo(x, p)
        if self._facts.within(x, 0, INT_MAX if op is Op.REM else MAX_UNSIGNED):
            return self._modulo(x, p)
        if op is Op.UREM:
            return self._modulo(self.unsigned(x), p)
        return self._opaque(op, x, y, bounds=Interval(1 - p, p - 1))

    def _rest_by(self, x: Polynomial, y: Polynomial) -> Polynomial | None:
        """The rest of x, not below 0, modulo a number above 0 that is one atom; None where it is not known to be so."""
        by = single_atom(y)
        if by is None or self._facts.sign(y) != ABOVE or not self._facts.within(x, 0, INT_MAX):
            return None
        if self._facts.sign(subtract(x, y)) == NEGATIVE:
            return x
        total: Polynomial = ZERO
        for monomial, coefficient in x.items():
            part = constant(coefficient)
            for atom, exponent in monomial:
                base = self._without_rest(atom, by)
                for _ in range(int(exponent)):
                    part = multiply(part, base)
            total = add(total, part)
        if any(coefficient.denominator != 1 for coefficient in (*x.values(), *total.values())):
            return None  # half of a multiple is none
        rest = {m: c for m, c in total.items() if all(atom != by for atom, _ in m)}
        # That it is below y is known of each path anew: an atom is the same on all paths.
        bounds = Interval(0, INT_MAX - 1)
        return of_atom(self._atoms.make(Kind.REST, (by, key(rest)), integral=True, interval=bounds)) if rest else ZERO

    def _without_rest(self, atom: int, by: int) -> Polynomial:
        entry = self._atoms[atom]
        if entry.kind is Kind.REST:
            assert isinstance(entry.key, tuple)
            if entry.key[0] == by:
                return dict(entry.key[1])
        return of_atom(atom)

    def _modulo(self, x: Polynomial, p: int) -> Polynomial:
        """The rest of x modulo p, for an x whose value is not below 0 or a p that divides 2^32."""
        if self._facts.within(x, 0, p - 1):
            return x
        rest = self._modular(x, p)
        if self._facts.within(rest, 0, p - 1):
            return rest
        atom = self._atoms.make(Kind.MODULO, (p, key(rest)), integral=True, interval=Interval(0, p - 1))
        return of_atom(atom)

    def _modular(self, x: Polynomial, p: int) -> Polynomial:
        """A polynomial that is x modulo p, with coefficients below p, in which no atom is a rest modulo p."""
        total: Polynomial = ZERO
        for monomial, coefficient in x.items():
            part = constant(coefficient)
            for atom, exponent in monomial:
                base = self._without_modulo(atom, p)
                for _ in range(int(exponent)):
                    part = {m: c % p for m, c in multiply(part, base).items() if c % p}
            total = add(total, part)
        return {m: c % p for m, c in total.items() if c % p}

    def _without_modulo(self, atom: int, p: int) -> Polynomial:
        entry = self._atoms[atom]
        if entry.kind is Kind.MODULO:
            assert isinstance(entry.key, tuple)
            if entry.key[0] % p == 0:
                return dict(entry.key[1])
        elif entry.kind is Kind.BITS and isinstance(entry.key, tuple):
            operands, mask = entry.key
            if len(operands) == 1 and mask & (p - 1) == p - 1 and not p & (p - 1):
                return dict(next(iter(operands)))
        return of_atom(atom)

    def _quotient(self, op: Op, x: Polynomial, y: Polynomial) -> Polynomial:
        divisor = constant_value(y)
        if divisor is None or divisor <= 0 or not self._facts.within(x, 0, INT_MAX):
            return self._opaque(op, x, y)
        return reduced(self._floored(x, int(divisor)))

    def _floored(self, x: Polynomial, p: int) -> Polynomial:
        """How often p goes into an x that is known to be within 0 and INT_MAX: its multiples are taken out of it."""
        facts = self._facts
        opened = self._without_rests(x, p)
        whole: Polynomial = {m: int(c) // p for m, c in opened.items() if int(c) // p}
        rest = subtract(opened, scale(whole, p))
        if not facts.within(rest, 0, INT_MAX):
            whole, rest = ZERO, x
        if facts.within(rest, 0, p - 1):
            return whole
        quotient = self._opaque(Op.DIV, rest, constant(p))
        total = add(whole, quotient)
        for part in (quotient, total) if whole else (quotient,):
            facts.assume(Query(part, NULL | ABOVE))
            facts.assume(Query(add(part, constant(-INT_MAX // p)), NEGATIVE | NULL))
        return total

    def _without_rests(self, x: Polynomial, p: int) -> Polynomial:
        """x with r - n * floor(r / n) in place of the rest of r modulo n, where p divides n."""
        total = x
        for monomial, coefficient in x.items():
            rest = self._rest_alone(monomial)
            if rest is not None and rest[0] % p == 0:
                n, r = rest
                total = add(total, {monomial: coefficient}, -1)
                total = add(add(total, r, coefficient), self._floored(r, n), -coefficient * n)
        return total

    def _rest_alone(self, monomial: Monomial) -> tuple[int, Polynomial] | None:
        """The n and r of a monomial that is the rest modulo n of an r within 0 and INT_MAX."""
        if len(monomial) != 1 or monomial[0][1] != 1 or self._atoms[monomial[0][0]].kind is not Kind.MODULO:
            return None
        entry = self._atoms[monomial[0][0]].key
        assert isinstance(entry, tuple)
        r = dict(entry[1])
        return (entry[0], r) if self._facts.within(r, 0, INT_MAX) else None

    def _with_rests_joined(self, x: Polynomial) -> Polynomial:
        """x with r in place of n * floor(r / n) and the rest of r modulo n."""
        if not any(self._is_quotient(monomial) for monomial in x):
            return x
        total = x
        for monomial, coefficient in x.items():
            rest = self._rest_alone(monomial)
            if rest is not None:
                n, r = rest
                quotient = self._floored(r, n)
                if quotient and all(total.get(m, 0) == coefficient * n * c for m, c in quotient.items()):
                    total = add(add(total, {monomial: coefficient}, -1), r, coefficient)
                    total = add(total, quotient, -coefficient * n)
        return reduced(total)

    def _is_quotient(self, monomial: Monomial) -> bool:
        """Whether it is what `_floored` has to keep as a quotient."""
        if len(monomial) != 1:
            return False
        entry = self._atoms[monomial[0][0]]
        return entry.kind is Kind.OTHER and isinstance(entry.key, tuple) and entry.key[0] == Op.DIV.value

"""Random terms over a few variables, and values for these."""

from __future__ import annotations

import random
from fractions import Fraction

from kcheck.checker.law.terms import Op, Sort, Term, Terms, Value

INT_BINARY = (
    Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX, Op.DIV, Op.REM, Op.BIT_AND, Op.BIT_OR, Op.BIT_XOR, Op.SHL, Op.SHR, Op.USHR,
    Op.UDIV, Op.UREM,
)  # fmt: skip
INT_UNARY = (Op.NEG, Op.ABS, Op.BIT_NOT, Op.POPCOUNT, Op.CLZ, Op.CTZ, Op.REVERSE_BITS)
REAL_BINARY = (Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX, Op.DIV, Op.REM)
REAL_UNARY = (Op.NEG, Op.ABS, Op.FLOOR)

INTS = (0, 1, -1, 2, -2, 3, 5, 7, 8, 31, 32, 33, 255, 65521, 1 << 30, (1 << 31) - 1, -(1 << 31), 12345678, -987654)
REALS = tuple(map(Fraction, ("0", "1", "-1", "1/2", "-3/2", "7/4", "3", "-100", "5/3", "4294967296", "-3000000000")))


class RandomTerms:
    """Makes terms over `x`, `y` (Int), `p`, `q` (Real) and `b` (Bool), and gives these values."""

    def __init__(self, terms: Terms, source: random.Random) -> None:
        self._terms = terms
        self._source = source
        self.variables = {
            Sort.INT: [terms.var("x", Sort.INT), terms.var("y", Sort.INT)],
            Sort.REAL: [terms.var("p", Sort.REAL), terms.var("q", Sort.REAL)],
            Sort.BOOL: [terms.var("b", Sort.BOOL)],
        }

    def values(self) -> dict[Term, Value]:
        return {v: self._constant(sort) for sort, variables in self.variables.items() for v in variables}

    def _constant(self, sort: Sort) -> Value:
        if sort is Sort.BOOL:
            return self._source.random() < 0.5
        if sort is Sort.INT:
            return (
                self._source.choice(INTS)
                if self._source.random() < 0.7
                else self._source.randint(-(1 << 31), (1 << 31) - 1)
            )
        return self._source.choice(REALS)

    def term(self, sort: Sort, depth: int) -> Term:
        if depth == 0 or self._source.random() < 0.1:
            if self._source.random() < 0.3:
                return self._terms.const(self._constant(sort), sort)
            return self._source.choice(self.variables[sort])
        if self._source.random() < 0.2:
            return self._terms.if_(
                self.term(Sort.BOOL, depth - 1), self.term(sort, depth - 1), self.term(sort, depth - 1)
            )
        return {Sort.BOOL: self._bool, Sort.INT: self._int, Sort.REAL: self._real}[sort](depth - 1)

    def _bool(self, depth: int) -> Term:
        terms, choice = self._terms, self._source.randrange(7)
        if choice < 3:
            a, b = self.term(Sort.BOOL, depth), self.term(Sort.BOOL, depth)
            return (terms.and_(a, b), terms.or_(a, b), terms.not_(a))[choice]
        sort = self._source.choice((Sort.INT, Sort.REAL))
        a, b = self.term(sort, depth), self.term(sort, depth)
        if choice == 6:
            return terms.ult(a, b) if sort is Sort.INT else terms.lt(a, b)
        return (terms.eq, terms.lt, terms.le)[choice - 3](a, b)

    def _int(self, depth: int) -> Term:
        choice = self._source.random()
        if choice < 0.1:
            return self._terms.to_int(self.term(Sort.REAL, depth))
        if choice < 0.3:
            return self._terms.apply(self._source.choice(INT_UNARY), self.term(Sort.INT, depth))
        op = self._source.choice(INT_BINARY)
        return self._terms.apply(op, self.term(Sort.INT, depth), self.term(Sort.INT, depth))

    def _real(self, depth: int) -> Term:
        choice = self._source.random()
        if choice < 0.15:
            return self._terms.to_real(self.term(Sort.INT, depth))
        if choice < 0.35:
            return self._terms.apply(self._source.choice(REAL_UNARY), self.term(Sort.REAL, depth))
        op = self._source.choice(REAL_BINARY)
        return self._terms.apply(op, self.term(Sort.REAL, depth), self.term(Sort.REAL, depth))

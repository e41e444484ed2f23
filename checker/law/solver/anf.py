"""Laws of merges that shift, mask and combine bits, by the algebraic normal form of each bit.

A function of bits is one sum modulo 2 of products of bits (a Zhegalkin polynomial), and equal functions have equal
sums.  So checksums, products without carry and matrices of bits, of which z3 shows little, are compared as sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import xor
from typing import TypeAlias

from kcheck.checker.law.problem import Law, Problem
from kcheck.checker.law.terms import Op, Sort, Term, number, postorder

Form: TypeAlias = frozenset[int]
"""The products of a sum; each is the set of its bits, as a mask over the numbers of `Forms`."""
Word: TypeAlias = tuple[Form, ...]
"""The bits of an Int, the lowest first; a Bool is one."""

Bits: TypeAlias = "tuple[Form | None, ...]"

WIDTH = 32
ZERO: Form = frozenset()
ONE: Form = frozenset({0})
MOST_WORK = 300_000
"""How many products all forms of a law may have on the way: some tenths of a second."""
_KEPT_IN_TIME = 8
"""How many products of a form are kept in the time that it takes to make one."""
_MOST_CARRIED = 64
"""Sums of words have carries that double with each bit, unless few of their bits meet."""
_TELLING = frozenset({Op.BIT_AND, Op.BIT_OR, Op.BIT_XOR, Op.BIT_NOT, Op.SHL, Op.SHR, Op.USHR, Op.REVERSE_BITS})


class Unfit(Exception):
    """An operation that mixes bits in a way that has no small sum."""


@dataclass
class Allowance:
    """What is left of `MOST_WORK`."""

    left: int = MOST_WORK

    def spend(self, count: int) -> None:
        self.left -= count
        if self.left < 0:
            raise Unfit


class Forms:
    """Makes the forms of terms; `fixed` says which bits of a variable are known, None for those that are not."""

    def __init__(self, fixed: Mapping[Term, Bits], allowance: Allowance) -> None:
        self._fixed = fixed
        self._allowance = allowance
        self._known: dict[Term, Word] = {}
        self._count = 0

    def of(self, term: Term) -> Word:
        """Raises `Unfit`."""
        for part in postorder([term]):
            self._learn(part)
        return self._known[term]

    def of_all(self, terms: Sequence[Term]) -> list[Word]:
        """The same, where what has no form may be anything."""
        for part in postorder(terms):
            try:
                self._learn(part)
            except Unfit:
                self._known[part] = self._numbered(part)
        return [self._known[term] for term in terms]

    def _learn(self, term: Term) -> None:
        """Make the form of a term whose arguments have theirs."""
        if term not in self._known:
            made = self._numbered(term) if term.op is Op.VAR else self._made(term)
            self._allowance.spend(sum(map(len, made)) // _KEPT_IN_TIME)
            self._known[term] = made

    def _numbered(self, term: Term) -> Word:
        """Bits of their own."""
        fixed = self._fixed.get(term, (None,) * _width(term))
        first = self._count
        self._count += len(fixed)
        return tuple(frozenset({1 << first + i}) if form is None else form for i, form in enumerate(fixed))

    def _made(self, term: Term) -> Word:
        if term.sort is Sort.REAL:
            raise Unfit
        if term.is_const:
            value = int(number(term))
            return tuple(ONE if value >> i & 1 else ZERO for i in range(_width(term)))
        args = [self._known[arg] for arg in term.args]
        match term.op:
            case Op.BIT_XOR:
                return tuple(map(xor, *args))
            case Op.BIT_AND | Op.AND:
                return tuple(self._product(x, y) for x, y in zip(*args, strict=True))
            case Op.BIT_OR | Op.OR:
                return tuple(x ^ y ^ self._product(x, y) for x, y in zip(*args, strict=True))
            case Op.BIT_NOT | Op.NOT:
                return tuple(x ^ ONE for x in args[0])
            case Op.IF:
                return tuple(self._product(args[0][0], x ^ y) ^ y for x, y in zip(args[1], args[2], strict=True))
            case Op.EQ:
                return (reduce(self._product, (x ^ y ^ ONE for x, y in zip(*args, strict=True)), ONE),)
            case Op.ADD:
                return self._sum(*args)
            case Op.MUL:
                return self._multiplied(*args)
            case Op.REVERSE_BITS:
                return args[0][::-1]
            case Op.LT if _is_number(term.args[1], 0):
                return (args[0][-1],)
            case Op.LE if _is_number(term.args[0], 0):
                return (args[1][-1] ^ ONE,)
            case _ if term.args and term.args[-1].is_const:
                return self._by_constant(term.op, args[0], int(number(term.args[-1])))
            case _:
                raise Unfit

    def _by_constant(self, op: Op, x: Word, by: int) -> Word:
        count = by % WIDTH
        match op:
            case Op.SHL:
                return ((ZERO,) * count + x)[:WIDTH]
            case Op.USHR:
                return x[count:] + (ZERO,) * count
            case Op.SHR:
                return x[count:] + (x[-1],) * count
            case Op.UREM | Op.REM | Op.UDIV | Op.DIV if by > 0 and by & (by - 1) == 0:
                if op in (Op.REM, Op.DIV) and x[-1] != ZERO:
                    raise Unfit  # rounded towards 0
                bits = by.bit_length() - 1
                if op in (Op.UREM, Op.REM):
                    return x[:bits] + (ZERO,) * (WIDTH - bits)
                return x[bits:] + (ZERO,) * bits
            case _:
                raise Unfit

    def _product(self, x: Form, y: Form) -> Form:
        if len(x) > len(y):
            x, y = y, x
        if not x or x == ONE:
            return y if x else ZERO
        self._allowance.spend(len(x) * len(y))
        found: set[int] = set()
        for p in x:
            products = {p | q for q in y}
            found ^= products if len(products) == len(y) else _odd(p | q for q in y)
        return frozenset(found)

    def _sum(self, x: Word, y: Word) -> Word:
        carry = ZERO
        made = []
        for p, q in zip(x, y, strict=True):
            made.append(p ^ q ^ carry)
            carry = self._product(p, q) ^ self._product(p ^ q, carry)
            if len(carry) > _MOST_CARRIED:
                raise Unfit
        return tuple(made)

    def _multiplied(self, x: Word, y: Word) -> Word:
        if sum(map(bool, x)) > sum(map(bool, y)):
            x, y = y, x
        total: Word = (ZERO,) * WIDTH
        for i, bit in enumerate(x):
            if bit:
                moved = ((ZERO,) * i + y)[:WIDTH]
                total = self._sum(total, tuple(self._product(bit, other) for other in moved))
        return total


def _odd(products: Iterable[int]) -> set[int]:
    """Those that come an odd number of times."""
    found: set[int] = set()
    for product in products:
        found ^= {product}
    return found


def _is_number(term: Term, value: int) -> bool:
    return term.is_const and term.value == value and term.sort is Sort.INT


def _width(term: Term) -> int:
    return 1 if term.sort is Sort.BOOL else WIDTH


# ---------------------------------------------------------------- laws


def leaves_by_forms(problem: Problem, law: Law, wanted: Sequence[int]) -> list[int]:
    """The leaves of a merged value for which the law is shown; none where merge is not one of bits."""
    if not any(term.op in _TELLING for term in postorder(problem.merge.leaves)):
        return []
    allowance = Allowance()
    fixed = _reachable(problem, allowance)
    forms = Forms({v: bits for name in "abc" for v, bits in zip(problem.state(name), fixed, strict=True)}, allowance)
    left, right = problem.sides(law)
    shown = []
    for leaf in wanted:
        try:
            if forms.of(left[leaf]) == forms.of(right[leaf]):
                shown.append(leaf)
        except Unfit:
            continue
    return shown


def _reachable(problem: Problem, allowance: Allowance) -> tuple[Bits, ...]:
    """The bits of each leaf that are the same for all reachable values: in what compute gives, and kept by merge."""
    fixed = tuple(map(_fixed, Forms({}, allowance).of_all(problem.compute.leaves)))
    sides = (*problem.left, *problem.right)
    while True:
        forms = Forms(dict(zip(sides, (*fixed, *fixed), strict=True)), allowance)
        merged = [_fixed(word) for word in forms.of_all(problem.merge.leaves)]
        pairs = zip(fixed, merged, strict=True)
        rest = tuple(tuple(p if p == q else None for p, q in zip(old, new, strict=True)) for old, new in pairs)
        if rest == fixed:
            return fixed
        fixed = rest


def _fixed(word: Word) -> Bits:
    return tuple(form if form in (ZERO, ONE) else None for form in word)

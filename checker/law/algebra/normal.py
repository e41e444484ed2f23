"""From terms to normal forms, on one path through the case distinctions.

A Bool is True or False, an Int a polynomial modulo 2^32, a Real a fraction.  Where a condition is open and its outcome
is needed, `Split` tells what to distinguish.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from kcheck.checker.law import work
from kcheck.checker.law.algebra.angles import Angles
from kcheck.checker.law.algebra.atoms import Atoms, Kind
from kcheck.checker.law.algebra.bits import Bits
from kcheck.checker.law.algebra.divisors import divided
from kcheck.checker.law.algebra.facts import ABOVE, NEGATIVE, NULL, Facts, Query, reduced
from kcheck.checker.law.algebra.integers import Integers
from kcheck.checker.law.algebra.interval import BOOL, EVERYTHING, INT
from kcheck.checker.law.algebra.polynomial import (
    ONE,
    Polynomial,
    add,
    constant,
    key,
    multiply,
    of_atom,
    scale,
    single_atom,
    subtract,
)
from kcheck.checker.law.algebra.reals import Ratio, Reals
from kcheck.checker.law.euclid import GCD
from kcheck.checker.law.terms import Op, Sort, Term, number

Value: TypeAlias = "bool | Polynomial | Ratio"

_FORM = 4e-5
"""The work of making a normal form of those of its arguments."""


class Split(Exception):
    """The path must be divided by this question."""

    def __init__(self, query: Query) -> None:
        super().__init__(query)
        self.query = query


class Style(Enum):
    """What becomes of `min`, `max` and `abs`."""

    LATTICE = 0
    """Maxima of minima."""
    TROPICAL = 1
    """Sums and differences of maxima."""
    SPLIT = 2
    """Case distinctions."""


class Normal:
    """The normal forms of terms, each worked out once a path."""

    def __init__(
        self,
        facts: Facts,
        bits: Bits,
        style: Style = Style.LATTICE,
        memo: Mapping[Term, Value] | None = None,
    ) -> None:
        self.facts = facts
        self.style = style
        self._splits = style is Style.SPLIT
        self._bits = bits
        self._memo: dict[Term, Value] = dict(memo or {})
        self._reals = Reals(facts, style is Style.TROPICAL)
        self._angles = Angles(self._reals)
        self._integers = Integers(facts, bits, style is Style.TROPICAL)

    def branch(self, query: Query, cause: int = 0) -> Normal:
        """The path on which this also holds; raises `Contradiction` if there is none."""
        facts = self.facts.copy()
        facts.assume(query, cause)
        kept = len(facts.solved) == len(self.facts.solved)
        kept = kept and len(facts.solved_wrapping) == len(self.facts.solved_wrapping)
        return Normal(facts, self._bits, self.style, self._memo if kept else None)

    def restyled(self) -> Normal | None:
        """The same path in the next style; None after the last."""
        if self._splits:
            return None
        return Normal(self.facts, self._bits, Style(self.style.value + 1))

    # ------------------------------------------------------------ values

    def value(self, term: Term) -> Value:
        """Raises `Split`, `Undefined` and `TooLarge`."""
        memo = self._memo
        if term in memo:
            return memo[term]
        pending = [term]
        while pending:
            top = pending[-1]
            missing = self._next(top)
            if missing:
                pending.extend(missing)
                continue
            pending.pop()
            if top not in memo:
                work.count(_FORM)
                self.facts.check_time()  # polynomials may grow with each step
                memo[top] = self._made(top)
        return memo[term]

    def equal(self, a: Term, b: Term) -> bool:
        """Whether two terms are known to be equal on this path; raises what `value` does."""
        x, y = self.value(a), self.value(b)
        if isinstance(x, bool) or isinstance(y, bool):
            return x == y
        if isinstance(x, Ratio):
            assert isinstance(y, Ratio)
            difference = self._reals.add(x, y, -1)
            if self.facts.vanishes(difference.numerator, wrapping=False) or self._is_logarithm_of_one(difference):
                return True
            return self.facts.sign(self._reals.zero_of(difference)) == NULL
        assert not isinstance(y, Ratio)
        if self.facts.vanishes(reduced(subtract(x, y)), wrapping=True):
            return True
        integers = self._integers
        return NULL in (
            self.facts.sign(integers.inequality(x, y)),
            self.facts.sign(subtract(integers.unsigned(x), integers.unsigned(y))),
        )

    def _is_logarithm_of_one(self, x: Ratio) -> bool:
        """Whether x is a sum with logarithms in it, and e^x is 1."""
        if not self._reals.has_logarithms(x):
            return False
        difference = self._reals.add(self._reals.exponential(x), Ratio(constant(1)), -1)
        return self.facts.vanishes(difference.numerator, wrapping=False)

    def query(self, term: Term) -> Query | bool | None:
        """A Bool term as a question for the facts; None if it is no single one."""
        if term in self._memo:
            known = self._memo[term]
            assert isinstance(known, bool)
            return known
        if term.is_const:
            return bool(term.value)
        if term.op is Op.NOT:
            inner = self.query(term.args[0])
            return inner.negated() if isinstance(inner, Query) else None if inner is None else not inner
        if term.op not in _COMPARISONS and term.op not in (Op.VAR, Op.FUNCTION):
            return None
        if term.op is Op.EQ and term.args[0].sort is Sort.BOOL:
            return None
        for argument in term.args:
            self.value(argument)
        return self._question(term)

    def made_from(self, term: Term, arguments: Sequence[Value]) -> Value:
        """The term's normal form if its arguments have these."""
        self._memo.update(zip(term.args, arguments, strict=True))
        return self._made(term)

    def question_from(self, term: Term, arguments: Sequence[Value]) -> Query:
        """A comparison, or a Bool atom, if its arguments have these normal forms."""
        self._memo.update(zip(term.args, arguments, strict=True))
        return self._question(term)

    def negated(self, x: Value) -> Value:
        """The negated number."""
        assert not isinstance(x, bool)
        return self._reals.negate(x) if isinstance(x, Ratio) else self._integers.apply(Op.NEG, [x])

    def difference(self, x: Value, y: Value) -> Polynomial:
        """A polynomial with the sign of x - y, which are numbers."""
        assert not isinstance(x, bool)
        assert not isinstance(y, bool)
        return self._difference(x, y)

    def inequality(self, x: Value, y: Value) -> Polynomial:
        """A polynomial that is 0 where two numbers are equal."""
        assert not isinstance(x, bool)
        assert not isinstance(y, bool)
        return self._inequality(x, y)

    def _next(self, term: Term) -> list[Term]:
        """The arguments that must be known before the term can be made."""
        known = self._memo
        needed: Sequence[Term] = term.args
        if term.op is Op.IF:
            if self._is_indicator(term):
                needed = term.args[0].args
            elif not self._splits and _as_extreme(term) is not None:
                needed = term.args[1:]
            else:
                condition = known.get(term.args[0])
                needed = [term.args[0]] if condition is None else [term.args[1 if condition else 2]]
        elif term.op is Op.AND or term.op is Op.OR:
            first = known.get(term.args[0])
            needed = term.args[:1] if first is None or first == (term.op is Op.OR) else term.args[1:]
        return [argument for argument in needed if argument not in known]

    def _is_indicator(self, term: Term) -> bool:
        """Whether the term chooses between two Int constants by an unsigned comparison: arithmetic can do that."""
        return term.args[0].op is Op.ULT and term.args[1].is_const and term.args[2].is_const and term.sort is Sort.INT

    def _made(self, term: Term) -> Value:
        match term.op:
            case Op.CONST:
                value = number(term)
                if isinstance(value, bool):
                    return value
                return Ratio(constant(value)) if isinstance(value, Fraction) else constant(value)
            case Op.NOT:
                return not self._memo[term.args[0]]
            case Op.AND | Op.OR:
                first = self._truth(term.args[0])
                return first if first == (term.op is Op.OR) else self._truth(term.args[1])
            case Op.IF:
                return self._chosen(term)
            case Op.EQ if term.args[0].sort is Sort.BOOL:
                return self._truth(term.args[0]) == self._truth(term.args[1])
            case Op.VAR | Op.FUNCTION if term.sort is not Sort.BOOL:
                return self._atomic(term)
            case Op.EQ | Op.LT | Op.LE | Op.ULT | Op.VAR | Op.FUNCTION:
                return self._decided(self._question(term))
            case Op.TO_INT:
                return self._to_int(self._real(term.args[0]))
            case _ if term.sort is Sort.INT:
                return self._int_operation(term)
            case _:
                return self._real_operation(term)

    def _truth(self, term: Term) -> bool:
        value = self._memo[term]
        assert isinstance(value, bool)
        return value

    def _int(self, term: Term) -> Polynomial:
        value = self._memo[term]
        assert isinstance(value, Mapping)
        return value

    def _real(self, term: Term) -> Ratio:
        value = self._memo[term]
        assert isinstance(value, Ratio)
        return value

    # ------------------------------------------------------------ conditions

    def _decided(self, query: Query) -> bool:
        answer = self.facts.holds(query)
        if answer is None:
            raise Split(query)
        return answer

    def _question(self, term: Term) -> Query:
        """A comparison or a Bool atom."""
        if term.op is Op.VAR or term.op is Op.FUNCTION:
            return Query(of_atom(self._atom(term)), ABOVE)
        if term.op is Op.ULT:
            below = self._below(term)
            return Query(below, ABOVE)
        x, y = self._memo[term.args[0]], self._memo[term.args[1]]
        assert not isinstance(x, bool)
        assert not isinstance(y, bool)
        if term.op is Op.EQ:
            return Query(self._inequality(x, y), NULL)
        return Query(self._difference(x, y), NEGATIVE if term.op is Op.LT else NEGATIVE | NULL)

    def _below(self, term: Term) -> Polynomial:
        below = self._integers.unsigned_below(self._int(term.args[0]), self._int(term.args[1]))
        self.facts.assume(Query(below, NULL | ABOVE))
        self.facts.assume(Query(add(below, constant(-1)), NULL | NEGATIVE))
        return below

    def _difference(self, x: Polynomial | Ratio, y: Polynomial | Ratio) -> Polynomial:
        """A polynomial with the sign of x - y."""
        if isinstance(x, Ratio):
            assert isinstance(y, Ratio)
            return self._reals.sign_of(self._reals.add(x, y, -1))
        assert not isinstance(y, Ratio)
        return self._integers.difference(x, y)

    def _inequality(self, x: Polynomial | Ratio, y: Polynomial | Ratio) -> Polynomial:
        """A polynomial that is 0 where x = y."""
        if isinstance(x, Ratio):
            assert isinstance(y, Ratio)
            return self._reals.zero_of(self._reals.add(x, y, -1))
        assert not isinstance(y, Ratio)
        return self._integers.inequality(x, y)

    # ------------------------------------------------------------ choices

    def _chosen(self, term: Term) -> Value:
        condition, a, b = term.args
        if self._is_indicator(term):
            below = self._below(condition)
            return reduced(add(self._constant(b), scale(below, int(number(a)) - int(number(b)))))
        extreme = _as_extreme(term) if not self._splits else None
        if extreme is not None:
            return self._extreme(a, b, extreme is Op.MAX)
        return self._memo[a if self._truth(condition) else b]

    def _constant(self, term: Term) -> Polynomial:
        return constant(int(number(term)))

    def _extreme(self, a: Term, b: Term, greatest: bool) -> Value:
        x, y = self._memo[a], self._memo[b]
        assert not isinstance(x, bool)
        assert not isinstance(y, bool)
        if not self._splits:
            if isinstance(x, Ratio):
                assert isinstance(y, Ratio)
                result = self._reals.extreme(x, y, greatest)
                if result is not None:
                    return result
            else:
                assert not isinstance(y, Ratio)
                return self._integers.apply(Op.MAX if greatest else Op.MIN, [x, y])
        return y if self._is_not_above(self._difference(x, y)) == greatest else x

    def _is_not_above(self, p: Polynomial) -> bool:
        """Whether p is at most 0; where it may be both and 0 too, what it is decides nothing between equals."""
        sign = self.facts.sign(p)
        if sign & NEGATIVE and sign & ABOVE:
            raise Split(Query(p, NEGATIVE))
        return not sign & ABOVE

    # ------------------------------------------------------------ operations

    def _atomic(self, term: Term) -> Value:
        if term.op is Op.FUNCTION and term.value == "cos":
            return self._angles.cosine(self._real(term.args[0]))
        if term.op is Op.FUNCTION and term.value == "sin":
            return self._angles.sine(self._real(term.args[0]))
        if term.op is Op.FUNCTION and term.value == GCD:
            return self._divisor([self._int(argument) for argument in term.args])
        p = of_atom(self._atom(term))
        if term.sort is Sort.REAL:
            return Ratio(_substituted(p, self.facts.solved))
        return reduced(_substituted(reduced(_substituted(p, self.facts.solved)), self.facts.solved_wrapping))

    def _divisor(self, numbers: Sequence[Polynomial]) -> Polynomial:
        """The greatest common divisor; of divisors it is that of all their numbers, and signs do not count."""
        atoms: Atoms = self.facts.atoms
        rows: list[Polynomial] = []
        for p in numbers:
            inner = single_atom(p)
            entry = None if inner is None else atoms[inner]
            if entry is not None and entry.kind is Kind.DIVISOR:
                assert isinstance(entry.key, frozenset)
                rows.extend(map(dict, entry.key))
            elif entry is not None and entry.kind is Kind.ABS and isinstance(entry.key, frozenset):
                rows.append(dict(entry.key))
            else:
                rows.append(self._integers.exact(p))
        found = divided(rows)
        return of_atom(atoms.make(Kind.DIVISOR, found, integral=True, interval=INT)) if found else {}

    def _atom(self, term: Term) -> int:
        atoms: Atoms = self.facts.atoms
        interval = {Sort.BOOL: BOOL, Sort.INT: INT, Sort.REAL: EVERYTHING}[term.sort]
        whole = term.sort is not Sort.REAL
        if term.op is Op.VAR:
            kind = Kind.TRUTH if term.sort is Sort.BOOL else Kind.VARIABLE
            return atoms.make(kind, term, integral=whole, interval=interval)
        keys = [value_key(self._memo[argument]) for argument in term.args]
        return atoms.make(Kind.OTHER, (term.value, term.sort, *keys), integral=whole, interval=interval)

    def _to_int(self, x: Ratio) -> Polynomial:
        p = x.numerator
        if x.denominator == ONE and self.facts.atoms.whole(p) and self.facts.is_int(p):
            return reduced(p)
        return of_atom(self.facts.atoms.make(Kind.OTHER, ("int", x.key), integral=True, interval=INT))

    def _int_operation(self, term: Term) -> Value:
        if term.op is Op.MIN or term.op is Op.MAX:
            return self._extreme(term.args[0], term.args[1], term.op is Op.MAX)
        x = [self._int(argument) for argument in term.args]
        if term.op is Op.ABS and self._splits:
            self._is_not_above(self._integers.exact(x[0]))
        return self._integers.apply(term.op, x)

    def _real_operation(self, term: Term) -> Value:
        reals = self._reals
        if term.op is Op.TO_REAL:
            return Ratio(self._integers.exact(self._int(term.args[0])))
        if term.op is Op.MIN or term.op is Op.MAX:
            return self._extreme(term.args[0], term.args[1], term.op is Op.MAX)
        x = self._real(term.args[0])
        y = self._real(term.args[-1])
        match term.op:
            case Op.ADD:
                return reals.add(x, y)
            case Op.SUB:
                return reals.add(x, y, -1)
            case Op.MUL:
                return reals.multiply(x, y)
            case Op.DIV:
                return reals.divide(x, y)
            case Op.NEG:
                return reals.negate(x)
            case Op.ABS:
                if self._splits:
                    self._is_not_above(reals.sign_of(x))
                return reals.absolute(x)
            case Op.EXP:
                return reals.exponential(x)
            case Op.LOG:
                return reals.logarithm(x)
            case Op.SQRT:
                return reals.root(x)
            case Op.FLOOR:
                return reals.floor(x)
            case _:
                return reals.opaque(term.op.value, x, y)


_COMPARISONS = frozenset({Op.EQ, Op.LT, Op.LE, Op.ULT})


def _as_extreme(term: Term) -> Op | None:
    """MIN or MAX where the choice is just that, as in `if a < b { a } else { b }`."""
    condition, a, b = term.args
    if condition.op is not Op.LT and condition.op is not Op.LE:
        return None
    if condition.args == (a, b):
        return Op.MIN
    return Op.MAX if condition.args == (b, a) else None


def _substituted(p: Polynomial, by: Mapping[int, Polynomial]) -> Polynomial:
    """With these atoms replaced until none is left."""
    while any(atom in by for monomial in p for atom, _ in monomial):
        total: Polynomial = {}
        for monomial, coefficient in p.items():
            part = constant(coefficient)
            for atom, exponent in monomial:
                base = by.get(atom)
                part = multiply(part, {((atom, exponent),): 1} if base is None else base)
            total = add(total, part)
        p = total
    return p


def value_key(value: Value) -> object:
    """The value as one with a hash."""
    if isinstance(value, bool):
        return value
    return value.key if isinstance(value, Ratio) else key(value)

"""Terms as Python (`concrete`) and exactly (`exact`) against a plain reading of them, and against mpmath."""

import math
import random
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from kcheck.checker.law import exact
from kcheck.checker.law.concrete import Unsupported, compiled
from kcheck.checker.law.exact import Interval, point
from kcheck.checker.law.problem import Obligation, Symbolic, Undefined
from kcheck.checker.law.terms import Op, Sort, Term, Terms
from kcheck.grammar.spans import Origin, Span
from tests.law.reference import evaluate

INTS = (0, 1, 2, 3, 5, -1, -2, 31, 32, 100, 2**31 - 1, -(2**31), 0x12345678)
REALS = (
    Fraction(0),
    Fraction(1),
    Fraction(-1),
    Fraction(1, 2),
    Fraction(-7, 4),
    Fraction(3),
    Fraction(100),
    Fraction(1, 8),
)

INT_OPS = (
    *(Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX, Op.DIV, Op.REM, Op.BIT_AND, Op.BIT_OR, Op.BIT_XOR),
    *(Op.SHL, Op.SHR, Op.USHR, Op.UDIV, Op.UREM),
)
INT_OPS_OF_ONE = (Op.NEG, Op.ABS, Op.BIT_NOT, Op.POPCOUNT, Op.CLZ, Op.CTZ, Op.REVERSE_BITS)
REAL_OPS = (Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX, Op.DIV, Op.REM)
REAL_OPS_OF_ONE = (Op.NEG, Op.ABS, Op.FLOOR)


class Random:
    """Random terms over three variables of each sort, all of whose steps are rational."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.terms = Terms()
        self.variables = [self.terms.var(f"{sort.name}{i}", sort) for sort in Sort for i in range(3)]

    def term(self, sort: Sort, depth: int) -> Term:
        rng, terms = self.rng, self.terms
        if depth == 0:
            return rng.choice([v for v in self.variables if v.sort is sort])
        if rng.random() < 0.15:
            return terms.if_(self.term(Sort.BOOL, depth - 1), self.term(sort, depth - 1), self.term(sort, depth - 1))
        match sort:
            case Sort.BOOL:
                return self._bool(depth - 1)
            case Sort.INT:
                return self._int(depth - 1)
            case Sort.REAL:
                return self._real(depth - 1)

    def _bool(self, depth: int) -> Term:
        terms, kind = self.terms, self.rng.randrange(6)
        if kind < 3:
            a, b = self.term(Sort.BOOL, depth), self.term(Sort.BOOL, depth)
            return (terms.and_(a, b), terms.or_(a, b), terms.not_(terms.eq(a, b)))[kind]
        sort = self.rng.choice((Sort.INT, Sort.REAL))
        a, b = self.term(sort, depth), self.term(sort, depth)
        if kind == 3 and sort is Sort.INT:
            return terms.ult(a, b)
        return (terms.lt, terms.le, terms.eq)[kind - 3](a, b)

    def _int(self, depth: int) -> Term:
        if self.rng.random() < 0.1:
            return self.terms.to_int(self.term(Sort.REAL, depth))
        if self.rng.random() < 0.3:
            return self.terms.apply(self.rng.choice(INT_OPS_OF_ONE), self.term(Sort.INT, depth))
        return self.terms.apply(self.rng.choice(INT_OPS), self.term(Sort.INT, depth), self.term(Sort.INT, depth))

    def _real(self, depth: int) -> Term:
        if self.rng.random() < 0.1:
            return self.terms.to_real(self.term(Sort.INT, depth))
        if self.rng.random() < 0.2:
            return self.terms.apply(self.rng.choice(REAL_OPS_OF_ONE), self.term(Sort.REAL, depth))
        return self.terms.apply(self.rng.choice(REAL_OPS), self.term(Sort.REAL, depth), self.term(Sort.REAL, depth))

    def values(self) -> dict[Term, Any]:
        choices: dict[Sort, tuple[Any, ...]] = {Sort.BOOL: (False, True), Sort.INT: INTS, Sort.REAL: REALS}
        return {v: self.rng.choice(choices[v.sort]) for v in self.variables}


@pytest.mark.parametrize("seed", range(150))
def test_exact(seed: int) -> None:
    made = Random(seed)
    roots = [made.term(sort, 4) for sort in Sort]
    for _ in range(8):
        values = made.values()
        known = {v: point(n) if v.sort is Sort.REAL else n for v, n in values.items()}
        for got, expected in zip(exact.evaluated(roots, known), evaluate(roots, values), strict=True):
            if isinstance(expected, Fraction):
                assert got == point(expected)
            else:
                assert got == expected
                assert type(got) is type(expected)


@pytest.mark.parametrize("seed", range(150))
def test_concrete(seed: int) -> None:
    """As doubles round, a tree of Reals is held to the exact one only where it is of Ints and Bools alone."""
    made = Random(seed)
    roots = tuple(made.term(sort, 4) for sort in (Sort.BOOL, Sort.INT, Sort.REAL))
    function = compiled(Symbolic(roots, ()), (made.variables,))
    for _ in range(8):
        values = made.values()
        got, failing = function(tuple(float(n) if isinstance(n, Fraction) else n for n in values.values()))
        assert failing is None
        for root, number, expected in zip(roots, got, evaluate(roots, values), strict=True):
            if not _has_reals(root):
                assert number == expected
            elif root.sort is Sort.REAL and expected is not None and not _branches(root):
                assert number == pytest.approx(float(expected), rel=1e-6, abs=1e-6)


def _has_reals(term: Term) -> bool:
    return term.sort is Sort.REAL or any(map(_has_reals, term.args))


def _branches(term: Term) -> bool:
    """Whether a rounding may change the result by a jump."""
    jumps = (Op.IF, Op.FLOOR, Op.REM, Op.TO_INT)
    return term.op in jumps or any(map(_branches, term.args))


def test_the_first_obligation_that_fails() -> None:
    terms = Terms()
    x, y = terms.var("x", Sort.REAL), terms.var("y", Sort.REAL)
    origin = Origin("a.kernel", "kernel a@1", Span(0, 1))

    def nonzero(guard: Term, divisor: Term) -> Obligation:
        return Obligation(guard, terms.not_(terms.eq(divisor, terms.real(0))), Undefined.DIVISION, origin)

    obligations = (nonzero(terms.lt(terms.real(0), x), y), nonzero(terms.true, x))
    function = compiled(Symbolic((terms.apply(Op.DIV, y, x),), obligations), ((x, y),))
    assert function((2.0, 1.0)) == ((0.5,), None)
    assert function((1.0, 0.0))[1] == 0
    assert function((-1.0, 0.0)) == ((0.0,), None)
    value, failing = function((0.0, 5.0))
    assert math.isnan(value[0])
    assert failing == 1


def test_functions_that_are_not_known() -> None:
    terms = Terms()
    x = terms.var("x", Sort.REAL)
    with pytest.raises(Unsupported):
        compiled(Symbolic((terms.function("zeta", (x,), Sort.REAL),), ()), ((x,),))


@pytest.mark.parametrize(
    ("name", "reference", "arguments"),
    [
        (Op.EXP, mpmath.exp, ("0", "1", "-1", "1/3", "-50", "87", "1/1000000")),
        (Op.LOG, mpmath.log, ("1", "2", "1/3", "1000000", "1000001/1000000", "1/1000000000")),
        (Op.SQRT, mpmath.sqrt, ("0", "1", "2", "1/4", "1/3", "1000000007")),
        ("sin", mpmath.sin, ("0", "1", "-1", "3", "22/7", "-7")),
        ("cos", mpmath.cos, ("0", "1", "-1", "3", "11/7", "-7")),
    ],
)
def test_intervals_of_functions(name: Op | str, reference: Any, arguments: tuple[str, ...]) -> None:
    """They hold the true value, and are no wider than 10^-30."""
    terms = Terms()
    x = terms.var("x", Sort.REAL)
    term = terms.apply(name, x) if isinstance(name, Op) else terms.function(name, (x,), Sort.REAL)
    for text in arguments:
        argument = Fraction(text)
        [found] = exact.evaluated([term], {x: point(argument)})
        assert isinstance(found, Interval)
        with mpmath.workdps(120):
            value = reference(mpmath.mpf(argument.numerator) / argument.denominator)
            low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (found.low, found.high))
            rounding = abs(value) * mpmath.mpf(10) ** -115
            assert low - rounding <= value <= high + rounding
        assert found.high - found.low <= abs(found.high) * Fraction(1, 10**30) + Fraction(1, 10**30)


@pytest.mark.parametrize(("name", "reference"), [("sin", mpmath.sin), ("cos", mpmath.cos)])
def test_angles_that_are_long_fractions(name: str, reference: Any) -> None:
    """They come from nested divisions; a series of their exact powers would have millions of digits."""
    terms = Terms()
    x = terms.var("x", Sort.REAL)
    angle = Fraction(7**14240, 2**40000)
    [found] = exact.evaluated([terms.function(name, (x,), Sort.REAL)], {x: point(angle)})
    assert isinstance(found, Interval)
    with mpmath.workdps(60):
        value = reference(mpmath.mpf(angle.numerator) / angle.denominator)
        low, high = (mpmath.mpf(end.numerator) / end.denominator for end in (found.low, found.high))
        assert low <= value <= high
    assert max(found.low.denominator.bit_length(), found.high.denominator.bit_length()) < 1000


def test_what_is_not_known() -> None:
    terms = Terms()
    x, y = terms.var("x", Sort.REAL), terms.var("y", Sort.REAL)
    root = terms.apply(Op.SQRT, x)
    squared = terms.mul(root, root)
    inverse = terms.apply(Op.DIV, terms.real(1), y)
    chosen = terms.if_(terms.lt(y, terms.real(1)), terms.real(3), inverse)
    found = exact.evaluated(
        [terms.eq(squared, x), terms.lt(squared, terms.real(3)), inverse, chosen], {x: point(2), y: point(0)}
    )
    assert found == (None, True, None, point(3))
    assert not exact.differ(found[0], True)


def test_long_fractions_are_shortened_to_an_interval() -> None:
    terms = Terms()
    x = terms.var("x", Sort.REAL)
    power = x
    for _ in range(14):
        power = terms.mul(power, power)
    value = Fraction(1_000_003, 1_000_007)
    [found] = exact.evaluated([power], {x: point(value)})
    assert isinstance(found, Interval)
    assert found.low.numerator.bit_length() < 5000
    assert found.low <= value ** (1 << 14) <= found.high
    assert found.high - found.low < Fraction(1, 10**100)


def test_bits_of_floats() -> None:
    terms = Terms()
    x, i = terms.var("x", Sort.REAL), terms.var("i", Sort.INT)
    bits = terms.function("bitcast_int", (x,), Sort.INT)
    value = terms.function("bitcast_float", (i,), Sort.REAL)
    assert exact.evaluated([bits, value], {x: point(-1.5), i: 0x40490FDB}) == (-0x40400000, point(13176795 / 2**22))
    assert exact.evaluated([bits, value], {x: point(Fraction(1, 3)), i: 0x7F800000}) == (None, None)
    assert exact.evaluated([bits], {x: point(0)}) == (None,)
    function = compiled(Symbolic((bits, value), ()), ((x, i),))
    assert function((-1.5, 0x40490FDB)) == ((-0x40400000, 13176795 / 2**22), None)

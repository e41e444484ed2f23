"""Theories of the algebra that few merges need: angles, vectors of length 1, divisors, rests, extremes of products.

Each is held to values of its terms, worked out in another way.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from kcheck.checker.arithmetic import wrap
from kcheck.checker.law.algebra.facts import ABOVE, NEGATIVE, NULL, Query
from kcheck.checker.law.algebra.normal import Normal, Style
from kcheck.checker.law.algebra.polynomial import constant, subtract
from kcheck.checker.law.algebra.reals import Ratio
from kcheck.checker.law.euclid import ends_after, gcd
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Op, Sort, Term, Terms
from tests.law.build import over_ints
from tests.law.normal_forms import Reading
from tests.law.reference import evaluate
from tests.law.test_algebra import Paths, check, normal_form

# ---------------------------------------------------------------- angles


class Turns:
    """Makes products of sines and cosines of sums, some of which are angles brought back within a turn."""

    def __init__(self, terms: Terms, source: random.Random) -> None:
        self._terms = terms
        self._source = source
        self.variables = [terms.var(name, Sort.REAL) for name in "pqr"]

    def angle(self, depth: int) -> Term:
        terms, source = self._terms, self._source
        if depth == 0:
            return source.choice((*self.variables, terms.real(Fraction(1, 3))))
        a, b = self.angle(depth - 1), self.angle(depth - 1)
        factor = terms.real(source.choice((Fraction(2), Fraction(-3), Fraction(1, 2), Fraction(5, 7), Fraction(9))))
        within = terms.function("atan2", (self._of("sin", a), self._of("cos", a)), Sort.REAL)
        return source.choice((terms.add(a, b), terms.sub(a, b), terms.neg(a), terms.mul(a, factor), within, within))

    def _of(self, name: str, angle: Term) -> Term:
        return self._terms.function(name, (angle,), Sort.REAL)

    def term(self, depth: int) -> Term:
        x = self._of(self._source.choice(("sin", "cos")), self.angle(depth))
        y = self._of(self._source.choice(("sin", "cos")), self.angle(depth - 1))
        return self._source.choice((x, self._terms.mul(x, y), self._terms.add(self._terms.mul(x, x), y)))


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {"sin": mpmath.sin, "cos": mpmath.cos, "atan2": mpmath.atan2}
_ARITHMETIC: Mapping[Op, Callable[..., Any]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.NEG: lambda a: -a,
}


def turned(term: Term, values: Mapping[Term, Any]) -> Any:
    """The value of a term in many digits."""
    if term.op is Op.VAR:
        return values[term]
    if term.op is Op.CONST:
        assert isinstance(term.value, Fraction)
        return mpmath.mpf(term.value.numerator) / term.value.denominator
    arguments = [turned(argument, values) for argument in term.args]
    return (_FUNCTIONS[str(term.value)] if term.op is Op.FUNCTION else _ARITHMETIC[term.op])(*arguments)


@pytest.mark.parametrize("part", range(4))
def test_terms_of_angles_equal_their_normal_forms(part: int) -> None:
    decided = 0
    with mpmath.workdps(80):
        for seed in range(60 * part, 60 * (part + 1)):
            source = random.Random(seed)
            made = Turns(Terms(), source)
            term = made.term(source.choice((1, 2, 3)))
            paths = Paths(Style.LATTICE)
            values = {variable: mpmath.mpf(source.randint(-40, 40)) / 7 for variable in made.variables}
            decided += check(paths.start(), term, turned(term, values), Reading(paths.atoms, values))
    assert decided > 50


def test_an_angle_that_is_no_sum_of_the_other_has_another_form() -> None:
    terms = Terms()
    p, q = (terms.var(name, Sort.REAL) for name in "pq")
    both = terms.function("atan2", (p, q), Sort.REAL)  # not a sine and a cosine of one angle
    path = Paths(Style.LATTICE).start()
    assert not path.equal(terms.function("sin", (both,), Sort.REAL), p)
    half = terms.mul(p, terms.real(Fraction(1, 2)))
    assert not path.equal(terms.function("sin", (half,), Sort.REAL), terms.function("sin", (p,), Sort.REAL))


# ---------------------------------------------------------------- vectors of length 1


@pytest.mark.parametrize("seed", range(60))
def test_with_a_length_of_1_polynomials_keep_their_values_on_the_circle(seed: int) -> None:
    source = random.Random(seed)
    terms = Terms()
    x, y, p = (terms.var(name, Sort.REAL) for name in "xyp")
    paths = Paths(Style.LATTICE)
    path = paths.start()
    circle = path.value(terms.add(terms.mul(x, x), terms.mul(y, y)))
    assert isinstance(circle, Ratio)
    paths.atoms.learn_square(subtract(circle.numerator, constant(1)))

    def term(depth: int) -> Term:
        if depth == 0:
            return source.choice((x, y, p, terms.real(2)))
        op = source.choice((Op.ADD, Op.SUB, Op.MUL, Op.MUL))
        return terms.apply(op, term(depth - 1), term(depth - 1))

    made = term(4)
    t = Fraction(source.randint(-9, 9), source.randint(1, 9))
    values = {x: (1 - t * t) / (1 + t * t), y: 2 * t / (1 + t * t), p: Fraction(source.randint(-9, 9), 4)}
    assert check(paths.start(), made, evaluate([made], values)[0], Reading(paths.atoms, values))
    for squared, other in ((x, y), (y, x)):
        rest = terms.sub(terms.real(1), terms.mul(other, other))
        assert paths.start().equal(terms.mul(squared, squared), rest)


# ---------------------------------------------------------------- extremes of products


@pytest.mark.parametrize("part", range(4))
def test_extremes_of_products_with_both_ends_equal_their_normal_forms(part: int) -> None:
    """min(m * c, n * c, …) where m is the least and n the greatest of some values, and what only looks like that."""
    decided = 0
    for seed in range(60 * part, 60 * (part + 1)):
        source = random.Random(seed)
        terms = Terms()
        variables = [terms.var(name, Sort.REAL) for name in "pqrst"]
        values = [source.choice(variables), terms.mul(*source.sample(variables, 2)), *source.sample(variables, 2)]
        ends = [folded(terms, op, values[: source.choice((2, 3, 4))]) for op in (Op.MIN, Op.MAX)]
        if source.random() < 0.2:
            ends[0] = folded(terms, Op.MIN, values[:2])
        factors = source.sample(variables, 2)
        corners = [terms.mul(end, factor) for end in ends for factor in factors]
        offset = source.choice(variables)
        if source.random() < 0.5:
            corners = [terms.add(corner, offset) for corner in corners]
        if source.random() < 0.3:
            corners.pop()
        made = folded(terms, source.choice((Op.MIN, Op.MAX)), corners)
        paths = Paths(Style.LATTICE)
        for _ in range(4):
            at = {variable: Fraction(source.randint(-6, 6), 2) for variable in variables}
            decided += check(paths.start(), made, evaluate([made], at)[0], Reading(paths.atoms, at))
    assert decided > 150


def folded(terms: Terms, op: Op, parts: list[Term]) -> Term:
    result = parts[0]
    for part in parts[1:]:
        result = terms.apply(op, result, part)
    return result


def test_products_of_intervals_have_one_form() -> None:
    terms = Terms()
    ends = [terms.var(name, Sort.REAL) for name in ("al", "ah", "bl", "bh", "cl", "ch")]

    def product(x: tuple[Term, Term], y: tuple[Term, Term]) -> tuple[Term, Term]:
        corners = [terms.mul(p, q) for p in x for q in y]
        return folded(terms, Op.MIN, corners), folded(terms, Op.MAX, corners)

    a, b, c = ((ends[i], ends[i + 1]) for i in (0, 2, 4))
    path = Paths(Style.LATTICE).start()
    assert all(map(path.equal, product(product(a, b), c), product(a, product(b, c))))
    assert not path.equal(product(a, b)[0], terms.mul(a[0], b[0]))


# ---------------------------------------------------------------- rests and divisors


def known_to_be(path: Normal, term: Term, low: int, high: int) -> None:
    """Tell the path that an Int lies between two numbers, both included."""
    value = path.value(term)
    assert not isinstance(value, bool | Ratio)
    path.facts.assume(Query(subtract(value, constant(low)), NULL | ABOVE))
    path.facts.assume(Query(subtract(value, constant(high)), NULL | NEGATIVE))


@pytest.mark.parametrize("part", range(4))
def test_rests_by_a_number_equal_their_normal_forms(part: int) -> None:
    decided = 0
    for seed in range(50 * part, 50 * (part + 1)):
        source = random.Random(seed)
        terms = Terms()
        p, *numbers = (terms.var(name, Sort.INT) for name in "pxyz")
        made = rest(terms, source, p, numbers, 3)
        paths = Paths(Style.LATTICE)
        for _ in range(3):
            modulus = source.randint(1, 40)
            values: dict[Term, Any] = {p: modulus, **{n: source.randrange(modulus) for n in numbers}}
            path = paths.start()
            known_to_be(path, p, 1, source.choice((modulus, 40)))  # which no other path knows
            for number in numbers:
                known_to_be(path, number, 0, 40)
                difference = subtract(_polynomial(path, number), _polynomial(path, p))
                path.facts.assume(Query(difference, NEGATIVE))
            decided += check(path, made, evaluate([made], values)[0], Reading(paths.atoms, values))
    assert decided > 100


def rest(terms: Terms, source: random.Random, p: Term, numbers: list[Term], depth: int) -> Term:
    """Sums and products, most of them modulo p."""
    if depth == 0:
        return source.choice((*numbers, *numbers, p, terms.integer(3)))
    a, b = (rest(terms, source, p, numbers, depth - 1) for _ in range(2))
    made = terms.apply(source.choice((Op.ADD, Op.MUL, Op.SUB)), a, b)
    return terms.apply(source.choice((Op.REM, Op.REM, Op.UREM)), made, p) if source.random() < 0.7 else made


def _polynomial(path: Normal, term: Term) -> Mapping[Any, Any]:
    value = path.value(term)
    assert not isinstance(value, bool | Ratio)
    return value


@pytest.mark.parametrize("part", range(2))
def test_divisors_equal_their_normal_forms(part: int) -> None:
    numbers = (0, 1, -1, 6, -4, 12, 35, 360, 1 << 20, -(1 << 31), (1 << 31) - 1)
    for seed in range(60 * part, 60 * (part + 1)):
        source = random.Random(seed)
        terms = Terms()
        variables = [terms.var(name, Sort.INT) for name in "xyz"]
        made = divisor(terms, source, variables, 3)
        paths = Paths(Style.LATTICE)
        for _ in range(4):
            values = {variable: source.choice(numbers) for variable in variables}
            assert check(paths.start(), made, evaluate([made], values)[0], Reading(paths.atoms, values))


def divisor(terms: Terms, source: random.Random, variables: list[Term], depth: int) -> Term:
    """Divisors of divisors, and sums of a few."""
    if depth == 0:
        return source.choice((*variables, terms.integer(0), terms.integer(6)))
    a, b = (divisor(terms, source, variables, depth - 1) for _ in range(2))
    return terms.add(a, b) if source.random() < 0.2 else gcd(terms, a, b)


def test_divisors_are_one_whatever_their_order() -> None:
    terms = Terms()
    x, y, z = (terms.var(name, Sort.INT) for name in "xyz")
    path = Paths(Style.LATTICE).start()
    assert path.equal(gcd(terms, gcd(terms, x, y), z), gcd(terms, y, gcd(terms, z, x)))
    assert not path.equal(gcd(terms, x, y), gcd(terms, x, z))
    assert not path.equal(gcd(terms, x, terms.integer(0)), x)  # x may be below 0


# ---------------------------------------------------------------- equations between quotients


@pytest.mark.parametrize("part", range(4))
def test_quotients_are_equal_where_their_equation_says_so(part: int) -> None:
    outcomes = Counter[bool]()
    for seed in range(150 * part, 150 * (part + 1)):
        source = random.Random(seed)
        terms = Terms()
        variables = [terms.var(name, Sort.REAL) for name in "xyz"]
        made = fraction(terms, source, variables, 3)
        drawn = [{v: Fraction(source.randint(-2, 2), source.choice((1, 2))) for v in variables} for _ in range(3)]
        results = [evaluate([made], values)[0] for values in drawn]
        paths = Paths(Style.LATTICE)
        for values, result in zip(drawn, results, strict=True):
            other = terms.real(next((r for r in results if r is not None), 0))
            reading = Reading(paths.atoms, values)
            found = normal_form(paths.start(), made, reading) if result is not None else None
            if found is not None:
                path, value = found
                difference = reading.polynomial(path.inequality(value, path.value(other)))
                assert (difference == 0) == (result == other.value), made
                outcomes[difference == 0] += 1
    assert outcomes[True] > 60
    assert outcomes[False] > 60


def fraction(terms: Terms, source: random.Random, variables: list[Term], depth: int) -> Term:
    """Sums, products and quotients of a few variables."""
    if depth == 0:
        return source.choice((*variables, *variables, terms.real(1), terms.real(Fraction(1, 2))))
    a, b = (fraction(terms, source, variables, depth - 1) for _ in range(2))
    return terms.apply(source.choice((Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.DIV)), a, b)


# ---------------------------------------------------------------- quotients and their rests


@pytest.mark.parametrize("part", range(4))
def test_quotients_and_rests_equal_their_normal_forms(part: int) -> None:
    decided = 0
    for seed in range(60 * part, 60 * (part + 1)):
        source = random.Random(seed)
        terms = Terms()
        digits = [terms.var(name, Sort.INT) for name in "xyz"]
        made = carried(terms, source, digits, 4)
        paths = Paths(Style.LATTICE)
        for most in (9, 99, 2**31 - 1):
            values = {digit: source.choice((0, 1, most, source.randint(0, most))) for digit in digits}
            path = paths.start()
            for digit in digits:
                known_to_be(path, digit, 0, most)
            decided += check(path, made, evaluate([made], values)[0], Reading(paths.atoms, values))
    assert decided > 150


def carried(terms: Terms, source: random.Random, digits: list[Term], depth: int) -> Term:
    """Sums, their quotients and rests by numbers that divide one another or do not."""
    if depth == 0:
        return source.choice((*digits, *digits, terms.integer(source.choice((0, 1, 5, 9)))))
    kind = source.random()
    a = carried(terms, source, digits, depth - 1)
    if kind < 0.45:
        return terms.apply(
            source.choice((Op.ADD, Op.ADD, Op.ADD, Op.SUB)), a, carried(terms, source, digits, depth - 1)
        )
    number = terms.integer(source.choice((2, 5, 10, 10, 60, 100, 3600, 256)))
    return terms.apply(Op.MUL if kind < 0.55 else source.choice((Op.DIV, Op.REM)), a, number)


def digits_of(path: Normal, terms: Terms, names: str, most: int) -> list[Term]:
    made = [terms.var(name, Sort.INT) for name in names]
    for digit in made:
        known_to_be(path, digit, 0, most)
    return made


def test_carries_come_together() -> None:
    terms = Terms()
    ten = terms.integer(10)
    path = Paths(Style.LATTICE).start()
    x, y, z = digits_of(path, terms, "xyz", 9)
    total = terms.add(terms.add(x, y), z)
    low = terms.add(x, y)
    rest = terms.apply(Op.REM, low, ten)
    carries = terms.add(terms.apply(Op.DIV, low, ten), terms.apply(Op.DIV, terms.add(rest, z), ten))
    assert path.equal(carries, terms.apply(Op.DIV, total, ten))
    assert path.equal(terms.apply(Op.REM, terms.add(rest, z), ten), terms.apply(Op.REM, total, ten))
    again = terms.add(terms.mul(terms.apply(Op.DIV, low, ten), ten), rest)
    assert path.equal(again, low)
    assert not path.equal(carries, terms.apply(Op.DIV, terms.add(low, y), ten))


def test_what_may_be_below_0_or_wrap_has_no_carries() -> None:
    terms = Terms()
    ten = terms.integer(10)
    path = Paths(Style.LATTICE).start()
    x, y = (terms.var(name, Sort.INT) for name in "xy")
    known_to_be(path, x, -9, 9)
    known_to_be(path, y, 0, 9)
    moved = terms.add(x, terms.mul(y, ten))
    assert not path.equal(terms.apply(Op.DIV, moved, ten), terms.add(y, terms.apply(Op.DIV, x, ten)))  # -1 and 1
    large = Paths(Style.LATTICE).start()
    [p, q] = digits_of(large, terms, "pq", 2**31 - 1)
    moved = terms.add(p, terms.mul(q, ten))
    assert not large.equal(terms.apply(Op.DIV, moved, ten), terms.add(q, terms.apply(Op.DIV, p, ten)))


# ---------------------------------------------------------------- rounds of Euclid's algorithm


def rounds_of(p: int, q: int) -> int:
    rounds = 0
    while q:
        p, q, rounds = q, p % q, rounds + 1
    return rounds


def test_rounds_that_are_said_to_be_enough_are() -> None:
    terms = Terms()
    p, q = terms.var("p", Sort.INT), terms.var("q", Sort.INT)
    tight = 0
    for rounds in range(1, 9):
        condition = ends_after(terms, p, q, rounds)
        for a in range(60):
            for b in range(60):
                if evaluate([condition], {p: a, q: b}) == [True]:
                    assert rounds_of(a, b) <= rounds
                    tight += rounds_of(a, b) == rounds
        assert evaluate([condition], {p: -1, q: 1}) == [False]
    assert tight > 100
    largest = {p: 1836311903, q: 1134903170}  # neighbours of Fibonacci below 2^31: no Ints need more rounds
    assert evaluate([ends_after(terms, p, q, 46)], largest) == [True]
    assert rounds_of(1134903170, 1836311903) <= 46


@pytest.mark.parametrize(
    "loop",
    [
        "loop 14 { if q != 0 { let r = p % q; p = q; q = r; } }",
        "loop 14 until q == 0 { let r = p % q; p = q; q = r; }",
        "for i in 0..14 until q == 0 { let r = p; p = q; q = urem(r, q); }",
    ],
)
def test_euclids_algorithm_is_the_greatest_common_divisor(loop: str) -> None:
    source = f"var p = a & 255; var q = b & 255; {loop} p"
    problem = problem_of(over_ints(source))
    assert any(term.op is Op.FUNCTION for term in problem.merge.leaves)
    for a in range(0, 256, 7):
        for b in range(0, 256, 5):
            values = dict(zip((*problem.left, *problem.right), (a, b), strict=True))
            assert evaluate(problem.merge.leaves, values) == [math.gcd(a, b)]


@pytest.mark.parametrize(
    "loop",
    [
        "loop 5 { if q != 0 { let r = p % q; p = q; q = r; } }",  # too few rounds
        "loop 14 { if q != 0 { let r = p % q; p = q; q = r + 1; } }",
        "loop 14 { if q != 1 { let r = p % q; p = q; q = r; } }",
        "loop 14 { if q != 0 { let r = q % p; p = q; q = r; } }",
        "for i in 0..14 { if q != 0 && i < 3 { let r = p % q; p = q; q = r; } }",  # rounds that are not like the first
        "for i in 0..14 until q == 0 || i == 3 { let r = p % q; p = q; q = r; }",
        "loop 14 { if q == 0 { return p + 1; } let r = p % q; p = q; q = r; }",  # ends otherwise
        "loop 0 { if q != 0 { let r = p % q; p = q; q = r; } }",
        "loop 14 { let r = p % q; p = q; q = r; }",
    ],
)
def test_other_loops_are_written_out(loop: str) -> None:
    problem = problem_of(over_ints(f"var p = a & 255; var q = b & 255; {loop} p"))
    assert all(term.op is not Op.FUNCTION for term in problem.merge.leaves)


def test_a_divisor_of_numbers_below_0_is_written_out() -> None:
    problem = problem_of(over_ints("var p = a; var q = b; loop 60 { if q != 0 { let r = p % q; p = q; q = r; } } p"))
    assert all(term.op is not Op.FUNCTION for term in problem.merge.leaves)


# ---------------------------------------------------------------- bits that are counted


@pytest.mark.parametrize("part", range(4))
def test_counts_of_bits_equal_their_normal_forms(part: int) -> None:
    decided = 0
    for seed in range(50 * part, 50 * (part + 1)):
        source = random.Random(seed)
        terms = Terms()
        words = [terms.var(name, Sort.INT) for name in "xyz"]
        made = terms.integer(0)
        for _ in range(3):
            counted = terms.apply(Op.POPCOUNT, word(terms, source, words, 3))
            made = terms.apply(source.choice((Op.ADD, Op.SUB, Op.MIN)), made, counted)
        paths = Paths(Style.LATTICE)
        for _ in range(3):
            values: dict[Term, Any] = {w: wrap(source.getrandbits(32) >> source.randrange(32)) for w in words}
            decided += check(paths.start(), made, evaluate([made], values)[0], Reading(paths.atoms, values))
    assert decided > 100


def word(terms: Terms, source: random.Random, words: list[Term], depth: int) -> Term:
    """What `&`, `|`, `^`, `~` and shifts make of words and of masks."""
    if depth == 0:
        return source.choice((*words, *words, terms.integer(source.choice((-1, 255, -256, 0x55555555)))))
    a, b = (word(terms, source, words, depth - 1) for _ in range(2))
    if source.random() < 0.2:
        return terms.apply(source.choice((Op.SHL, Op.SHR, Op.USHR)), a, terms.integer(source.choice((1, 8, 31))))
    if source.random() < 0.1:
        return terms.apply(Op.BIT_NOT, a)
    return terms.apply(source.choice((Op.BIT_AND, Op.BIT_OR, Op.BIT_XOR)), a, b)

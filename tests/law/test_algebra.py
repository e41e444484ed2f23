"""The algebra's normal forms are equal to the terms they are made from, and its facts are true."""

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from kcheck.checker.law import algebra, work
from kcheck.checker.law.algebra import elimination
from kcheck.checker.law.algebra.atoms import Atoms
from kcheck.checker.law.algebra.bits import Bits
from kcheck.checker.law.algebra.facts import Facts, Query, Usage
from kcheck.checker.law.algebra.normal import Normal, Split, Style, Value
from kcheck.checker.law.algebra.polynomial import TooLarge
from kcheck.checker.law.algebra.reals import Ratio, Undefined
from kcheck.checker.law.algebra.search import question
from kcheck.checker.law.problem import Law
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Op, Sort, Term, Terms
from tests.law.build import reduction
from tests.law.normal_forms import NEAR, NoValue, Reading, real_value, sign_of
from tests.law.random_terms import RandomTerms
from tests.law.reference import evaluate


class Paths:
    """Paths over the same atoms, as those of one search are: what is known on one is not known on another."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self.atoms = Atoms()
        self._bits = Bits(self.atoms)

    def start(self) -> Normal:
        return Normal(Facts(self.atoms, Usage(work.clock() + 1.0), elimination.refute), self._bits, self._style)


def followed(path: Normal, query: Query, reading: Reading) -> Normal:
    """The branch of the path that these values take: a true fact is never a contradiction."""
    holds = bool(sign_of(reading.polynomial(query.polynomial)) & query.signs)
    return path.branch(query if holds else query.negated())


def normal_form(path: Normal, term: Term, reading: Reading) -> tuple[Normal, Value] | None:
    """The normal form on the path of these values; None where the algebra gives none."""
    while True:
        try:
            return path, path.value(term)
        except Split as split:
            path = followed(path, split.query, reading)
        except (TooLarge, Undefined, NoValue):
            return None


def check(path: Normal, term: Term, expected: Any, reading: Reading) -> bool:
    """Whether there is a normal form; it and what is known of it must be right."""
    made = normal_form(path, term, reading) if expected is not None else None
    if made is None:
        return False
    path, value = made
    try:
        found = reading.of(value)
    except NoValue:
        return False
    if isinstance(found, bool | int | Fraction) and isinstance(expected, bool | int | Fraction):
        assert found == expected, term
    else:
        assert abs(found - expected) <= NEAR * max(1, abs(expected)), term
    if not isinstance(value, bool):
        check_facts(path, value.numerator if isinstance(value, Ratio) else value, reading)
    return True


def check_facts(path: Normal, p: Mapping[Any, Any], reading: Reading) -> None:
    """What the path claims of a polynomial."""
    number = reading.polynomial(p)
    assert path.facts.sign(p) & sign_of(number), p
    interval = path.facts.interval(p)
    slack = 0 if isinstance(number, int | Fraction) else NEAR
    assert interval.low is None or number >= interval.low - slack, p
    assert interval.high is None or number <= interval.high + slack, p


def with_known(path: Normal, terms: RandomTerms, values: Mapping[Term, Any], reading: Reading, count: int) -> Normal:
    """The path with true facts of random comparisons."""
    for _ in range(count):
        comparison = terms.term(Sort.BOOL, 2)
        try:
            query = question(path, comparison)
            if isinstance(query, Query) and evaluate([comparison], values)[0] is not None:
                path = followed(path, query, reading)
        except (TooLarge, NoValue):
            return path
    return path


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("sort", Sort)
@pytest.mark.parametrize("part", range(2))
def test_random_terms_equal_their_normal_forms(style: Style, sort: Sort, part: int) -> None:
    decided = 0
    for seed in range(60 * part, 60 * (part + 1)):
        source = random.Random(seed)
        made = RandomTerms(Terms(), source)
        term = made.term(sort, source.choice((2, 3, 4)))
        paths = Paths(style)
        for _ in range(4):
            values = made.values()
            [expected] = evaluate([term], values)
            reading = Reading(paths.atoms, values)
            path = with_known(paths.start(), made, values, reading, source.randrange(4))
            decided += check(path, term, expected, reading)
    assert decided > 40


class PackedTerms(RandomTerms):
    """Ints of bit operations, sums and shifts by constants, as where fields are packed into one Int."""

    def __init__(self, terms: Terms, source: random.Random) -> None:
        super().__init__(terms, source)
        self._of = terms
        self._random = source

    def _int(self, depth: int) -> Term:
        x = self.term(Sort.INT, depth)
        choice = self._random.randrange(10)
        if choice < 3:
            op = self._random.choice((Op.SHL, Op.SHR, Op.USHR))
            return self._of.apply(op, x, self._of.integer(self._random.choice((1, 8, 16, 24, 31))))
        if choice < 6:
            op = self._random.choice((Op.BIT_AND, Op.BIT_AND, Op.UREM, Op.BIT_XOR))
            mask = self._random.choice((1, 255, 256, 65535, 0xFF00, 0x55555555, -256, -65536))
            return self._of.apply(op, x, self._of.integer(mask))
        if choice == 6:
            return self._of.apply(self._random.choice((Op.BIT_NOT, Op.NEG)), x)
        op = self._random.choice((Op.BIT_AND, Op.BIT_OR, Op.BIT_XOR, Op.ADD, Op.ADD, Op.SUB, Op.MUL, Op.MIN))
        return self._of.apply(op, x, self.term(Sort.INT, depth))


@pytest.mark.parametrize("part", range(4))
def test_packed_terms_equal_their_normal_forms(part: int) -> None:
    decided = 0
    for seed in range(80 * part, 80 * (part + 1)):
        source = random.Random(seed)
        made = PackedTerms(Terms(), source)
        term = made.term(Sort.INT, source.choice((3, 4, 5)))
        paths = Paths(Style.LATTICE)
        for _ in range(4):
            values = made.values()
            reading = Reading(paths.atoms, values)
            path = with_known(paths.start(), made, values, reading, source.randrange(3))
            decided += check(path, term, evaluate([term], values)[0], reading)
    assert decided > 150


class Transcendental:
    """Makes terms of exponentials, logarithms and roots over the variables of `RandomTerms`."""

    def __init__(self, made: RandomTerms, terms: Terms, source: random.Random) -> None:
        self._made = made
        self._terms = terms
        self._source = source

    def term(self, depth: int) -> Term:
        if depth == 0:
            return self._source.choice(self._made.variables[Sort.REAL])
        if self._source.random() < 0.5:
            op = self._source.choice((Op.EXP, Op.LOG, Op.SQRT, Op.ABS, Op.NEG))
            return self._terms.apply(op, self.term(depth - 1))
        op = self._source.choice((Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MIN, Op.MAX, Op.ADD, Op.MUL))
        return self._terms.apply(op, self.term(depth - 1), self.term(depth - 1))


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("part", range(2))
def test_transcendental_terms_equal_their_normal_forms(style: Style, part: int) -> None:
    numbers = [Fraction(n, d) for n in (1, 2, 3, 5, -1, -3) for d in (1, 2, 3)]
    decided = 0
    with mpmath.workdps(80):
        for seed in range(120 * part, 120 * (part + 1)):
            source = random.Random(seed)
            terms = Terms()
            made = RandomTerms(terms, source)
            term = Transcendental(made, terms, source).term(source.choice((2, 3, 4)))
            paths = Paths(style)
            for _ in range(2):
                values = {variable: source.choice(numbers) for variable in made.variables[Sort.REAL]}
                decided += check(paths.start(), term, real_value(term, values), Reading(paths.atoms, values))
    assert decided > 40


class LogSums:
    """Terms that say in many words what is log(e^p + e^q + …): of maxima, and of what is above the largest."""

    def __init__(self, terms: Terms, source: random.Random) -> None:
        self._terms = terms
        self._source = source
        self.variables = [terms.var(name, Sort.REAL) for name in "pqr"]

    def term(self, depth: int) -> Term:
        terms, source = self._terms, self._source
        if depth == 0:
            return source.choice(self.variables)
        a, b = self.term(depth - 1), self.term(depth - 1)
        largest, apart = terms.apply(Op.MAX, a, b), terms.apply(Op.ABS, terms.sub(a, b))
        chosen = source.randrange(5)
        if chosen == 0:
            return terms.add(a, source.choice((terms.real(1), terms.neg(b))))
        if chosen == 1:
            return largest
        if chosen == 2:
            more = terms.apply(Op.LOG, terms.add(terms.real(1), terms.apply(Op.EXP, terms.neg(apart))))
            return terms.add(largest, more)
        above = [terms.apply(Op.EXP, terms.sub(x, largest) if chosen == 3 else x) for x in (a, b)]
        total = terms.apply(Op.LOG, terms.add(*above))
        return terms.add(largest, total) if chosen == 3 else total


@pytest.mark.parametrize("part", range(4))
def test_sums_in_logarithms_that_are_called_equal_are(part: int) -> None:
    numbers = [Fraction(n, d) for n in (0, 1, 2, -1, -3) for d in (1, 2)]
    equal = 0
    with mpmath.workdps(80):
        for seed in range(100 * part, 100 * (part + 1)):
            source = random.Random(seed)
            terms = Terms()
            made = LogSums(terms, source)
            depth = source.choice((1, 2, 2))
            a, b = made.term(depth), made.term(depth)
            swapped = dict(zip(made.variables, source.sample(made.variables, 3), strict=True))
            b = source.choice((b, terms.substitute((a,), swapped)[0]))
            for _ in range(3):
                values = {variable: source.choice(numbers) for variable in made.variables}
                paths = Paths(source.choice(list(Style)))
                reading = Reading(paths.atoms, values)
                path, known = paths.start(), None
                while known is None:
                    try:
                        known = path.equal(a, b)
                    except Split as split:
                        path = followed(path, split.query, reading)
                    except (TooLarge, Undefined):
                        known = False
                if known:
                    left, right = real_value(a, values), real_value(b, values)
                    assert abs(left - right) <= NEAR, (a, b)
                    equal += 1
    assert equal > 30


class Carries:
    """Sums of Ints in words, with carries as people write them: right ones, and ones with a small mistake."""

    def __init__(self, terms: Terms, source: random.Random) -> None:
        self._terms = terms
        self._source = source
        self.words = [terms.var(f"w{i}", Sort.INT) for i in range(6)]

    def carry(self, low: Term, high: Term) -> Term:
        return self._terms.if_(self._terms.ult(low, high), self._terms.integer(1), self._terms.integer(0))

    def term(self) -> Term:
        """A word of the sum, or a carry."""
        terms, source = self._terms, self._source
        carry, word = terms.integer(0), terms.integer(0)
        for a, b in zip(self.words[:3], self.words[3:], strict=True):
            partial = terms.add(a, b)
            word = terms.add(partial, carry) if source.random() < 0.9 else terms.sub(partial, carry)
            first = self.carry(partial, source.choice((a, a, b, word)))
            second = self.carry(word, source.choice((partial, partial, partial, a)))
            op = source.choice((Op.BIT_OR, Op.BIT_OR, Op.BIT_XOR, Op.ADD, Op.BIT_AND))
            carry = terms.apply(op, first, second)
            if source.random() < 0.1:
                carry = terms.apply(Op.SHL, carry, terms.integer(1))
        return source.choice((carry, word))


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize("part", range(2))
def test_sums_with_carries_equal_their_normal_forms(style: Style, part: int) -> None:
    numbers = (0, 1, -1, 2, -2, 1 << 30, (1 << 31) - 1, -(1 << 31), 123456789)
    decided = 0
    for seed in range(60 * part, 60 * (part + 1)):
        source = random.Random(seed)
        made = Carries(Terms(), source)
        term = made.term()
        paths = Paths(style)
        for _ in range(6):
            values = {word: source.choice(numbers) for word in made.words}
            decided += check(paths.start(), term, evaluate([term], values)[0], Reading(paths.atoms, values))
    assert decided > 280


def test_addition_in_four_words_is_proved() -> None:
    """Whose last word rests on six carries; a carry that is left out breaks it."""
    body = "var r = [0; 4]; var carry = 0; for i in 0..4 {{ let s = a[i] + b[i]; let t = s + carry; {} r[i] = t; }} r"
    for carry, holds in (
        ("carry = int(ult(s, a[i])) | int(ult(t, s));", True),
        ("carry = int(ult(s, b[i])) + int(ult(t, s));", True),
        ("carry = int(ult(s, a[i]));", False),
    ):
        element = "let v = sample(values); [v, hash(v), hash(v + 1), hash(v + 2)]"
        problem = problem_of(reduction("Int", "[Int; 4]", element, body.format(carry)))
        found = algebra.prove(problem, Law.ASSOCIATIVE, (), work.clock() + 2)
        assert (found is not None) == holds

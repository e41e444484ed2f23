"""What the algebra is made of: polynomials, intervals, linear conditions, and proofs that name what they rest on."""

import random
import time
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from kcheck.checker.law import algebra, work
from kcheck.checker.law.algebra import laws
from kcheck.checker.law.algebra.elimination import Row, refute
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.algebra.polynomial import (
    ONE,
    Monomial,
    Number,
    Polynomial,
    add,
    divide,
    key,
    multiply,
    primitive,
    scale,
)
from kcheck.checker.law.problem import Invariant, Law, Problem
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Sort
from kcheck.grammar.recursion import deep_recursion
from tests.law.build import over_ints
from tests.law.cases import LawCase, law_cases, program_of


def random_polynomial(source: random.Random, size: int) -> dict[Monomial, Number]:
    """Over three atoms, with some halves among the coefficients."""
    result: dict[Monomial, Number] = {}
    for _ in range(size):
        exponents = [(atom, source.randrange(3)) for atom in range(3)]
        monomial = tuple((atom, exponent) for atom, exponent in exponents if exponent)
        result[monomial] = source.choice((1, -1, 2, 3, -5, Fraction(1, 2), Fraction(-3, 2)))
    return result


def value(p: Polynomial, at: list[Fraction]) -> Fraction:
    total = Fraction(0)
    for monomial, coefficient in p.items():
        term = Fraction(coefficient)
        for atom, exponent in monomial:
            term *= at[atom] ** int(exponent)
        total += term
    return total


@pytest.mark.parametrize("seed", range(100))
def test_polynomials_compute_with_values(seed: int) -> None:
    source = random.Random(seed)
    p, q = random_polynomial(source, 4), random_polynomial(source, 3)
    at = [Fraction(source.randint(-5, 5), source.randint(1, 3)) for _ in range(3)]
    assert value(add(p, q, Fraction(-2, 3)), at) == value(p, at) - Fraction(2, 3) * value(q, at)
    assert value(multiply(p, q), at) == value(p, at) * value(q, at)
    factor, base = primitive(p)
    assert scale(base, factor) == p
    assert all(isinstance(c, int) for c in base.values())
    assert key(primitive(scale(p, Fraction(-4, 7)))[1]) == key(base)


@pytest.mark.parametrize("seed", range(100))
def test_division_undoes_a_product_and_finds_no_other_quotient(seed: int) -> None:
    source = random.Random(seed)
    p, q = random_polynomial(source, 4), {**random_polynomial(source, 2), ONE: 7}
    quotient = divide(multiply(p, q), q)
    assert quotient is not None
    assert key(quotient) == key(p)
    other = random_polynomial(source, 5)
    quotient = divide(other, q)
    assert quotient is None or key(multiply(quotient, q)) == key(other)


def random_interval(source: random.Random) -> tuple[Interval, list[Fraction]]:
    """An interval and some numbers in it."""
    low, high = sorted(Fraction(source.randint(-6, 6), 2) for _ in range(2))
    if low == high:
        return Interval(low, high), [low]
    has_low, has_high = source.random() < 0.8, source.random() < 0.8
    open_low, open_high = source.random() < 0.5, source.random() < 0.5
    inside = [low + (high - low) * Fraction(i, 8) for i in range(1, 8)]
    inside += [] if open_low else [low]
    inside += [] if open_high else [high]
    inside += [low - 5] if not has_low else []
    inside += [high + 5] if not has_high else []
    interval = Interval(
        low if has_low else None, high if has_high else None, open_low and has_low, open_high and has_high
    )
    return interval, inside


def holds(interval: Interval, x: Fraction) -> bool:
    above = interval.low is None or x > interval.low or (x == interval.low and not interval.low_open)
    below = interval.high is None or x < interval.high or (x == interval.high and not interval.high_open)
    return above and below


@pytest.mark.parametrize("seed", range(200))
def test_intervals_hold_every_result(seed: int) -> None:
    source = random.Random(seed)
    (x, xs), (y, ys) = random_interval(source), random_interval(source)
    for a in xs:
        assert holds(x, a)
        assert holds(-x, -a)
        assert all(holds(x.scaled(c), a * c) for c in (0, 3, Fraction(-1, 2)))
        assert all(holds(x.power(n), a**n) for n in (1, 2, 3))
        assert all(holds(x.power(-n), 1 / a**n) for n in (1, 2) if a != 0)
        assert holds(x.join(y), a)
        for b in ys:
            assert holds(x + y, a + b)
            assert holds(x * y, a * b)
            assert holds(x.meet(y), a) == (holds(x, a) and holds(y, a))


@pytest.mark.parametrize("seed", range(150))
def test_elimination_finds_the_contradictions_of_linear_programming(seed: int) -> None:
    source = random.Random(seed)
    unknowns: list[Monomial] = [((i, 1),) for i in range(4)]
    rows = []
    for _ in range(source.randint(3, 7)):
        p = {m: c for m in [*unknowns, ONE] if (c := source.choice((0, 0, 1, -1, 2, -3)))}
        kind = source.choice(("strict", "equal", "loose", "loose"))
        rows.append(Row(p, kind == "strict", kind == "equal"))
    assert (refute(rows) is not None) != is_feasible(rows, unknowns)


def is_feasible(rows: list[Row], unknowns: list[Monomial]) -> bool:
    """With a gap, as large as possible, between the sides of the strict conditions."""
    table = np.array([[float(row.polynomial.get(m, 0)) for m in unknowns] + [float(row.strict)] for row in rows])
    limits = np.array([-float(row.polynomial.get(ONE, 0)) for row in rows])
    equal = np.array([row.equal for row in rows])
    found = linprog(
        [0.0] * len(unknowns) + [-1.0],
        A_ub=table[~equal] if (~equal).any() else None,
        b_ub=limits[~equal] if (~equal).any() else None,
        A_eq=table[equal] if equal.any() else None,
        b_eq=limits[equal] if equal.any() else None,
        bounds=[(None, None)] * len(unknowns) + [(0, 1)],
    )
    return found.status == 0 and (found.x[-1] > 1e-7 or not any(row.strict for row in rows))


def test_a_contradiction_names_its_causes() -> None:
    x: Monomial = ((0, 1),)
    y: Monomial = ((1, 1),)
    rows = [
        Row({x: 1, y: -1}, cause=1),
        Row({y: 1, ONE: 3}, cause=2),
        Row({x: -1}, cause=4),
        Row({y: -1, ONE: -9}, cause=8),
    ]
    assert refute(rows) == 1 | 2 | 4


def reduction(members: str, element: str, more: str = "") -> Problem:
    return problem_of(
        program_of(
            f"{more} kernel test.proof@1 {{ requires {{ field.read; field.write; }} input x: Rows<{element}>;"
            f" output result: Rows<{element}>; {members} }}"
        )
    )


def proof_of(problem: Problem, law: Law, *invariants: Invariant) -> algebra.Proof | None:
    return algebra.prove(problem, law, invariants, work.clock() + 5)


def test_a_proof_names_the_invariants_it_rests_on() -> None:
    problem = reduction(
        "compute over x { return clamp(sample(x), 0, 100); } merge(a, b) { return min(a + b, 100); }", "Int"
    )
    terms, [h] = problem.terms, problem.state("h")
    below = Invariant("result <= 100", terms.le(h, terms.integer(100)))
    above = Invariant("result >= 0", terms.le(terms.integer(0), h))
    beside = Invariant("result != 7", terms.not_(terms.eq(h, terms.integer(7))))
    assert proof_of(problem, Law.ASSOCIATIVE) is None
    assert proof_of(problem, Law.ASSOCIATIVE, above, beside) is None
    found = proof_of(problem, Law.ASSOCIATIVE, beside, below, above)
    assert found is not None
    assert set(found.used) == {below, above}
    commutes = proof_of(problem, Law.COMMUTATIVE, beside, below, above)
    assert commutes is not None
    assert commutes.used == ()


def test_a_proof_names_the_steps_that_it_left_open() -> None:
    problem = reduction("compute over x { return sample(x); } merge(a, b) { return a * b / (a + b); }", "Float")
    terms, [h] = problem.terms, problem.state("h")
    found = proof_of(problem, Law.ASSOCIATIVE)
    assert found is not None
    assert len(found.open) == 1
    positive = Invariant("result > 0", terms.lt(terms.real(0), h))
    found = proof_of(problem, Law.ASSOCIATIVE, positive)
    assert found is not None
    assert found.open == ()
    assert found.used == (positive,)


def test_a_count_of_elements_does_not_wrap() -> None:
    more = "struct S { n: Int; mean: Float; }"
    problem = reduction(
        "compute over x { return sample(x); } merge(a, b) { let n = a.n + b.n;"
        " return S { n: n, mean: (a.mean * float(a.n) + b.mean * float(b.n)) / float(n) }; }",
        "S",
        more,
    )
    terms, h = problem.terms, problem.state("h")
    count = Invariant("n = the number of elements", terms.eq(h[0], terms.var("h.n", Sort.INT)))
    found = proof_of(problem, Law.ASSOCIATIVE, count)
    assert found is not None
    assert found.used == (count,)
    assert found.open == ()


def wrong_claims() -> list[tuple[LawCase, Law]]:
    return [(case, law) for case in law_cases() if not case.is_undefined for law in Law if not case.holds(law)]


@pytest.mark.parametrize("way", [algebra.prove, algebra.prove_linear])
@pytest.mark.parametrize("part", range(4))
def test_what_is_false_is_not_proved(way: laws.Prover, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the look at a few values that ends most such attempts at once."""
    monkeypatch.setattr(laws, "fails", lambda *_: False)
    for case, law in wrong_claims()[part::4]:
        assert way(problem_of(case.program), law, (), work.clock() + 0.1) is None, f"{case.name} {law}"


@pytest.mark.parametrize("way", [algebra.prove, algebra.prove_linear])
def test_a_late_start_proves_nothing_that_takes_cases(way: laws.Prover) -> None:
    [case] = [case for case in law_cases() if case.name == "development/argmax with the smaller place on a tie"]
    assert way(problem_of(case.program), Law.ASSOCIATIVE, (), work.clock() - 1) is None


def test_polynomials_that_grow_with_each_round_end_in_time() -> None:
    """Each round makes one more atom, so the work grows with the square of the rounds."""
    merge = "var x = a; for i in 0..1000 { x = x * 3 + (b ^ i); } x"
    with deep_recursion():
        problem = problem_of(over_ints(merge))
        problem.sides(Law.ASSOCIATIVE)  # made once, and kept: the time goes to the polynomials
        start = time.thread_time()
        assert algebra.prove(problem, Law.ASSOCIATIVE, (), work.clock() + 0.2) is None
        assert time.thread_time() - start < 2.0

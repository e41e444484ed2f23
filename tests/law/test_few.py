"""Numbers with few values, value by value, and tests for 0 of words that are joined."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest

from kcheck.checker import ir
from kcheck.checker.law.prover import Prover
from kcheck.checker.law.solver import few
from kcheck.checker.law.terms import Op, Sort, Term, Terms, postorder
from kcheck.checker.law.verdict import PROVED, REFUTED
from tests.law.build import reduction
from tests.law.random_terms import RandomTerms
from tests.law.reference import evaluate
from tests.law.replay import hold_witness


def within(terms: Terms, variable: Term, low: int, high: int) -> list[Term]:
    return [terms.le(terms.integer(low), variable), terms.le(variable, terms.integer(high))]


def test_what_is_shown_case_by_case_holds_for_all_values() -> None:
    terms, source = Terms(), random.Random(4)
    made = RandomTerms(terms, source)
    x, y = made.variables[Sort.INT]
    shown = 0
    for _ in range(600):
        sort = source.choice((Sort.INT, Sort.REAL))
        left = made.term(sort, 3)
        right = alike_within(terms, left, x, y) if source.random() < 0.8 else made.term(sort, 3)
        facts = [*within(terms, x, -1, 2), *within(terms, y, 0, 3)]
        used = few.shown(terms, (left, right), facts, math.inf)
        if used is None:
            continue
        shown += left is not right
        for i, j in product(range(-1, 3), range(4)):
            values = {**made.values(), x: i, y: j}
            a, b = evaluate([left, right], values)
            assert a is None or b is None or a == b, (left, right)
    assert shown > 30


def alike_within(terms: Terms, of: Term, x: Term, y: Term) -> Term:
    """The same for an x up to 2 and a y from 0 to 3, but not for others."""
    by = {x: terms.if_(terms.le(x, terms.integer(2)), x, y), y: terms.apply(Op.BIT_AND, y, terms.integer(3))}
    return terms.substitute((of,), by)[0]


def test_bounds_that_were_needed_are_named() -> None:
    terms = Terms()
    x, p = terms.var("x", Sort.INT), terms.var("p", Sort.INT)
    low, high = within(terms, x, 0, 3)
    other = terms.eq(p, terms.integer(5))
    goal = (
        terms.apply(Op.BIT_AND, x, terms.integer(3)),
        terms.if_(terms.eq(x, terms.integer(0)), terms.integer(0), x),
    )
    assert few.shown(terms, goal, [other, low, high], math.inf) == {1, 2}
    assert few.shown(terms, goal, [other, low], math.inf) is None
    assert few.shown(terms, goal, [other, low, terms.le(x, terms.integer(4))], math.inf) is None


def test_many_cases_are_left_alone() -> None:
    terms = Terms()
    variables = [terms.var(f"x{i}", Sort.INT) for i in range(4)]
    total, plain = terms.integer(0), terms.integer(0)
    for variable in variables:
        total = terms.add(total, terms.apply(Op.BIT_AND, variable, terms.integer(7)))
        plain = terms.add(plain, variable)
    facts = [fact for variable in variables for fact in within(terms, variable, 0, 7)]
    assert few.shown(terms, (total, plain), facts, math.inf) is None


def test_numbers_that_are_equal_in_a_case_stand_for_one_another() -> None:
    terms = Terms()
    x = terms.var("x", Sort.INT)
    p, q, r = (terms.var(name, Sort.REAL) for name in "pqr")
    is_zero = terms.eq(x, terms.integer(0))
    times = Op.MUL
    goal = (
        terms.if_(is_zero, terms.apply(times, p, q), terms.apply(times, p, p)),
        terms.if_(is_zero, terms.apply(times, r, r), terms.apply(times, r, p)),
    )
    at_zero = [terms.or_(terms.not_(is_zero), terms.eq(a, b)) for a, b in ((p, q), (r, q))]
    at_one = terms.or_(is_zero, terms.eq(r, p))
    bounds = within(terms, x, 0, 1)
    assert few.shown(terms, goal, [*bounds, *at_zero, at_one], math.inf) == {0, 1, 2, 3, 4}
    for missing in (at_zero[0], at_zero[1], at_one):
        facts = [fact for fact in (*bounds, *at_zero, at_one) if fact is not missing]
        assert few.shown(terms, goal, facts, math.inf) is None


# ---------------------------------------------------------------- tests for 0


def test_tests_for_0_mean_what_they_say() -> None:
    terms, source = Terms(), random.Random(9)
    made = RandomTerms(terms, source)
    words = [*made.variables[Sort.INT], terms.integer(5), terms.integer(-1), terms.integer(0)]

    def word(depth: int) -> Term:
        kind = source.randrange(5) if depth else 4
        if kind == 4:
            return source.choice(words)
        if kind == 3:
            return terms.if_(made.variables[Sort.BOOL][0], word(depth - 1), word(depth - 1))
        op = (Op.BIT_OR, Op.BIT_AND, Op.BIT_AND)[kind]
        return terms.apply(op, word(depth - 1), word(depth - 1))

    taken_apart = 0
    for _ in range(500):
        tested = word(source.randint(1, 5))
        equation = terms.eq(tested, terms.integer(0))
        taken_apart += equation.op is not Op.EQ
        for _ in range(6):
            values = made.values()
            [of_word, truth] = evaluate([tested, equation], values)
            assert truth == (of_word == 0)
    assert taken_apart > 100


def test_long_tests_for_0_stay_whole() -> None:
    terms = Terms()
    word: Term = terms.var("x0", Sort.INT)
    for i in range(1, 40):
        word = terms.apply(Op.BIT_OR, word, terms.var(f"x{i}", Sort.INT))
    equation = terms.eq(word, terms.integer(0))
    assert equation.op is Op.EQ
    assert word in equation.args
    crossed = terms.apply(Op.BIT_AND, word, terms.apply(Op.BIT_OR, word, terms.var("y", Sort.INT)))
    before = len(terms)
    terms.eq(crossed, terms.integer(0))
    assert len(terms) - before < 50
    assert len(list(postorder((equation,)))) < 90


# ---------------------------------------------------------------- laws that rest on it

WALK = "struct W { x: Int; y: Int; turn: Int; }"
TURNED = """
let k = {};
let to = match k {{ 0 => [b.x, b.y], 1 => [-b.y, b.x], 2 => [-b.x, -b.y], _ => [b.y, {}] }};
W {{ x: a.x + to[0], y: a.y + to[1], turn: (a.turn + b.turn) & 3 }}
"""


def walk(by: str, last: str = "-b.x", turn: str = "v & 3") -> ir.Program:
    compute = f"let v = sample(values); W {{ x: v, y: 0, turn: {turn} }}"
    return reduction("Int", "W", compute, TURNED.format(by, last), WALK)


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        (walk("a.turn"), PROVED),
        (walk("a.turn", turn="0 - (v & 3)"), REFUTED),  # what has not been merged is not within 0 and 3
        (walk("b.turn"), REFUTED),
        (walk("a.turn", last="b.x"), REFUTED),
    ],
)
def test_walks_on_a_grid(program: ir.Program, verdict: str, prover: Prover) -> None:
    associative, _ = prover.judgement(program, 30.0).laws
    assert associative.verdict == verdict
    if associative.witness is not None:
        hold_witness(associative.witness)
    if verdict == PROVED:
        assert {"turn >= 0", "turn <= 3"} <= set(associative.assuming)


PACK = "enum P { Fits { places: Int; weight: Int; } Clash; }"
FITS = """
match a {{
  Clash => a,
  Fits {{ places: p, weight: v }} => match b {{
    Clash => b,
    Fits {{ places: q, weight: w }} => if {} == 0 {{ P.Fits {{ places: p | q, weight: v + w }} }} else {{ P.Clash }},
  }},
}}
"""


@pytest.mark.parametrize(
    ("test", "holds"), [("(p & q)", True), ("(p & q & 15)", True), ("(p & (q << 1))", False), ("(p & ~q)", False)]
)
def test_what_shares_no_place(test: str, holds: bool, prover: Prover) -> None:
    compute = "let v = sample(values); P.Fits { places: v, weight: v >> 3 }"
    associative, commutative = prover.judgement(reduction("Int", "P", compute, FITS.format(test), PACK), 30.0).laws
    assert commutative.verdict == (PROVED if holds else REFUTED)
    assert associative.verdict == PROVED or not holds

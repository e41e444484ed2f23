"""The 0-1 principle: what thresholds show is true of numbers."""

from __future__ import annotations

import random

import pytest

from kcheck.checker.law import work
from kcheck.checker.law.solver.entailment import needed
from kcheck.checker.law.solver.session import Session
from kcheck.checker.law.solver.thresholds import above, is_order_only, is_order_relation
from kcheck.checker.law.terms import Op, Sort, Term, Terms
from tests.law.reference import evaluate

SESSION = Session()


def minimum(terms: Terms, a: Term, b: Term) -> Term:
    return terms.apply(Op.MIN, a, b)


def maximum(terms: Terms, a: Term, b: Term) -> Term:
    return terms.apply(Op.MAX, a, b)


def shown(terms: Terms, facts: list[Term], goal: Term) -> bool:
    (plain, *told), more = above(terms, (goal, *facts))
    return needed(SESSION, terms, (*more, *told), [], plain, work.clock() + 20) is not None


def random_number(terms: Terms, variables: list[Term], source: random.Random, depth: int) -> Term:
    if depth == 0:
        return source.choice([*variables, terms.integer(source.choice((0, 5, -(2**31), 2**31 - 1)))])
    a, b = (random_number(terms, variables, source, depth - 1) for _ in range(2))
    return source.choice(
        (
            minimum(terms, a, b),
            maximum(terms, a, b),
            terms.if_(terms.lt(a, b), a, b),
            terms.if_(terms.le(a, b), b, a),
        )
    )


@pytest.mark.parametrize("seed", range(80))
def test_what_is_shown_holds_of_numbers(seed: int) -> None:
    source = random.Random(seed)
    terms = Terms()
    variables = [terms.var(name, Sort.INT) for name in "uvw"]
    low, high = random_number(terms, variables, source, 1), random_number(terms, variables, source, 1)
    fact = source.choice((terms.le(low, high), terms.lt(low, high), terms.not_(terms.le(high, low))))
    if source.random() < 0.4:
        fact = terms.or_(fact, terms.eq(source.choice(variables), source.choice((low, terms.integer(5)))))
    a, b = (random_number(terms, variables, source, source.choice((1, 2))) for _ in range(2))
    goal = terms.eq(a, b)
    if not is_order_only(goal) or not shown(terms, [fact], goal):
        return
    numbers = (0, 1, 5, 6, -1, 2**31 - 1, -(2**31))
    for _ in range(200):
        values = {v: source.choice(numbers) for v in variables}
        holds, equal = evaluate([fact, goal], values)
        assert equal or not holds


def test_lattice_laws_are_shown() -> None:
    terms = Terms()
    u, v, w = (terms.var(name, Sort.REAL) for name in "uvw")
    distributed = maximum(terms, minimum(terms, u, v), minimum(terms, u, w))
    assert shown(terms, [], terms.eq(minimum(terms, u, maximum(terms, v, w)), distributed))
    assert not shown(terms, [], terms.eq(minimum(terms, u, v), u))
    assert shown(terms, [terms.le(u, v)], terms.eq(minimum(terms, u, v), u))


def test_nothing_is_beyond_the_ends_of_int() -> None:
    terms = Terms()
    u = terms.var("u", Sort.INT)
    lowest, highest = terms.integer(-(2**31)), terms.integer(2**31 - 1)
    assert shown(terms, [], terms.eq(maximum(terms, u, lowest), u))
    assert shown(terms, [], terms.eq(maximum(terms, u, highest), highest))
    assert not shown(terms, [], terms.eq(maximum(terms, u, terms.integer(0)), u))


def test_order_but_for_what_fills_empty_places_is_enough() -> None:
    """Two lists of two, of which the larger two are kept: one is put into the other, number by number."""
    terms = Terms()
    u, v, w, x = (terms.var(name, Sort.REAL) for name in "uvwx")
    filler = terms.real(-9)
    facts = [terms.or_(terms.eq(v, filler), terms.le(v, u)), terms.or_(terms.eq(x, filler), terms.le(x, w))]
    facts += [terms.le(filler, v), terms.le(filler, x)]

    def second(a: Term, b: Term, c: Term, d: Term) -> Term:
        first = maximum(terms, b, minimum(terms, a, c))
        return maximum(terms, first, minimum(terms, maximum(terms, a, c), d))

    goal = terms.eq(second(u, v, w, x), second(w, x, u, v))
    assert shown(terms, facts, goal)
    assert not shown(terms, facts[:1], goal)


def test_what_else_is_said_shows_nothing() -> None:
    terms = Terms()
    u, v = terms.var("u", Sort.INT), terms.var("v", Sort.INT)
    total = terms.eq(terms.add(u, v), u)
    assert not is_order_only(total)
    assert not is_order_relation(terms.lt(u, v))
    [told], _ = above(terms, (total,))
    assert told is terms.true


def test_what_is_false_stays_false() -> None:
    terms = Terms()
    x, y = (terms.var(name, Sort.INT) for name in "xy")
    (never, plain), _ = above(terms, (terms.false, terms.le(x, y)))
    assert never is terms.false
    assert plain is not terms.true

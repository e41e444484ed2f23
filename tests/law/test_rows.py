"""Tables of all values of a few numbers, row by row and all at once, and goals that are linear in some of them."""

from __future__ import annotations

import random
from itertools import product

import pytest

from kcheck.checker.law.solver import rows
from kcheck.checker.law.solver.linear import factors, linear_variables
from kcheck.checker.law.terms import Op, Sort, Term, Terms
from tests.law.random_terms import RandomTerms
from tests.law.reference import evaluate

_EDGES = ((-3, 4), (0, 31), (-(1 << 31), -(1 << 31) + 5), ((1 << 31) - 4, (1 << 31) - 1), (-1, 0), (254, 258))


def within(terms: Terms, variable: Term, low: int, high: int) -> list[Term]:
    return [terms.le(terms.integer(low), variable), terms.le(variable, terms.integer(high))]


@pytest.mark.parametrize("part", range(6))
def test_a_table_says_what_each_row_says(part: int) -> None:
    terms, source = Terms(), random.Random(part)
    made = RandomTerms(terms, source)
    x, y = made.variables[Sort.INT]
    [b] = made.variables[Sort.BOOL]
    tried = held = 0
    for _ in range(900):
        sort = source.choice((Sort.INT, Sort.BOOL))
        left = made.term(sort, source.randint(1, 4))
        # The same in other words, where x and y have no more than so many bits; or anything else.
        right = terms.substitute((left,), {x: terms.add(terms.sub(x, y), y)})[0]
        right = right if source.random() < 0.5 else made.term(sort, 2)
        spans = [source.choice(_EDGES) for _ in range(2)]
        facts = [fact for v, (low, high) in zip((x, y), spans, strict=True) for fact in within(terms, v, low, high)]
        fact = made.term(Sort.BOOL, 2)
        try:
            proved, used = rows.shown([(left, right)], [*facts, fact])
        except rows.Unsupported:
            continue
        tried += left is not right
        values = [range(low, high + 1) for low, high in spans]
        sides, said = (left, right), [fact] if 4 in used else []
        expected = all(
            evaluate([left], at) == evaluate([right], at)
            for i, j, flag in product(*values, (False, True))
            if all(evaluate(said, at := {**made.values(), x: i, y: j, b: flag}))
        )
        assert (0 in proved) == expected, (sides, said, spans)
        held += expected and left is not right
    assert tried > 60
    assert held > 20


OPERATIONS = {
    Op.ADD, Op.SUB, Op.MUL, Op.MIN, Op.MAX, Op.BIT_AND, Op.BIT_OR, Op.BIT_XOR, Op.SHL, Op.SHR, Op.USHR,
}  # fmt: skip
OF_ONE = {Op.NEG, Op.ABS, Op.BIT_NOT, Op.POPCOUNT, Op.CLZ, Op.CTZ}


@pytest.mark.parametrize("op", sorted(OPERATIONS | OF_ONE, key=str), ids=str)
def test_each_operation_has_the_values_that_one_number_after_the_other_has(op: Op) -> None:
    terms = Terms()
    x, y = terms.var("x", Sort.INT), terms.var("y", Sort.INT)
    applied = terms.apply(op, x) if op in OF_ONE else terms.apply(op, x, y)
    for low, high in _EDGES:
        for below, above in _EDGES if op in OPERATIONS else ((0, 0),):
            facts = [*within(terms, x, low, high), *within(terms, y, below, above)]
            for i, j in ((low, below), (high, above), (low, above), (high - 1, below)):
                here = terms.and_(terms.eq(x, terms.integer(i)), terms.eq(y, terms.integer(j)))
                [value] = evaluate([applied], {x: i, y: j})
                goal = (
                    terms.if_(here, applied, terms.integer(0)),
                    terms.if_(here, terms.integer(value), terms.integer(0)),
                )
                assert rows.shown([goal], facts)[0] == {0}, (i, j)
                other = terms.if_(here, terms.integer(value ^ 1), terms.integer(0))
                assert rows.shown([(goal[0], other)], facts)[0] == set(), (i, j)


def test_too_many_values_and_other_steps_are_left_alone() -> None:
    terms = Terms()
    x, y, p = terms.var("x", Sort.INT), terms.var("y", Sort.INT), terms.var("p", Sort.REAL)
    facts = [*within(terms, x, 0, 255), *within(terms, y, 0, 511)]
    for term in (terms.add(x, y), terms.add(x, terms.var("z", Sort.INT)), terms.apply(Op.DIV, x, terms.integer(3))):
        with pytest.raises(rows.Unsupported):
            rows.shown([(term, x)], facts)
    with pytest.raises(rows.Unsupported):
        rows.shown([(terms.to_real(x), p)], facts)


def test_real_numbers_do_not_wrap() -> None:
    terms = Terms()
    b = terms.var("b", Sort.BOOL)
    large = terms.if_(b, terms.real(1 << 29), terms.real(0))
    total = terms.add(large, large)
    with pytest.raises(rows.Unsupported):
        rows.shown([(terms.add(total, total), terms.real(0))], [])
    assert rows.shown([(large, terms.if_(b, terms.real(1 << 29), terms.real(0)))], [])[0] == {0}


@pytest.mark.parametrize("sort", [Sort.INT, Sort.REAL], ids=str)
def test_goals_with_equal_factors_are_equal(sort: Sort) -> None:
    """Held to values: equal factors for all choices make the sums equal for all numbers, and others do not."""
    terms, source = Terms(), random.Random(9)
    numbers = [terms.var(f"v{i}", sort) for i in range(3)]
    x = terms.var("x", Sort.INT)
    equal = 0
    for _ in range(300):
        left, right = (_sum(terms, source, numbers, x) for _ in range(2))
        linear = linear_variables((left, right))
        assert x not in linear
        parts = factors(terms, (left, right), linear)
        is_shown = not parts or rows.shown(parts, within(terms, x, 0, 2))[0] == set(range(len(parts)))
        found = []
        for _ in range(40):
            at = {v: source.choice((0, 1, -1, 7, 1 << 30)) for v in numbers} | {x: source.randrange(3)}
            a, b = evaluate([left, right], at)
            found.append(a == b)
        assert all(found) == is_shown, (left, right)
        equal += is_shown
    assert 5 < equal < 295


def _sum(terms: Terms, source: random.Random, numbers: list[Term], x: Term) -> Term:
    """A sum of some of the numbers, each or its double where x is one or the other."""
    total = terms.zero(numbers[0].sort)
    for _ in range(source.randint(1, 2)):
        number = source.choice(numbers)
        here = terms.eq(x, terms.integer(source.randrange(2)))
        term = terms.add(number, number) if source.random() < 0.3 else number
        total = terms.add(total, terms.if_(here, term, terms.zero(number.sort)))
    return total


def test_what_is_multiplied_or_compared_is_not_linear() -> None:
    terms = Terms()
    v, w, u = (terms.var(name, Sort.INT) for name in "vwu")
    goal = (terms.add(terms.mul(v, w), u), terms.if_(terms.lt(v, u), w, u))
    assert linear_variables(goal) == []
    doubled = terms.apply(Op.SHL, u, terms.integer(1))
    assert linear_variables((terms.add(v, doubled), terms.mul(v, terms.integer(3)))) == [v]

"""What is proved by going through the outcomes of comparisons is true of numbers, and what should be is proved."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

from kcheck.checker.law import work
from kcheck.checker.law.algebra import comparisons
from kcheck.checker.law.algebra.comparisons import Goal, Search
from kcheck.checker.law.problem import Law
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Op, Sort, Term, Terms, Value
from tests.law.build import reduction
from tests.law.cases import law_cases
from tests.law.reference import evaluate

INTS = (0, 1, 2, 5, -1, -(2**31), 2**31 - 1)
REALS = tuple(map(Fraction, ("0", "1", "2", "-1", "1/2", "-3")))


def search(facts: Sequence[Term], paths: int = 2000) -> Search:
    return Search(facts, paths, work.clock() + 20)


def holds(facts: Sequence[Term], goal: Goal) -> bool:
    return bool(search(facts).proved([goal]))


class RandomNumbers:
    """Terms over u, v, w and the Bool p that compare and choose, with a little arithmetic among them."""

    def __init__(self, terms: Terms, sort: Sort, source: random.Random) -> None:
        self._terms = terms
        self._sort = sort
        self._source = source
        self.numbers = [terms.var(name, sort) for name in "uvw"]
        self.truth = terms.var("p", Sort.BOOL)

    def number(self, depth: int) -> Term:
        terms, source = self._terms, self._source
        if depth == 0:
            constants = [terms.const(value, self._sort) for value in (0, 1, 5)]
            return source.choice([*self.numbers, *self.numbers, source.choice(constants)])
        a, b = self.number(depth - 1), self.number(depth - 1)
        chosen = source.random()
        if chosen < 0.35:
            return terms.if_(self.condition(depth - 1), a, b)
        if chosen < 0.45:
            return terms.apply(Op.ABS, a)
        return terms.apply(source.choice((Op.MIN, Op.MAX, Op.ADD, Op.SUB, Op.MUL)), a, b)

    def condition(self, depth: int) -> Term:
        terms, source = self._terms, self._source
        if source.random() < 0.15:
            return self.truth
        a, b = self.number(max(0, depth - 1)), self.number(max(0, depth - 1))
        made = source.choice((terms.lt, terms.le, terms.eq))(a, b)
        return terms.not_(made) if source.random() < 0.3 else made


@pytest.mark.parametrize("sort", [Sort.INT, Sort.REAL])
@pytest.mark.parametrize("seed", range(12))
def test_what_is_proved_holds_for_all_values(sort: Sort, seed: int) -> None:
    source = random.Random(seed)
    proved = 0
    for _ in range(30):
        terms = Terms()
        made = RandomNumbers(terms, sort, source)
        facts = [made.condition(1) for _ in range(source.randrange(3))]
        goals = [(made.number(depth), made.number(depth)) for depth in (0, 1, 1, 2)]
        goals += [(x, rewritten(terms, x)) for x, _ in goals]
        for goal in [goals[i] for i in search(facts).proved(goals)]:
            assert_equal([*made.numbers, made.truth], facts, goal, source)
            proved += 1
    assert proved > 20


def rewritten(terms: Terms, x: Term) -> Term:
    """The same number in other words: where it chooses by a comparison, by the opposite one."""
    if x.op is Op.IF and x.args[0].op is Op.LT:
        low, high = x.args[0].args
        return terms.if_(terms.le(high, low), x.args[2], x.args[1])
    if x.op in (Op.MIN, Op.MAX):
        a, b = x.args
        return terms.if_(terms.le(b, a), *((b, a) if x.op is Op.MIN else (a, b)))
    return x


def assert_equal(variables: Sequence[Term], facts: Sequence[Term], goal: Goal, source: random.Random) -> None:
    numbers: dict[Sort, Sequence[Value]] = {Sort.BOOL: (False, True), Sort.INT: INTS, Sort.REAL: REALS}
    for _ in range(60):
        values = {variable: source.choice(numbers[variable.sort]) for variable in variables}
        *given, left, right = evaluate([*facts, *goal], values)
        assert left == right or not all(given), values


def test_a_fact_is_used_where_it_is_needed_and_named() -> None:
    terms = Terms()
    u, v, w = (terms.var(name, Sort.INT) for name in "uvw")
    goal = (terms.apply(Op.MIN, u, v), u)
    facts = [terms.lt(v, w), terms.le(u, v), terms.lt(u, w)]
    found = search(facts)
    assert found.proved([goal]) == {0}
    assert found.used == {1}
    assert not holds([facts[0], facts[2]], goal)


def test_facts_that_hold_only_where_others_do_are_used_too() -> None:
    terms = Terms()
    u, v, x, y = (terms.var(name, Sort.REAL) for name in "uvxy")
    same = terms.eq(u, v)
    fact = terms.or_(terms.not_(same), terms.eq(x, y))
    goal = (terms.if_(same, x, terms.real(0)), terms.if_(same, y, terms.real(0)))
    assert holds([fact], goal)
    assert not holds([], goal)


def test_equal_numbers_have_equal_functions() -> None:
    terms = Terms()
    u, v, w = (terms.var(name, Sort.REAL) for name in "uvw")

    def scaled(x: Term, y: Term) -> Term:
        return terms.mul(w, terms.apply(Op.EXP, terms.sub(x, y)))

    same = terms.eq(u, v)
    assert holds([], (terms.if_(same, scaled(u, v), w), w))
    assert holds([], (terms.mul(scaled(u, v), terms.apply(Op.EXP, v)), scaled(u, terms.real(0))))
    sine = [terms.function("sin", [x], Sort.REAL) for x in (u, v)]
    assert holds([], (terms.if_(same, sine[0], w), terms.if_(same, sine[1], w)))
    assert not holds([], (sine[0], sine[1]))


def test_ints_wrap() -> None:
    terms = Terms()
    u = terms.var("u", Sort.INT)
    half = terms.mul(u, terms.integer(1 << 31))
    assert holds([], (terms.add(half, half), terms.integer(0)))
    more = terms.add(u, terms.integer(1))
    assert not holds([], (terms.apply(Op.MAX, u, more), more))


def test_paths_are_counted() -> None:
    terms = Terms()
    numbers = [terms.var(f"u{i}", Sort.INT) for i in range(7)]
    forth = back = numbers[0]
    for number in numbers[1:]:
        forth = terms.apply(Op.MAX, forth, number)
    for number in numbers[1:][::-1]:
        back = terms.apply(Op.MAX, back, number)
    assert search([], 20_000).proved([(forth, back)]) == {0}
    assert search([], 20).proved([(forth, back)]) == set()
    assert Search([], 20_000, work.clock() - 1).proved([(forth, back)]) == set()


def test_goals_that_turn_on_one_comparison_are_one_group() -> None:
    terms = Terms()
    u, v, x, y = (terms.var(name, Sort.INT) for name in "uvxy")
    first, second = terms.if_(terms.lt(u, v), u, v), terms.if_(terms.lt(u, v), x, y)
    third = terms.apply(Op.MIN, x, y)
    goals = [(first, first), (second, second), (third, third), (x, x)]
    assert [list(group) for group in comparisons.groups(goals)] == [[0, 1], [2], [3]]
    assert [comparisons.compares(goal) for goal in goals] == [True, True, True, False]


@pytest.mark.parametrize("law", Law)
def test_no_law_that_fails_is_proved(law: Law) -> None:
    """With paths enough to find out."""
    for case in law_cases()[::2]:
        if case.is_undefined or case.holds(law):
            continue
        problem = problem_of(case.program)
        goals = [(a, b) for a, b in zip(*problem.sides(law), strict=True) if a is not b]
        found = Search(problem.assumptions, 300, work.clock() + 0.1)
        assert len(found.proved(goals)) < len(goals), case.name


def test_a_smallest_element_with_its_place_takes_no_solver() -> None:
    problem = problem_of(
        reduction(
            "Float",
            "Best",
            "Best { value: sample(values), at: index() }",
            "if a.value < b.value || (a.value == b.value && a.at < b.at) { a } else { b }",
            "struct Best { value: Float; at: Int; }",
        )
    )
    for law in Law:
        goals = [(a, b) for a, b in zip(*problem.sides(law), strict=True) if a is not b]
        assert comparisons.are_proved(goals, (), 60, work.clock() + 5)

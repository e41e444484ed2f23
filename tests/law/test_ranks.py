"""Ranks in place of tuples: a merge of ranks does to them what the merge does to the tuples."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import pytest

from kcheck.checker import ir
from kcheck.checker.law.problem import Law
from kcheck.checker.law.prover import Prover
from kcheck.checker.law.solver.ranked import Ranked, ranked
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Sort, number
from kcheck.checker.law.verdict import PROVED
from tests.law.build import LARGER, largest, reduction
from tests.law.reference import evaluate


def top_three(fill: str = "-2147483648", last: str = "2147483647", test: str = LARGER) -> ir.Program:
    compute = f"Top {{ key: [sample(values), {fill}, {fill}], id: [index(), {last}, {last}] }}"
    return largest(3, compute, test)


def nearest(merge: str) -> ir.Program:
    return reduction(
        "Float",
        "Hit",
        "Hit { t: sample(values), id: index(), colour: sample(values) }",
        merge,
        "struct Hit { t: Float; id: Int; colour: Float; }",
    )


def latest(merge: str) -> ir.Program:
    return reduction(
        "Int",
        "Date",
        "let v = sample(values); Date { year: v >> 9, month: (v >> 5) & 15, day: v & 31 }",
        merge,
        "struct Date { year: Int; month: Int; day: Int; }",
    )


@dataclass(frozen=True)
class Case:
    """`tuples` are the leaves that belong together, ranks in their order; `key` puts the tuples in order."""

    program: ir.Program
    tuples: Sequence[tuple[int, ...]]
    key: Callable[[Any], Any]


CASES = {
    "descending, then ascending": Case(top_three(), [(0, 3), (1, 4), (2, 5)], lambda p: (p[0], -p[1])),
    "both descending": Case(
        top_three(test="k > top.key[j] || (k == top.key[j] && n > top.id[j])"), [(0, 3), (1, 4), (2, 5)], lambda p: p
    ),
    "with what goes along": Case(
        nearest("if a.t < b.t || (a.t == b.t && a.id < b.id) { a } else { b }"), [(0, 1)], lambda p: p
    ),
    "or equal": Case(nearest("if b.t < a.t || (b.t == a.t && b.id <= a.id) { b } else { a }"), [(0, 1)], lambda p: p),
    "three in order": Case(
        latest(
            "if a.year > b.year || (a.year == b.year"
            " && (a.month > b.month || (a.month == b.month && a.day > b.day))) { a } else { b }"
        ),
        [(0, 1, 2)],
        lambda p: p,
    ),
}


def ranks_of(program: ir.Program) -> Ranked:
    found = ranked(problem_of(program))
    assert found is not None
    return found


@pytest.mark.parametrize("name", CASES)
def test_ranks_are_merged_as_their_tuples_are(name: str) -> None:
    case = CASES[name]
    problem, other = problem_of(case.program), ranks_of(case.program).problem
    rest = [i for i in range(len(problem.left)) if not any(i in t for t in case.tuples)]
    source = random.Random(1)
    values = [(-1, 0, 2), (0, 1, 5)]
    every = sorted(product(*(values[i % 2] for i in range(len(case.tuples[0])))), key=case.key)
    for _ in range(300):
        states = [[source.choice((-1, 0, 2)) for _ in problem.left] for _ in "ab"]
        ranks = []
        for state in states:
            for leaves in case.tuples:
                for leaf, value in zip(leaves, source.choice(every), strict=True):
                    state[leaf] = value
            own = [every.index(tuple(state[leaf] for leaf in leaves)) for leaves in case.tuples]
            ranks.append([*own, *(state[leaf] for leaf in rest)])
        merged = evaluate(
            problem.merge.leaves, dict(zip((*problem.left, *problem.right), [*states[0], *states[1]], strict=True))
        )
        expected = [every.index(tuple(merged[leaf] for leaf in leaves)) for leaves in case.tuples]
        found = evaluate(
            other.merge.leaves, dict(zip((*other.left, *other.right), [*ranks[0], *ranks[1]], strict=True))
        )
        assert found == [*expected, *(merged[leaf] for leaf in rest)]


def test_constants_have_ranks_in_their_order() -> None:
    compute = "let v = sample(values);" + "if v == 0 { [3, 9] } else if v == 1 { [3, 7] } else { [-5, 100] }"
    merge = "if a[0] < b[0] || (a[0] == b[0] && a[1] > b[1]) { a } else { b }"
    ranks = ranks_of(reduction("Int", "[Int; 2]", compute, merge))
    assert ranks.constants == ("(-5, 100)", "(3, 9)", "(3, 7)")
    [leaf] = ranks.problem.compute.leaves
    [read] = problem_of(reduction("Int", "[Int; 2]", compute, merge)).inputs
    assert evaluate([leaf], {ranks.problem.inputs[0].variable: 1}) == [2]
    assert read.variable.sort is Sort.INT
    assert ranks.in_words("([0], [1]) <= 1") == "([0], [1]) <= (3, 9)"
    assert ranks.in_words("x <= 1") == "x <= 1"


@pytest.mark.parametrize(
    ("fill", "last", "low"), [("-2147483648", "2147483647", 0), ("-2147483648", "-1", None), ("0", "2147483647", None)]
)
def test_only_the_first_of_all_tuples_bounds_the_others(fill: str, last: str, low: int | None) -> None:
    """In the order of falling keys and rising numbers, the least key with the largest number is last: rank 0."""
    problem = ranks_of(top_three(fill, last)).problem
    assert [number(leaf) for leaf in problem.compute.leaves[1:]] == [0, 0]
    assert (problem.inputs[-1].low, problem.inputs[-1].high) == (low, None)


@pytest.mark.parametrize(
    "merge",
    [
        "if a.t < b.t { a } else { b }",
        "if a.t < b.t || (a.t == b.t && a.id < b.id) { a } else { Hit { t: b.t, id: a.id, colour: b.colour } }",
        "if a.t < 0.0 { b } else if a.t < b.t || (a.t == b.t && a.id < b.id) { a } else { b }",
        "Hit { t: min(a.t, b.t), id: if a.t < b.t || (a.t == b.t && a.id < b.id) { a.id } else { b.id }, colour: 0.0 }",
        "if a.t < b.t || (a.t == b.t && a.id < b.id) || (a.colour < b.t || (a.colour == b.t && a.id < b.id)) { a }"
        " else { b }",
    ],
)
def test_what_does_more_than_compare_and_choose_has_no_ranks(merge: str) -> None:
    assert ranked(problem_of(nearest(merge))) is None


@pytest.mark.parametrize("fill", ["-2147483648", "0"])
def test_the_three_largest_with_their_numbers_are_proved(prover: Prover, fill: str) -> None:
    """Where elements may be below what fills empty places, too: nothing that is below it is ever kept."""
    judgement = prover.judgement(top_three(fill), 30.0)
    assert [finding.verdict for finding in judgement.laws] == [PROVED, PROVED]


def test_a_number_without_order_is_not_called_unique(prover: Prover) -> None:
    """`n <= top.id` for `n < top.id` makes equal pairs change places, which changes nothing."""
    test = "k > top.key[j] || (k == top.key[j] && n <= top.id[j])"
    judgement = prover.judgement(top_three(test=test), 30.0)
    assert {finding.law for finding in judgement.laws if finding.verdict == PROVED} == set(Law)

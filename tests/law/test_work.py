"""Limits that are counted, not timed."""

from __future__ import annotations

import time

import pytest

from kcheck.checker.law import algebra, work
from kcheck.checker.law.algebra.polynomial import multiply, of_atom
from kcheck.checker.law.problem import Law, Problem
from kcheck.checker.law.symbolic import problem_of
from tests.law.cases import law_cases


def test_work_is_counted_and_waiting_is_not() -> None:
    start = work.clock()
    time.sleep(0.01)
    assert work.clock() == start
    multiply(of_atom(0), of_atom(1))
    assert work.clock() > start


def problem_named(name: str) -> Problem:
    return problem_of(next(case for case in law_cases() if case.name == name).program)


@pytest.mark.parametrize("name", ["development/welford", "development/top three", "development/balanced parentheses"])
def test_the_same_work_each_time(name: str) -> None:
    """Whatever else the machine does meanwhile, and whether a proof is found or the limit is reached."""
    taken = []
    for _ in range(2):
        problem, start = problem_named(name), work.clock()
        algebra.prove(problem, Law.ASSOCIATIVE, (), start + 0.05)
        taken.append(work.clock() - start)
    assert taken[0] == pytest.approx(taken[1], rel=1e-9)
    assert taken[0] > 0

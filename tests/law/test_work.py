"""Limits that are counted, not timed."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Set

import pytest

from kcheck.checker import ir
from kcheck.checker.law import algebra, work
from kcheck.checker.law.algebra.polynomial import multiply, of_atom
from kcheck.checker.law.drawing import witness_text
from kcheck.checker.law.pipeline import Tools, judge_program
from kcheck.checker.law.problem import Law, Problem
from kcheck.checker.law.solver import stages
from kcheck.checker.law.solver.messages import Message
from kcheck.checker.law.solver.session import Session
from kcheck.checker.law.solver.stages import settle
from kcheck.checker.law.solver.worker import Worker
from kcheck.checker.law.symbolic import problem_of
from kcheck.runtime.interpreter.parts import InterpretedParts
from tests.law.build import over_ints
from tests.law.cases import law_cases

SECONDS = 10.0
TIMES_SLOWER = 5
ONE_OF = int(os.environ.get("KCHECK_SLOWED", "25"))
"""How many of the cases are judged on a slowed machine: one of so many."""
PARTS = InterpretedParts()


def test_work_is_counted_and_waiting_is_not() -> None:
    start = work.clock()
    time.sleep(0.01)
    assert work.clock() == start
    multiply(of_atom(0), of_atom(1))
    assert work.clock() > start


def test_real_time_that_is_up_is_up() -> None:
    with work.ending(60.0):
        assert work.clock() < float("inf")
        assert 0 < work.really_left() <= 60.0
    with work.ending(-1.0):
        assert work.clock() == float("inf")
    assert work.clock() < float("inf")


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


# ---------------------------------------------------------------- a machine that is slow


class Here(Worker):
    """The solver's stages in this process, where a clock can be made to run faster."""

    def decide(self, program: ir.Program, wanted: Set[Law], deadline: float) -> Iterator[Message]:
        laws = tuple(law for law in Law if law in wanted)
        seconds = deadline - time.monotonic()
        with work.ending(seconds):
            yield from settle(program, laws, work.clock() + seconds, Session(), lambda law: law not in {None, *wanted})


def said(program: ir.Program, seconds: float) -> list[object]:
    """All that a judgement says but for how long it took."""
    judgement = judge_program(program, Tools(lambda: PARTS, Here), seconds)
    found: list[object] = [None if judgement.undefined is None else judgement.undefined.case]
    for law in judgement.laws:
        shown = None if law.witness is None else witness_text(law.witness)
        found += [law.law, law.verdict, law.assuming, law.reason, shown]
    return found


def slow_down(monkeypatch: pytest.MonkeyPatch) -> float:
    """Make all clocks run faster; gives the seconds that a slow machine is given for the same."""

    def faster(clock: Callable[[], float]) -> Callable[[], float]:
        return lambda: clock() * TIMES_SLOWER

    for clock in ("monotonic", "thread_time", "process_time", "perf_counter"):
        monkeypatch.setattr(time, clock, faster(getattr(time, clock)))
    monkeypatch.setattr(stages, "_USUAL_SECONDS", stages._USUAL_SECONDS * TIMES_SLOWER)
    return SECONDS * TIMES_SLOWER


@pytest.mark.parametrize(
    "program",
    [
        *(pytest.param(case.program, id=case.name) for case in law_cases()[::ONE_OF]),
        pytest.param(over_ints("var s = a; for i in 0..(b & 255) { s = s * 3 + i; } s"), id="step by step"),
    ],
)
def test_a_slow_machine_says_the_same(program: ir.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = said(program, SECONDS)
    assert said(program, slow_down(monkeypatch)) == expected

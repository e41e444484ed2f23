"""Invariants: that the expected ones are found, and that all that are found hold of random folds."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from fractions import Fraction

import pytest

from kcheck.checker import ir
from kcheck.checker.law.concrete import param_variables
from kcheck.checker.law.problem import Problem
from kcheck.checker.law.solver.houdini import infer
from kcheck.checker.law.solver.intervals import counted_invariants, interval_invariants
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Sort, Term
from tests.law import reductions
from tests.law.reductions import reduction
from tests.law.reference import evaluate

EXPECTED: dict[str, tuple[Callable[[], ir.Program], set[str]]] = {
    "clamped sum": (reductions.clamped_sum, {"f >= 0", "f <= 100"}),
    "welford": (lambda: reductions.welford("Float"), {"n >= 1", "m2 >= 0"}),
    "welford, Int": (reductions.welford, {"n >= 1", "n = the number of elements"}),
    "two least": (reductions.two_least, {"m <= m2"}),
    "velocities": (reductions.velocities, {"f > -1", "f < 1"}),
    "modulo a param": (reductions.modulo_param, {"f >= 0", "f < p"}),
    "weights": (lambda: reductions.weighted_mean("abs(v.y) + 1.0"), {"w >= 1"}),
    "whole": (lambda: reduction("f: Float;", "Float", "S { f: floor(v) }", "S { f: a.f + b.f }"), {"f is whole"}),
    "masked": (
        lambda: reduction(
            "n: Int; s: Float;",
            "Float",
            "if v > 0.0 { S { n: 1, s: v } } else { S { n: 0, s: 0.0 } }",
            "S { n: a.n + b.n, s: a.s + b.s }",
        ),
        {"n >= 0", "s = 0 where n = 0"},
    ),
    "no growth": (
        lambda: reduction(
            "lo: Int; hi: Int;", "Int", "S { lo: v, hi: v }", "S { lo: min(a.lo, b.lo), hi: max(a.hi, b.hi) }"
        ),
        {"lo <= hi"},
    ),
    "flag": (
        lambda: reduction(
            "ok: Bool; k: Int;", "Int", "S { ok: v > 7, k: if v > 7 { 9 } else { 0 } }", "if a.ok { a } else { b }"
        ),
        {"k = 9 where ok", "k = 0 where !ok"},
    ),
    "flags": (
        lambda: reduction(
            "on: Bool; off: Bool; p: Bool; q: Bool;",
            "Int",
            "S { on: true, off: false, p: v > 7, q: v > 3 }",
            "S { on: a.on && b.on, off: a.off && b.on, p: a.p || b.p, q: a.q || b.q }",
        ),
        {"on = true", "off = false", "q = true where p"},
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_invariants_are_found(name: str) -> None:
    program, expected = EXPECTED[name]
    found = {invariant.text for invariant in infer(problem_of(program()), time.monotonic() + 20)}
    assert expected <= found


@pytest.mark.parametrize("name", EXPECTED)
def test_invariants_hold_of_random_folds(name: str) -> None:
    problem = problem_of(EXPECTED[name][0]())
    invariants = infer(problem, time.monotonic() + 20)
    source = random.Random(name)
    for _ in range(6):
        values = _params(problem, source)
        states = [(_element(problem, values, source), 1) for _ in range(6)]
        for _ in range(12):
            (a, of_a), (b, of_b) = source.choice(states), source.choice(states)
            states.append((_merged(problem, values, a, b), of_a + of_b))
        for state, count in states:
            bound = dict(zip(problem.state("h"), state, strict=True))
            bound[problem.terms.var("h.n", Sort.INT)] = count
            for invariant in invariants:
                assert evaluate([invariant.holds], {**values, **bound}) == [True], (invariant.text, state)


def test_a_count_that_wraps_has_no_lower_bound() -> None:
    program = reduction("n: Int;", "Int", "S { n: 4 }", "S { n: a.n + b.n }")
    assert not any("n >= 1" in invariant.text for invariant in infer(problem_of(program), time.monotonic() + 20))


def test_a_count_of_leaves_has_one_thanks_to_the_largest_field() -> None:
    program = reduction("n: Int;", "Int", "S { n: 1 }", "S { n: a.n + b.n }")
    assert "n >= 1" in {invariant.text for invariant in infer(problem_of(program), time.monotonic() + 20)}


def test_intervals_alone_find_bounds() -> None:
    found = {invariant.text for invariant in interval_invariants(problem_of(reductions.clamped_sum()))}
    assert found == {"f >= 0", "f <= 100"}


@pytest.mark.parametrize(
    ("compute", "merge", "expected"),
    [
        ("1", "a.n + b.n", {"n = the number of elements"}),
        ("1", "b.n + a.n", {"n = the number of elements"}),
        ("if v > 0 { 1 } else { 0 }", "a.n + b.n", {"n >= 0", "n <= the number of elements"}),
        ("v & 1", "a.n + b.n", {"n >= 0", "n <= the number of elements"}),
        ("2", "a.n + b.n", set[str]()),
        ("v & 3", "a.n + b.n", set[str]()),
        ("-1", "a.n + b.n", set[str]()),
        ("1", "a.n + b.n + 1", set[str]()),
        ("1", "a.n + a.n", set[str]()),
        ("1", "a.n - b.n", set[str]()),
    ],
)
def test_counts_are_seen_without_a_solver(compute: str, merge: str, expected: set[str]) -> None:
    """What is called so is found by induction too."""
    problem = problem_of(reduction("n: Int;", "Int", f"S {{ n: {compute} }}", f"S {{ n: {merge} }}"))
    found = counted_invariants(problem)
    assert {invariant.text for invariant in found} == expected
    if expected:
        assert expected - {"n >= 0"} <= {invariant.text for invariant in infer(problem, time.monotonic() + 20)}


def _number(sort: Sort, source: random.Random) -> object:
    if sort is Sort.BOOL:
        return source.random() < 0.5
    if sort is Sort.INT:
        return source.choice((0, 1, -1, 2, 5, 8, 2**31 - 1, -(2**31), source.randint(-1000, 1000)))
    return Fraction(source.randint(-40, 40), source.choice((1, 2, 4, 3)))


def _params(problem: Problem, source: random.Random) -> dict[Term, object]:
    while True:
        values = {v: _number(v.sort, source) for v in param_variables(problem)}
        if all(evaluate(problem.assumptions, values)):
            return values


def _element(problem: Problem, params: dict[Term, object], source: random.Random) -> tuple[object, ...]:
    inputs = {read.variable: _number(read.variable.sort, source) for read in problem.inputs}
    return tuple(evaluate(problem.compute.leaves, {**params, **inputs}))


def _merged(
    problem: Problem, params: dict[Term, object], a: tuple[object, ...], b: tuple[object, ...]
) -> tuple[object, ...]:
    sides = dict(zip((*problem.left, *problem.right), (*a, *b), strict=True))
    return tuple(evaluate(problem.merge.leaves, {**params, **sides}))

"""What stands for none: the tests of a merge, what leaves are where they hold, and laws that rest on it."""

from __future__ import annotations

import random

import pytest

from kcheck.checker import ir
from kcheck.checker.law import work
from kcheck.checker.law.problem import Law
from kcheck.checker.law.solver.guards import test_text as text_of_test
from kcheck.checker.law.solver.guards import tests_of_one_side as one_sided
from kcheck.checker.law.solver.samples import reachable_samples
from kcheck.checker.law.solver.tested import laws_by_tests
from kcheck.checker.law.symbolic import problem_of
from tests.law.build import reduction
from tests.law.cases import law_cases
from tests.law.reference import evaluate

HIT = "struct Hit { t: Float; id: Int; }"
NEARER = """
if a.t < 0.0 { return b; }
if b.t < 0.0 { return a; }
if a.t < b.t || (a.t == b.t && a.id < b.id) { a } else { b }
"""


def hits(miss: str) -> ir.Program:
    compute = f"let t = sample(values); if t > 0.0 {{ Hit {{ t: t, id: index() }} }} else {{ {miss} }}"
    return reduction("Float", "Hit", compute, NEARER, HIT)


def proved(program: ir.Program) -> dict[Law, tuple[str, ...]]:
    found = laws_by_tests(problem_of(program), set(Law), work.clock() + 20)
    return {law: tuple(sorted(invariant.text for invariant in used)) for law, used in found.items()}


def test_the_tests_of_one_side_in_words() -> None:
    problem = problem_of(
        reduction(
            "Int",
            "S",
            "S { some: true, n: 1, lo: 0, hi: 1 }",
            "if a.some && !b.some { return a; } if b.n == 0 || a.lo > a.hi { return b; } if 3 <= b.n { return a; } b",
            "struct S { some: Bool; n: Int; lo: Int; hi: Int; }",
        )
    )
    tests = one_sided(problem)
    words = {text_of_test(problem, test) for test in tests}
    assert words == {"some", "n = 0", "hi < lo", "n >= 3"}
    opposites = {text_of_test(problem, problem.terms.not_(test)) for test in tests}
    assert opposites == {"!some", "n != 0", "hi >= lo", "n < 3"}


def test_misses_that_are_alike_make_the_nearest_hit_commutative() -> None:
    found = proved(hits("Hit { t: -1.0, id: -1 }"))
    assert found[Law.COMMUTATIVE] == ("id = -1 where t < 0", "t = -1 where t < 0")


@pytest.mark.parametrize("miss", ["Hit { t: -1.0, id: index() }", "Hit { t: t - 1.0, id: -1 }"])
def test_misses_that_are_not_alike_do_not(miss: str) -> None:
    assert Law.COMMUTATIVE not in proved(hits(miss))


def test_what_compute_gives_but_merges_lose_is_no_invariant() -> None:
    """Two of nothing make something here."""
    program = reduction(
        "Int",
        "S",
        "if sample(values) > 0 { S { some: true, v: sample(values) } } else { S { some: false, v: 0 } }",
        "if !a.some && !b.some { return S { some: false, v: a.v + 1 }; } if a.some { a } else { b }",
        "struct S { some: Bool; v: Int; }",
    )
    assert proved(program) == {}


@pytest.mark.parametrize("law", Law)
def test_no_law_that_fails_is_proved(law: Law) -> None:
    for case in law_cases()[::2]:
        if case.is_undefined or case.holds(law):
            continue
        problem = problem_of(case.program)
        if not (problem.compute.obligations or problem.merge.obligations):
            assert law not in laws_by_tests(problem, {law}, work.clock() + 0.2), case.name


def test_what_laws_rest_on_holds_of_random_folds() -> None:
    """Of every case that this way proves."""
    seen = 0
    for case in law_cases()[::3]:
        problem = problem_of(case.program)
        if case.is_undefined or problem.compute.obligations or problem.merge.obligations:
            continue
        found = laws_by_tests(problem, set(Law), work.clock() + 0.2)
        used = [invariant for invariants in found.values() for invariant in invariants]
        state = problem.state("h")
        source = random.Random(3)
        samples = reachable_samples(problem) if used else []
        for sample in source.sample(samples, min(60, len(samples))):
            values = dict(zip(state, sample.leaves, strict=True))
            assert all(evaluate([i.holds for i in used], values)), case.name
            seen += len(used)
    assert seen > 300

"""Merges of which few values are reachable: what the prover says of them is what trying all of them says.

`KCHECK_FEW_VALUES` says how many random merges are tried: 100 unless it is set.
"""

import os
from itertools import product

import pytest

from kcheck.checker.law import verdict, work
from kcheck.checker.law.exploring import explored
from kcheck.checker.law.problem import Law
from kcheck.checker.law.prover import Prover
from kcheck.checker.law.running import WrittenOut
from kcheck.checker.law.solver.element_values import MOST, element_values
from kcheck.checker.law.solver.session import Session
from kcheck.checker.law.symbolic import problem_of
from kcheck.runtime.interpreter.parts import InterpretedParts
from tests.law.few_values import few_values, laws_of
from tests.law.reductions import reduction
from tests.support import program_of

COUNT = int(os.environ.get("KCHECK_FEW_VALUES", "100"))
MOST_TRIED = 40
SECONDS = 10.0


@pytest.mark.parametrize("seed", range(COUNT))
def test_the_verdicts_are_those_of_all_values(seed: int, prover: Prover) -> None:
    program = program_of(few_values(seed))
    laws = laws_of(program, MOST_TRIED)
    if laws is None:
        return  # there are more values than are worth trying
    found = {finding.law: finding.verdict for finding in prover.judgement(program, SECONDS).laws}
    assert found == {law: verdict.PROVED if law in laws else verdict.REFUTED for law in Law}


# ---------------------------------------------------------------- what elements are


def elements(compute: str, fields: str = "f: Int;", element: str = "Int", params: str = "") -> set[object] | None:
    merge = "a" if fields != "f: Int;" else "S { f: max(a.f, b.f) }"
    problem = problem_of(reduction(fields, element, compute, merge, params))
    found = element_values(problem, Session(), work.clock() + 30)
    return None if found is None else set(found)


@pytest.mark.parametrize(
    ("compute", "values"),
    [
        ("S { f: if v > 0 { 3 } else { 0 } }", {0, 3}),
        ("S { f: v & -v & 7 }", {0, 1, 2, 4}),
        ("S { f: v & -v }", {0, *(1 << i for i in range(31)), -(1 << 31)}),  # 33, more than are looked for
        ("S { f: v * v & 7 }", {0, 1, 4}),  # squares modulo 8
        ("S { f: if v == 123456789 { 1 } else { 0 } }", {0, 1}),  # a value that no sample meets
        ("S { f: 5 }", {5}),
        ("S { f: v >> 31 }", {0, -1}),
        ("S { f: v }", None),
    ],
)
def test_all_values_of_elements_are_found(compute: str, values: set[int] | None) -> None:
    expected = None if values is None or len(values) > MOST else {(value,) for value in values}
    assert elements(compute) == expected


def test_leaves_are_found_together() -> None:
    both = "if v > 0 { S { p: 2, q: true } } else { S { p: 0, q: false } }"
    assert elements(both, "p: Int; q: Bool;") == {(2, True), (0, False)}


def test_a_param_counts_with_its_range() -> None:
    assert elements("S { f: if v > 0 { n } else { 0 } }", params="param n: Int = 1 in 1..3;") == {
        (0,),
        (1,),
        (2,),
        (3,),
    }


def test_floats_that_are_chosen_are_found() -> None:
    found = elements("S { f: if v > 0.5 { 1.0 } else { 0.25 } }", "f: Float;", "Float")
    assert found == {(1,), (0.25,)}


# ---------------------------------------------------------------- what breaks a law far from the elements

SATURATING = reduction(
    "f: Int;",
    "Int",
    "S { f: 1 }",
    "let sum = min(a.f + b.f, 12); S { f: if a.f == 12 && b.f == 7 { 0 } else { sum } }",
)


@pytest.mark.parametrize("law", Law)
def test_exploring_finds_what_only_long_trees_reach(law: Law) -> None:
    runner = WrittenOut(problem_of(SATURATING), InterpretedParts)
    found = [trial for of, trial in explored(runner, {law}, work.clock() + 20) if of is law]
    assert found
    assert all(runner.breaks(trial) for trial in found)


def test_exploring_finds_nothing_in_lawful_merges() -> None:
    for operation, compute in product(("min(a.f, b.f)", "a.f + b.f", "a.f ^ b.f"), ("S { f: v }", "S { f: v & 3 }")):
        runner = WrittenOut(
            problem_of(reduction("f: Int;", "Int", compute, f"S {{ f: {operation} }}")), InterpretedParts
        )
        assert not list(explored(runner, set(Law), work.clock() + 20))


def test_exploring_a_long_merge_ends_soon() -> None:
    rounds = "var s = 0; for i in 0..1000 { s = s * 31 + (a.f ^ (b.f + i)); } S { f: s }"
    runner = WrittenOut(problem_of(reduction("f: Int;", "Int", "S { f: v }", rounds)), InterpretedParts)
    before = work.clock()
    list(explored(runner, set(Law), before + 0.1))
    assert work.clock() - before < 0.2

"""Leaves that merge makes of its other leaves: the law of the others is theirs."""

from __future__ import annotations

import random

import pytest

from kcheck.checker import ir
from kcheck.checker.law.problem import Law
from kcheck.checker.law.prover import Prover
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Sort
from kcheck.checker.law.verdict import PROVED, REFUTED
from tests.law.build import reduction
from tests.law.reference import evaluate
from tests.law.replay import hold_witness

STATS = "struct S { n: Int; sum: Int; mean: Int; most: Int; far: Bool; }"


def stats(mean: str = "sum / n", far: str = "most > 2 * mean", start: str = "v") -> ir.Program:
    compute = f"let v = sample(values); S {{ n: 1, sum: v, mean: {start}, most: v, far: false }}"
    merge = f"""
let n = a.n + b.n;
let sum = a.sum + b.sum;
let most = max(a.most, b.most);
let mean = {mean};
S {{ n: n, sum: sum, mean: mean, most: most, far: {far} }}
"""
    return reduction("Int", "S", compute, merge, STATS, "param p: Int = 3 in 1..9;")


@pytest.mark.parametrize(
    ("program", "left"),
    [
        (stats(), {"n", "sum", "most"}),
        (stats(mean="sum / p"), {"n", "sum", "most"}),
        (stats(mean="sum"), {"n", "sum", "most"}),  # the same once more
        (stats(mean="a.sum / n"), {"n", "sum", "most", "mean"}),
        (stats(mean="(a.mean + b.mean) / 2"), {"n", "sum", "most", "mean"}),
        (stats(far="a.far || most > 2 * mean"), {"n", "sum", "most", "far"}),
        (stats(far="n > 3", mean="if a.n > 2 { sum } else { n }"), {"n", "sum", "most", "mean"}),
    ],
)
def test_what_is_left_to_show(program: ir.Program, left: set[str]) -> None:
    problem = problem_of(program)
    assert {problem.names[leaf] for leaf in problem.goals(Law.ASSOCIATIVE)} == left
    of_two = {problem.names[leaf] for leaf in problem.goals(Law.COMMUTATIVE)}
    assert of_two <= left


@pytest.mark.parametrize("program", [stats(), stats(mean="sum / p", far="mean < p"), stats(far="n > 3 && mean == sum")])
def test_where_those_are_equal_all_are(program: ir.Program) -> None:
    problem = problem_of(program)
    source = random.Random(8)
    equal = 0
    for law in Law:
        left, right = problem.sides(law)
        shown = problem.goals(law)
        for _ in range(200):
            values: dict[object, object] = {v: source.randint(-2, 4) for name in "abc" for v in problem.state(name)}
            values |= {v: False for name in "abc" for v in problem.state(name) if v.sort is Sort.BOOL}
            values |= {param: source.randint(1, 9) for param in problem.params}
            p, q = evaluate(left, values), evaluate(right, values)
            if all(p[leaf] == q[leaf] for leaf in shown):
                equal += 1
                assert p == q
    assert equal > 200


@pytest.mark.parametrize(
    ("program", "verdict"),
    [
        (stats(), PROVED),
        (stats(start="v + 1"), PROVED),  # of one element alone, of which no law speaks
        (stats(mean="a.sum / n"), REFUTED),
        (stats(far="a.far || most > 2 * mean"), REFUTED),
        (stats(mean="(a.mean + b.mean) / 2"), REFUTED),
    ],
)
def test_laws_of_what_follows(program: ir.Program, verdict: str, prover: Prover) -> None:
    found = prover.judgement(program, 30.0).laws
    assert (PROVED if all(f.verdict == PROVED for f in found) else REFUTED) == verdict
    for finding in found:
        if finding.witness is not None:
            hold_witness(finding.witness)

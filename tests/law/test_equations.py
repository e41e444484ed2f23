"""Equations of reachable values: those that are found hold of many, and laws that rest on them are proved."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from kcheck.checker import ir
from kcheck.checker.law.problem import Law, Problem
from kcheck.checker.law.prover import Prover
from kcheck.checker.law.solver.equations import equations, without_roots
from kcheck.checker.law.solver.samples import reachable_samples
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Op, Sort, Term, postorder
from kcheck.checker.law.verdict import PROVED, REFUTED
from tests.law.build import reduction
from tests.law.reference import evaluate
from tests.law.replay import hold_witness

ROTATION = "let p = sample(values); mat2(p.x, p.y, -p.y, p.x)"
PRODUCT = "vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)"
UNIT = "let p = sample(values); normalize(vec2(p.x, abs(p.y) + 1.0))"
FIBONACCI = "S {{ a: a.a * b.a + a.b * b.b, b: a.a * b.b + a.b * b.c, c: {} }}"


def matrices(compute: str, merge: str = "a * b") -> ir.Program:
    return reduction("Vec2", "Mat2", compute, merge)


def fibonacci(last: str) -> ir.Program:
    compute = "if sample(values) > 0 { S { a: 1, b: 1, c: 0 } } else { S { a: 1, b: 0, c: 1 } }"
    return reduction("Int", "S", compute, FIBONACCI.format(last), "struct S { a: Int; b: Int; c: Int; }")


def beliefs(left: str) -> ir.Program:
    """Dempster's rule, where what contradicts each other is left out and the rest made 1 in sum again."""
    compute = "let p = sample(values); let y = 0.4 * saturate(p.x); let n = 0.4 * saturate(p.y);"
    merge = f"""
let left = {left};
S {{
  yes: (a.yes * b.yes + a.yes * b.open + a.open * b.yes) / left,
  no: (a.no * b.no + a.no * b.open + a.open * b.no) / left,
  open: a.open * b.open / left,
}}
"""
    fields = "struct S { yes: Float; no: Float; open: Float; }"
    return reduction("Vec2", "S", f"{compute} S {{ yes: y, no: n, open: 1.0 - y - n }}", merge, fields)


@pytest.mark.parametrize(
    ("program", "found"),
    [
        (matrices(ROTATION), {"[0][0] = [1][1]", "[0][1] = -[1][0]"}),
        (matrices("let p = sample(values); mat2(p.x, p.y, p.y, p.x)"), {"[0][0] = [1][1]", "[0][1] = [1][0]"}),
        (matrices("let p = sample(values); mat2(p.x, 0.0, 0.0, p.y)"), {"[0][1] = 0", "[1][0] = 0", "[0][1] = [1][0]"}),
        (matrices("let p = sample(values); mat2(p.x, p.y, p.y, 1.0)"), set()),  # merged ones are not symmetric
        (reduction("Vec2", "Vec2", UNIT, f"normalize({PRODUCT})"), {"[0]^2 + [1]^2 = 1"}),
        (reduction("Vec2", "Vec2", UNIT, PRODUCT), {"[0]^2 + [1]^2 = 1"}),
        (reduction("Vec2", "Vec2", UNIT, f"0.5 * {PRODUCT}"), set()),
        (fibonacci("a.b * b.b + a.c * b.c"), {"a = b + c"}),
        (fibonacci("a.b * b.b + a.c"), set()),
        (beliefs("1.0 - a.yes * b.no - a.no * b.yes"), {"yes + no + open = 1"}),
        (beliefs("1.0 - a.yes * b.no"), set()),
        (beliefs("1.0"), set()),
    ],
)
def test_equations_are_found(program: ir.Program, found: set[str]) -> None:
    problem = problem_of(program)
    assert {i.text for i in equations(problem, reachable_samples(problem))} == found


@pytest.mark.parametrize("program", [matrices(ROTATION), fibonacci("a.b * b.b + a.c * b.c")])
def test_equations_hold_of_what_is_merged(program: ir.Program) -> None:
    problem = problem_of(program)
    found = equations(problem, reachable_samples(problem))
    source = random.Random(7)
    states = [element(problem, source) for _ in range(8)]
    for _ in range(60):
        a, b = source.choice(states), source.choice(states)
        states.append(evaluate(problem.merge.leaves, dict(zip((*problem.left, *problem.right), a + b, strict=True))))
    for state in states:
        values = dict(zip(problem.state("h"), state, strict=True))
        assert evaluate([i.holds for i in found], values) == [True] * len(found)


def element(problem: Problem, source: random.Random) -> list[object]:
    drawn = {read.variable: drawn_number(read.variable, source) for read in problem.inputs}
    return evaluate(problem.compute.leaves, drawn)


def drawn_number(variable: Term, source: random.Random) -> int | Fraction:
    return source.randint(-9, 9) if variable.sort is Sort.INT else Fraction(source.randint(-9, 9), 4)


def test_roots_of_what_is_1_are_left_out() -> None:
    problem = problem_of(reduction("Vec2", "Vec2", UNIT, f"normalize({PRODUCT})"))
    simpler = without_roots(problem, equations(problem, reachable_samples(problem)))
    assert simpler is not None
    assert all(term.op is not Op.SQRT for term in postorder(simpler.merge.leaves))
    assert without_roots(problem, ()) is None


@pytest.mark.parametrize(
    ("program", "commutative"),
    [
        (matrices(ROTATION), True),
        (matrices("let p = sample(values); mat2(p.x, p.y, p.y, -p.x)"), False),  # reflections
        (fibonacci("a.b * b.b + a.c * b.c"), True),
        (reduction("Vec2", "Vec2", UNIT, f"normalize({PRODUCT})"), True),
    ],
)
def test_laws_that_rest_on_equations(program: ir.Program, commutative: bool, prover: Prover) -> None:
    found = {finding.law: finding for finding in prover.judgement(program, 30.0).laws}
    assert found[Law.ASSOCIATIVE].verdict == PROVED
    assert found[Law.COMMUTATIVE].verdict == (PROVED if commutative else REFUTED)
    witness = found[Law.COMMUTATIVE].witness
    if witness is not None:
        hold_witness(witness)


def test_shares_of_a_whole(prover: Prover) -> None:
    lawful = prover.judgement(beliefs("1.0 - a.yes * b.no - a.no * b.yes"), 30.0)
    assert [finding.verdict for finding in lawful.laws] == [PROVED, PROVED]
    one_sided = prover.judgement(beliefs("1.0 - a.yes * b.no"), 30.0)
    assert [finding.verdict for finding in one_sided.laws] == [REFUTED, REFUTED]


# ---------------------------------------------------------------- loops over a part of an array


LIST = "struct L { n: Int; v: [Int; 4]; }"
APPENDED = """
var out = a;
for i in 0..b.n {{
  if out.n < {} {{ out.v[out.n] = b.v[i]; out.n += 1; }}
}}
out
"""


def appended(capacity: int) -> ir.Program:
    return reduction("Int", "L", "L { n: 1, v: [sample(values), 0, 0, 0] }", APPENDED.format(capacity), LIST)


def test_a_loop_over_a_count_is_written_out_as_far_as_arrays_are_long(prover: Prover) -> None:
    problem = problem_of(appended(4))
    assert problem.assumes_rounds
    left, right = (2, 5, 6, 0, 0), (3, 7, 8, 9, 0)
    values = dict(zip((*problem.left, *problem.right), (*left, *right), strict=True))
    assert evaluate(problem.merge.leaves, values) == [4, 5, 6, 7, 8]
    [obligation] = problem.merge.obligations
    for count in (4, 5):
        assert evaluate([obligation.condition], {**values, problem.right[0]: count}) == [count <= 4]
    found = {finding.law: finding for finding in prover.judgement(appended(4), 30.0).laws}
    assert (found[Law.ASSOCIATIVE].verdict, found[Law.COMMUTATIVE].verdict) == (PROVED, REFUTED)
    assert "n <= 4" in found[Law.ASSOCIATIVE].assuming


def test_a_loop_that_may_have_more_rounds_proves_nothing(prover: Prover) -> None:
    """Counts that grow beyond the array: what is written out is not all that is run."""
    judgement = prover.judgement(appended(9), 10.0)
    assert judgement.undefined is None
    assert all(finding.verdict != PROVED for finding in judgement.laws)

"""Constants that are nearly right are told from those that are right."""

from __future__ import annotations

import pytest

from kcheck.checker.law import verdict, work
from kcheck.checker.law.cancelling import cancelled
from kcheck.checker.law.pipeline import Tools, judge_program
from kcheck.checker.law.problem import Law
from kcheck.checker.law.running import WrittenOut
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.witness import witness_of
from kcheck.runtime.interpreter.parts import InterpretedParts
from tests.law.build import over_floats, reduction
from tests.law.replay import hold_witness

NEARLY_RIGHT = [
    "(a + b) * 0.1 * 10.0",
    "(a + b) * 57.29578 * 0.017453292",
    "(a * 0.33333334 + b * 0.33333334) * 3.0",
    "4.3429448 * log(exp(a * 0.23025851) + exp(b * 0.23025851))",
    "log2(exp(a * 0.69315) + exp(b * 0.69315))",
]


@pytest.mark.parametrize("merge", NEARLY_RIGHT)
def test_nearly_right_constants_are_refuted(merge: str) -> None:
    judgement = judge_program(over_floats(merge), Tools(InterpretedParts, None), 10)
    found = {finding.law: finding for finding in judgement.laws}[Law.ASSOCIATIVE]
    assert found.verdict == verdict.REFUTED
    assert found.witness is not None
    hold_witness(found.witness)


RIGHT = [
    "(a + b) * 0.5 * 2.0",
    "log(exp(a) + exp(b))",
    "a + b - 0.1",
    "sqrt(a * a + b * b + 0.01)",
    "max(a, b)",
    "a * b * 0.1",
]


@pytest.mark.parametrize("merge", RIGHT)
def test_right_ones_are_not(merge: str) -> None:
    runner = WrittenOut(problem_of(over_floats(merge)), InterpretedParts)
    assert all(witness_of(runner, law, trial) is None for law, trial in cancelled(runner, set(Law), work.clock() + 20))


def test_several_fields_and_ports() -> None:
    program = reduction(
        "Vec2",
        "S",
        "S { n: 1, sum: sample(values) * at(gain, 0) }",
        "S { n: a.n + b.n, sum: (a.sum + b.sum) * 0.01 * 100.0 }",
        "struct S { n: Int; sum: Vec2; }",
        "input gain: Rows<Float>;",
    )
    runner = WrittenOut(problem_of(program), InterpretedParts)
    assert any(witness_of(runner, law, trial) for law, trial in cancelled(runner, {Law.ASSOCIATIVE}, work.clock() + 20))


def test_without_floats_nothing_is_tried() -> None:
    runner = WrittenOut(problem_of(reduction("Int", "Int", "sample(values)", "a - b")), InterpretedParts)
    assert not list(cancelled(runner, set(Law), work.clock() + 20))

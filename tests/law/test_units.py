"""Reals that are whole numbers of something, counted in it."""

from __future__ import annotations

import pytest

from kcheck.checker.law.prover import Prover
from kcheck.checker.law.solver.units import with_units
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.verdict import PROVED, REFUTED
from tests.law.build import reduction
from tests.law.replay import hold_witness


def test_leaves_are_counted_in_their_units() -> None:
    program = reduction(
        "Float",
        "S",
        "S { money: round(sample(values) * 4.0) / 4.0, other: sample(values) }",
        "S { money: floor((a.money + b.money) * 4.0) / 4.0, other: a.other }",
        "struct S { money: Float; other: Float; }",
    )
    counted = with_units(problem_of(program))
    assert counted is not None
    assert counted.names == ("4 * money", "other")


@pytest.mark.parametrize(
    ("element", "merge", "verdict"),
    [
        ("round(sample(values) * 4.0) / 4.0", "round((a + b) * 4.0) / 4.0", PROVED),
        ("round(sample(values) * 8.0) / 8.0", "round((a + b) * 4.0) / 4.0", REFUTED),
        ("sample(values)", "floor((a + b) * 4.0) / 4.0", REFUTED),
    ],
)
def test_sums_that_are_rounded(element: str, merge: str, verdict: str, prover: Prover) -> None:
    associative, _ = prover.judgement(reduction("Float", "Float", element, merge), 10.0).laws
    assert associative.verdict == verdict
    if associative.witness is not None:
        hold_witness(associative.witness)


def test_units_that_are_too_small_are_none() -> None:
    """Of which there are more in a large number than a Float can say."""
    small = "floor({} * 1000000000.0) / 1000000000.0"
    program = reduction("Float", "Float", small.format("sample(values)"), small.format("(a + b)"))
    assert with_units(problem_of(program)) is None

"""The prover on every case: no wrong verdict ever, and nearly every law decided."""

import pytest

from kcheck.checker.law import verdict
from kcheck.checker.law.problem import Law
from kcheck.checker.law.prover import Prover
from tests.law.cases import UNDEFINED, LawCase, law_cases
from tests.law.replay import hold_undefined, hold_witness
from tests.law.trees import Trials

TREES = 100_000
"""The fewest trees that a law which is said to hold has to survive."""
SECONDS = 30.0
"""For one reduction: more than it needs on a busy machine."""
SECONDS_FOR_OPEN = 5.0
"""For one with a law that may be left undecided."""
DECIDED = 0.97
"""The share of laws that have to be decided, of those that do not fail only far out."""


@pytest.mark.parametrize("case", law_cases(), ids=lambda case: case.name)
def test_the_mathematics_of_a_case_is_right(case: LawCase) -> None:
    """What is said to hold does in many trees, and what is said not to hold breaks in one of them."""
    trials = Trials(case.program, TREES)
    assert (trials.undefined() is not None) == (case.is_undefined and "undefined" not in case.far)
    if case.is_undefined:
        return
    for law in Law:
        if law.value not in case.far:
            found = trials.counterexample(law)
            assert (found is None) == case.holds(law), found


@pytest.mark.parametrize("case", law_cases(), ids=lambda case: case.name)
def test_verdict(case: LawCase, prover: Prover) -> None:
    """Right or *unknown*, and *unknown* only where the case allows it; what is refuted replays."""
    judgement = prover.judgement(case.program, SECONDS_FOR_OPEN if case.open else SECONDS)
    if judgement.undefined is not None:
        assert case.is_undefined
        hold_undefined(judgement.undefined)
    for finding in judgement.laws:
        decided = judgement.undefined is not None if case.is_undefined else finding.verdict != verdict.UNKNOWN
        assert decided or finding.law.value in case.open, finding.reason
        match finding.verdict:
            case verdict.PROVED:
                assert case.holds(finding.law)
            case verdict.REFUTED:
                assert not case.holds(finding.law)
                assert not case.is_undefined
                assert finding.witness is not None
                hold_witness(finding.witness)


@pytest.mark.parametrize("development", [True, False])
def test_nearly_every_law_is_decided(development: bool) -> None:
    cases = [case for case in law_cases() if case.is_development == development]
    laws = [(case, law) for case in cases for law in Law if not {law.value, UNDEFINED} & set(case.far)]
    undecided = [law for case, law in laws if law.value in case.open]
    assert len(undecided) <= (1 - DECIDED) * len(laws)

"""Merges with small mistakes: none is called proved that is wrong, none refuted that is right.

`KCHECK_MUTANTS` says how many mutants of each merge are tried: 1 unless it is set.
"""

import os

import pytest

from kcheck.checker.law import verdict
from kcheck.checker.law.prover import Prover
from kcheck.checker.verify import verify_ir
from tests.law.cases import LawCase, law_cases
from tests.law.mutants import Mutant, mutants
from tests.law.replay import hold_undefined, hold_witness
from tests.law.trees import Trials

COUNT = int(os.environ.get("KCHECK_MUTANTS", "1"))
SECONDS = 2.0
TREES = 100_000


@pytest.mark.parametrize("case", law_cases(), ids=lambda case: case.name)
def test_no_mutant_is_wrongly_judged(case: LawCase, prover: Prover) -> None:
    for mutant in mutants(case.program, COUNT, case.name):
        verify_ir(mutant.program)
        hold_mutant(mutant, prover)


def hold_mutant(mutant: Mutant, prover: Prover) -> None:
    """What is proved survives many trees, what is refuted replays."""
    judgement = prover.judgement(mutant.program, SECONDS)
    if judgement.undefined is not None:
        hold_undefined(judgement.undefined)
    for finding in judgement.laws:
        if finding.witness is not None:
            hold_witness(finding.witness)
    proved = [finding.law for finding in judgement.laws if finding.verdict == verdict.PROVED]
    if proved:
        trials = Trials(mutant.program, TREES)
        assert trials.undefined() is None, mutant.change
        for law in proved:
            assert trials.counterexample(law) is None, f"{mutant.change}: {law.value}"

"""Random merges whose laws are known, and small mistakes in them: nothing is wrongly proved or refuted.

`KCHECK_COMPOSED` says how many merges are tried: 25 unless it is set.
"""

import os

import pytest

from kcheck.checker.law import verdict
from kcheck.checker.law.prover import Prover
from tests.law.composed import composed
from tests.law.mutants import Mutant, mutants
from tests.law.test_mutants import hold_mutant
from tests.support import program_of

COUNT = int(os.environ.get("KCHECK_COMPOSED", "25"))
SECONDS = 2.0


@pytest.mark.parametrize("seed", range(COUNT))
def test_no_composed_merge_is_wrongly_judged(seed: int, prover: Prover) -> None:
    source, laws = composed(seed)
    program = program_of(source)
    refuted = {f.law for f in prover.judgement(program, SECONDS).laws if f.verdict == verdict.REFUTED}
    assert not refuted & laws
    for mutant in (Mutant("as it is", program), *mutants(program, 1, str(seed))):
        hold_mutant(mutant, prover)

"""One prover for all tests of a process, without the user's cache."""

from collections.abc import Iterator

import pytest

from kcheck.checker.law.prover import Prover
from kcheck.runtime.interpreter.parts import InterpretedParts


@pytest.fixture(scope="session")
def prover() -> Iterator[Prover]:
    made = Prover(InterpretedParts)
    yield made
    made.close()

"""Every case file against the checker and every backend."""

import pytest

from tests.backends import BACKENDS
from tests.cases.cases import Case, all_cases
from tests.cases.holding import hold_refused, hold_run

CHECKED = [case for case in all_cases() if not case.runs]
RUN = [case for case in all_cases() if case.runs]


@pytest.mark.parametrize("case", CHECKED, ids=lambda case: case.name)
def test_refused(case: Case) -> None:
    hold_refused(case)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("case", RUN, ids=lambda case: case.name)
def test_run(case: Case, backend: str) -> None:
    hold_run(case, backend)

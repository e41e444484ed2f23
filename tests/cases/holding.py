"""Holding the tool to a case."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from kcheck.grammar.diagnostics import Severity
from kcheck.runtime.errors import RunError
from tests.cases.cases import Case
from tests.support import Result, check, codes, program_of, run
from tests.values import differences


def hold_refused(case: Case) -> None:
    """Check a text and compare the codes of its errors, and of its warnings where the case names them."""
    diagnostics = check(case.source).diagnostics
    assert codes(diagnostics) == list(case.codes or ()), diagnostics
    if case.warnings is not None:
        assert codes(diagnostics, Severity.WARNING) == list(case.warnings), diagnostics


def hold_run(case: Case, backend: str) -> None:
    """Run a case and compare what comes out, or the error that ends it."""
    program = program_of(case.source, case.kernel)
    if case.error is not None:
        with pytest.raises(RunError) as refused:
            run(program, case.inputs, case.params, case.domain, case.memories, backend)
        assert refused.value.diagnostic.code == case.error, refused.value
        return
    result = run(program, case.inputs, case.params, case.domain, case.memories, backend)
    assert not list(case_differences(case, result)), case.source


def case_differences(case: Case, result: Result) -> Iterator[str]:
    """A line for each thing that is not as the case expects."""
    yield from _by_port(result.outputs, case.outputs or {}, case)
    if case.memories_after is not None:
        yield from _by_port(result.memories, case.memories_after, case)


def _by_port(got: Mapping[str, Any], want: Mapping[str, Any], case: Case) -> Iterator[str]:
    if got.keys() != want.keys():
        yield f"got the ports {sorted(got)}, expected {sorted(want)}"
    for port in got.keys() & want.keys():
        yield from differences(got[port], want[port], case.tolerances.get(port, case.tolerance), port)

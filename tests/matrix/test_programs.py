"""Programs made by chance, the same ones on every run."""

from collections.abc import Callable

import pytest

from tests.backends import BACKENDS
from tests.matrix.cell import failures
from tests.matrix.forms import FORMS
from tests.matrix.programs import (
    CELLS,
    PARAMS,
    Acting,
    emitting_program,
    inputs,
    lanes_program,
    memory_program,
    program,
)
from tests.support import program_of, run
from tests.values import differences

COUNT = 45


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(42))
def test_pure(seed: int, backend: str) -> None:
    assert not list(failures(program(seed), FORMS[seed % len(FORMS)], backend))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("make", [memory_program, emitting_program, lanes_program])
def test_acting(make: Callable[[int], Acting], seed: int, backend: str) -> None:
    assert not acting_failures(make(seed), backend)


def acting_failures(acting: Acting, backend: str) -> list[str]:
    program = program_of(acting.source)
    ports = {port.name for port in program.inputs}
    bound = inputs(COUNT) | ({"target": CELLS} if "target" in ports else {})
    memories = {"cells": CELLS} if program.memories else {}
    params = PARAMS if program.params else {}
    result, wanted = run(program, bound, params, None, memories, backend), acting.expect(COUNT)
    return [
        *differences(dict(result.outputs), dict(wanted.outputs)),
        *differences(dict(result.memories), dict(wanted.memories)),
    ]

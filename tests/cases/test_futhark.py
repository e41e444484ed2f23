"""The cases of Futhark's test suite: their numbers (`futhark/numbers.json`), our kernels (`futhark/kernels.md`)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.backends import BACKENDS
from tests.cases.cases import Case, make_case, read_specs
from tests.cases.holding import case_differences, hold_refused, hold_run
from tests.support import program_of, run

HERE = Path(__file__).parent / "futhark"
NUMBERS: dict[str, dict[str, Any]] = json.loads((HERE / "numbers.json").read_text("utf-8"))["cases"]
SPECS = list(read_specs(HERE / "kernels.md"))
KEPT: tuple[str, ...] = ("kernel", "domain", "tolerance", "codes", "error")
FILLED: tuple[str, ...] = ("inputs", "params")
FLOATS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


@dataclass(frozen=True)
class Repeated:
    """A case, and how many times its kernel runs, each on what the one before gave."""

    case: Case
    times: int
    last: bool
    """Whether only the last element of the output counts."""


def bound() -> Iterator[Repeated]:
    """Every case of `kernels.md` with the numbers put in."""
    for _, source, spec in SPECS:
        if "absent" in spec:
            continue
        for name in spec["cases"]:
            numbers = NUMBERS[name]
            rest = {key: spec[key] for key in KEPT if key in spec}
            inputs = {key: _put(spec[key], numbers["inputs"]) for key in FILLED if key in spec}
            outputs = {"outputs": _put(spec["outputs"], numbers["outputs"])} if "outputs" in spec else {}
            case = make_case(f"{name}:{spec.get('kernel', '')}", source, {**rest, **inputs, **outputs})
            last = "last $0" in spec.get("outputs", {}).values()
            yield Repeated(case, int(_put(spec.get("times", 1), numbers["inputs"])), last)


def _put(value: Any, numbers: list[Any]) -> Any:
    """`value` with a case's numbers for `$i`."""
    match value:
        case dict():
            return {key: _put(v, numbers) for key, v in value.items()}
        case list():
            return [_put(v, numbers) for v in value]
        case str():
            how, _, which = value.rstrip("]").rpartition("$")
            number = _floats(numbers[int(which)])
            if how == "zeros ":
                return np.zeros(number, np.int32)
            return [number] if how in ("[", "last ") else number
        case _:
            return value


def _floats(value: Any) -> Any:
    if isinstance(value, list):
        return [_floats(v) for v in value]
    return FLOATS.get(value, value) if isinstance(value, str) else value


BOUND = list(bound())
REFUSED = {case.case.source: case.case for case in BOUND if not case.case.runs}
RUN = [case for case in BOUND if case.case.runs]


def test_every_case_is_used() -> None:
    assert {name for _, _, spec in SPECS for name in spec["cases"]} == set(NUMBERS)


@pytest.mark.parametrize("case", REFUSED.values(), ids=lambda case: case.name)
def test_operator_that_is_not_there(case: Case) -> None:
    hold_refused(case)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("repeated", RUN, ids=lambda repeated: repeated.case.name)
def test_numbers(repeated: Repeated, backend: str) -> None:
    case = repeated.case
    for _ in range(repeated.times - 1):
        given = run(program_of(case.source, case.kernel), case.inputs, backend=backend).outputs["result"]
        case = replace(case, inputs={"source": given})
    if repeated.last:
        result = run(program_of(case.source, case.kernel), case.inputs, backend=backend)
        only_last = replace(result, outputs={port: values[-1:] for port, values in result.outputs.items()})
        assert not list(case_differences(case, only_last))
    else:
        hold_run(case, backend)

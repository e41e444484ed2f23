"""Running the examples of a file, and comparing what they gave with what they expect."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kcheck.checker import rules
from kcheck.checker.bindings import ExampleSpec
from kcheck.checker.checked import Checked
from kcheck.grammar.diagnostics import Diagnostic, Note
from kcheck.runtime.backends import Options, execute
from kcheck.runtime.comparison import compare
from kcheck.runtime.errors import RunError
from kcheck.runtime.results import Result
from kcheck.runtime.values.incoming import take_field
from kcheck.runtime.values.reading import Reading
from kcheck.runtime.values.slot import Slot


@dataclass(frozen=True, slots=True)
class Tested:
    """One example that was run; `problem` is None where it passed."""

    example: ExampleSpec
    seconds: float
    problem: Diagnostic | None


@dataclass(frozen=True, slots=True)
class TestedFile:
    """The examples of one file; none were run where the checker refuses it."""

    checked: Checked
    examples: tuple[Tested, ...]

    @property
    def failed(self) -> bool:
        return self.checked.has_errors or any(tested.problem for tested in self.examples)


def test_file(checked: Checked, backend: str) -> TestedFile:
    """Run every example of a checked file."""
    examples = () if checked.has_errors else checked.examples
    return TestedFile(checked, tuple(_tested(checked, example, backend) for example in examples))


def _tested(checked: Checked, example: ExampleSpec, backend: str) -> Tested:
    start = time.perf_counter()
    reading = Reading(Path(checked.file.path).parent)
    try:
        program = checked.programs[example.kernel]
        result = execute(program, example.values, example.domain, Options(backend, reading))
        problem = next((problem for _, problem in judged(example, result, reading) if problem), None)
    except RunError as error:
        problem = in_example(error.diagnostic, example)
    return Tested(example, time.perf_counter() - start, problem)


def in_example(found: Diagnostic, example: ExampleSpec) -> Diagnostic:
    """A run-time error points at a port of the kernel: a note says which example bound it."""
    return replace(found, notes=(*found.notes, Note(f"in the example `{example.name}`", example.origin)))


def judged(example: ExampleSpec, result: Result, reading: Reading) -> Iterator[tuple[str, Diagnostic | None]]:
    """Each output or memory that the example expects something of, with what is wrong with what the run gave."""
    fields = {**result.fields, **result.memory_fields}
    for name, value in example.expected.items():
        got = fields[name]
        origin = example.expected_origins.get(name, example.origin)
        slot = Slot("expected", name, got.type.rank, got.type.element, origin)
        try:
            compare(slot, got, take_field(slot, value, reading))
        except RunError as error:
            is_difference = error.code == rules.EXPECTATION_FAILED.code
            yield name, error.diagnostic if is_difference else in_example(error.diagnostic, example)
        else:
            yield name, None

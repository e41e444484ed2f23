"""Running the examples of a file, and comparing what they gave with what they expect."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from kcheck.checker import rules
from kcheck.checker.bindings import ExampleSpec
from kcheck.checker.checked import Checked
from kcheck.checker.types import FLOAT, Leaf
from kcheck.grammar.diagnostics import Diagnostic, Note
from kcheck.runtime.backends import Options, execute
from kcheck.runtime.errors import RunError
from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.incoming import take_field
from kcheck.runtime.values.leaves import leaf_name, leaf_views
from kcheck.runtime.values.literals import shown
from kcheck.runtime.values.plain import floats
from kcheck.runtime.values.reading import Reading
from kcheck.runtime.values.sizes import shape_text
from kcheck.runtime.values.slot import Slot

RELATIVE = 1e-5
"""Floats agree when they differ by less than this part of the larger one,"""
OF_GREATEST = 1e-6
"""or by less than this part of the greatest value that is expected in their place of any element;"""
NEAR_ZERO = 2.0**-23
"""and where zero is expected, anything below this is zero."""


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
    try:
        _run(checked, example, backend)
        problem = None
    except RunError as error:
        problem = _in_example(error.diagnostic, example)
    return Tested(example, time.perf_counter() - start, problem)


def _in_example(found: Diagnostic, example: ExampleSpec) -> Diagnostic:
    """A run-time error points at a port of the kernel: a note says which example bound it."""
    if found.code == rules.EXPECTATION_FAILED.code:
        return found
    return replace(found, notes=(*found.notes, Note(f"in the example `{example.name}`", example.origin)))


def _run(checked: Checked, example: ExampleSpec, backend: str) -> None:
    """Raises `RunError` where the example cannot run or gives something else than it expects."""
    reading = Reading(Path(checked.file.path).parent)
    program = checked.programs[example.kernel]
    result = execute(program, example.values, example.domain, Options(backend, reading))
    fields = {**result.fields, **result.memory_fields}
    for name, value in example.expected.items():
        got = fields[name]
        origin = example.expected_origins.get(name, example.origin)
        slot = Slot("expected", name, got.type.rank, got.type.element, origin)
        compare(slot, got, take_field(slot, value, reading))


def compare(slot: Slot, got: Field, expected: Field) -> None:
    """K716 where two fields differ: by shape, or in an element by more than rounding."""
    if got.shape != expected.shape:
        problem = f"gave {shape_text(got.shape)}, expected {shape_text(expected.shape)}"
        raise slot.error(rules.EXPECTATION_FAILED, problem)
    differences = list(_differences(got, expected))
    if not differences:
        return
    first = min(differences, key=lambda difference: difference.at)
    count = sum(difference.count for difference in differences)
    notes = (f"{count} values differ in all",) if count > 1 else ()
    place = f"`{slot.name}{_steps(got, first)}`"
    problem = f"{place} is {_text(first.leaf, first.got)}, expected {_text(first.leaf, first.expected)}"
    raise slot.error(rules.EXPECTATION_FAILED, problem, *notes)


@dataclass(frozen=True, slots=True)
class _Difference:
    """The first element (row-major) in which a leaf differs, and in how many it does."""

    at: int
    count: int
    leaf: Leaf
    got: AnyArray
    expected: AnyArray


def _differences(got: Field, expected: Field) -> Iterator[_Difference]:
    element, rank = got.type.element, got.type.rank
    pairs = zip(leaf_views(element, got.data, rank), leaf_views(element, expected.data, rank), strict=True)
    for (leaf, ours), (_, theirs) in pairs:
        equal = same_floats(ours, theirs) if leaf.scalar is FLOAT else ours == theirs
        if not equal.all():
            wrong = np.flatnonzero(~equal)
            at = int(wrong[0])
            yield _Difference(at, len(wrong), leaf, ours.reshape(-1)[at], theirs.reshape(-1)[at])


def same_floats(got: AnyArray, expected: AnyArray) -> AnyArray:
    """Where floats agree to rounding; NaN agrees with NaN, an infinity with itself."""
    a, b = got.astype(np.float64), expected.astype(np.float64)
    finite = np.abs(b[np.isfinite(b)])
    floor = OF_GREATEST * finite.max(initial=0.0)
    with np.errstate(invalid="ignore"):
        allowed = np.maximum(RELATIVE * np.maximum(np.abs(a), np.abs(b)), floor)
        allowed = np.where(b == 0.0, np.maximum(allowed, NEAR_ZERO), allowed)
        near = np.isfinite(a) & np.isfinite(b) & (np.abs(a - b) <= allowed)
    same: AnyArray = near | (a == b) | (np.isnan(a) & np.isnan(b))
    return same


def _steps(field: Field, difference: _Difference) -> str:
    steps = np.unravel_index(difference.at, field.shape)
    name = leaf_name(field.type.element, difference.leaf.path)
    return "".join(f"[{step}]" for step in steps) + (f".{name}" if name and name[0] != "[" else name)


def _text(leaf: Leaf, value: AnyArray) -> str:
    return str(floats(np.array([value]))[0]) if leaf.scalar is FLOAT else shown(value.item())

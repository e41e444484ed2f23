"""Elements whose sums cancel: where constants are nearly right, results differ by a part in a million.

That is too little to tell from rounding, unless what is common to both results is taken away: numbers that are read
are moved until one of the results is nearly 0.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from kcheck.checker import arithmetic
from kcheck.checker.law import work
from kcheck.checker.law.cases import has_walked_shape
from kcheck.checker.law.elements import Elements
from kcheck.checker.law.evaluate import Case, SmallField
from kcheck.checker.law.problem import Law
from kcheck.checker.law.running import OF_GREATEST, NoValue, Runner
from kcheck.checker.law.sampling import sides
from kcheck.checker.law.verdict import Trial, elements_of

_CASES = 12
_STEPS = 12
_SEED = 5
_MOST_MOVED = 6
"""How many of the numbers that a case reads are moved."""
_BESIDE = (0.0, 1e-6, -3e-6, 1e-5)
"""Where Floats are 0 on both sides, they may not be so a little beside it."""
_NEAR = 1e-8
"""How near to each other two steps are that are one Float."""


def cancelled(runner: Runner, wanted: set[Law], deadline: float) -> Iterator[tuple[Law, Trial]]:
    """Trials that seem to break a law still `wanted` (the caller takes some out).

    Nothing is tried after the deadline, which is one of `work`.
    """
    elements = Elements(runner.program, runner.constants, random.Random(_SEED))
    for number in range(_CASES if runner.reals else 0):
        if not wanted or work.clock() >= deadline:
            return
        case = elements.case(number)
        for law in sorted(wanted, key=lambda law: law.values):
            trial = Trial(case, *sides(law, range(law.values)))
            for leaf in _nearly_equal(runner, trial):
                for moved in _moved(runner, trial, leaf):
                    if work.clock() >= deadline:
                        return
                    if law in wanted and runner.breaks(moved):
                        yield law, moved


def _nearly_equal(runner: Runner, trial: Trial) -> list[int]:
    """The Floats of the two results that differ by more than doubles are rounded by."""
    runner.count_run()
    run = runner.run(trial.case)
    try:
        left, right = run.value(trial.left), run.value(trial.right)
    except NoValue:
        return []
    states = (left, right, *(state for state in run.states if isinstance(state, tuple)))
    greatest = max(abs(state[i]) for state in states for i in runner.reals)
    return [i for i in runner.reals if abs(left[i] - right[i]) > OF_GREATEST * greatest]


def _moved(runner: Runner, trial: Trial, leaf: int) -> Iterator[Trial]:
    """The trial with Floats that are read moved to where the leaf of the left result is nearly 0."""
    for read in islice(_floats(runner, trial), _MOST_MOVED):
        by = _root(partial(_value, runner, trial, leaf, read))
        if by is not None:
            yield from (_with(trial, read, by + beside) for beside in _BESIDE)


def _root(function: Callable[[float], float | None]) -> float | None:
    """Where the function is nearly 0, by the secant method; None where that leads nowhere."""
    x, following = 0.0, 1.0
    y, then = function(x), function(following)
    for _ in range(_STEPS):
        if y is None or then is None or then == y or not math.isfinite(then):
            return None
        x, y, following = following, then, following - then * (following - x) / (then - y)
        if abs(following - x) <= _NEAR * abs(x):
            return x
        then = function(following)
    return None


@dataclass(frozen=True, slots=True)
class _Read:
    """One scalar of a port, as some elements read it."""

    port: str
    scalar: int
    positions: Sequence[int]


def _floats(runner: Runner, trial: Trial) -> Iterator[_Read]:
    """What all elements of the trial's trees read, and then each of them."""
    positions = list(elements_of(trial.left))
    for chosen in (positions, *([position] for position in positions)):
        for port in runner.program.inputs:
            first = trial.case.fields[port.name].elements[0]
            for scalar, value in enumerate(first if has_walked_shape(runner.program, port.name) else ()):
                if isinstance(value, float):
                    yield _Read(port.name, scalar, chosen)


def _value(runner: Runner, trial: Trial, leaf: int, read: _Read, by: float) -> float | None:
    """The leaf of the left result where what is read is larger by so much."""
    runner.count_run()
    moved = _with(trial, read, by)
    try:
        return float(runner.run(moved.case).value(moved.left)[leaf])
    except NoValue:
        return None


def _with(trial: Trial, read: _Read, by: float) -> Trial:
    field = trial.case.fields[read.port]
    elements = [list(element) for element in field.elements]
    for position in read.positions:
        elements[position][read.scalar] = arithmetic.single(elements[position][read.scalar] + by)
    moved = SmallField(field.shape, tuple(map(tuple, elements)))
    return replace(trial, case=Case({**trial.case.fields, read.port: moved}, trial.case.params))

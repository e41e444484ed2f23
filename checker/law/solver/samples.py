"""A few reachable values, to drop what is plainly no invariant before a solver is asked."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from kcheck.checker import arithmetic
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.concrete import Concrete, Unsupported, param_variables
from kcheck.checker.law.evaluate import Leaves, Number
from kcheck.checker.law.problem import Problem
from kcheck.checker.law.solver.intervals import WHOLE, all_terms, given_ranges
from kcheck.checker.law.terms import Sort, Term, number, postorder

_FOLDS = 40
_ELEMENTS = 6
_MERGES = 10
_SMALL_INTS = (-2, -1, 0, 0, 1, 1, 2, 3, 5, 100, arithmetic.INT_MIN, arithmetic.INT_MAX)
_SMALL_REALS = (-2.0, -1.0, -0.5, 0.0, 0.0, 0.25, 1.0, 1.0, 2.0, 3.0)


@dataclass(frozen=True, slots=True)
class Sample:
    """A reachable value, how many elements were merged into it, and the params it was made with."""

    leaves: Leaves
    count: int
    params: Leaves


def reachable_samples(problem: Problem) -> list[Sample]:
    """Values that folds of a few elements give; none where the terms hold functions that cannot be evaluated."""
    try:
        return _samples(problem, Concrete(problem))
    except Unsupported:
        return []


def _samples(problem: Problem, concrete: Concrete) -> list[Sample]:
    source = random.Random(1)
    draw = _Draw(problem, source)
    found: list[Sample] = []
    for _ in range(_FOLDS):
        params = draw.params()
        if not all(concrete.allowed(params)[0]):
            continue
        shared = draw.inputs(params)
        states: list[Sample] = []
        for _ in range(_ELEMENTS):
            inputs = tuple(
                common if read.shared else own
                for read, common, own in zip(problem.inputs, shared, draw.inputs(params), strict=True)
            )
            _keep(states, concrete.compute(inputs, params), 1, params)
        for _ in range(_MERGES if states else 0):
            a, b = source.choice(states), source.choice(states)
            _keep(states, concrete.merge(a.leaves, b.leaves, params), a.count + b.count, params)
        found += states
    return found


def _keep(states: list[Sample], result: tuple[Leaves, int | None], count: int, params: Leaves) -> None:
    leaves, failing = result
    if failing is None and all(math.isfinite(leaf) for leaf in leaves):
        states.append(Sample(leaves, count, params))


class _Draw:
    """Random numbers near those that the program speaks of, within the bounds that hold."""

    def __init__(self, problem: Problem, source: random.Random) -> None:
        self._problem = problem
        self._source = source
        self._known = given_ranges(problem)
        self._params = param_variables(problem)
        numbers = (t for t in postorder(all_terms(problem)) if t.is_const and t.sort is not Sort.BOOL)
        constants = {Fraction(number(term)) for term in numbers}
        self._ints = [*_SMALL_INTS, *sorted(int(c) for c in constants if c == int(c) and abs(c) <= arithmetic.INT_MAX)]
        self._reals = [*_SMALL_REALS, *sorted(float(c) for c in constants if abs(c) < 1000)]

    def params(self) -> Leaves:
        return tuple(self._number(variable) for variable in self._params)

    def inputs(self, params: Leaves) -> Leaves:
        """What an element reads: near the params too, as it may be compared with them."""
        near = {
            sort: [p + by for v, p in zip(self._params, params, strict=True) if v.sort is sort for by in (-1, 0, 1)]
            for sort in (Sort.INT, Sort.REAL)
        }
        return tuple(self._number(read.variable, near.get(read.variable.sort, ())) for read in self._problem.inputs)

    def _number(self, variable: Term, near: Sequence[Number] = ()) -> Number:
        if variable.sort is Sort.BOOL:
            return self._source.random() < 0.5
        within = self._known.get(variable, WHOLE[variable.sort])
        if variable.sort is Sort.INT:
            usual = (*self._ints, *near)
            drawn = self._drawn(usual, lambda: self._source.randint(arithmetic.INT_MIN, arithmetic.INT_MAX))
            return int(_clipped(drawn, within))
        usual = (*self._reals, *near)
        return float(_clipped(self._drawn(usual, lambda: round(self._source.gauss(0, 3), 2)), within))

    def _drawn(self, usual: Sequence[Number], other: Callable[[], Number]) -> Number:
        return self._source.choice(usual) if self._source.random() < 0.7 else other()


def _clipped(value: Number, within: Interval) -> Number:
    if within.low is not None and Fraction(value) < within.low:
        return type(value)(within.low)
    if within.high is not None and Fraction(value) > within.high:
        return type(value)(within.high)
    return value

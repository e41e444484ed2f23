"""Trying all merges of the values of a few elements, and of what they make.

Where few values are reachable, a law may fail only for some that long trees of just the right shape give.  Random trees
miss these; here each value that is met is merged with each other one, and keeps the tree that made it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from kcheck.checker.law import work
from kcheck.checker.law.cases import placed_apart
from kcheck.checker.law.elements import Elements
from kcheck.checker.law.evaluate import Case, Leaves
from kcheck.checker.law.problem import Law
from kcheck.checker.law.running import Runner
from kcheck.checker.law.sampling import sides
from kcheck.checker.law.verdict import Tree, Trial

_CASES = 6
_MOST_VALUES = 40
_MOST_ELEMENTS = 64
"""How many elements a tree may have."""
_COMPARED = 3e-7
"""The work of comparing the merges of three values."""
_SEED = 4


@dataclass(frozen=True, slots=True)
class _Value:
    """A value that was met; the tree stands over elements of the case, of which it may name one several times."""

    leaves: Leaves
    tree: Tree
    size: int


def explored(runner: Runner, wanted: set[Law], deadline: float) -> Iterator[tuple[Law, Trial]]:
    """For each law still `wanted` (the caller takes some out), the smallest trial of each case that breaks it.

    Nothing is tried after the deadline, which is one of `work`.
    """
    elements = Elements(runner.program, runner.constants, random.Random(_SEED))
    for number in range(_CASES):
        if not wanted or work.clock() >= deadline:
            return
        case = elements.case(number)
        met = _Met(runner, case, deadline)
        for law in sorted(wanted, key=lambda law: law.values):
            broken = min(met.broken(law), key=lambda values: sum(v.size for v in values), default=None)
            if broken is not None:
                apart, trees = placed_apart(runner.program, case, [value.tree for value in broken])
                trial = Trial(apart, *sides(law, trees))
                if runner.breaks(trial):  # elements that know their places are others at other places
                    yield law, trial


class _Met:
    """The values of the elements of a case and of their merges, until these are many or the deadline is there."""

    def __init__(self, runner: Runner, case: Case, deadline: float) -> None:
        self._run = run = runner.run(case)
        self._values: list[_Value] = []
        self._at: dict[Leaves, int] = {}
        self._merged: dict[tuple[int, int], Leaves] = {}
        for position, state in enumerate(run.states):
            if isinstance(state, tuple):
                self._add(_Value(state, position, 1))
        done = 0
        while done < len(self._values) and work.clock() < deadline:
            work.count(runner.seconds_a_merge * (2 * done + 1))
            for other in range(done + 1):
                for pair in {(other, done), (done, other)}:
                    self._merge(*pair)
            done += 1

    def _add(self, value: _Value) -> None:
        is_new = value.leaves not in self._at and all(map(math.isfinite, value.leaves))
        if is_new and len(self._values) < _MOST_VALUES and value.size <= _MOST_ELEMENTS:
            self._at[value.leaves] = len(self._values)
            self._values.append(value)

    def _merge(self, i: int, j: int) -> None:
        a, b = self._values[i], self._values[j]
        leaves, failing = self._run.merged(a.leaves, b.leaves)
        if failing is None and leaves is not None:
            self._merged[i, j] = leaves
            self._add(_Value(leaves, (a.tree, b.tree), a.size + b.size))

    def broken(self, law: Law) -> Iterator[tuple[_Value, ...]]:
        """Values for which the law fails."""
        if law is Law.COMMUTATIVE:
            pairs = ((i, j) for i, j in self._merged if i < j)
            return ((self._values[i], self._values[j]) for i, j in pairs if self._differ((i, j), (j, i)))
        return self._not_associative()

    def _not_associative(self) -> Iterator[tuple[_Value, ...]]:
        values = self._values
        work.count(_COMPARED * len(values) ** 3)
        positions = {pair: self._at.get(leaves) for pair, leaves in self._merged.items()}
        for (i, j), left in positions.items():
            for k in range(len(values)) if left is not None else ():
                right = positions.get((j, k))
                if left is not None and right is not None and self._differ((left, k), (i, right)):
                    yield values[i], values[j], values[k]

    def _differ(self, left: tuple[int, int], right: tuple[int, int]) -> bool:
        a, b = self._merged.get(left), self._merged.get(right)
        return a is not None and b is not None and a != b and self._run.are_different(a, b)

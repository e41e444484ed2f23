"""Running cases of a reduction on its terms, to try many quickly and to confirm a few exactly."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeAlias

from kcheck.checker import ir
from kcheck.checker.law import exact, work
from kcheck.checker.law.cases import Reader, flat_params, walked
from kcheck.checker.law.concrete import Concrete, param_variables
from kcheck.checker.law.evaluate import Case, Evaluate, Leaves, Number
from kcheck.checker.law.problem import Obligation, Problem, Symbolic
from kcheck.checker.law.terms import Op, Sort, Term, Value, number, postorder
from kcheck.checker.law.verdict import Merge, Tree, Trial, sides_of

CLEAR = 1e-4
"""Floats differ clearly when they differ by more than this part of the larger one,"""
OF_GREATEST = 1e-9
"""and by more than this part of the largest number that took part."""

_RUN, _FEW_MERGES = 2e-5, 4
"""The work of a run of few elements but for the merges, and about how many of these there mostly are."""
_MERGE, _TERM = 5e-7, 5e-8
"""The work of a merge: for itself, and for each of its terms."""


Merged: TypeAlias = "Callable[[Leaves, Leaves], tuple[Leaves | None, int | None]]"
"""The merge of two values, None where it is not known, and which of its obligations does not hold."""

_ZEROS: Mapping[Sort, Number] = {Sort.BOOL: False, Sort.INT: 0, Sort.REAL: 0.0}


class NoValue(Exception):
    """A step of a tree has no value, or none that is known: the last merge (or the compute) of `tree`."""

    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.tree = tree


class Runner(ABC):
    """Runs cases of a reduction: quickly, to try many, and exactly, to confirm a few."""

    reals: Sequence[int]
    """Which leaves of the merged values are Floats."""
    seconds_a_merge: float
    """The work of a merge in `run`."""

    def __init__(self, program: ir.Program, make_evaluate: Callable[[], Evaluate]) -> None:
        self.program = program
        self._make_evaluate = make_evaluate

    @cached_property
    def evaluate(self) -> Evaluate:
        return self._make_evaluate()

    @property
    @abstractmethod
    def constants(self) -> Sequence[Value]:
        """The numbers that compute and merge speak of: Ints, and Floats as fractions."""

    @abstractmethod
    def run(self, case: Case) -> Run:
        """The case with rounding, or something near it."""

    @abstractmethod
    def exactly(self, case: Case) -> Exact:
        """The case with real numbers."""

    def breaks(self, trial: Trial) -> bool:
        """Whether the two trees of a trial have values that differ clearly."""
        run = self.run(trial.case)
        try:
            return run.differ(trial.left, trial.right)
        except NoValue:
            return False
        finally:
            self.count_run(run.merges)

    def fails(self, case: Case, tree: Tree) -> bool:
        """Whether the last step of a tree has no value, and all before have one."""
        run = self.run(case)
        try:
            run.value(tree)
        except NoValue as found:
            return found.tree == tree
        finally:
            self.count_run(run.merges)
        return False

    def count_run(self, merges: int = _FEW_MERGES) -> None:
        """Say that the work of a run was done."""
        work.count(_RUN + merges * self.seconds_a_merge)


class Exact(Protocol):
    """Trees over the elements of a case, with every Float the real number that it is."""

    def differing(self, left: Tree, right: Tree) -> tuple[int, ...]:
        """The leaves in which two trees surely differ; none where a step may be without a value."""
        ...

    def failing(self, tree: Tree) -> Obligation | None:
        """The first step that surely has no value in the last step of a tree, all before having one."""
        ...


class WrittenOut(Runner):
    """Runs on terms; what `compute` gives comes from a backend where terms do not say what an element reads."""

    def __init__(self, problem: Problem, make_evaluate: Callable[[], Evaluate]) -> None:
        super().__init__(problem.program, make_evaluate)
        self.problem = problem
        self.reader = Reader(problem)
        self.reals = tuple(i for i, sort in enumerate(problem.sorts) if sort is Sort.REAL)
        self.seconds_a_merge = _MERGE + _TERM * sum(1 for _ in postorder(problem.merge.leaves))
        self._concrete = Concrete(problem)
        self._last: tuple[Case, Sequence[Leaves | int]] | None = None
        """What compute gives in the case that was run last: to make a witness small many trees are tried in each."""

    @property
    def constants(self) -> Sequence[Value]:
        roots = (*self.problem.merge.leaves, *self.problem.compute.leaves)
        return [number(term) for term in postorder(roots) if term.is_const and term.sort is not Sort.BOOL]

    def run(self, case: Case) -> Run:
        params, merge = flat_params(self.program, case), self._concrete.merge
        if self._last is None or self._last[0] is not case:
            self._last = case, self._computed(case, params)
        return Run(self._last[1], lambda a, b: merge(a, b, params), self.reals)

    def exactly(self, case: Case) -> Exactly:
        return Exactly(self, case)

    def _computed(self, case: Case, params: Leaves) -> Sequence[Leaves | int]:
        """What compute gives for each element, or which of its obligations does not hold."""
        if not self.reader.is_direct:
            return self.evaluate.compute(self.program, case)
        states: list[Leaves | int] = []
        compute = self._concrete.compute
        for position in range(math.prod(case.fields[walked(self.program)].shape)):
            value, failing = compute(self._inputs(case, position), params)
            states.append(value if failing is None else failing)
        return states

    def _inputs(self, case: Case, position: int) -> Leaves:
        """What an element reads; zero where an address has no value, as nothing reads there that has one."""
        return tuple(
            _ZEROS[read.variable.sort] if found is None else found
            for read, found in zip(self.problem.inputs, self.reader.inputs(case, position), strict=True)
        )


class Run:
    """One case: its elements, and trees of merges over them, as doubles or Floats."""

    def __init__(self, states: Sequence[Leaves | int | None], merged: Merged, reals: Sequence[int]) -> None:
        self.states = states
        """What compute gives for each element, None where that is not known; or which obligation does not hold."""
        self.merged = merged
        self._reals = reals
        self._merged: dict[Tree, Leaves] = {}

    @property
    def merges(self) -> int:
        """How many merges were done."""
        return len(self._merged)

    def value(self, tree: Tree) -> Leaves:
        """The value of a tree; raises `NoValue`."""
        if isinstance(tree, int):
            state = self.states[tree]
            if isinstance(state, int) or state is None:
                raise NoValue(tree)
            return state
        known = self._merged.get(tree)
        if known is None:
            left, right = sides_of(tree)
            known, failing = self.merged(self.value(left), self.value(right))
            if failing is not None or known is None:
                raise NoValue(tree)
            self._merged[tree] = known
        return known

    def differ(self, left: Tree, right: Tree) -> bool:
        """Whether two trees have clearly different values; raises `NoValue`."""
        a, b = self.value(left), self.value(right)
        return a != b and self.are_different(a, b)

    def are_different(self, a: Leaves, b: Leaves, *others: Leaves) -> bool:
        """Whether two values are, and their Floats clearly; `others` are values that they were merged of."""
        reals = self._reals
        if not reals:
            return a != b
        if not any(clearly_different(x, y) if isinstance(x, float) else x != y for x, y in zip(a, b, strict=True)):
            return False
        greatest = max(abs(state[i]) for state in (a, b, *others, *self._known()) for i in reals)
        return any(
            clearly_different(x, y, greatest) if isinstance(x, float) else x != y for x, y in zip(a, b, strict=True)
        )

    def _known(self) -> list[Leaves]:
        return [state for state in self.states if isinstance(state, tuple)]


def clearly_different(a: Number, b: Number, greatest: float = 0.0) -> bool:
    """Whether two Floats differ by more than rounding explains; `greatest` is the largest number that took part."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return False
    return abs(a - b) > max(CLEAR * max(abs(a), abs(b)), OF_GREATEST * greatest)


# ---------------------------------------------------------------- exactly


@dataclass(frozen=True)
class Exactly:
    """Trees over the elements of a case, with every Float the real number that it is."""

    runner: WrittenOut
    case: Case

    def differing(self, left: Tree, right: Tree) -> tuple[int, ...]:
        """The leaves in which two trees surely differ; none where a step may be without a value."""
        a, b = self._value(left), self._value(right)
        if a is None or b is None:
            return ()
        return tuple(i for i, (x, y) in enumerate(zip(a, b, strict=True)) if exact.differ(x, y))

    def failing(self, tree: Tree) -> Obligation | None:
        """The first obligation that surely does not hold in the last step of a tree, all before having a value."""
        if isinstance(tree, int):
            return _failing(self._problem.compute, self._inputs(tree)) if self.runner.reader.is_direct else None
        bound = self._bound(tree)
        return None if bound is None else _failing(self._problem.merge, bound)

    @property
    def _problem(self) -> Problem:
        return self.runner.problem

    def _value(self, tree: Tree) -> Sequence[exact.Value] | None:
        """The leaves of a tree, or None where it may have no value."""
        if tree not in self._values:
            bound = None if isinstance(tree, int) else self._bound(tree)
            merged = None if bound is None else _result(self._problem.merge, bound)
            self._values[tree] = self._element(tree) if isinstance(tree, int) else merged
        return self._values[tree]

    @cached_property
    def _values(self) -> dict[Tree, Sequence[exact.Value] | None]:
        return {}

    def _bound(self, tree: Merge) -> Mapping[Term, exact.Value] | None:
        """The variables of the last merge of a tree."""
        left, right = map(self._value, sides_of(tree))
        if left is None or right is None:
            return None
        problem = self._problem
        return {
            **self._params,
            **dict(zip(problem.left, left, strict=True)),
            **dict(zip(problem.right, right, strict=True)),
        }

    def _element(self, position: int) -> Sequence[exact.Value] | None:
        if self.runner.reader.is_direct:
            return _result(self._problem.compute, self._inputs(position))
        leaves = self._problem.compute.leaves
        return [_around(value, leaf) for value, leaf in zip(self._computed[position], leaves, strict=True)]

    @cached_property
    def _computed(self) -> Sequence[Leaves]:
        return self.runner.evaluate.compute(self._problem.program, self.case)

    def _inputs(self, position: int) -> Mapping[Term, exact.Value]:
        values = self.runner.reader.inputs(self.case, position)
        reads = [read.variable for read in self._problem.inputs]
        return {**self._params, **dict(zip(reads, map(exact.known, values), strict=True))}

    @cached_property
    def _params(self) -> Mapping[Term, exact.Value]:
        values = flat_params(self._problem.program, self.case)
        return dict(zip(param_variables(self._problem), map(exact.known, values), strict=True))


_SLACK = 1e-6
"""How far a Float that a backend computed may be from the real number, as a part of it."""


def _around(value: Number, leaf: Term) -> exact.Value:
    """What a backend computed, as the real numbers that it may stand for: itself, where nothing was computed."""
    if not isinstance(value, float) or not math.isfinite(value) or leaf.op in (Op.VAR, Op.CONST):
        return exact.known(value)
    slack = abs(exact.point(value).low) * exact.point(_SLACK).low
    return exact.Interval(exact.point(value).low - slack, exact.point(value).high + slack)


def _result(symbolic: Symbolic, bound: Mapping[Term, exact.Value]) -> Sequence[exact.Value] | None:
    """The leaves, where every step surely has a value."""
    obligations = symbolic.obligations
    terms = [*symbolic.leaves, *(o.guard for o in obligations), *(o.condition for o in obligations)]
    values = exact.evaluated(terms, bound)
    count, tests = len(symbolic.leaves), len(obligations)
    guards, conditions = values[count : count + tests], values[count + tests :]
    defined = all(guard is False or holds is True for guard, holds in zip(guards, conditions, strict=True))
    return values[:count] if defined else None


def _failing(symbolic: Symbolic, bound: Mapping[Term, exact.Value]) -> Obligation | None:
    """The first obligation that surely does not hold."""
    for obligation in symbolic.obligations:
        guard, holds = exact.evaluated((obligation.guard, obligation.condition), bound)
        if guard is True and holds is False:
            return obligation
    return None

"""From a candidate to a witness: confirmed over the reals, made small, and replayed on a backend."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import permutations

from kcheck.checker import ir
from kcheck.checker.law.evaluate import Case, Evaluate, Leaves
from kcheck.checker.law.problem import Law, Problem
from kcheck.checker.law.running import Exactly, Runner, clearly_different
from kcheck.checker.law.sampling import Failed, sides
from kcheck.checker.law.simplify import simplified
from kcheck.checker.law.terms import Sort
from kcheck.checker.law.verdict import Step, Tree, Trial, UndefinedStep, Witness, elements_of

SECONDS = 0.3
"""The longest that making one witness small may take."""


def witness_of(runner: Runner, law: Law, trial: Trial) -> Witness | None:
    """A small witness from a trial that seems to break a law, or None where it does not hold up."""
    first = confirmed(runner, trial)
    if first is None:
        return None
    used = dict.fromkeys(elements_of(trial.left))
    plain = (sides(law, positions) for positions in permutations(used, law.values))
    small = simplified(runner.problem.program, trial, plain, runner.breaks, time.monotonic() + SECONDS)
    return confirmed(runner, small) or first


def confirmed(runner: Runner, trial: Trial) -> Witness | None:
    """The witness, where the trees surely differ over the reals and a run shows it."""
    problem = runner.problem
    sure = Exactly(runner, trial.case).differing(trial.left, trial.right)
    if not sure:
        return None
    left, right = Replay(problem.program, trial.case, runner.evaluate).steps((trial.left, trial.right))
    shown = tuple(i for i in sure if _shows(problem, i, left.value, right.value))
    return Witness(problem.program, trial.case, left, right, shown) if shown else None


def _shows(problem: Problem, leaf: int, left: Leaves, right: Leaves) -> bool:
    a, b = left[leaf], right[leaf]
    return clearly_different(a, b) if problem.sorts[leaf] is Sort.REAL else a != b


def undefined_of(runner: Runner, failed: Failed) -> UndefinedStep | None:
    """A small case of a step that seems to have no value, or None where it does not hold up."""
    first = confirmed_undefined(runner, failed)
    if first is None:
        return None

    def fails(trial: Trial) -> bool:
        return runner.fails(trial.case, trial.left)

    positions = list(elements_of(failed.tree))
    plain: list[Tree] = [*positions, *permutations(positions, 2)]
    trial = Trial(failed.case, failed.tree, failed.tree)
    small = simplified(runner.problem.program, trial, zip(plain, plain, strict=True), fails, time.monotonic() + SECONDS)
    return confirmed_undefined(runner, Failed(small.case, small.left)) or first


def confirmed_undefined(runner: Runner, failed: Failed) -> UndefinedStep | None:
    """The step, where over the reals it surely has no value for these elements."""
    case, tree = failed.case, failed.tree
    position = Exactly(runner, case).failing(tree)
    if position is None:
        return None
    problem = runner.problem
    symbolic = problem.compute if isinstance(tree, int) else problem.merge
    obligation = symbolic.obligations[position]
    sides = () if isinstance(tree, int) else tree
    parts = Replay(problem.program, case, runner.evaluate).steps(sides)
    return UndefinedStep(obligation.kind, obligation.origin, problem.program, case, tree, parts)


class Replay:
    """A case on a backend."""

    def __init__(self, program: ir.Program, case: Case, evaluate: Evaluate) -> None:
        self._program = program
        self._case = case
        self._evaluate = evaluate
        self._states = evaluate.compute(program, case)

    def steps(self, trees: Sequence[Tree]) -> tuple[Step, ...]:
        """The trees with all their values."""
        return tuple(map(self._step, trees))

    def _step(self, tree: Tree) -> Step:
        if isinstance(tree, int):
            return Step(tree, self._states[tree])
        left, right = self.steps(tree)
        [value] = self._evaluate.merge(self._program, [left.value], [right.value], self._case.params)
        return Step(tree, value, (left, right))

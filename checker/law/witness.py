"""From a candidate to a witness: confirmed over the reals, made small, and replayed on a backend."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

from kcheck.checker import ir
from kcheck.checker.law.elements import COUNT
from kcheck.checker.law.evaluate import Case, Evaluate, Number
from kcheck.checker.law.problem import Law, Undefined
from kcheck.checker.law.running import Runner, clearly_different
from kcheck.checker.law.sampling import Failed, sides
from kcheck.checker.law.simplify import simplified
from kcheck.checker.law.verdict import (
    Merge,
    Repeated,
    Step,
    Tree,
    Trial,
    UndefinedStep,
    Witness,
    elements_of,
    sides_of,
)
from kcheck.checker.law.work import clock

SECONDS = 0.3
"""The most work that making one witness small may take."""


def witness_of(runner: Runner, law: Law, trial: Trial) -> Witness | None:
    """A small witness from a trial that seems to break a law, or None where it does not hold up."""
    if runner.reals and not _surely_differing(runner, trial):
        return None  # not worth making small; without Floats a trial is exact
    used = dict.fromkeys(elements_of(trial.left))
    few = tuple(used)[:COUNT]  # of many there are too many choices, and few of them break a law that needs many
    plain = (sides(law, positions) for positions in permutations(few, law.values))
    small = simplified(runner.program, trial, plain, runner.breaks, clock() + SECONDS)
    return confirmed(runner, small) or confirmed(runner, trial)


def _surely_differing(runner: Runner, trial: Trial) -> tuple[int, ...]:
    """The leaves in which the trees surely differ over the reals."""
    return runner.exactly(trial.case).differing(trial.left, trial.right)


def confirmed(runner: Runner, trial: Trial) -> Witness | None:
    """The witness, where the trees surely differ over the reals and a run shows it."""
    sure = _surely_differing(runner, trial)
    if not sure:
        return None
    left, right = Replay(runner.program, trial.case, runner.evaluate).steps((trial.left, trial.right))
    shown = tuple(i for i in sure if _shows(left.value[i], right.value[i]))
    return Witness(runner.program, trial.case, left, right, shown) if shown else None


def _shows(a: Number, b: Number) -> bool:
    return clearly_different(a, b) if isinstance(a, float) else a != b


def undefined_of(runner: Runner, failed: Failed) -> UndefinedStep | None:
    """A small case of a step that seems to have no value, or None where it does not hold up."""
    found = runner.exactly(failed.case).failing(failed.tree)
    if found is None or found.kind is Undefined.ROUNDS:
        return None

    def fails(trial: Trial) -> bool:
        return runner.fails(trial.case, trial.left)

    positions = list(elements_of(failed.tree))
    plain: list[Tree] = [*positions, *permutations(positions, 2)]
    trial = Trial(failed.case, failed.tree, failed.tree)
    small = simplified(runner.program, trial, zip(plain, plain, strict=True), fails, clock() + SECONDS)
    return confirmed_undefined(runner, Failed(small.case, small.left)) or confirmed_undefined(runner, failed)


def confirmed_undefined(runner: Runner, failed: Failed) -> UndefinedStep | None:
    """The step, where over the reals it surely has no value for these elements."""
    case, tree = failed.case, failed.tree
    obligation = runner.exactly(case).failing(tree)
    if obligation is None or obligation.kind is Undefined.ROUNDS:
        return None
    sides = () if isinstance(tree, int) else sides_of(tree)
    parts = Replay(runner.program, case, runner.evaluate).steps(sides)
    return UndefinedStep(obligation.kind, obligation.origin, runner.program, case, tree, parts)


class Replay:
    """A case on a backend."""

    def __init__(self, program: ir.Program, case: Case, evaluate: Evaluate) -> None:
        self._program = program
        self._case = case
        self._evaluate = evaluate
        self._known: dict[Tree, Step] = {
            position: Step(position, value) for position, value in enumerate(evaluate.compute(program, case))
        }

    def steps(self, trees: Sequence[Tree]) -> tuple[Step, ...]:
        """The trees with all their values; what can be merged at once is."""
        pending = _merges(trees)
        while pending:
            ready = [tree for tree in pending if all(side in self._known for side in sides_of(tree))]
            sides = [[self._known[side].value for side in pair] for pair in zip(*map(sides_of, ready), strict=True)]
            values = self._evaluate.merge(self._program, sides[0], sides[1], self._case.params)
            self._known.update((t, Step(t, v, self._parts(t))) for t, v in zip(ready, values, strict=True))
            pending.difference_update(ready)
        return tuple(self._known[tree] for tree in trees)

    def _parts(self, tree: Merge) -> tuple[Step, ...]:
        sides = (tree.tree,) if isinstance(tree, Repeated) else tree
        return tuple(self._known[side] for side in sides)


def _merges(trees: Iterable[Tree]) -> set[Merge]:
    """All merges of trees, each once, as copies have most in common."""
    found: set[Merge] = set()
    pending = list(trees)
    while pending:
        tree = pending.pop()
        if not isinstance(tree, int) and tree not in found:
            found.add(tree)
            pending += sides_of(tree)
    return found

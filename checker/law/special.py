"""What the laws over the reals leave out: NaN and infinities among the elements, tried on a backend."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import permutations

from kcheck.checker import ir
from kcheck.checker.law import work
from kcheck.checker.law.cases import has_walked_shape
from kcheck.checker.law.elements import param_numbers, within
from kcheck.checker.law.evaluate import Case, Evaluate, Leaves, Number, SmallField
from kcheck.checker.law.problem import Law
from kcheck.checker.law.running import clearly_different
from kcheck.checker.law.sampling import sides
from kcheck.checker.law.simplify import simplified
from kcheck.checker.law.values import valid, zero
from kcheck.checker.law.verdict import Tree, Trial, Witness, sides_of
from kcheck.checker.law.witness import Replay
from kcheck.checker.types import BOOL, FLOAT, Type, contains, leaves

SECONDS = 0.1
"""The most work that making the witness small may take,"""
_RUN = 2.5e-4
"""each run so much."""

_ELEMENTS = 7
_NAN, _INFINITE = (math.nan, 1.0, 2.0), (math.inf, -math.inf, 1.0)


def special_witness(program: ir.Program, make_evaluate: Callable[[], Evaluate]) -> Witness | None:
    """Elements with NaN, or else with infinities, for which a law does not hold; none where no input holds Floats.

    Results that are both of no use (NaN, or infinities of one sign) count as equal.
    """
    if not any(contains(port.type.element, FLOAT) for port in program.inputs):
        return None
    evaluate = make_evaluate()
    for numbers in (_NAN, _INFINITE):
        case = _case(program, numbers)
        for law in (Law.COMMUTATIVE, Law.ASSOCIATIVE):
            found = _first(program, evaluate, case, law)
            if found is not None:
                return _witness(program, evaluate, found)
    return None


def _case(program: ir.Program, numbers: Sequence[float]) -> Case:
    rng = random.Random(0)
    shape = (1,) * (program.rank - 1) + (_ELEMENTS,)
    fields = {}
    for port in program.inputs:
        own = shape if has_walked_shape(program, port.name) else (1,) * port.type.rank
        elements = [_value(port.type.element, numbers, i, rng) for i in range(math.prod(own))]
        fields[port.name] = SmallField(own, tuple(elements))
    return Case(fields, {param.name: _param(param) for param in program.params})


def _value(type_: Type, numbers: Sequence[float], position: int, rng: random.Random) -> Leaves:
    """The first elements hold each of the numbers in all Floats, the others a mixture."""
    made: list[Number] = []
    for leaf in leaves(type_):
        if leaf.scalar is FLOAT:
            made.append(numbers[position] if position < len(numbers) else rng.choice(numbers))
        else:
            made.append(rng.random() < 0.5 if leaf.scalar is BOOL else rng.randrange(3))
    return valid(type_, tuple(made))


def _param(param: ir.ParamDecl) -> Leaves:
    if param.default is not None:
        return param_numbers(param.default)
    return within(param, valid(param.type, zero(param.type)))


def _first(program: ir.Program, evaluate: Evaluate, case: Case, law: Law) -> Trial | None:
    """The first trial of single elements that breaks the law."""
    trials = [sides(law, positions) for positions in permutations(range(_ELEMENTS), law.values)]
    batch = _Batch(program, case, evaluate)
    lefts, rights = (batch.values([trial[side] for trial in trials]) for side in (0, 1))
    broken = (trial for trial, a, b in zip(trials, lefts, rights, strict=True) if _differing(a, b))
    return next((Trial(case, left, right) for left, right in broken), None)


def _witness(program: ir.Program, evaluate: Evaluate, trial: Trial) -> Witness:
    """The simplest such witness."""

    def breaks(tried: Trial) -> bool:
        work.count(_RUN)
        return confirmed_special(program, evaluate, tried) is not None

    small = simplified(program, trial, (), breaks, work.clock() + SECONDS)
    witness = confirmed_special(program, evaluate, small)
    assert witness is not None  # `simplified` gives what breaks
    return witness


def confirmed_special(program: ir.Program, evaluate: Evaluate, trial: Trial) -> Witness | None:
    """The witness, where a run shows the difference."""
    left, right = Replay(program, trial.case, evaluate).steps((trial.left, trial.right))
    differing = _differing(left.value, right.value)
    return Witness(program, trial.case, left, right, differing) if differing else None


def _differing(left: Leaves, right: Leaves) -> tuple[int, ...]:
    """The leaves in which two results differ by more than rounding, and of which at least one is of use."""
    return tuple(i for i, (a, b) in enumerate(zip(left, right, strict=True)) if _differ(a, b))


def _differ(a: Number, b: Number) -> bool:
    if not (isinstance(a, float) and isinstance(b, float)):
        return a != b
    if math.isfinite(a) and math.isfinite(b):
        return clearly_different(a, b)
    return math.isfinite(a) or math.isfinite(b) or (math.isinf(a) and math.isinf(b) and a != b)


class _Batch:
    """Many trees of one shape over a case, merged side by side."""

    def __init__(self, program: ir.Program, case: Case, evaluate: Evaluate) -> None:
        self._program = program
        self._case = case
        self._evaluate = evaluate
        self._states = evaluate.compute(program, case)

    def values(self, trees: Sequence[Tree]) -> Sequence[Leaves]:
        if isinstance(trees[0], int):
            return [self._states[tree] for tree in trees if isinstance(tree, int)]
        pairs = [sides_of(tree) for tree in trees if not isinstance(tree, int)]
        left = self.values([pair[0] for pair in pairs])
        right = self.values([pair[1] for pair in pairs])
        return self._evaluate.merge(self._program, left, right, self._case.params)

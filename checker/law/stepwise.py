"""Merges that cannot be written out as terms, run on elements one step after another, exactly.

With numbers in place of variables every loop has an end; what comes out is exact as for any other merge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import isfinite

from kcheck.checker import ir
from kcheck.checker.law import exact, work
from kcheck.checker.law.builtins import Leaves as TermLeaves
from kcheck.checker.law.cases import merged_type, read_value, walked
from kcheck.checker.law.evaluate import Case, Evaluate, Leaves, Number
from kcheck.checker.law.problem import SORTS, Input, Obligation
from kcheck.checker.law.running import Run, Runner, WrittenOut
from kcheck.checker.law.symbolic import EXPANDED, Blocked, Execution, Reads, problem_of
from kcheck.checker.law.terms import Term, Terms, TooLarge, Value
from kcheck.checker.law.verdict import Tree, sides_of
from kcheck.checker.prelude import expand_prelude
from kcheck.checker.types import FLOAT, Scalar, Type, leaves

_ROUNDS = 300
"""The most rounds of loops in one call, and"""
_SECONDS = 0.1
"""how much work all merges of one case may take,"""
_STEP = 1e-5
"""for each expression so much."""


def runner_of(program: ir.Program, make_evaluate: Callable[[], Evaluate]) -> Runner:
    """What runs the cases of a reduction, whether or not it can be written out."""
    try:
        problem = problem_of(program)
    except Blocked:
        return Stepwise(program, make_evaluate)
    return Stepwise(program, make_evaluate) if problem.assumes_rounds else WrittenOut(problem, make_evaluate)


class Stepwise(Runner):
    """Runs on constants; a loop of too many rounds gives nothing that is known."""

    def __init__(self, program: ir.Program, make_evaluate: Callable[[], Evaluate]) -> None:
        super().__init__(program, make_evaluate)
        self.seconds_a_merge = 0.0  # each step counts for itself
        self.reals = tuple(i for i, leaf in enumerate(leaves(merged_type(program))) if leaf.scalar is FLOAT)

    @cached_property
    def constants(self) -> Sequence[Value]:
        found: list[Value] = []
        for function in self.program.functions:
            for node in ir.walk(function.body):
                if isinstance(node, ir.Const):
                    for leaf, value in zip(leaves(node.type), ir.const_numbers(node), strict=True):
                        if leaf.scalar is not Scalar.BOOL and isfinite(value):
                            found.append(Fraction(value) if leaf.scalar is FLOAT else int(value))
        return found

    def run(self, case: Case) -> Run:
        steps, until = self.exactly(case), work.clock() + _SECONDS

        def computed(position: int) -> Leaves | None:
            return None if work.clock() > until else steps.rounded(position)

        def merged(a: Leaves, b: Leaves) -> tuple[Leaves | None, int | None]:
            return None if work.clock() > until else steps.rounded_merge(a, b), None

        return Run([computed(position) for position in range(steps.count)], merged, self.reals)

    def exactly(self, case: Case) -> _Steps:
        return _Steps(self.program, case)


@dataclass
class _Steps:
    """Fits `running.Exact`; of steps without a value it says no more than that nothing is known behind one."""

    program: ir.Program
    case: Case
    _terms: Terms = field(default_factory=Terms)
    _merges: dict[Tree, TermLeaves] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """How many elements there are."""
        return len(self.case.fields[walked(self.program)].elements)

    def differing(self, left: Tree, right: Tree) -> tuple[int, ...]:
        # A backend computes all elements, those too that no tree holds: none of them may take it forever.
        if any(self.rounded(position) is None for position in range(self.count)):
            return ()
        try:
            a, b = (exact.evaluated(self._value(tree), {}) for tree in (left, right))
        except (Blocked, TooLarge, _NotSure):
            return ()
        return tuple(i for i, (x, y) in enumerate(zip(a, b, strict=True)) if exact.differ(x, y))

    def failing(self, tree: Tree) -> Obligation | None:
        del tree
        return None

    def rounded(self, position: int) -> Leaves | None:
        """What compute gives for an element, with doubles for the real numbers; None where it is not known."""
        return self._rounded(lambda: self._value(position))

    def rounded_merge(self, a: Leaves, b: Leaves) -> Leaves | None:
        """The same of the merge of two values."""
        return self._rounded(lambda: self._merged([_constants(self._terms, self._type, side) for side in (a, b)]))

    def _rounded(self, steps: Callable[[], TermLeaves]) -> Leaves | None:
        try:
            values = exact.evaluated(steps(), {})
        except (Blocked, TooLarge, _NotSure):
            return None
        numbers = tuple(float((v.low + v.high) / 2) if isinstance(v, exact.Interval) else v for v in values)
        known = tuple(number for number in numbers if number is not None)
        return known if len(known) == len(numbers) else None

    @property
    def _type(self) -> Type:
        return merged_type(self.program)

    def _value(self, tree: Tree) -> TermLeaves:
        if isinstance(tree, int):
            return self._called(self._fold.element, (), tree)
        if tree not in self._merges:
            self._merges[tree] = self._merged([self._value(side) for side in sides_of(tree)])
        return self._merges[tree]

    def _merged(self, sides: Sequence[TermLeaves]) -> TermLeaves:
        return self._called(self._fold.merge, sides, 0)

    @property
    def _fold(self) -> ir.Fold:
        assert isinstance(self.program.schedule, ir.Fold)
        return self.program.schedule

    def _called(self, function: int, args: Sequence[TermLeaves], position: int) -> TermLeaves:
        """What a function gives, where every step surely has a value; raises `_NotSure`."""
        shift = len(self._expanded.functions) - len(self.program.functions)
        reads = _Constants(self._terms, self.program, self.case, position)
        execution = Execution(self._expanded, shift, self._terms, reads, most_rounds=_ROUNDS, is_stepwise=True)
        try:
            result = execution.call(function + shift, args)
        finally:
            work.count(_STEP * execution.steps)
        assert result is not None  # compute and merge have results
        for step in execution.obligations:
            guard, holds = exact.evaluated((step.guard, step.condition), {})
            if guard is not False and holds is not True:
                raise _NotSure
        return result

    @cached_property
    def _expanded(self) -> ir.Program:
        return expand_prelude(self.program, EXPANDED)


class _NotSure(Exception):
    """A step may be without a value, or a number is not known exactly."""


class _Constants(Reads):
    """Params, and what one element reads, as constants."""

    def __init__(self, terms: Terms, program: ir.Program, case: Case, position: int) -> None:
        assert isinstance(program.schedule, ir.Fold)
        super().__init__(terms, program.schedule.over)
        self._numbers = terms
        self._program = program
        self._case = case
        self._position = position

    def param(self, name: str, type_: Type) -> TermLeaves:
        return _constants(self._numbers, type_, self._case.params[name])

    def read(
        self, node: ir.Expression, key: tuple[object, ...], shared: bool = False, address: TermLeaves = ()
    ) -> TermLeaves:
        del key
        if isinstance(node, ir.SampleAt):
            raise _NotSure  # a filtered read rounds
        found: list[Number] = []
        for i, leaf in enumerate(leaves(node.type)):
            variable = self._numbers.zero(SORTS[leaf.scalar])  # of its sort, which is all that matters here
            value = read_value(
                self._program, Input(variable, node, i, shared=shared, address=address), self._case, self._position, {}
            )
            if value is None:
                raise _NotSure
            found.append(value)
        return _constants(self._numbers, node.type, found)


def _constants(terms: Terms, type_: Type, values: Sequence[Number]) -> TermLeaves:
    """The leaves of a value as constants; raises `_NotSure`."""
    return tuple(_constant(terms, leaf.scalar, value) for leaf, value in zip(leaves(type_), values, strict=True))


def _constant(terms: Terms, scalar: Scalar, value: Number) -> Term:
    if not isfinite(value):
        raise _NotSure
    return terms.const(Fraction(value) if scalar is FLOAT else int(value), SORTS[scalar])

"""Trying elements: small runs with simple, extreme and random values, merged in two groupings or orders.

This finds nearly all merges that break a law, in milliseconds.  What it finds is a candidate: a double is not quite a
real number, so `witness` confirms it before anyone is told.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from kcheck.checker import arithmetic, ir
from kcheck.checker.arithmetic import INT_MAX, INT_MIN
from kcheck.checker.law.cases import has_walked_shape
from kcheck.checker.law.evaluate import Case, Leaves, Number, SmallField
from kcheck.checker.law.problem import Law, Problem
from kcheck.checker.law.running import NoValue, Run, Runner
from kcheck.checker.law.terms import Sort, number, postorder
from kcheck.checker.law.values import valid, zero
from kcheck.checker.law.verdict import Tree, Trial
from kcheck.checker.types import Scalar, Type, leaves


@dataclass(frozen=True, slots=True)
class Failed:
    """A tree of which the last merge (or the compute) has a step without a value."""

    case: Case
    tree: Tree


Found: TypeAlias = "tuple[Law, Trial] | Failed"

ELEMENTS = 8
"""How many elements a case has."""

_LARGEST: Mapping[Law, tuple[int, ...]] = {Law.COMMUTATIVE: (4, 4), Law.ASSOCIATIVE: (3, 3, 2)}
"""How many elements at most are merged into each of the values that a law speaks of."""

_PAIRS = 15
_TRIPLES = 10
_DEEPER = 4
"""How many pairs and triples of elements are tried in each case, and how many of values merged of more."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many cases are tried: after the `least` no more than so many `seconds` allow."""

    least: int
    most: int
    seconds: float
    seed: int = 0


def candidates(runner: Runner, wanted: set[Law], effort: Effort, deadline: float, *, may_fail: bool) -> Iterator[Found]:
    """Trials that seem to break one of the laws still `wanted` (the caller takes some out), and failed steps.

    Nothing is tried after the deadline; where steps `may_fail`, something is with no law wanted too.
    """
    rng = random.Random(effort.seed)
    values = _Values(runner.problem, rng)
    enough = time.monotonic() + effort.seconds
    for number_ in range(effort.most):
        if number_ >= effort.least and time.monotonic() > enough:
            return
        case = values.case(number_)
        run = runner.run(case)
        for law in Law:
            for left, right in _pairs_of_trees(law, rng):
                if not (may_fail or law in wanted):
                    break
                found = _tried(run, case, law, left, right)
                if isinstance(found, Failed) or (found is not None and law in wanted):
                    yield found
        if not (wanted or may_fail) or time.monotonic() > deadline:
            return


def _pairs_of_trees(law: Law, rng: random.Random) -> Iterator[tuple[Tree, Tree]]:
    """Trees over the elements of a case that the law says are equal; merges of two elements recur in them."""
    for _ in range(_PAIRS if law is Law.COMMUTATIVE else _TRIPLES):
        yield sides(law, rng.sample(range(ELEMENTS), law.values))
    for _ in range(_DEEPER):
        sizes = [rng.randint(1, largest) for largest in _LARGEST[law]]
        yield sides(law, trees(rng.sample(range(ELEMENTS), sum(sizes)), sizes))


def _tried(run: Run, case: Case, law: Law, left: Tree, right: Tree) -> Found | None:
    try:
        return (law, Trial(case, left, right)) if run.differ(left, right) else None
    except NoValue as found:
        return Failed(case, found.tree)


def trees(positions: Sequence[int], sizes: Sequence[int]) -> list[Tree]:
    """One tree for each size: so many of the elements, merged from the left."""
    rest = iter(positions)
    made = []
    for size in sizes:
        tree: Tree = next(rest)
        for _ in range(size - 1):
            tree = (tree, next(rest))
        made.append(tree)
    return made


def sides(law: Law, values: Sequence[Tree]) -> tuple[Tree, Tree]:
    """The two trees of which the law says that they are equal, over two or three values."""
    if law is Law.COMMUTATIVE:
        a, b = values
        return (a, b), (b, a)
    a, b, c = values
    return ((a, b), c), (a, (b, c))


# ---------------------------------------------------------------- values

SIMPLE_INTS = (0, 1, 2, -1, 3, -2, 4, 5, 7, 10)
EXTREME_INTS = (INT_MAX, INT_MIN, INT_MAX - 1, INT_MIN + 1, 1 << 30, -(1 << 30), 46341, 65535, 65536, 0x55555555)
SIMPLE_FLOATS = (0.0, 1.0, 2.0, -1.0, 0.5, 3.0, -2.0, 4.0, 10.0, -0.5)
WIDE_FLOATS = (0.25, 100.0, -100.0, 1000.0, 0.125, 1.5, -1.5, 7.0, 0.0625, -3.0)


_SHAPES: Mapping[int, Sequence[tuple[int, ...]]] = {
    1: [(ELEMENTS,)],
    2: [(1, ELEMENTS), (ELEMENTS, 1), (2, ELEMENTS // 2)],
    3: [(1, 1, ELEMENTS), (2, 2, ELEMENTS // 4)],
}


class _Kind(Enum):
    """What the elements of a case are like."""

    SIMPLE = "few small numbers"
    MIXED = "small numbers, extreme ones, random ones and those near the constants of the merge"
    SPARSE = "zeros but for one leaf of an element"


class _Values:
    """Makes cases: the first ones of simple values, then also near the constants of the merge, extreme and random."""

    def __init__(self, problem: Problem, rng: random.Random) -> None:
        self._program = problem.program
        self._rng = rng
        constants = [t for t in postorder((*problem.merge.leaves, *problem.compute.leaves)) if t.is_const]
        ints = [int(number(t)) for t in constants if t.sort is Sort.INT]
        floats = [float(arithmetic.single(float(number(t)))) for t in constants if t.sort is Sort.REAL]
        self._ints = sorted({arithmetic.wrap(value + near) for value in ints for near in (-1, 0, 1)})
        self._floats = sorted({value * by for value in floats if abs(value) < 1e6 for by in (1.0, -1.0, 0.5)})
        self._most = len(SIMPLE_INTS)

    def case(self, number_: int) -> Case:
        """A case by its number: the first ones are the simplest."""
        kind = _Kind.SIMPLE if number_ % 3 == 0 else _Kind.SPARSE if number_ % 8 == 7 else _Kind.MIXED
        self._most = 3 + min(number_ // 9, len(SIMPLE_INTS) - 3)
        program = self._program
        shape = self._walked_shape()
        return Case(
            {port.name: self._field(port, shape, kind) for port in program.inputs},
            {param.name: self._param(param, number_ % 2 == 0) for param in program.params},
        )

    def _walked_shape(self) -> tuple[int, ...]:
        return self._rng.choice(_SHAPES[self._program.rank])

    def _field(self, port: ir.PortDecl, walked: tuple[int, ...], kind: _Kind) -> SmallField:
        shape = walked
        if not has_walked_shape(self._program, port.name):
            shape = tuple(self._rng.randint(1, 3) for _ in range(port.type.rank))
        elements: list[Leaves] = []
        for _ in range(math.prod(shape)):
            before = elements[-1] if elements else None
            elements.append(self._value(port.type.element, kind, before))
        return SmallField(shape, tuple(elements))

    def _value(self, type_: Type, kind: _Kind, before: Leaves | None) -> Leaves:
        """A random value; some of its leaves are those of the one before or near, as merges err where numbers tie."""
        kinds = leaves(type_)
        if kind is _Kind.SPARSE:
            chosen = self._rng.randrange(len(kinds))
            made = list(zero(type_))
            made[chosen] = self._scalar(kinds[chosen].scalar, True)
        else:
            made = [self._scalar(leaf.scalar, kind is _Kind.MIXED) for leaf in kinds]
        if before is not None and kind is not _Kind.SPARSE:
            made = [self._tied(new, old) for new, old in zip(made, before, strict=True)]
        return valid(type_, tuple(made))

    def _tied(self, new: Number, old: Number) -> Number:
        """Now and then the old number, or one that is a constant of the merge away from it."""
        chance = self._rng.random()
        if chance < 0.17:
            return old
        if chance > 0.22 or isinstance(old, bool):
            return new
        if isinstance(old, float):
            return arithmetic.single(old + self._rng.choice(self._floats or (0.5,)))
        return arithmetic.wrap(old + self._rng.choice((-1, 1)))

    def _scalar(self, scalar: Scalar, mixed: bool) -> Number:
        rng = self._rng
        if scalar is Scalar.BOOL:
            return rng.random() < 0.5
        kind = rng.randrange(4) if mixed else 0
        return self._int(kind) if scalar is Scalar.INT else self._float(kind)

    def _int(self, kind: int) -> int:
        rng = self._rng
        match kind:
            case 1 if self._ints:
                return rng.choice(self._ints)
            case 2:
                return rng.choice(EXTREME_INTS)
            case 3:
                return arithmetic.wrap(rng.getrandbits(32)) >> rng.randrange(32)
            case _:
                return rng.choice(SIMPLE_INTS[: self._most])

    def _float(self, kind: int) -> float:
        rng = self._rng
        match kind:
            case 1 if self._floats:
                return arithmetic.single(rng.choice(self._floats))
            case 2:
                return rng.choice(WIDE_FLOATS)
            case 3:
                return rng.randint(-128, 128) / 16 if rng.random() < 0.5 else arithmetic.single(rng.uniform(-4.0, 4.0))
            case _:
                return rng.choice(SIMPLE_FLOATS[: self._most])

    def _param(self, param: ir.ParamDecl, plain: bool) -> Leaves:
        """Its default, or a value within its range."""
        if plain and param.default is not None:
            return param_numbers(param.default)
        value = self._value(param.type, _Kind.MIXED, None)
        return within(param, value, self._rng.choice((None, param.low, param.high)))


def param_numbers(const: ir.Const) -> Leaves:
    """The leaves of a constant as numbers."""
    return tuple(
        bool(value) if leaf.scalar is Scalar.BOOL else value
        for leaf, value in zip(leaves(const.type), ir.const_numbers(const), strict=True)
    )


def within(param: ir.ParamDecl, value: Leaves, instead: ir.Const | None = None) -> Leaves:
    """A value of the param, moved to the nearest end of its range where it lies outside; or `instead`."""
    if instead is not None:
        return param_numbers(instead)
    made = list(value)
    if param.low is not None:
        made = [max(a, b) for a, b in zip(made, param_numbers(param.low), strict=True)]
    if param.high is not None:
        made = [min(a, b) for a, b in zip(made, param_numbers(param.high), strict=True)]
    return tuple(made)

"""Elements to try: simple values, extreme ones, and random ones near the constants of a merge."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import TypeVar

from kcheck.checker import arithmetic, ir
from kcheck.checker.arithmetic import INT_MAX, INT_MIN
from kcheck.checker.law.cases import has_walked_shape
from kcheck.checker.law.evaluate import Case, Leaves, Number, SmallField
from kcheck.checker.law.terms import Value
from kcheck.checker.law.values import valid, zero
from kcheck.checker.types import Scalar, Type, contains_enum, leaves

_N = TypeVar("_N", int, float)

COUNT = 8
"""How many elements a case has, unless there are to be more."""

SIMPLE_INTS = (0, 1, 2, -1, 3, -2, 4, 5, 7, 10)
EXTREME_INTS = (INT_MAX, INT_MIN, INT_MAX - 1, INT_MIN + 1, 1 << 30, -(1 << 30), 46341, 65535, 65536, 0x55555555)
SIMPLE_FLOATS = (0.0, 1.0, 2.0, -1.0, 0.5, 3.0, -2.0, 4.0, 10.0, -0.5)
WIDE_FLOATS = (0.25, 100.0, -100.0, 1000.0, 0.125, 1.5, -1.5, 7.0, 0.0625, -3.0)


class _Kind(Enum):
    """What the elements of a case are like."""

    SIMPLE = "few small numbers"
    MIXED = "small numbers, extreme ones, random ones and those near the constants of the merge"
    SPARSE = "zeros but for one leaf of an element"
    ROW = "Ints one after the other, of many elements alone: so they come into all of few places"
    TIED = "the same, where that leaf is a constant of the merge: weighted sums tie where two leaves swap their weights"


_KINDS: Mapping[int, _Kind] = {5: _Kind.TIED, 7: _Kind.SPARSE}
"""What one in eight cases is like, by the rest of its number."""


def _shapes(rank: int, count: int) -> Sequence[tuple[int, ...]]:
    """Shapes of so many elements, a multiple of 4."""
    match rank:
        case 1:
            return [(count,)]
        case 2:
            return [(1, count), (count, 1), (2, count // 2)]
        case _:
            return [(1, 1, count), (2, 2, count // 4)]


class Elements:
    """Makes cases: the first ones of simple values, then also near the constants of the merge, extreme and random."""

    def __init__(self, program: ir.Program, constants: Sequence[Value], rng: random.Random, count: int = COUNT) -> None:
        self._program = program
        self._shapes = _shapes(program.rank, count)
        self._has_many = count > COUNT
        self._rng = rng
        self._random = rng.random
        self._scalars = {
            type_: tuple(leaf.scalar for leaf in leaves(type_))
            for type_ in {port.type.element for port in program.inputs} | {param.type for param in program.params}
        }
        ints = [constant for constant in constants if isinstance(constant, int)]
        floats = [arithmetic.single(float(constant)) for constant in constants if isinstance(constant, Fraction)]
        self._ints = sorted({arithmetic.wrap(value + near) for value in ints for near in (-1, 0, 1)})
        self._weights = sorted({value for value in floats if 0 < abs(value) < 1e6})
        self._floats = sorted({value * by for value in floats if abs(value) < 1e6 for by in (1.0, -1.0, 0.5)})
        self._most = len(SIMPLE_INTS)

    def case(self, number_: int) -> Case:
        """A case by its number: the first ones are the simplest."""
        kind = _Kind.SIMPLE if number_ % 3 == 0 else _KINDS.get(number_ % 8, _Kind.MIXED)
        if self._has_many and number_ % 4 == 1:
            kind = _Kind.ROW
        self._most = 3 + min(number_ // 9, len(SIMPLE_INTS) - 3)
        program = self._program
        shape = self._rng.choice(self._shapes)
        return Case(
            {port.name: self._field(port, shape, kind) for port in program.inputs},
            {param.name: self._param(param, number_ % 2 == 0) for param in program.params},
        )

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
        scalars = self._scalars[type_]
        if kind is _Kind.ROW and before is not None:
            made = [arithmetic.wrap(int(old) + 1) if scalars[i] is Scalar.INT else old for i, old in enumerate(before)]
        elif kind is _Kind.SPARSE or kind is _Kind.TIED:
            chosen = self._below(len(scalars))
            made = list(zero(type_))
            weighted = kind is _Kind.TIED and len(self._weights) > 1 and scalars[chosen] is Scalar.FLOAT
            made[chosen] = self._choice(self._weights) if weighted else self._scalar(scalars[chosen], True)
        else:
            made = [self._scalar(scalar, kind is _Kind.MIXED) for scalar in scalars]
            if before is not None:
                made = [self._tied(new, old) for new, old in zip(made, before, strict=True)]
        return valid(type_, tuple(made)) if contains_enum(type_) else tuple(made)

    def _tied(self, new: Number, old: Number) -> Number:
        """Now and then the old number, or one that is a constant of the merge away from it."""
        chance = self._random()
        if chance < 0.17:
            return old
        if chance > 0.22 or isinstance(old, bool):
            return new
        if isinstance(old, float):
            return arithmetic.single(old + self._choice(self._floats or (0.5,)))
        return arithmetic.wrap(old + self._choice((-1, 1)))

    def _scalar(self, scalar: Scalar, mixed: bool) -> Number:
        if scalar is Scalar.BOOL:
            return self._random() < 0.5
        kind = self._below(4) if mixed else 0
        return self._int(kind) if scalar is Scalar.INT else self._float(kind)

    def _below(self, count: int) -> int:
        """A random position; quicker than `randrange`, and as even as it need be."""
        return int(self._random() * count)

    def _choice(self, numbers: Sequence[_N]) -> _N:
        return numbers[int(self._random() * len(numbers))]

    def _int(self, kind: int) -> int:
        match kind:
            case 1 if self._ints:
                return self._choice(self._ints)
            case 2:
                return self._choice(EXTREME_INTS)
            case 3:
                return arithmetic.wrap(self._rng.getrandbits(32)) >> self._below(32)
            case _:
                return SIMPLE_INTS[self._below(self._most)]

    def _float(self, kind: int) -> float:
        match kind:
            case 1 if self._floats:
                return arithmetic.single(self._choice(self._floats))
            case 2:
                return self._choice(WIDE_FLOATS)
            case 3 if self._random() < 0.5:
                return self._below(257) / 16 - 8.0
            case 3:
                return arithmetic.single(self._random() * 8.0 - 4.0)
            case _:
                return SIMPLE_FLOATS[self._below(self._most)]

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

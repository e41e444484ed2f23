"""Trees of random and of telling elements, many at once: whether a merge obeys a law where one tries it.

Elements become leaves by the program's own `compute`; leaves are merged in the trees of `SHAPES`, each over leaves of
its own.  The interpreter runs all trees together.  It rounds Floats, so where it sees a difference in a program with
Floats the same tree is run again in real arithmetic (`exact`), whose word counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from kcheck.checker import ir
from kcheck.checker.law.problem import Law
from kcheck.checker.types import Enum, Scalar, Type, contains, leaves
from kcheck.runtime.binding import bind
from kcheck.runtime.interpreter import Interpreter
from kcheck.runtime.layout import AnyArray, zeros
from tests.law.exact import Undecided, UndefinedValue, differ
from tests.law.exact_fields import ExactFields, element_at
from tests.law.layout import columns

Tree: TypeAlias = "int | tuple[Tree, Tree]"

SHAPES: Mapping[Law, tuple[tuple[Tree, Tree], ...]] = {
    Law.ASSOCIATIVE: (
        (((0, 1), 2), (0, (1, 2))),
        ((((0, 1), 2), 3), ((0, 1), (2, 3))),
        (((0, (1, 2)), 3), (0, ((1, 2), 3))),
        (((0, 1), (2, 3)), (0, (1, (2, 3)))),
        ((((0, 1), (2, 3)), (4, 5)), ((0, 1), ((2, 3), (4, 5)))),
        ((((0, 1), (2, (3, 4))), ((5, 6), 7)), ((0, 1), ((2, (3, 4)), ((5, 6), 7)))),
    ),
    Law.COMMUTATIVE: (
        ((0, 1), (1, 0)),
        (((0, 1), 2), (2, (0, 1))),
        (((0, 1), (2, 3)), ((2, 3), (0, 1))),
        ((0, ((1, 2), 3)), (((1, 2), 3), 0)),
        (((0, (1, 2)), ((3, 4), 5)), (((3, 4), 5), (0, (1, 2)))),
    ),
}
"""Pairs of trees that the law makes equal; a number is a leaf."""

LEAVES = 8
_PARAM_DRAWS = 8
_CONFIRMED_AT_MOST = 40
"""How many of the differences that the interpreter sees are run again in real arithmetic."""
_TOLERANCE = 2e-3
"""Relative to the largest Float of a tree: below it a difference may be rounding."""

_INTS = np.array(
    [
        *(0, 1, -1, 2, -2, 3, 5, 7, 10, 31, 32, 40, 41, 100, 127, 128, 255, 256, 1000, 65535, 65536),
        *(2**31 - 1, -(2**31), 2**31 - 2, -(2**31) + 1, 2**30, -(2**30)),
        *(0x55555555, -0x55555556, 0x12345678),
    ],
    np.int32,
)
_FLOATS = np.array(
    [0, 1, -1, 0.5, -0.5, 2, -2, 0.25, 3, 10, -10, 100, 0.125, 1.5, 0.1, 0.08, 0.06, 0.005, 0.01, 1e3], np.float32
)


@dataclass(frozen=True)
class Counterexample:
    """Leaves whose two trees differ, in real arithmetic."""

    law: Law
    trees: tuple[Tree, Tree]
    leaves: tuple[Any, ...]
    results: tuple[Any, Any]


class Trials:
    """Trees of one program, drawn with a fixed seed: at least `trees` for each law."""

    def __init__(self, program: ir.Program, trees: int, seed: int = 1) -> None:
        assert isinstance(program.schedule, ir.Fold)
        self.program = program
        self.schedule = program.schedule
        self.type = program.functions[program.schedule.merge].result
        self.has_floats = contains(self.type, Scalar.FLOAT) or any(
            contains(local.type, Scalar.FLOAT) for local in program.functions[program.schedule.merge].locals
        )
        self._interpreter = Interpreter()
        draws = _PARAM_DRAWS if program.params else 1
        count = -(-trees // (draws * min(map(len, SHAPES.values()))))
        chance = np.random.default_rng(seed)
        self.batches = [self._batch(chance, i, count) for i in range(draws)]

    def _batch(self, chance: np.random.Generator, draw: int, count: int) -> _Batch:
        params = {param.name: _param(chance, param, draw) for param in self.program.params}
        regimes = chance.integers(0, 4, count)
        elements = np.tile(regimes, LEAVES)
        inputs = {port.name: _values(chance, port.type.element, elements) for port in self.program.inputs}
        mapped = replace(self.program, schedule=ir.Elements(element=self.schedule.element))
        domain = None if self.program.sampled else (count * LEAVES,)
        outcome = self._interpreter.run(bind(mapped, {**inputs, **params}, domain))
        [output] = outcome.outputs.values()
        # A generator of its own, so that the values drawn are the same with any places.
        order = np.random.default_rng(draw).permuted(np.tile(np.arange(LEAVES), (count, 1)), axis=1)
        places = order.T * count + np.arange(count)
        return _Batch(self, count, regimes, params, inputs, output.data, places)

    def merge(self, params: Mapping[str, AnyArray], a: AnyArray, b: AnyArray) -> AnyArray:
        return self._interpreter.call(self.program, self.schedule.merge, [a, b], params)

    def counterexample(self, law: Law) -> Counterexample | None:
        """A tree that breaks the law, if one of these does."""
        return next((found for batch in self.batches for found in batch.counterexamples(law)), None)

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """The values of a few trees in real arithmetic and in the interpreter, where small numbers keep them alike."""
        yield from self.batches[0].pairs()

    def undefined(self) -> str | None:
        """A step without a value over the reals that some of these trees reach."""
        if not self.has_floats:
            return None
        return next((found for batch in self.batches if (found := batch.undefined())), None)


@dataclass(frozen=True)
class _Batch:
    """`count` trees of `LEAVES` leaves each, all of one regime; leaf k of tree t is element places[k, t].

    So a leaf may stand before another in a tree and behind it in the field.
    """

    trials: Trials
    count: int
    regimes: AnyArray
    params: Mapping[str, AnyArray]
    inputs: Mapping[str, AnyArray]
    elements: AnyArray
    places: AnyArray

    def counterexamples(self, law: Law) -> Iterator[Counterexample]:
        for left, right in SHAPES[law]:
            differing = self._differing(left, right)
            if self.trials.has_floats:
                yield from self._confirmed(law, left, right, differing)
            elif differing.size:
                yield self._shown(law, left, right, int(differing[0]))

    def _differing(self, left: Tree, right: Tree) -> AnyArray:
        """The trees whose two results differ in the interpreter, by more than rounding."""
        p, q = columns(self.trials.type, self._run(left)), columns(self.trials.type, self._run(right))
        differs = np.zeros(self.count, np.bool_)
        with np.errstate(all="ignore"):
            scale = self._scale(left, right)
            for x, y in zip(p, q, strict=True):
                differs |= np.abs(x - y) > _TOLERANCE * scale if x.dtype == np.float32 else x != y
        return np.flatnonzero(differs & np.isfinite(scale))

    def _scale(self, left: Tree, right: Tree) -> AnyArray:
        """The largest Float in any subtree of a tree, at least a thousandth."""
        scale = np.full(self.count, 1e-3, np.float32)
        for tree in {*_subtrees(left), *_subtrees(right)}:
            for column in columns(self.trials.type, self._run(tree)):
                if column.dtype == np.float32:
                    scale = np.maximum(scale, np.abs(column))
        return scale

    def _run(self, tree: Tree) -> AnyArray:
        known = self._known
        if tree not in known:
            assert isinstance(tree, tuple)
            known[tree] = self.trials.merge(self.params, self._run(tree[0]), self._run(tree[1]))
        return known[tree]

    @cached_property
    def _known(self) -> dict[Tree, AnyArray]:
        return {k: self.elements[self.places[k]] for k in range(LEAVES)}

    # ------------------------------------------------------------ in real arithmetic

    def _confirmed(self, law: Law, left: Tree, right: Tree, trees: AnyArray) -> Iterator[Counterexample]:
        """Those of these trees that differ over the reals too, and of the first few others."""
        tried = [*trees[:_CONFIRMED_AT_MOST].tolist(), *range(min(4, self.count))]
        for tree in tried:
            try:
                leaves_ = self._exact_leaves(tree)
                results = self._exact_run(left, leaves_), self._exact_run(right, leaves_)
            except (UndefinedValue, Undecided, OverflowError):
                continue
            if differ(*results):
                yield Counterexample(law, (left, right), tuple(leaves_), results)

    def undefined(self) -> str | None:
        """What the first trees of each kind meet that has no value, and those whose results are no numbers."""
        suspects = np.zeros(self.count, np.bool_)
        for tree in _WHOLE:
            for column in columns(self.trials.type, self._run(tree)):
                if column.dtype == np.float32:
                    suspects |= ~np.isfinite(column)
        for tree in [*np.flatnonzero(suspects)[:_CONFIRMED_AT_MOST].tolist(), *range(min(20, self.count))]:
            for shape in _WHOLE:
                try:
                    self._exact_run(shape, self._exact_leaves(tree))
                except UndefinedValue as found:
                    return f"{found} in tree {tree}"
                except (Undecided, OverflowError):
                    continue
        return None

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        for tree in np.flatnonzero(self.regimes < 2)[:8].tolist():
            for shape in (0, (0, 1), ((0, 1), 2)):
                run = element_at(self.trials.type, self._run(shape), tree)
                with suppress(Undecided, OverflowError):
                    yield self._exact_run(shape, self._exact_leaves(tree)), run

    def _exact_run(self, tree: Tree, leaves_: Sequence[Any]) -> Any:
        if isinstance(tree, int):
            return leaves_[tree]
        return self._exact.program.merge(self._exact_run(tree[0], leaves_), self._exact_run(tree[1], leaves_))

    def _exact_leaves(self, tree: int) -> list[Any]:
        return [self._exact.leaf(int(self.places[k, tree])) for k in range(LEAVES)]

    @cached_property
    def _exact(self) -> ExactFields:
        return ExactFields(self.trials.program, self.inputs, self.params)

    def _shown(self, law: Law, left: Tree, right: Tree, tree: int) -> Counterexample:
        leaves_ = [element_at(self.trials.type, self._run(k), tree) for k in range(LEAVES)]
        results = [element_at(self.trials.type, self._run(side), tree) for side in (left, right)]
        return Counterexample(law, (left, right), tuple(leaves_), (results[0], results[1]))


_WHOLE: tuple[Tree, ...] = ((0, 1), ((0, 1), 2), ((0, 1), (2, 3)), (((0, 1), (2, (3, 4))), ((5, 6), 7)))


def _subtrees(tree: Tree) -> Iterator[Tree]:
    yield tree
    if isinstance(tree, tuple):
        for side in tree:
            yield from _subtrees(side)


# ---------------------------------------------------------------- values


def _values(chance: np.random.Generator, type_: Type, regimes: AnyArray) -> AnyArray:
    """An element for each regime, of the kind of number that it says."""
    data = zeros(type_, regimes.shape)
    if isinstance(type_, Enum):
        data["tag"] = chance.integers(0, len(type_.variants), regimes.shape)
        for i, variant in enumerate(type_.variants):
            chosen = data["tag"] == i
            for field in variant.fields:
                data[variant.name][field.name][chosen] = _values(chance, field.type, regimes)[chosen]
        return data
    for column, leaf in zip(columns(type_, data), leaves(type_), strict=True):
        column[...] = _scalars(chance, leaf.scalar, regimes)
    return data


def _scalars(chance: np.random.Generator, kind: Scalar, regimes: AnyArray) -> AnyArray:
    """Numbers by regime: a handful of small ones, so that many are equal; small; telling; any."""
    n = regimes.shape[0]
    if kind is Scalar.BOOL:
        return chance.integers(0, 2, n).astype(np.bool_)
    if kind is Scalar.INT:
        choices = [
            chance.integers(-1, 3, n),
            chance.integers(-20, 60, n),
            _INTS[chance.integers(0, len(_INTS), n)],
            chance.integers(-(2**31), 2**31, n),
        ]
        return np.choose(regimes, [c.astype(np.int32) for c in choices])
    floats = [
        chance.integers(-1, 3, n) * 0.5,
        chance.integers(-40, 40, n) / 8.0,
        _FLOATS[chance.integers(0, len(_FLOATS), n)],
        chance.normal(0.0, 2.0, n) * 10.0 ** -(np.arange(n) % (n // LEAVES) % 3),
    ]
    return np.choose(regimes, [f.astype(np.float32) for f in floats])


def _param(chance: np.random.Generator, param: ir.ParamDecl, draw: int) -> AnyArray:
    """The default first, then the ends of the range, then anything within it."""
    data = zeros(param.type, (1,))
    lows, highs, defaults = (_numbers(const) for const in (param.low, param.high, param.default))
    for i, (column, leaf) in enumerate(zip(columns(param.type, data), leaves(param.type), strict=True)):
        any_int = -10 if draw < 5 else -(2**31)
        low = lows[i] if lows else any_int
        high = highs[i] if highs else -any_int - 1
        if draw == 0 and defaults:
            column[...] = defaults[i]
        elif draw in (1, 2):
            extreme = low if draw == 1 else high
            column[...] = extreme if lows or leaf.scalar is not Scalar.INT else (2**31 - 1 if draw == 2 else -(2**31))
        elif leaf.scalar is Scalar.FLOAT:
            column[...] = chance.uniform(low, high)
        else:
            column[...] = chance.integers(int(low), int(high) + 1)
    return data[0]


def _numbers(const: ir.Const | None) -> list[float | int]:
    return ir.const_numbers(const) if const else []

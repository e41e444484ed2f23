"""Trying elements: small runs with simple, extreme and random values, merged in two groupings or orders.

This finds nearly all merges that break a law, in milliseconds.  What it finds is a candidate: a double is not quite a
real number, so `witness` confirms it before anyone is told.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from kcheck.checker.law import work
from kcheck.checker.law.elements import COUNT, Elements
from kcheck.checker.law.evaluate import Case, Leaves
from kcheck.checker.law.problem import Law
from kcheck.checker.law.running import Run, Runner
from kcheck.checker.law.verdict import Tree, Trial, sides_of


@dataclass(frozen=True, slots=True)
class Failed:
    """A tree of which the last merge (or the compute) has a step without a value."""

    case: Case
    tree: Tree


Found: TypeAlias = "tuple[Law, Trial] | Failed"

_LARGEST: Mapping[Law, tuple[int, ...]] = {Law.COMMUTATIVE: (4, 4), Law.ASSOCIATIVE: (3, 3, 2)}
"""How many of `COUNT` elements at most are merged into each of the values that a law speaks of."""

_PAIRS = 15
_TRIPLES = 10
_DEEPER = 4
"""How many pairs and triples of elements are tried in each case, and how many of values merged of more."""

_PLANS = 16
"""How many choices of trees there are; a case takes one by its number."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How many cases are tried: after the `least` no more than so many `seconds` of work allow."""

    least: int
    most: int
    seconds: float
    seed: int = 0
    count: int = COUNT
    """How many elements each case has."""


def candidates(runner: Runner, wanted: set[Law], effort: Effort, deadline: float, *, may_fail: bool) -> Iterator[Found]:
    """Trials that seem to break one of the laws still `wanted` (the caller takes some out), and failed steps.

    Nothing is tried after the deadline, which is one of real time; where steps `may_fail`, something is with no law
    wanted too.
    """
    elements = Elements(runner.program, runner.constants, random.Random(effort.seed), effort.count)
    enough = work.clock() + effort.seconds
    for number in range(effort.most):
        if number >= effort.least and work.clock() > enough:
            return
        case = elements.case(number)
        plan = _plan(frozenset(Law) if may_fail else frozenset(wanted), number % _PLANS, effort.count)
        work.count(runner.seconds_a_merge * len(plan.merges))
        for found in _tried(runner.run(case), case, plan):
            if isinstance(found, Failed) or found[0] in wanted:
                yield found
        if not (wanted or may_fail) or time.monotonic() > deadline:
            return


def _tried(run: Run, case: Case, plan: _Plan) -> Iterator[Found]:
    """What is found in one case; a step without a value is told once, and what rests on it is left out."""
    values: list[Leaves | None] = []
    for position, state in enumerate(run.states):
        if isinstance(state, int):
            yield Failed(case, position)
        values.append(None if isinstance(state, int) else state)
    for tree, left, right in plan.merges:
        a, b = values[left], values[right]
        merged = None
        if a is not None and b is not None:
            merged, failing = run.merged(a, b)
            if failing is not None:
                yield Failed(case, tree)
                merged = None
        values.append(merged)
    for law, left, right in plan.pairs:
        a, b = values[left], values[right]
        if a is not None and b is not None and a != b and run.are_different(a, b):
            yield law, Trial(case, plan.trees[left], plan.trees[right])


# ---------------------------------------------------------------- trees


@dataclass(frozen=True, slots=True)
class _Plan:
    """Trees over the elements of a case, each made once of two that come before it: first the elements themselves."""

    trees: tuple[Tree, ...]
    merges: tuple[tuple[Tree, int, int], ...]
    """Each tree that is no element, and the positions of its two sides in `trees`."""
    pairs: tuple[tuple[Law, int, int], ...]
    """The positions of two trees of which a law says that they are equal."""


@cache
def _plan(laws: frozenset[Law], number: int, count: int) -> _Plan:
    rng = random.Random(number)
    at: dict[Tree, int] = {position: position for position in range(count)}
    merges: list[tuple[Tree, int, int]] = []

    def place(tree: Tree) -> int:
        if tree not in at:
            assert not isinstance(tree, int)
            left, right = map(place, sides_of(tree))
            merges.append((tree, left, right))
            at[tree] = len(at)
        return at[tree]

    pairs = [
        (law, place(left), place(right))
        for law in Law
        for left, right in _pairs_of_trees(law, rng, count)
        if law in laws
    ]
    return _Plan(tuple(at), tuple(merges), tuple(pairs))


def _pairs_of_trees(law: Law, rng: random.Random, count: int) -> Iterator[tuple[Tree, Tree]]:
    """Trees over the elements of a case that the law says are equal; merges of two elements recur in them."""
    for _ in range(_PAIRS if law is Law.COMMUTATIVE else _TRIPLES):
        yield sides(law, rng.sample(range(count), law.values))
    for _ in range(_DEEPER):
        sizes = [rng.randint(1, largest * count // COUNT) for largest in _LARGEST[law]]
        yield sides(law, trees(rng.sample(range(count), sum(sizes)), sizes))


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

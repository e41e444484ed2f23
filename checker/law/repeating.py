"""Merging very many equal elements: a count may wrap, or reach a number that the merge speaks of, only far out.

A merge for each doubling is all that it takes to know the value of a million copies, or of as many as a field holds.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice, product, zip_longest
from typing import TypeVar

from kcheck.checker.law import work
from kcheck.checker.law.cases import can_repeat, placed_apart
from kcheck.checker.law.elements import Elements
from kcheck.checker.law.evaluate import Case, Leaves, Number
from kcheck.checker.law.problem import MAX_LEAVES, Law, Problem
from kcheck.checker.law.running import NoValue, Run, WrittenOut
from kcheck.checker.law.sampling import Failed, Found, sides
from kcheck.checker.law.terms import Op, Sort, Value, number, postorder
from kcheck.checker.law.verdict import Tree, Trial, copies, elements_of, sides_of, size_of

_T = TypeVar("_T")

_CASES = 6
_MOST_BASES = 3
"""Of how many elements copies are merged, besides those of two elements merged."""
_MOST_CONSTANTS = 6
_MOST_COUNTS = 8
"""How many counts are taken for what the constants of a merge say of one base."""
_MOST_VALUES = 18
"""A law is tried for all choices of so many values."""
_FEW = 8
"""Fewer elements are tried elsewhere."""
_MERGES = 400
"""About how many merges a case takes."""
_COMPARED = 1e-6
"""The work of comparing two merges, but for these."""
_SEED = 6

_COMPARISONS = frozenset({Op.EQ, Op.LT, Op.LE, Op.ULT, Op.MIN, Op.MAX, Op.FLOOR, Op.TO_INT})


def repeated(runner: WrittenOut, wanted: set[Law], seconds: float, *, may_fail: bool) -> Iterator[Found]:
    """Steps without a value far out, where there `may` be such, and trials that seem to break a law still `wanted`.

    The caller takes laws out of these.  After so many seconds of work, besides the caller's own, nothing is tried.
    """
    is_worthwhile = can_repeat(runner.problem) and _may_fail_far_out(runner.problem)
    if not is_worthwhile or _MERGES * runner.seconds_a_merge > seconds:
        return
    elements = Elements(runner.program, runner.constants, random.Random(_SEED))
    left = _Left(seconds)
    for index in range(_CASES):
        if not (wanted or may_fail) or left.is_none:
            return
        case = elements.case(index)
        far = _Far(runner, case, left)
        if may_fail and far.failing is not None:
            apart, (first, second) = placed_apart(runner.program, case, far.failing)
            with left.paused():
                yield Failed(apart, (first, second))
        for law in sorted(wanted, key=lambda law: law.values):
            broken = next(far.broken(law), None)
            if broken is not None:
                apart, trees = placed_apart(runner.program, case, broken)
                with left.paused():
                    yield law, Trial(apart, *sides(law, trees))


class _Left:
    """Seconds of work that are left."""

    def __init__(self, seconds: float) -> None:
        self._until = work.clock() + seconds

    @property
    def is_none(self) -> bool:
        return work.clock() >= self._until

    @contextmanager
    def paused(self) -> Iterator[None]:
        """What is done meanwhile does not count."""
        start = work.clock()
        yield
        self._until += work.clock() - start


def _may_fail_far_out(problem: Problem) -> bool:
    """Whether some number wraps, or is held against another one."""
    return Sort.INT in problem.sorts or any(term.op in _COMPARISONS for term in postorder(problem.merge.leaves))


@dataclass(frozen=True, slots=True)
class _Value:
    leaves: Leaves
    tree: Tree
    size: int


class _Far:
    """Values of very many equal elements of a case, and the laws tried on them."""

    def __init__(self, runner: WrittenOut, case: Case, left: _Left) -> None:
        self._runner = runner
        self._run: Run = runner.run(case)
        self._left = left
        self.failing: tuple[Tree, Tree] | None = None
        """Two trees whose merge has no value."""
        found = _in_turns(*map(self._copied, self._bases()))
        self._values = sorted(islice(found, _MOST_VALUES), key=lambda value: (_named(value.tree), -value.size))
        self._merged = {
            (i, j): self._merge(a, b) for i, a in enumerate(self._values) for j, b in enumerate(self._values)
        }
        work.count(runner.seconds_a_merge * (self._run.merges + len(self._merged)))

    # ------------------------------------------------------------ the values

    def _bases(self) -> list[Tree]:
        """Different elements, and the merge of two."""
        different: dict[Leaves, Tree] = {}
        for position, state in enumerate(self._run.states):
            if isinstance(state, tuple):
                different.setdefault(state, position)
        single = list(different.values())[:_MOST_BASES]
        return [*single, (single[0], single[1])] if len(single) > 1 else single

    def _copied(self, base: Tree) -> Iterator[_Value]:
        """The base, and copies of it whose values are likely to tell: where a number is one that the merge speaks of,
        where their row changes, and the most of them."""
        powers = self._powers(base)
        last = len(powers) - 1
        told = (1 << k for k in (*_turns(powers), last - 1, last) if k > 0)
        for count in (1, *_in_turns(islice(self._counts(powers), _MOST_COUNTS), told)):
            tree = copies(base, count)
            size = size_of(tree)
            leaves = self._value(tree) if size <= MAX_LEAVES else None
            if leaves is not None:
                yield _Value(leaves, tree, size)

    def _powers(self, base: Tree) -> list[Leaves]:
        """The values of 1, 2, 4, 8 … copies, until one recurs."""
        found: dict[Leaves, None] = {}
        count = 1
        while count * size_of(base) <= MAX_LEAVES:
            value = self._value(copies(base, count))
            if value is None or value in found:
                break
            found[value] = None
            count *= 2
        return list(found)

    def _value(self, tree: Tree) -> Leaves | None:
        try:
            value = self._run.value(tree)
        except NoValue as found:
            if self.failing is None and not isinstance(found.tree, int):
                self.failing = sides_of(found.tree)
            return None
        return value if all(map(math.isfinite, value)) else None

    def _counts(self, powers: Sequence[Leaves]) -> Iterator[int]:
        """How many copies give a number that the merge speaks of, or nearly, where each adds the same."""
        if len(powers) < 3:
            return
        rows = [row for row in zip(*powers[:3], self._runner.problem.sorts, strict=True) if _adds(*row)]
        for constant in self._constants:
            for one, two, _, sort in rows:
                step = Fraction(two) - Fraction(one)
                yield from _reaching(constant, one - step, step, sort)

    @cached_property
    def _constants(self) -> Sequence[Value]:
        terms = postorder(self._runner.problem.merge.leaves)
        found = {number(term) for term in terms if term.is_const and term.sort is not Sort.BOOL}
        return [*sorted(found, key=lambda value: -abs(Fraction(value)))[:_MOST_CONSTANTS], 0, 1 << 31]

    # ------------------------------------------------------------ the laws

    def _merge(self, a: _Value, b: _Value) -> Leaves | None:
        leaves, failing = self._run.merged(a.leaves, b.leaves)
        if failing is None or a.size + b.size > MAX_LEAVES:
            return leaves
        self.failing = self.failing or (a.tree, b.tree)
        return None

    def broken(self, law: Law) -> Iterator[list[Tree]]:
        """Trees for which the law fails, the plainest first, and of these the largest."""
        values = self._values
        for chosen in product(range(len(values)), repeat=law.values):
            size = sum(values[i].size for i in chosen)
            if not _FEW < size <= MAX_LEAVES:
                continue
            work.count(_COMPARED)
            if self._left.is_none:
                return
            left, right = self._sides(chosen)
            if left is None or right is None or left == right:
                continue
            if self._run.are_different(left, right, *(values[i].leaves for i in chosen)):
                yield [values[i].tree for i in chosen]

    def _sides(self, chosen: Sequence[int]) -> tuple[Leaves | None, Leaves | None]:
        """What the law says is equal."""
        if len(chosen) == 2:
            i, j = chosen
            return self._merged[i, j], self._merged[j, i]
        i, j, k = chosen
        left, right = self._merged[i, j], self._merged[j, k]
        if left is None or right is None:
            return None, None
        work.count(2 * self._runner.seconds_a_merge)
        merged = self._run.merged
        (first, _), (second, _) = merged(left, self._values[k].leaves), merged(self._values[i].leaves, right)
        return first, second


def _named(tree: Tree) -> int:
    """How many elements have a name in a tree."""
    return sum(1 for _ in elements_of(tree))


def _in_turns(*rows: Iterable[_T]) -> Iterator[_T]:
    """The first of each row, then the second of each, and so on; none twice."""
    return iter(dict.fromkeys(one for found in zip_longest(*rows) for one in found if one is not None))


def _adds(one: Number, two: Number, four: Number, sort: Sort) -> bool:
    """Whether each copy adds the same to a number, and not 0."""
    return sort is not Sort.BOOL and one != two and four - two == 2 * (two - one)


def _turns(powers: Sequence[Leaves]) -> list[int]:
    """The first row of three powers in which the last step is not twice the one before: something wrapped or ended."""
    for k in range(len(powers) - 2):
        rows = zip(*powers[k : k + 3], strict=True)
        if any(last - middle != 2 * (middle - first) for first, middle, last in rows):
            return [k + 1, k + 2]
    return []


def _reaching(constant: Value, start: Fraction, step: Fraction, sort: Sort) -> Iterator[int]:
    """Where `start + step * count` is the constant, or first beyond it; an Int also where it wraps to that."""
    near = math.floor((constant - start) / step)
    wrapped = _solution(int(step), int(constant - start)) if sort is Sort.INT else near
    for count in dict.fromkeys((near, near + 1, wrapped)):
        if _FEW < count <= MAX_LEAVES:
            yield count


def _solution(factor: int, value: int) -> int:
    """The least number, at least 1, whose product with the factor is the value in 32 bits; 0 where there is none."""
    common = math.gcd(factor, 1 << 32)
    modulus = (1 << 32) // common
    return 0 if value % common else value // common * pow(factor // common, -1, modulus) % modulus or modulus

"""Lexicographic comparisons as comparisons of ranks.

`k > x || (k == x && n < y)` says that the pair (k, n) comes before (x, y) in a total order.  Only that order counts, so
each pair may be one number, its rank: equal ranks are equal pairs.  Where a merge does no more with two of its leaves
than compare and choose them together, a merge of their ranks takes its place, which has half as many comparisons and
none that turn on others.  Nothing is known of a rank but its order, so what is proved of ranks holds of the pairs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cmp_to_key
from typing import TypeAlias

from kcheck.checker import floats
from kcheck.checker.arithmetic import INT_MAX, INT_MIN
from kcheck.checker.law.problem import Input, Problem, Symbolic
from kcheck.checker.law.solver.wording import number_text
from kcheck.checker.law.terms import Op, Sort, Term, Terms, number, postorder, variables
from kcheck.checker.types import FLOAT, FieldOf, Scalar, Struct, leaves

Tuple: TypeAlias = "tuple[Term, ...]"
"""Terms that are compared one after the other."""

Order: TypeAlias = "tuple[bool, ...]"
"""Of each of them whether the smaller comes first."""

_FLOAT_MAX = Fraction(floats.to_float(floats.INFINITY - 1))
_ENDS: Mapping[Sort, tuple[int | Fraction, int | Fraction]] = {
    Sort.INT: (INT_MIN, INT_MAX),
    Sort.REAL: (-_FLOAT_MAX, _FLOAT_MAX),
}


@dataclass(frozen=True, slots=True)
class Ranked:
    """A problem of ranks: a law that holds of it holds of the one it was made from, where all steps have a value.

    The ranks of constant tuples are 0, 1 …; `constants` are the texts of these tuples.
    """

    problem: Problem
    constants: tuple[str, ...]

    def in_words(self, text: str) -> str:
        """The text of an invariant, with the tuples in place of their ranks."""
        return _COMPARED.sub(lambda found: found[1] + self._constant(int(found[2])), text)

    def _constant(self, rank: int) -> str:
        return self.constants[rank] if rank < len(self.constants) else str(rank)


_COMPARED = re.compile(r"(\([^()]*\) \S+ )(\d+)\b")
"""The rank of leaves, and the constant that it is compared with."""


def ranked(problem: Problem) -> Ranked | None:
    """The problem with ranks for the leaves that are compared and chosen together; None where there are none."""
    found = _Tuples(problem)
    compared = [comparison for term in postorder(problem.merge.leaves) if (comparison := _lexicographic(term))]
    parts = {comparison.pairs[1:] for comparison in compared}
    if not all(found.take(comparison) for comparison in compared if comparison.pairs not in parts):
        return None
    return _Rewriting(problem, found).ranked() if found.leaves else None


@dataclass(frozen=True, slots=True)
class _Comparison:
    """That the first pair which is not equal is in ascending order; where all are equal, `or_equal`."""

    pairs: tuple[tuple[Term, Term], ...]
    or_equal: bool


def _lexicographic(term: Term) -> _Comparison | None:
    """What the term says, if it compares more than one pair."""
    if term.op is not Op.OR:
        return None
    for first, rest in (term.args, term.args[::-1]):
        if first.op is not Op.LT or rest.op is not Op.AND:
            continue
        for equal, then in (rest.args, rest.args[::-1]):
            if equal.op is Op.EQ and set(equal.args) == set(first.args):
                last = _lexicographic(then) or _single(then)
                if last is not None:
                    return _Comparison(((first.args[0], first.args[1]), *last.pairs), last.or_equal)
    return None


def _single(term: Term) -> _Comparison | None:
    if term.op in (Op.LT, Op.LE):
        return _Comparison(((term.args[0], term.args[1]),), term.op is Op.LE)
    return None


class _Tuples:
    """Which leaves belong together, by their positions, and in which order their tuples are."""

    def __init__(self, problem: Problem) -> None:
        self._sides = [{leaf: i for i, leaf in enumerate(side)} for side in (problem.left, problem.right)]
        self.leaves: dict[int, tuple[int, ...]] = {}
        """The tuples, each by the first of its leaves."""
        self.order: Order = ()
        self.sides: dict[_Comparison, tuple[Tuple, Tuple]] = {}

    def take(self, comparison: _Comparison) -> bool:
        """Learn from a comparison; False where it does not fit what is known."""
        [(x, y), *rest] = comparison.pairs
        low, high, order = [x], [y], [True]
        for u, v in rest:
            straight, crossed = _beside(x, u) and _beside(y, v), _beside(x, v) and _beside(y, u)
            if straight and crossed:
                straight = self._are_of_one_side(x, u)
            elif not (straight or crossed):
                return False
            low.append(u if straight else v)
            high.append(v if straight else u)
            order.append(straight)
        self.sides[comparison] = tuple(low), tuple(high)
        self.order = self.order or tuple(order)
        return self.order == tuple(order) and all(map(self._add, (*_chosen(tuple(low)), *_chosen(tuple(high)))))

    def _are_of_one_side(self, x: Term, u: Term) -> bool:
        pairs = list(_chosen((x, u)))
        return all(any(a in side and b in side for side in self._sides) for a, b in pairs)

    def _add(self, parts: Tuple) -> bool:
        for side in self._sides:
            if all(part in side for part in parts):
                leaves_ = tuple(side[part] for part in parts)
                return self.leaves.setdefault(leaves_[0], leaves_) == leaves_
        return False

    @property
    def are_apart(self) -> bool:
        """Whether no leaf belongs to two tuples."""
        every = [leaf for leaves_ in self.leaves.values() for leaf in leaves_]
        return len(every) == len(set(every))


def _beside(a: Term, b: Term) -> bool:
    """Whether two terms choose by the same conditions among variables."""
    if a.op is Op.VAR and b.op is Op.VAR:
        return True
    if a.op is not Op.IF or b.op is not Op.IF or a.args[0] is not b.args[0]:
        return False
    return _beside(a.args[1], b.args[1]) and _beside(a.args[2], b.args[2])


def _chosen(parts: Tuple) -> Iterator[Tuple]:
    """What such terms choose among, together."""
    if parts[0].op is not Op.IF:
        yield parts
        return
    for branch in (1, 2):
        yield from _chosen(tuple(part.args[branch] for part in parts))


@dataclass
class _Rewriting:
    """Makes the problem with ranks."""

    of: Problem
    tuples: _Tuples
    _ranks: dict[Tuple, Term] = field(default_factory=dict)
    _inputs: list[Input] = field(default_factory=list)

    @property
    def _terms(self) -> Terms:
        return self.of.terms

    def ranked(self) -> Ranked | None:
        of, tuples = self.of, self.tuples
        if not tuples.are_apart:
            return None
        ranked_leaves = {leaf for leaves_ in tuples.leaves.values() for leaf in leaves_}
        rest = [i for i in range(len(of.left)) if i not in ranked_leaves]
        chosen = sorted(tuples.leaves.values())
        sides = []
        for name, side in (("left", of.left), ("right", of.right)):
            for leaves_ in chosen:
                parts = tuple(side[leaf] for leaf in leaves_)
                self._ranks[parts] = self._terms.var(f"{name}.rank.{leaves_[0]}", Sort.REAL)
            sides.append((*(self._ranks[tuple(side[i] for i in t)] for t in chosen), *(side[i] for i in rest)))
        merged = self._merged(chosen, rest)
        if merged is None or not set(variables(merged)) <= {*sides[0], *sides[1], *variables(of.params)}:
            return None
        constants = self._constants(chosen)
        computed = [self._computed(tuple(of.compute.leaves[i] for i in t), constants) for t in chosen]
        problem = replace(
            of,
            type=self._type(chosen, rest),
            left=sides[0],
            right=sides[1],
            merge=Symbolic(merged, ()),
            compute=Symbolic((*computed, *(of.compute.leaves[i] for i in rest)), ()),
            inputs=(*of.inputs, *self._inputs),
        )
        return Ranked(problem, tuple(_text(parts) for parts in constants))

    def _merged(self, chosen: Sequence[tuple[int, ...]], rest: Sequence[int]) -> tuple[Term, ...] | None:
        """The leaves of merge, ranks first."""
        merge, done = self.of.merge.leaves, dict[Term, Term]()
        for term in postorder(merge):
            comparison = _lexicographic(term)
            if comparison in self.tuples.sides:
                low, high = (self._rank(side, done) for side in self.tuples.sides[comparison])
                if low is None or high is None:
                    return None
                done[term] = self._terms.le(low, high) if comparison.or_equal else self._terms.lt(low, high)
            else:
                done[term] = self._terms.rebuild(term, [done[arg] for arg in term.args]) if term.args else term
        ranks = [self._rank(tuple(merge[i] for i in leaves_), done) for leaves_ in chosen]
        known = tuple(rank for rank in ranks if rank is not None)
        return (*known, *(done[merge[i]] for i in rest)) if len(known) == len(ranks) else None

    def _rank(self, parts: Tuple, done: Mapping[Term, Term]) -> Term | None:
        """The rank of a tuple of terms that choose by the same conditions; None where they do not."""
        if parts in self._ranks or parts[0].op is not Op.IF:
            return self._ranks.get(parts)
        condition = parts[0].args[0]
        if not all(part.op is Op.IF and part.args[0] is condition for part in parts):
            return None
        branches = [self._rank(tuple(part.args[branch] for part in parts), done) for branch in (1, 2)]
        if branches[0] is None or branches[1] is None:
            return None
        self._ranks[parts] = self._terms.if_(done[condition], branches[0], branches[1])
        return self._ranks[parts]

    # ------------------------------------------------------------ compute

    def _constants(self, chosen: Sequence[tuple[int, ...]]) -> dict[Tuple, Term]:
        """The ranks of the constant tuples that compute gives: 0, 1 … in their order."""
        found = {
            parts
            for leaves_ in chosen
            for parts in _parts_of(tuple(self.of.compute.leaves[i] for i in leaves_))
            if all(part.is_const for part in parts)
        }
        ordered = sorted(found, key=cmp_to_key(self._compared))
        return {parts: self._terms.real(i) for i, parts in enumerate(ordered)}

    def _compared(self, p: Tuple, q: Tuple) -> int:
        for a, b, is_ascending in zip(p, q, self.tuples.order, strict=True):
            if a is not b:
                return 1 if (number(a) > number(b)) == is_ascending else -1
        return 0

    def _computed(self, parts: Tuple, constants: Mapping[Tuple, Term]) -> Term:
        """The rank of what compute gives: where it is no constant, anything that its place among them allows."""
        if parts in constants:
            return constants[parts]
        if _is_choice(parts):
            condition = parts[0].args[0]
            then, otherwise = (self._computed(tuple(p.args[i] for p in parts), constants) for i in (1, 2))
            return self._terms.if_(condition, then, otherwise)
        variable = self._terms.var(f"rank {len(self._inputs)}", Sort.REAL)
        first = [c for c in constants if self._is_end(c, parts, first=True)]
        last = [c for c in constants if self._is_end(c, parts, first=False)]
        low = int(number(constants[first[0]])) if first else None
        high = int(number(constants[last[0]])) if last else None
        self._inputs.append(Input(variable, self.of.inputs[0].read, 0, low, high))
        return variable

    def _is_end(self, constant: Tuple, parts: Tuple, *, first: bool) -> bool:
        """Whether these parts never come before (or after) the constant."""
        return all(_has_ends(part) for part in parts) and all(
            number(part) == _ENDS[part.sort][is_ascending != first]
            for part, is_ascending in zip(constant, self.tuples.order, strict=True)
        )

    def _type(self, chosen: Sequence[tuple[int, ...]], rest: Sequence[int]) -> Struct:
        names, scalars = self.of.names, [leaf.scalar for leaf in leaves(self.of.type)]
        fields = [FieldOf(f"({', '.join(names[i] for i in leaves_)})", FLOAT) for leaves_ in chosen]
        return Struct("ranked", "ranked", (*fields, *(FieldOf(names[i], Scalar(scalars[i])) for i in rest)))


def _has_ends(term: Term) -> bool:
    """Whether it is within the `_ENDS` of its sort: what is read is a Float, what is computed need not be one."""
    return term.sort is Sort.INT or term.op in (Op.VAR, Op.CONST)


def _text(constants: Tuple) -> str:
    return f"({', '.join(number_text(Fraction(number(constant))) for constant in constants)})"


def _is_choice(parts: Tuple) -> bool:
    return all(part.op is Op.IF and part.args[0] is parts[0].args[0] for part in parts)


def _parts_of(parts: Tuple) -> Iterator[Tuple]:
    """The tuples among which compute chooses."""
    if not _is_choice(parts):
        yield parts
        return
    for branch in (1, 2):
        yield from _parts_of(tuple(part.args[branch] for part in parts))

"""What a verdict says that it rests on: the invariants that tell a person something."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from kcheck.checker.law.problem import Invariant, Problem, ghost_count
from kcheck.checker.law.solver.intervals import assumed_ranges, is_bound
from kcheck.checker.law.terms import Op, Term
from kcheck.checker.types import Array, Enum, Struct, Type, leaf_count, parts


def told(problem: Problem, invariants: Sequence[Invariant]) -> tuple[str, ...]:
    """The texts, but for bounds that a type has anyway or that an equality among the invariants implies."""
    state = problem.state("h")
    known = set(_valued(problem, invariants))
    last_tags = {state[leaf]: last for leaf, last in _tags(problem.type)}
    return tuple(i.text for i in invariants if not _is_implied(i.holds, known, last_tags))


def _is_implied(holds: Term, known: Set[Term], last_tags: Mapping[Term, int]) -> bool:
    if holds.op is Op.EQ or not is_bound(holds):
        return False
    [(leaf, interval)] = assumed_ranges((holds,)).items()
    last = last_tags.get(leaf)
    return leaf in known or (last is not None and (interval.low == 0 or interval.high == last))


def _valued(problem: Problem, invariants: Sequence[Invariant]) -> Iterator[Term]:
    """The leaves that equal a constant or the number of elements."""
    count = ghost_count(problem, "h")
    for invariant in invariants:
        if invariant.holds.op is Op.EQ:
            a, b = invariant.holds.args
            for leaf, other in ((a, b), (b, a)):
                if other.is_const or other is count or (other.op is Op.TO_REAL and other.args[0] is count):
                    yield leaf


def _tags(type_: Type, first: int = 0) -> Iterator[tuple[int, int]]:
    """The leaves that are the tag of an enum, and the last tag of each; `first` is the first leaf of the type."""
    match type_:
        case Enum():
            yield first, len(type_.variants) - 1
            inner = [field.type for variant in type_.variants for field in variant.fields]
            first += 1
        case Struct() | Array():
            inner = list(parts(type_))
        case _:
            return
    for part in inner:
        yield from _tags(part, first)
        first += leaf_count(part)

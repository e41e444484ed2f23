"""Steps that plain bounds of reachable values show to have a value, without z3.

Most divisors are counts or sums of what is above 0, and most roots are of squares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kcheck.checker.law.algebra.interval import POSITIVE, Interval
from kcheck.checker.law.problem import Invariant, Obligation, Problem
from kcheck.checker.law.solver.intervals import (
    WHOLE,
    bounds_of,
    conjuncts,
    counts,
    given_ranges,
    is_true,
    met,
    ranges,
    reachable,
    where,
)
from kcheck.checker.law.terms import Op, Term, variables

_MOST_TERMS = 20_000
"""How many intervals of terms are worked out for one problem: a tenth of a second."""


class Bounds:
    """What the bounds of all that compute reads and merge is given show."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._given = given_ranges(problem)
        self._reachable = dict(enumerate(reachable(problem)))
        self._counts = counts(problem)
        self._left = _MOST_TERMS

    def show_all(self) -> tuple[Invariant, ...] | None:
        """The bounds that show every step of compute and merge to have a value; None where they do not."""
        compute, merge = self._problem.compute.obligations, self._problem.merge.obligations
        return self._show_in_merge(merge) if self._are_shown(compute, self._given) else None

    def show_in_compute(self, obligation: Obligation) -> bool:
        return self._are_shown((obligation,), self._given)

    def show_in_merge(self, obligation: Obligation) -> tuple[Invariant, ...] | None:
        """The bounds of leaves that show that this step of merge has a value; None where they do not."""
        return self._show_in_merge((obligation,))

    def _show_in_merge(self, obligations: Sequence[Obligation]) -> tuple[Invariant, ...] | None:
        read = set(variables([term for o in obligations for term in (o.guard, o.condition)]))
        sides = enumerate(zip(self._problem.left, self._problem.right, strict=True))
        used = {i: self._reachable[i] for i, side in sides if not read.isdisjoint(side)}
        if not self._are_shown(obligations, self._known(used)):
            return None
        for i, interval in tuple(used.items()):
            for less in (None, -_without_low(-interval), _without_low(interval)):
                fewer = {j: other for j, other in used.items() if j != i} | ({} if less is None else {i: less})
                if self._are_shown(obligations, self._known(fewer)):
                    used = fewer
                    break
        return tuple(b for i, interval in used.items() for b in bounds_of(self._problem, i, interval))

    def _known(self, leaves: Mapping[int, Interval]) -> dict[Term, Interval]:
        """What is known if the bounds of these leaves are, and of no others."""
        problem = self._problem
        known = dict(self._given)
        for i, (left, right) in enumerate(zip(problem.left, problem.right, strict=True)):
            known[left] = known[right] = leaves.get(i, WHOLE[left.sort])
            if i in leaves and i in self._counts:
                known[problem.merge.leaves[i]] = self._counts[i]
        return known

    def _are_shown(self, obligations: Sequence[Obligation], known: Mapping[Term, Interval]) -> bool:
        """Whether each condition holds wherever its guard does; False also where that takes too long."""
        found = self._ranges([o.condition for o in obligations], known)
        return all(
            is_true(found[o.condition]) or o.condition in conjuncts((o.guard,)) or self._is_shown(o, known)
            for o in obligations
        )

    def _is_shown(self, obligation: Obligation, known: Mapping[Term, Interval]) -> bool:
        """The same with what the guard says of both sides of its comparisons."""
        known = dict(known)
        for fact in conjuncts((obligation.guard,)):
            comparison, holds = (fact.args[0], False) if fact.op is Op.NOT else (fact, True)
            told = where(comparison, holds, self._ranges(comparison.args, known))
            told |= {root.args[0]: POSITIVE for root, i in told.items() if root.op is Op.SQRT and i.positive}
            known |= {term: met(known.get(term, interval), interval) for term, interval in told.items()}
        return is_true(self._ranges((obligation.condition,), known)[obligation.condition])

    def _ranges(self, terms: Sequence[Term], known: Mapping[Term, Interval]) -> Mapping[Term, Interval]:
        """Where these terms lie, and those below them; anywhere, where too much has been worked out already."""
        if self._left < 0:
            return {term: WHOLE[term.sort] for term in terms}
        found = ranges(terms, known)
        self._left -= len(found)
        return found


def _without_low(interval: Interval) -> Interval:
    return Interval(None, interval.high, False, interval.high_open)

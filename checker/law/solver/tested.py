"""What stands for none: laws that rest on what leaves are where a test of merge holds, without z3.

`id = -1 where t < 0`, `value = 0 where !some`: where a merge takes one side for empty, the leaves of such a side are
the same for all of them.  That this is so is shown by going through the outcomes of comparisons, and so is the law.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from kcheck.checker.law import work
from kcheck.checker.law.algebra import comparisons
from kcheck.checker.law.algebra.comparisons import Goal, Search
from kcheck.checker.law.problem import Invariant, Law, Problem, ghost_count
from kcheck.checker.law.solver.intervals import interval_invariants
from kcheck.checker.law.solver.laws import names
from kcheck.checker.law.solver.samples import reachable_samples
from kcheck.checker.law.solver.templates import tested_candidates
from kcheck.checker.law.terms import Sort, Term, postorder

_PATHS = 400
_MOST_TERMS = 2_000
"""Larger merges take longer to sample than this way is worth."""


def laws_by_tests(problem: Problem, wanted: Set[Law], deadline: float) -> dict[Law, tuple[Invariant, ...]]:
    """The laws that are proved, and what each rests on; for merges whose steps all have values.

    The deadline is in the time of `work`.
    """
    if work.clock() > deadline or sum(1 for _ in postorder(problem.merge.leaves)) > _MOST_TERMS:
        return {}
    bounds = interval_invariants(problem)
    tried = tested_candidates(problem, reachable_samples(problem))
    invariants = [*_inductive(problem, bounds, tried, deadline), *bounds]
    found = {law: _used(problem, law, invariants, deadline) for law in wanted} if invariants else {}
    return {law: used for law, used in found.items() if used is not None}


def _inductive(
    problem: Problem, known: Sequence[Invariant], tried: Sequence[Invariant], deadline: float
) -> Sequence[Invariant]:
    """The candidates that compute's results have, and merges of what has them all."""
    compute, one = problem.compute.leaves, problem.terms.integer(1)
    merged, count = problem.merged(problem.state("a"), problem.state("b")), problem.terms.var("merged.n", Sort.INT)
    kept = _kept(problem, tried, [i.of(problem, compute, one) for i in tried], (), deadline)
    while kept:
        facts = [_said(problem, "ab", i) for i in (*kept, *known)]
        rest = _kept(problem, kept, [i.of(problem, merged, count) for i in kept], facts, deadline)
        if len(rest) == len(kept):
            break
        kept = rest
    return kept


def _said(problem: Problem, states: Iterable[str], invariant: Invariant) -> Term:
    """What an invariant says of these states."""
    return problem.terms.all(invariant.of(problem, problem.state(n), ghost_count(problem, n)) for n in states)


def _kept(
    problem: Problem, tried: Sequence[Invariant], goals: Sequence[Term], facts: Sequence[Term], deadline: float
) -> Sequence[Invariant]:
    """Those whose goals follow from the facts."""
    search = Search([*facts, *problem.assumptions], _PATHS, deadline)
    proved = search.proved_with_all([(goal, problem.terms.true) for goal in goals])
    return [tried[i] for i in sorted(proved)]


def _used(problem: Problem, law: Law, invariants: Sequence[Invariant], deadline: float) -> tuple[Invariant, ...] | None:
    facts = [_said(problem, names(law), i) for i in invariants]
    goals: list[Goal] = list(problem.goals(law).values())
    used: set[int] = set()
    for group in comparisons.groups(goals):
        chosen = [goals[i] for i in group]
        search = Search([*facts, *problem.assumptions], _PATHS, deadline)
        if len(search.proved(chosen)) < len(chosen):
            return None
        used |= search.used
    return tuple(invariant for i, invariant in enumerate(invariants) if i in used)

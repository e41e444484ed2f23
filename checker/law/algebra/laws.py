"""The way in: a law of a problem, proved by algebra or left undecided."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeAlias

from kcheck.checker.law import work
from kcheck.checker.law.algebra import comparisons, elimination
from kcheck.checker.law.algebra.atoms import Atoms
from kcheck.checker.law.algebra.bits import Bits
from kcheck.checker.law.algebra.facts import ABOVE, NEGATIVE, NULL, Contradiction, Facts, Query, Usage
from kcheck.checker.law.algebra.guarded import Guarded
from kcheck.checker.law.algebra.normal import Normal, Style
from kcheck.checker.law.algebra.polynomial import TooLarge, add, constant
from kcheck.checker.law.algebra.proof import Proof
from kcheck.checker.law.algebra.reals import Undefined
from kcheck.checker.law.algebra.samples import fails
from kcheck.checker.law.algebra.search import Clause, Goal, Limits, alternatives, conjuncts, prove_goals, question
from kcheck.checker.law.problem import MAX_LEAVES, Invariant, Law, Problem, ghost_count
from kcheck.checker.law.terms import Term
from kcheck.checker.law.terms import TooLarge as TooManyTerms

PATHS = 3000
"""How many cases the algebra alone goes through."""


_PATHS_COMPARED = 300
_FEW_PATHS = 40
_FEW_SECONDS = 0.02


def follows(problem: Problem, law: Law) -> bool:
    """Whether a law is seen at once to hold for all values, by polynomials and a few comparisons."""
    try:
        goals = list(problem.goals(law).values())
    except TooManyTerms:
        return False
    return comparisons.are_proved(goals, problem.assumptions, _FEW_PATHS, work.clock() + _FEW_SECONDS)


def prove(
    problem: Problem, law: Law, invariants: Sequence[Invariant], deadline: float, *, with_steps: bool = True
) -> Proof | None:
    """A proof by normal forms; None where there is none, or not before `deadline` (in the time of `work`).

    If `with_steps`, of the steps of merge it is looked for proofs too that they have a value.
    """
    return _prove(problem, law, invariants, deadline, Attempt.proves, "normal forms", with_steps)


def prove_linear(problem: Problem, law: Law, invariants: Sequence[Invariant], deadline: float) -> Proof | None:
    """A proof by normal forms under guards and one linear query to z3; raises `ImportError` where z3 is not there."""
    return _prove(problem, law, invariants, deadline, Attempt.proves_linearly, "guarded normal forms")


def prove_leaf(
    problem: Problem,
    law: Law,
    leaf: int,
    invariants: Sequence[Invariant],
    deadline: float,
    *,
    linear: bool = False,
    sparing: float = math.inf,
) -> list[Invariant] | None:
    """Invariants that prove the law for one leaf of the merged value; None where there is no proof.

    If `linear`, in the way of `prove_linear`.  From the moment `sparing` on none that are not needed are left out.
    """
    left, right = problem.sides(law)
    way = Attempt.proves_linearly if linear else Attempt.proves
    return _needed(problem, _names(law), invariants, [(left[leaf], right[leaf])], deadline, way, sparing)


def entailed(
    problem: Problem, names: str, invariants: Sequence[Invariant], goals: Sequence[Goal], deadline: float
) -> list[int]:
    """Which goals are proved for states of these names that have all invariants."""
    try:
        attempt = Attempt(problem, names, invariants, deadline)
    except (TooLarge, Contradiction, RecursionError):
        return []
    return [i for i, goal in enumerate(goals) if work.clock() < deadline and attempt.shows(goal)]


def prove_goal(
    problem: Problem, names: str, invariants: Sequence[Invariant], goal: Goal, deadline: float
) -> list[Invariant] | None:
    """Invariants that prove a goal for states of these names; None where there is no proof."""
    return _needed(problem, names, invariants, [goal], deadline, Attempt.proves)


def elements_commute(problem: Problem, deadline: float) -> bool:
    """Whether what compute gives for any two elements may be merged in either order.

    Where merging is associative too, all values may: what is merged of elements is moved past others one by one.
    """
    try:
        one, other = (problem.element(suffix).leaves for suffix in ("'", "''"))
        pairs = zip(problem.merged(one, other), problem.merged(other, one), strict=True)
        goals = [(left, right) for left, right in pairs if left is not right]
    except TooManyTerms:
        return False
    return len(entailed(problem, "", (), goals, deadline)) == len(goals)


def _names(law: Law) -> str:
    """The states that a law speaks of."""
    return "ab" if law is Law.COMMUTATIVE else "abc"


def _prove(
    problem: Problem,
    law: Law,
    invariants: Sequence[Invariant],
    deadline: float,
    way: Way,
    method: str,
    with_steps: bool = True,
) -> Proof | None:
    try:
        goals = list(problem.goals(law).values())
    except TooManyTerms:
        return None
    goals = comparisons.without_proved(goals, problem.assumptions, _PATHS_COMPARED, deadline)
    used = _needed(problem, _names(law), invariants, goals, deadline, way)
    if used is None:
        return None
    still_open = []
    terms = problem.terms
    steps = problem.merge_obligations(problem.state("a"), problem.state("b")) if with_steps else ()
    for obligation in steps:
        goal = terms.or_(terms.not_(obligation.guard), obligation.condition), terms.true
        also = _needed(problem, "ab", invariants, [goal], deadline, way)
        if also is None:
            still_open.append(obligation)
        else:
            used.extend(invariant for invariant in also if invariant not in used)
    return Proof(tuple(used), method, tuple(still_open))


def _needed(
    problem: Problem,
    names: str,
    invariants: Sequence[Invariant],
    goals: Sequence[Goal],
    deadline: float,
    way: Way,
    sparing: float = math.inf,
) -> list[Invariant] | None:
    """Invariants that are enough for a proof of all goals; None where none was found."""
    if not goals:
        return []
    begun = work.clock()
    used = _attempt(problem, names, invariants, goals, deadline, way)
    if used is None:
        return None
    # What is named must be enough by itself: no conclusion may rest on what is left unsaid.
    if len(used) < len(invariants) and _attempt(problem, names, used, goals, deadline, way) is None:
        return list(invariants)
    # What a conclusion was drawn from need not be needed: leave out what is not, while that is quick.
    took = work.clock() - begun
    for invariant in tuple(used):
        if work.clock() + took > min(deadline, sparing, begun + 4 * took + 0.02):
            break
        fewer = [other for other in used if other is not invariant]
        if _attempt(problem, names, fewer, goals, deadline, way) is not None:
            used = fewer
    return used


def _attempt(
    problem: Problem, names: str, invariants: Sequence[Invariant], goals: Sequence[Goal], deadline: float, way: Way
) -> list[Invariant] | None:
    try:
        return way(Attempt(problem, names, invariants, deadline), goals)
    except (TooLarge, Contradiction, RecursionError):  # the last from roundings nested a hundredfold
        return None


class Attempt:
    """What is known of the states of these names, ready for goals over them."""

    def __init__(self, problem: Problem, names: str, invariants: Sequence[Invariant], deadline: float) -> None:
        self._invariants = invariants
        self._assumptions = problem.assumptions
        self._deadline = deadline
        self._usage = Usage(deadline)
        atoms = Atoms()
        self._bits = Bits(atoms)
        self._facts = Facts(atoms, self._usage, elimination.refute)
        self._clauses: list[Clause] = []
        counts = [ghost_count(problem, name) for name in names]
        if invariants:
            self._assume_counts(counts)
        for assumption in problem.assumptions:
            self._assume(assumption, 0)
        for bit, invariant in enumerate(invariants):
            for name, count in zip(names, counts, strict=True):
                self._assume(invariant.of(problem, problem.state(name), count), 1 << bit)

    def proves(self, goals: Sequence[Goal]) -> list[Invariant] | None:
        """The invariants that a proof of all goals used; None where none was found."""
        path = Normal(self._facts.copy(), self._bits)
        # A proof without invariants is one for all values, reachable or not.
        hopeless = partial(fails, goals, self._assumptions) if not self._invariants else lambda: False
        if not prove_goals(path, goals, self._clauses, Limits(PATHS, self._deadline), hopeless):
            return None
        return self._caused(self._usage.causes)

    def shows(self, goal: Goal) -> bool:
        try:
            return self.proves([goal]) is not None
        except (TooLarge, Contradiction, RecursionError):
            return False

    def proves_linearly(self, goals: Sequence[Goal]) -> list[Invariant] | None:
        """The same with z3 for the cases."""
        path = Normal(self._facts.copy(), self._bits, Style.SPLIT)
        query = Guarded(path, len(self._invariants))
        try:
            causes = query.proves(goals, self._clauses, max(0.0, self._deadline - work.clock()))
        except (TooLarge, Undefined):
            return None
        return None if causes is None else self._caused(causes | self._usage.causes)

    def _caused(self, causes: int) -> list[Invariant]:
        return [invariant for bit, invariant in enumerate(self._invariants) if causes >> bit & 1]

    def _assume_counts(self, counts: Sequence[Term]) -> None:
        """Each state was merged from 1 element at least, and all of them together from no more than a field has."""
        path = Normal(self._facts, self._bits)
        total = constant(-MAX_LEAVES)
        for count in counts:
            one = path.value(count)
            assert isinstance(one, Mapping)
            total = add(total, one)
            self._facts.assume(Query(add(one, constant(-1)), NULL | ABOVE))
        self._facts.assume(Query(total, NEGATIVE | NULL))

    def _assume(self, term: Term, cause: int) -> None:
        """Takes a Bool term for true, as far as it can be used."""
        for part in conjuncts(term):
            query = question(Normal(self._facts, self._bits), part)
            if isinstance(query, Query):
                self._facts.assume(query, cause)
                if query.signs == NULL:
                    self._facts.atoms.learn_square(query.polynomial)
            elif query is None:
                self._clauses.append((alternatives(part), cause))


Way: TypeAlias = Callable[[Attempt, Sequence[Goal]], list[Invariant] | None]
"""How to prove goals; gives the invariants that were used."""

Prover: TypeAlias = Callable[[Problem, Law, Sequence[Invariant], float], Proof | None]
"""`prove` and `prove_linear`."""

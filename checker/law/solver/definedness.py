"""That every step of compute and of all merges has a value over the reals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kcheck.checker.law import algebra, work
from kcheck.checker.law.problem import Invariant, Obligation, Problem, ghost_count
from kcheck.checker.law.solver.bounded import Bounds
from kcheck.checker.law.solver.entailment import entailed, follows_of_reals, needed, needed_of_reals, nonlinear
from kcheck.checker.law.solver.intervals import given_ranges
from kcheck.checker.law.solver.laws import count_facts, holds, reachable_facts
from kcheck.checker.law.solver.session import Answer, Session
from kcheck.checker.law.terms import Sort, Term, postorder

_FORMS_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Definedness:
    """`open` are the steps that could not be shown to have a value; `used` the invariants that show it of the rest."""

    open: tuple[Obligation, ...]
    used: tuple[Invariant, ...]


def defined(
    problem: Problem,
    invariants: Sequence[Invariant],
    deadline: float,
    session: Session | None = None,
    *,
    quick: bool = False,
) -> Definedness:
    """Which steps have a value for all elements and all reachable values; raises `ImportError` without z3.

    `quick` tries the cheapest way only.
    """
    if not problem.compute.obligations and not problem.merge.obligations:
        return Definedness((), ())
    session, bounds = session or Session(), Bounds(problem)
    a, b = problem.state("a"), problem.state("b")
    open_ = [
        o
        for o in problem.compute.obligations
        if not (bounds.show_in_compute(o) or _in_compute(problem, o, session, deadline, quick))
    ]
    known: dict[Term, Sequence[Invariant] | None] = {}
    for obligation, of_states in zip(problem.merge.obligations, problem.merge_obligations(a, b), strict=True):
        goal = holds(problem, of_states)
        if goal not in known:
            shown: Sequence[Invariant] | None = bounds.show_in_merge(obligation)
            if shown is None:
                shown = _in_merge(problem, invariants, goal, session, deadline, quick)
            known[goal] = shown
        if known[goal] is None:
            open_.append(obligation)
    used = {invariant: None for found in known.values() for invariant in found or ()}
    return Definedness(tuple(open_), tuple(used))


def _in_compute(problem: Problem, obligation: Obligation, session: Session, deadline: float, quick: bool) -> bool:
    goal, known = holds(problem, obligation), given_ranges(problem)
    if follows_of_reals(session, problem.terms, problem.assumptions, goal, deadline, known):
        return True
    verdict = entailed(session, problem.terms, problem.assumptions, goal, deadline, quick=quick, known=known)
    return verdict.answer is Answer.NONE


def _in_merge(
    problem: Problem, invariants: Sequence[Invariant], goal: Term, session: Session, deadline: float, quick: bool
) -> Sequence[Invariant] | None:
    """The invariants from which the goal follows, or None where it does not seem to."""
    terms, states = problem.terms, ("a", "b")
    optional = [
        terms.all(invariant.of(problem, problem.state(name), ghost_count(problem, name)) for name in states)
        for invariant in invariants
    ]
    facts = [*problem.assumptions, *count_facts(problem, states)]
    core = needed(session, terms, facts, optional, goal, deadline)
    is_real = any(term.sort is Sort.REAL for term in postorder((goal,)))
    if core is None and is_real:
        by_forms = work.clock() + min(_FORMS_SECONDS, deadline - work.clock())
        used = algebra.prove_goal(problem, "ab", invariants, (goal, terms.true), by_forms)
        if used is not None:
            return used
        core = needed_of_reals(session, terms, facts, optional, goal, deadline)
    if core is None:
        core = needed(session, terms, facts, optional, goal, deadline, nonlinear((goal, *optional)))
    if core is not None:
        return [invariants[i] for i in sorted(core)]
    facts = [*problem.assumptions, *reachable_facts(problem, states, invariants)]
    verdict = entailed(session, terms, facts, goal, deadline, quick=quick)
    return invariants if verdict.answer is Answer.NONE else None

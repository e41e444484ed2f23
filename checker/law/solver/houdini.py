"""Inductive invariants: of the candidates, those that compute's results have and that merging keeps.

What does not follow from all the others is dropped until the rest follows from itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from kcheck.checker.law import work
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.problem import Invariant, Problem, ghost_count
from kcheck.checker.law.solver.conditions import condition_candidates
from kcheck.checker.law.solver.entailment import (
    Script,
    connected,
    entailed,
    follows_of_reals,
    is_compared_only,
    script,
    spoken_of,
    strategies,
)
from kcheck.checker.law.solver.equations import equations
from kcheck.checker.law.solver.intervals import (
    WHOLE,
    assumed_ranges,
    counted_invariants,
    given_ranges,
    interval_invariants,
    is_bound,
)
from kcheck.checker.law.solver.laws import count_facts, holds, reachable_facts
from kcheck.checker.law.solver.masks import word_candidates
from kcheck.checker.law.solver.samples import reachable_samples
from kcheck.checker.law.solver.session import Answer, Engine, Loaded, Session
from kcheck.checker.law.solver.smtlib import Encoding
from kcheck.checker.law.solver.templates import other_candidates, simple_candidates, whole_leaves
from kcheck.checker.law.solver.thresholds import above, is_order_relation
from kcheck.checker.law.terms import Op, Sort, Term, postorder, variables

_SECONDS_ALL = 0.3
"""For the question whether all candidates are kept."""
_SECONDS_ONE = 0.05
_MANY = 60
"""From so many candidates on those that have nothing to do with one another are asked for one after the other."""
_SECONDS = 0.7
"""For each encoding."""
_SECONDS_REALS = 0.3
"""For polynomials over the reals, one goal at a time."""


def infer(problem: Problem, deadline: float, session: Session | None = None) -> tuple[Invariant, ...]:
    """Invariants of every reachable value for which all steps had a value, each shown to be inductive."""
    [*_, last] = infer_in_steps(problem, deadline, session or Session())
    return last


def infer_in_steps(problem: Problem, deadline: float, session: Session) -> Iterator[tuple[Invariant, ...]]:
    """Ever more invariants: bounds and equations, which need no solver, then simple ones, then all.

    What z3 may take long for comes last.
    """
    samples = reachable_samples(problem)
    bounds = {invariant.holds: invariant for invariant in (*interval_invariants(problem), *counted_invariants(problem))}
    found = (*bounds.values(), *equations(problem, samples))
    yield found
    found = (*found, *_whole(problem, session, found, whole_leaves(problem, samples), deadline))
    simple = [*simple_candidates(problem, samples), *word_candidates(problem, samples)]
    soon, late = _encodings(problem)
    by_thresholds = _by_thresholds(problem, session, simple, deadline)
    found = _extended(problem, session, (*found, *by_thresholds), simple, soon, deadline)
    yield found
    # What did not follow from simple ones may do so from others.
    tried = [*simple, *other_candidates(problem, samples)]
    found = _extended(problem, session, found, tried, soon, deadline)
    conditions = condition_candidates(problem, samples)
    if conditions:
        bounds_left = [i for i in simple if i not in found and is_bound(i.holds) and _is_of_reals(i)]
        of_reals = _of_reals(problem, session, found, [*conditions, *bounds_left], deadline)
        found = _without_redundant(problem, session, (*found, *of_reals), deadline) if of_reals else found
    yield found
    if late:
        yield _extended(problem, session, found, tried, late, deadline)


def _encodings(problem: Problem) -> tuple[Sequence[Encoding], Sequence[Encoding]]:
    """Those that answer soon, and the others, which know products of Reals or words beside them."""
    if is_compared_only(problem.merge.leaves):
        return (Encoding.LINEAR,), ()
    roots = (*problem.merge.leaves, *problem.compute.leaves)
    found = tuple(dict.fromkeys(strategy.encoding for strategy in strategies(roots)))
    return (found[:1], found[1:]) if any(term.sort is Sort.REAL for term in postorder(roots)) else (found, ())


def _extended(
    problem: Problem,
    session: Session,
    found: tuple[Invariant, ...],
    tried: Sequence[Invariant],
    encodings: Sequence[Encoding],
    deadline: float,
) -> tuple[Invariant, ...]:
    """With those that are tried and turn out to be inductive."""
    for batch in _batches(problem, [candidate for candidate in tried if candidate not in found]):
        left = batch
        for encoding in encodings:
            if not left or work.clock() >= deadline:
                break
            until = min(deadline, work.clock() + _SECONDS)
            kept = _inductive(problem, session, found, left, encoding, until)
            found = (*found, *kept)
            left = [candidate for candidate in left if candidate not in kept]
    return _without_redundant(problem, session, found, deadline)


def _batches(problem: Problem, tried: Sequence[Invariant]) -> list[list[Invariant]]:
    """Many candidates in parts that have nothing to do with one another, so that z3 is asked of little at a time.

    What speaks of leaves that merge keeps apart comes last.
    """
    apart = _kept_apart(problem) if len(tried) > _MANY else {}
    found: dict[int, list[Invariant]] = {}
    for invariant in tried:
        parts = {apart[v] for v in variables((invariant.holds,)) if v in apart}
        found.setdefault(parts.pop() if len(parts) == 1 else len(apart), []).append(invariant)
    return [found[part] for part in sorted(found)]


def _kept_apart(problem: Problem) -> dict[Term, int]:
    """For each leaf, over state `h`, the first of those that merge mixes it with."""
    state = problem.state("h")
    part = list(range(len(state)))
    sides = {v: i for side in (problem.left, problem.right) for i, v in enumerate(side)}
    for i, merged in enumerate(problem.merge.leaves):
        mixed = {part[i], *(part[sides[v]] for v in variables((merged,)) if v in sides)}
        part = [min(mixed) if p in mixed else p for p in part]
    return dict(zip(state, part, strict=True))


def _without_redundant(
    problem: Problem, session: Session, found: Sequence[Invariant], deadline: float
) -> tuple[Invariant, ...]:
    """The same without bounds that another bound implies, and without what the rest implies.

    What holds only where something else does implies nothing here: it says much, but not in a form that is easy to use.
    """
    best = assumed_ranges(invariant.holds for invariant in found)
    bounds = [i for i in found if is_bound(i.holds) and not _is_weaker(i.holds, best)]
    bounds = list({invariant.holds: invariant for invariant in bounds}.values())
    others = [i for i in found if not is_bound(i.holds)]
    facts = [*count_facts(problem, "h"), *(invariant.holds for invariant in bounds)]
    goals = [invariant.holds for invariant in others]
    if not goals:
        return tuple(bounds)
    written = script(problem.terms, facts, goals, Encoding.INTEGERS, goals)
    loaded = session.load(written.lines, Engine.SMT)
    kept = list(range(len(others)))
    plain = {i for i, goal in enumerate(goals) if goal.op is not Op.OR}
    for i in reversed(range(len(others))):
        rest = [written.kept[j] for j in kept if j != i and j in plain]
        if loaded.check(deadline, _SECONDS_ONE, (*rest, written.fails[i])) is Answer.NONE:
            kept.remove(i)
    return (*bounds, *(others[i] for i in kept))


def _is_weaker(bound: Term, best: Mapping[Term, Interval]) -> bool:
    """Whether a bound leaves more than the best that is known of its variable."""
    [(variable, interval)] = assumed_ranges((bound,)).items()
    whole, least = WHOLE[variable.sort], best[variable]
    return not (
        (interval.low != whole.low and (interval.low, interval.low_open) == (least.low, least.low_open))
        or (interval.high != whole.high and (interval.high, interval.high_open) == (least.high, least.high_open))
    )


def _inductive(
    problem: Problem,
    session: Session,
    known: Sequence[Invariant],
    tried: Sequence[Invariant],
    encoding: Encoding,
    until: float,
) -> tuple[Invariant, ...]:
    """The largest part of `tried` that could be shown to be inductive, `known` given."""
    tried = _followed(problem, session, _first(problem, tried), tried, encoding, until)
    return _followed(problem, session, _step(problem, known, tried), tried, encoding, until)


def _of_reals(
    problem: Problem, session: Session, known: Sequence[Invariant], tried: Sequence[Invariant], deadline: float
) -> tuple[Invariant, ...]:
    """Those of `tried` that are inductive together, one goal at a time, by what decides polynomials over the reals.

    Of `known` what holds only where something else does is left out: it seldom helps, and takes long.
    """
    plain = [invariant for invariant in known if invariant.holds.op is not Op.OR]
    until = min(deadline, work.clock() + _SECONDS_REALS)
    kept = [i for i in tried if _follows_of_reals(problem, session, _first(problem, [i]), until)]
    while kept:
        rest = [i for i in kept if _follows_of_reals(problem, session, _step(problem, [*plain, *kept], [i]), until)]
        if len(rest) == len(kept):
            break
        kept = rest
    return tuple(kept)


def _is_of_reals(invariant: Invariant) -> bool:
    return all(variable.sort is Sort.REAL for variable in variables((invariant.holds,)))


def _follows_of_reals(problem: Problem, session: Session, asked: _Question, deadline: float) -> bool:
    [goal], facts = asked.goals, [*asked.facts, *asked.before]
    return follows_of_reals(session, problem.terms, facts, goal, deadline, asked.known)


def _by_thresholds(
    problem: Problem, session: Session, tried: Sequence[Invariant], until: float
) -> tuple[Invariant, ...]:
    """The same for order relations between leaves that are minima and maxima."""
    for ask in (_first, partial(_step, known=())):
        goals = ask(problem, tried=tried).goals
        tried = [i for i, goal in zip(tried, goals, strict=True) if goal.is_const or is_order_relation(goal)]
        asked = ask(problem, tried=tried)
        statements, more = above(problem.terms, (*asked.goals, *asked.before, *asked.facts))
        count = len(tried)
        plain = _Question((*statements[2 * count :], *more), statements[count : 2 * count], statements[:count])
        tried = _followed(problem, session, plain, tried, Encoding.LINEAR, until)
    return tuple(tried)


def _followed(
    problem: Problem,
    session: Session,
    asked: _Question,
    tried: Sequence[Invariant],
    encoding: Encoding,
    until: float,
) -> tuple[Invariant, ...]:
    """The largest part of `tried` whose goals follow from the facts and from what it says itself."""
    if not tried:
        return ()
    about = problem.terms.all((*asked.goals, *asked.before))
    facts = [asked.facts[i] for i in connected([spoken_of(fact) for fact in asked.facts], about)]
    written = script(problem.terms, facts, asked.goals, encoding, asked.before, asked.known)
    return tuple(tried[i] for i in _Kept(session, written, encoding, until).rest(range(len(tried))))


def _whole(
    problem: Problem, session: Session, known: Sequence[Invariant], tried: Sequence[Invariant], deadline: float
) -> tuple[Invariant, ...]:
    """Those of `tried`, each that a leaf is whole, which are inductive together.

    z3 reasons well about such leaves only where they are stated to be whole, not where they are assumed to be.
    """
    terms, compute = problem.terms, problem.compute
    given, one = given_ranges(problem), terms.integer(1)
    a, b = problem.state("a"), problem.state("b")
    merged, count = problem.merged(a, b), terms.add(ghost_count(problem, "a"), ghost_count(problem, "b"))

    def follows(facts: Sequence[Term], goal: Term, bounds: Mapping[Term, Interval] | None = None) -> bool:
        return entailed(session, terms, facts, goal, deadline, quick=True, known=bounds).answer is Answer.NONE

    kept = [i for i in tried if follows(problem.assumptions, i.of(problem, compute.leaves, one), given)]
    while kept:
        facts = [*problem.assumptions, *reachable_facts(problem, "ab", (*known, *kept))]
        rest = [i for i in kept if follows(facts, i.of(problem, merged, count))]
        if len(rest) == len(kept):
            return tuple(kept)
        kept = rest
    return ()


@dataclass(frozen=True, slots=True)
class _Question:
    """Whether goals follow from facts, and goal i from `before[i]` and those of the others that follow."""

    facts: Sequence[Term]
    before: Sequence[Term]
    goals: Sequence[Term]
    known: Mapping[Term, Interval] | None = None


def _first(problem: Problem, tried: Sequence[Invariant]) -> _Question:
    """That what compute gives has the properties."""
    terms, compute = problem.terms, problem.compute
    facts = [*problem.assumptions, *(holds(problem, o) for o in compute.obligations)]
    goals = [invariant.of(problem, compute.leaves, terms.integer(1)) for invariant in tried]
    return _Question(facts, [terms.true for _ in goals], goals, given_ranges(problem))


def _step(problem: Problem, known: Sequence[Invariant], tried: Sequence[Invariant]) -> _Question:
    """That a merge has the properties, where both its sides have them."""
    terms = problem.terms
    a, b = problem.state("a"), problem.state("b")
    of_a, of_b = ghost_count(problem, "a"), ghost_count(problem, "b")
    merged, count = problem.merged(a, b), terms.add(of_a, of_b)
    facts: list[Term] = [*problem.assumptions, *reachable_facts(problem, "ab", known), *count_facts(problem, "ab")]
    facts += [holds(problem, o) for o in problem.merge_obligations(a, b)]
    before = [terms.and_(i.of(problem, a, of_a), i.of(problem, b, of_b)) for i in tried]
    goals = [invariant.of(problem, merged, count) for invariant in tried]
    return _Question(facts, before, goals)


class _Kept:
    """Drops goals of a script until those left follow from the facts and from their own optional facts."""

    def __init__(self, session: Session, written: Script, encoding: Encoding, until: float) -> None:
        self._script = written
        self._until = until
        engine = Engine.BITS if encoding is Encoding.BITS and not _has_reals(written.lines) else Engine.SMT
        self._loaded: Loaded = session.load(written.lines, engine)
        self._rounds = 0

    def rest(self, positions: Iterable[int]) -> list[int]:
        left = list(positions)
        while left:
            failing = self._failing(left)
            if not failing:
                return left
            left = [i for i in left if i not in failing]
            if work.clock() >= self._until:
                return []
        return []

    def _failing(self, left: Sequence[int]) -> set[int]:
        """Some of those that fail, or of which it cannot be shown that they do not; empty when none does."""
        kept = [self._script.kept[i] for i in left]
        fails = [self._script.fails[i] for i in left]
        some = f"some.{self._rounds}"
        self._rounds += 1
        self._loaded.extend([f"(declare-const {some} Bool)", f"(assert (=> {some} (or {' '.join(fails)})))"])
        answer = self._loaded.check(self._until, _SECONDS_ALL, (*kept, some))
        if answer is Answer.NONE:
            return set()
        if answer is Answer.MODEL:
            true = self._loaded.truths(fails)
            return {i for i, name in zip(left, fails, strict=True) if name in true}
        return {
            i
            for i, name in zip(left, fails, strict=True)
            if self._loaded.check(self._until, _SECONDS_ONE, (*kept, name)) is not Answer.NONE
        }


def _has_reals(lines: Sequence[str]) -> bool:
    return any("Real" in line for line in lines)

"""Goals proved by normal forms, with a case distinction wherever one is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kcheck.checker.law import work
from kcheck.checker.law.algebra.facts import Contradiction, Query
from kcheck.checker.law.algebra.normal import Normal, Split
from kcheck.checker.law.algebra.polynomial import TooLarge
from kcheck.checker.law.algebra.reals import Undefined
from kcheck.checker.law.terms import Op, Term

Goal = tuple[Term, Term]
"""Two terms that are to be equal."""

Clause = tuple[tuple[Term, ...], int]
"""Bool terms of which one holds, and the causes of that."""


@dataclass(frozen=True, slots=True)
class Limits:
    paths: int
    deadline: float
    """In the time of `work`."""


@dataclass(frozen=True, slots=True)
class _Node:
    path: Normal
    goals: Sequence[Goal]


def prove_goals(
    path: Normal, goals: Sequence[Goal], clauses: Sequence[Clause], limits: Limits, hopeless: Callable[[], bool]
) -> bool:
    """Whether all goals hold on this path; False says only that no proof was found.

    `hopeless` is asked before the first case distinction.
    """
    pending = [_Node(path, goals)]
    paths = 0
    while pending:
        paths += 1
        if paths > limits.paths or work.clock() > limits.deadline:
            return False
        node = pending.pop()
        try:
            following = _advanced(node, clauses)
        except Undefined:
            return False
        except TooLarge:
            following = _in_next_style(node.path, node.goals)
        except Contradiction:
            continue
        if following is None or (paths == 1 and following and hopeless()):
            return False
        pending.extend(following)
    return True


def _advanced(node: _Node, clauses: Sequence[Clause]) -> list[_Node] | None:
    """The nodes that are left to prove for this one; None where there is no way on."""
    path = node.path
    open_goals = list(node.goals)
    try:
        while open_goals:
            if not path.equal(*open_goals[-1]):
                break
            open_goals.pop()
    except Split as split:
        return _branches(path, open_goals, split.query)
    if not open_goals:
        return []
    learnt = _learnt(path, clauses)
    if learnt is not None:
        return [_Node(learnt, open_goals)]
    return _in_next_style(path, open_goals)


def _in_next_style(path: Normal, goals: Sequence[Goal]) -> list[_Node] | None:
    restyled = path.restyled()
    return None if restyled is None else [_Node(restyled, goals)]


def _branches(path: Normal, goals: Sequence[Goal], query: Query) -> list[_Node]:
    result = []
    for side in (query, query.negated()):
        try:
            result.append(_Node(path.branch(side), goals))
        except Contradiction:
            continue
    return result


def _learnt(path: Normal, clauses: Sequence[Clause]) -> Normal | None:
    """The path with one more fact, where all but one alternative of a clause fail on it."""
    for choices, cause in clauses:
        remaining = _remaining(path, choices)
        if remaining is not None:
            return path.branch(remaining, cause)
    return None


def _remaining(path: Normal, choices: Sequence[Term]) -> Query | None:
    """The one alternative that is left, if it is not known to hold."""
    left: list[Query] = []
    for alternative in choices:
        query = question(path, alternative)
        answer = query if isinstance(query, bool) else None if query is None else path.facts.holds(query)
        if answer:
            return None
        if answer is None:
            if query is None or isinstance(query, bool):
                return None
            left.append(query)
    return left[0] if len(left) == 1 else None


def question(path: Normal, term: Term) -> Query | bool | None:
    """The term as one question, or None where it takes several."""
    try:
        return path.query(term)
    except (Split, Undefined):
        return None


def alternatives(term: Term) -> tuple[Term, ...]:
    """The terms of which a disjunction says that one holds."""
    if term.op is Op.OR:
        return alternatives(term.args[0]) + alternatives(term.args[1])
    return (term,)


def conjuncts(term: Term) -> tuple[Term, ...]:
    if term.op is Op.AND:
        return conjuncts(term.args[0]) + conjuncts(term.args[1])
    return (term,)

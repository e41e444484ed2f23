"""Leaves that tell elements apart: the index of one of the elements that were merged.

Two values that a law speaks of are merged from different elements, so such leaves of theirs are different.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kcheck.checker import ir
from kcheck.checker.law.problem import Problem
from kcheck.checker.law.solver.entailment import entailed
from kcheck.checker.law.solver.guards import test_text, tests_of_one_side
from kcheck.checker.law.solver.session import Answer, Session
from kcheck.checker.law.solver.wording import leaf_text
from kcheck.checker.law.terms import Sort, Term, choices


@dataclass(frozen=True, slots=True)
class Distinct:
    """Where `guard` holds, a test over state `h`, leaf `leaf` is one of the constants `besides`, or the index of an
    element merged into the value."""

    leaf: int
    guard: Term
    besides: tuple[Term, ...]
    text: str

    def of(self, problem: Problem, states: Sequence[str]) -> list[Term]:
        """That it differs between any two of these states."""
        terms = problem.terms
        held = [(problem.state(name)[self.leaf], _asked(problem, self.guard, problem.state(name))) for name in states]
        return [
            terms.any(
                (
                    terms.not_(terms.eq(a, b)),
                    terms.not_(of_a),
                    terms.not_(of_b),
                    *(terms.eq(a, constant) for constant in self.besides),
                )
            )
            for i, (a, of_a) in enumerate(held)
            for b, of_b in held[i + 1 :]
        ]


def indices(problem: Problem) -> set[Term]:
    """The variables that differ between any two elements."""
    return {
        read.variable
        for read in problem.inputs
        if isinstance(read.read, ir.Place)
        and read.read.kind in (ir.PlaceKind.INDEX, ir.PlaceKind.COORD)
        and read.variable.sort is Sort.INT
    }


def distinct_leaves(problem: Problem, session: Session, deadline: float) -> tuple[Distinct, ...]:
    """By induction: compute gives the leaf the index or a constant, and merge takes it from one of its sides."""
    own = indices(problem)
    found = []
    for i, leaf in enumerate(problem.compute.leaves):
        chosen = choices(leaf)
        if not chosen & own:
            continue
        text = f"{leaf_text(problem, i)} differs from element to element"
        besides = tuple(sorted(chosen - own, key=lambda term: term.number))
        if besides:
            found += [
                Distinct(i, guard, (), f"{text} where {test_text(problem, guard)}")
                for guard in _guards(problem, i, own, session, deadline)
            ]
        if all(term.is_const for term in besides) and _is_taken_from_a_side(problem, i, besides, session, deadline):
            found.append(Distinct(i, problem.terms.true, besides, text))
    return tuple(found)


def _is_taken_from_a_side(
    problem: Problem, leaf: int, besides: Sequence[Term], session: Session, deadline: float
) -> bool:
    terms, merged = problem.terms, problem.merge.leaves[leaf]
    goal = terms.any(terms.eq(merged, of) for of in (problem.left[leaf], problem.right[leaf], *besides))
    return entailed(session, terms, (), goal, deadline, quick=True).answer is Answer.NONE


def _guards(problem: Problem, leaf: int, own: set[Term], session: Session, deadline: float) -> Iterator[Term]:
    """The tests behind which a leaf is an index: the elements', and then that of the side that merge takes it from."""
    terms, element, merged = problem.terms, problem.compute.leaves, problem.merge.leaves
    for test in tests_of_one_side(problem):
        for guard in (test, terms.not_(test)):
            of_element = _asked(problem, guard, element)
            is_index = terms.any(terms.eq(element[leaf], index) for index in own)
            if entailed(session, terms, (of_element,), is_index, deadline, quick=True).answer is not Answer.NONE:
                continue
            taken = terms.any(
                terms.all((terms.eq(merged[leaf], side[leaf]), _asked(problem, guard, side)))
                for side in (problem.left, problem.right)
            )
            of_merged = _asked(problem, guard, merged)
            if entailed(session, terms, (of_merged,), taken, deadline, quick=True).answer is Answer.NONE:
                yield guard


def _asked(problem: Problem, test: Term, state: Sequence[Term]) -> Term:
    """A test over state `h`, of another state."""
    [asked] = problem.terms.substitute((test,), dict(zip(problem.state("h"), state, strict=True)))
    return asked

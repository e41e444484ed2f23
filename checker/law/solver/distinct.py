"""Leaves that tell elements apart: the index of one of the elements that were merged.

Two values that a law speaks of are merged from different elements, so such leaves of theirs are different.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kcheck.checker import ir
from kcheck.checker.law.problem import Problem
from kcheck.checker.law.solver.entailment import entailed
from kcheck.checker.law.solver.session import Answer, Session
from kcheck.checker.law.solver.wording import leaf_text
from kcheck.checker.law.terms import Op, Sort, Term


@dataclass(frozen=True, slots=True)
class Distinct:
    """Leaf `leaf` is one of the constants `besides`, or the index of an element merged into the value."""

    leaf: int
    besides: tuple[Term, ...]
    text: str

    def of(self, problem: Problem, states: Sequence[str]) -> list[Term]:
        """That it differs between any two of these states."""
        terms = problem.terms
        leaves = [problem.state(name)[self.leaf] for name in states]
        return [
            terms.any((terms.not_(terms.eq(a, b)), *(terms.eq(a, constant) for constant in self.besides)))
            for i, a in enumerate(leaves)
            for b in leaves[i + 1 :]
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
        choices = _choices(leaf)
        besides = tuple(sorted(choices - own, key=lambda term: term.number))
        if not choices & own or not all(term.is_const for term in besides):
            continue
        terms, merged = problem.terms, problem.merge.leaves[i]
        goal = terms.any(terms.eq(merged, of) for of in (problem.left[i], problem.right[i], *besides))
        if entailed(session, terms, (), goal, deadline, quick=True).answer is Answer.NONE:
            found.append(Distinct(i, besides, f"{leaf_text(problem, i)} differs from element to element"))
    return tuple(found)


def _choices(term: Term) -> set[Term]:
    """The terms that a tree of `if` may give."""
    found: set[Term] = set()
    pending = [term]
    while pending:
        current = pending.pop()
        if current.op is Op.IF:
            pending.extend(current.args[1:])
        else:
            found.add(current)
    return found

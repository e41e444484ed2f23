"""All that compute gives, where that is little: values are found by running it and by z3, until z3 finds no more."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.checker.law.problem import Problem
from kcheck.checker.law.solver.entailment import single_script
from kcheck.checker.law.solver.finite import State, whole
from kcheck.checker.law.solver.samples import reachable_samples
from kcheck.checker.law.solver.session import Answer, Engine, Session
from kcheck.checker.law.solver.smtlib import Encoding
from kcheck.checker.law.terms import Sort, Term, Terms, Value, postorder

MOST = 32
_SECONDS = 0.05
"""For each value; most take a few milliseconds."""


def element_values(problem: Problem, session: Session, deadline: float) -> list[State] | None:
    """The values of all elements, and perhaps more; None where they are many, or z3 does not say."""
    tried = dict.fromkeys(sample.leaves for sample in reachable_samples(problem) if sample.count == 1)
    if len(tried) > MOST:
        return None
    found: list[State] = [] if Sort.REAL in problem.sorts else [whole(leaves) for leaves in tried]
    while len(found) <= MOST:
        other = _other(problem, found, session, deadline)
        if not isinstance(other, tuple):
            return found if other is Answer.NONE else None
        found.append(other)
    return None


def _other(problem: Problem, found: Sequence[State], session: Session, deadline: float) -> State | Answer:
    """A value of an element that is none of these; if there is none, or none is found, what z3 answers."""
    terms, state = problem.terms, problem.state("e")
    given = [terms.eq(leaf, value) for leaf, value in zip(state, problem.compute.leaves, strict=True)]
    is_found = terms.any(terms.all(_is(terms, leaf, v) for leaf, v in zip(state, each, strict=True)) for each in found)
    has_reals = any(term.sort is Sort.REAL for term in postorder(given))
    encoding, engine = (Encoding.INTEGERS, Engine.SMT) if has_reals else (Encoding.BITS, Engine.BITS)
    loaded = session.load(single_script(terms, (*problem.assumptions, *given), is_found, encoding).lines, engine)
    answer = loaded.check(deadline, _SECONDS)
    if answer is not Answer.MODEL:
        return answer
    values = loaded.values({str(leaf.value): leaf.sort for leaf in state}, bits=not has_reals)
    return tuple(values[str(leaf.value)] for leaf in state)


def _is(terms: Terms, leaf: Term, value: Value) -> Term:
    return terms.eq(leaf, terms.const(value, leaf.sort))

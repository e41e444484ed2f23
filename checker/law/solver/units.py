"""Reals that are whole numbers of something, such as quarters or hundredths, counted in it.

`round(v * 4) / 4` makes whole numbers of quarters of everything, and sums of such numbers stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from kcheck.checker.law.problem import Obligation, Problem, Symbolic
from kcheck.checker.law.solver.intervals import all_terms
from kcheck.checker.law.solver.samples import Sample, reachable_samples
from kcheck.checker.law.solver.templates import is_nearly_whole
from kcheck.checker.law.solver.wording import leaf_text
from kcheck.checker.law.terms import Op, Sort, Term, number, postorder
from kcheck.checker.types import FieldOf, Scalar, Struct, leaves

_MOST_UNITS = 1_000_000
"""Nobody counts in smaller parts, and doubles tell them no more."""


def with_units(problem: Problem) -> Problem | None:
    """The problem with such leaves counted in their units; None where there are none.

    A law that holds of it holds of the one that it was made from: the leaves are the same but for a factor.
    """
    if not any(term.op is Op.FLOOR for term in postorder(problem.merge.leaves)):
        return None
    units = _units(problem, reachable_samples(problem))
    if not any(unit > 1 for unit in units):
        return None
    terms = problem.terms
    smaller = {
        side: terms.mul(terms.real(Fraction(1, unit)), side)
        for sides in (problem.left, problem.right)
        for side, unit in zip(sides, units, strict=True)
        if unit > 1
    }
    merged = terms.substitute(problem.merge.leaves, smaller)
    steps = problem.merge.obligations
    parts = terms.substitute([part for step in steps for part in (step.guard, step.condition)], smaller)
    obligations = [
        Obligation(guard, condition, step.kind, step.origin)
        for step, guard, condition in zip(steps, parts[::2], parts[1::2], strict=True)
    ]
    return replace(
        problem,
        type=_type(problem, units),
        merge=Symbolic(_counted(problem, merged, units), tuple(obligations)),
        compute=Symbolic(_counted(problem, problem.compute.leaves, units), problem.compute.obligations),
    )


def _units(problem: Problem, samples: Sequence[Sample]) -> list[int]:
    """Of each leaf how many of its units make 1: the least number of the program's that fits all samples, or 1."""
    constants = {number(term) for term in postorder(all_terms(problem)) if term.is_const and term.sort is Sort.REAL}
    given = {c if c > 1 else 1 / Fraction(c) for c in constants if c > 0}
    whole = sorted(round(c) for c in given if 1 < c <= _MOST_UNITS)
    return [
        next((unit for unit in (1, *whole) if all(is_nearly_whole(sample.leaves[i] * unit) for sample in samples)), 1)
        if sort is Sort.REAL and samples
        else 1
        for i, sort in enumerate(problem.sorts)
    ]


def _counted(problem: Problem, parts: Sequence[Term], units: Sequence[int]) -> tuple[Term, ...]:
    terms = problem.terms
    return tuple(
        terms.mul(terms.real(unit), part) if unit > 1 else part for part, unit in zip(parts, units, strict=True)
    )


def _type(problem: Problem, units: Sequence[int]) -> Struct:
    names = [f"{unit} * {leaf_text(problem, i)}" if unit > 1 else leaf_text(problem, i) for i, unit in enumerate(units)]
    scalars = [part.scalar for part in leaves(problem.type)]
    fields = tuple(FieldOf(name, Scalar(scalar)) for name, scalar in zip(names, scalars, strict=True))
    return Struct("units", "units", fields)

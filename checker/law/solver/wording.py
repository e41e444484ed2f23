"""Invariants and their texts, in the words of the kernel: `count >= 1`, `lo <= hi`."""

from __future__ import annotations

from fractions import Fraction

from kcheck.checker.law.problem import Invariant, Problem
from kcheck.checker.law.terms import Term


def leaf_text(problem: Problem, index: int) -> str:
    return problem.names[index] or "value"


def number_text(value: int | Fraction) -> str:
    """A Real as the shortest decimal that shows which number was written."""
    return str(value) if value == int(value) else f"{float(value):.7g}"


def constant(problem: Problem, index: int, value: int | Fraction) -> Term:
    """`value` in the sort of leaf `index`."""
    return problem.terms.const(value, problem.sorts[index])


def at_least(problem: Problem, index: int, value: int | Fraction) -> Invariant:
    return _bound(problem, index, ">=", value)


def at_most(problem: Problem, index: int, value: int | Fraction) -> Invariant:
    return _bound(problem, index, "<=", value)


def above(problem: Problem, index: int, value: int | Fraction) -> Invariant:
    return _bound(problem, index, ">", value)


def below(problem: Problem, index: int, value: int | Fraction) -> Invariant:
    return _bound(problem, index, "<", value)


def _bound(problem: Problem, index: int, order: str, value: int | Fraction) -> Invariant:
    terms, leaf, end = problem.terms, problem.state("h")[index], constant(problem, index, value)
    low, high = (leaf, end) if order[0] == "<" else (end, leaf)
    holds = terms.le(low, high) if order.endswith("=") else terms.lt(low, high)
    return Invariant(f"{leaf_text(problem, index)} {order} {number_text(value)}", holds)

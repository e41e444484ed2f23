"""Goals that are linear in some variables, as one goal for each of them: that its factor is the same on both sides.

Histograms whose bins are put together, moved or widened add counts at places that are computed.  Of the sums of all
these choices solvers show little; which bin each count goes to is a question of a few comparisons.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.checker.law import work
from kcheck.checker.law.algebra.comparisons import Goal
from kcheck.checker.law.terms import Op, Sort, Term, Terms, postorder, variables

MOST_TERMS = 1_000_000
"""The most terms into which numbers are put for all variables of all goals together."""
_TERM = 2e-6
"""The work of putting a number into a term."""


def linear_variables(goal: Goal) -> Sequence[Term]:
    """The variables of which both sides are sums, with factors that say nothing of them."""
    pending = [side for side in goal if side.sort is not Sort.BOOL]
    seen: set[Term] = set()
    added: set[Term] = set()
    others: list[Term] = []
    while pending:
        term = pending.pop()
        if term in seen:
            continue
        seen.add(term)
        match term.op:
            case Op.ADD | Op.SUB | Op.NEG:
                pending += term.args
            case Op.IF:
                others.append(term.args[0])
                pending += term.args[1:]
            case Op.MUL if any(arg.is_const for arg in term.args):
                pending += term.args
            case Op.VAR:
                added.add(term)
            case Op.CONST:
                pass
            case _:
                others.append(term)
    return sorted(added.difference(variables(others)), key=lambda variable: variable.number)


def terms_of_factors(goal: Goal, linear: Sequence[Term]) -> int:
    """How many terms are gone through to find the factors."""
    return sum(1 for _ in postorder(goal)) * (1 + len(linear))


def factors(terms: Terms, goal: Goal, linear: Sequence[Term]) -> list[Goal]:
    """What is to be equal for a goal, without the variables in which it is linear: their factors, and what is left."""
    work.count(_TERM * terms_of_factors(goal, linear))
    sort = goal[0].sort
    zeros = dict.fromkeys(linear, terms.zero(sort))
    one = terms.integer(1) if sort is Sort.INT else terms.real(1)
    given = [zeros, *({**zeros, variable: one} for variable in linear)]
    return [(left, right) for left, right in (terms.substitute(goal, values) for values in given) if left is not right]

"""Goals of numbers with few values, value by value: where these are known, little is left to compare.

Which way something is turned, which variant it is, how many there are of four at most: the rest is often sums.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product

from kcheck.checker.law import work
from kcheck.checker.law.algebra.comparisons import Goal, Search
from kcheck.checker.law.solver.intervals import assumed_ranges, conjuncts, is_bound
from kcheck.checker.law.terms import Op, Sort, Term, Terms, postorder, variables

_MOST_VALUES = 8
_MOST_CASES = 128
_MOST_TERMS = 30_000
"""How many terms all cases may have together."""
_TERM = 4e-6
"""The work of putting a value into one."""
_PATHS = 200
_CHOOSING = frozenset({Op.EQ, Op.LT, Op.LE, Op.ULT, Op.BIT_AND, Op.REM, Op.UREM, Op.SHL, Op.SHR, Op.USHR})
"""What numbers that say which case it is are used in."""


def shown(terms: Terms, goal: Goal, facts: Sequence[Term], deadline: float) -> set[int] | None:
    """The positions of facts that show a goal, case by case; None where that does not show it before the deadline.

    The deadline is one of `work`.
    """
    values = _values(goal, facts)
    if not values:
        return None
    size = sum(1 for _ in postorder((*goal, *facts)))
    if math.prod(map(len, values.values())) * size > _MOST_TERMS:
        return None
    used = {i for i, fact in enumerate(facts) if _bounds_one_of(fact, values)}
    for chosen in product(*values.values()):
        work.count(_TERM * size)
        case = {variable: terms.integer(value) for variable, value in zip(values, chosen, strict=True)}
        left, right, *known = terms.substitute((*goal, *facts), case)
        if left is right:
            continue
        if terms.false in known:
            used.add(known.index(terms.false))
            continue
        same, equations = _equal_variables(known)
        if same:
            used |= equations
            left, right, *known = terms.substitute((left, right, *known), same)
        search = Search(known, _PATHS, deadline)
        if not search.proved([(left, right)]):
            return None
        used |= search.used
    return used


def _equal_variables(facts: Sequence[Term]) -> tuple[dict[Term, Term], set[int]]:
    """For each variable that is said to be equal to others the one that stands for them, and the facts that say it."""
    same: dict[Term, Term] = {}
    saying = set()
    for i, fact in enumerate(facts):
        for part in conjuncts((fact,)):
            if part.op is Op.EQ and all(side.op is Op.VAR for side in part.args):
                one, other = (same.get(side, side) for side in part.args)
                if one is not other:
                    same = {v: one if stands is other else stands for v, stands in same.items()} | {other: one}
                    saying.add(i)
    return same, saying


def _values(goal: Goal, facts: Sequence[Term]) -> dict[Term, range]:
    """The values of variables that have few and that choices turn on, as far as all cases can be gone through."""
    few: dict[Term, range] = {}
    for variable, bounds in assumed_ranges(facts).items():
        if variable.sort is Sort.INT and bounds.low is not None and bounds.high is not None:
            values = range(int(bounds.low), int(bounds.high) + 1)
            if len(values) <= _MOST_VALUES:
                few[variable] = values
    choosing = _choosing(goal) if few else frozenset()
    chosen: dict[Term, range] = {}
    cases = 1
    for variable, values in sorted(few.items(), key=lambda item: (len(item[1]), item[0].number)):
        if variable in choosing and cases * len(values) <= _MOST_CASES:
            cases *= len(values)
            chosen[variable] = values
    return chosen


def _choosing(goal: Goal) -> frozenset[Term]:
    """The variables below comparisons and their kin."""
    return frozenset(variables([arg for term in postorder(goal) if term.op in _CHOOSING for arg in term.args]))


def _bounds_one_of(fact: Term, chosen: Mapping[Term, range]) -> bool:
    return any(is_bound(part) and not chosen.keys().isdisjoint(part.args) for part in conjuncts((fact,)))

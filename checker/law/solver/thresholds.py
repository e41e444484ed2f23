"""Minima and maxima by thresholds: the 0-1 principle of sorting networks.

For any number t, "is above t" turns the minimum of numbers into `and` and the maximum into `or`, and keeps the order.
Two numbers are equal if for every t both are above it or neither is.  So an equality of minima and maxima follows from
order relations between numbers if it does with truth values in their place.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from kcheck.checker import arithmetic
from kcheck.checker.law.solver.intervals import conjuncts
from kcheck.checker.law.terms import Op, Sort, Term, Terms, number, postorder


def is_order_only(goal: Term) -> bool:
    """Whether it says that two numbers made by minima and maxima are equal."""
    return goal.op is Op.EQ and goal.args[0].sort is not Sort.BOOL and all(map(_is_lattice, goal.args))


def is_order_relation(goal: Term) -> bool:
    """Whether it says that one such number is not above another: what thresholds can show."""
    return goal.op is Op.LE and all(map(_is_lattice, goal.args))


def above(terms: Terms, statements: Sequence[Term]) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Equalities and order relations as statements on what is above a threshold, and what else is true of that.

    What is no such statement becomes `true`: as a fact, that only says less.
    """
    values: dict[Term, Term] = {}
    done = tuple(terms.all(_statement(terms, part, values) for part in conjuncts((s,))) for s in statements)
    return done, tuple(_constants(terms, values))


def _statement(terms: Terms, part: Term, values: dict[Term, Term]) -> Term:
    if part.is_const:
        return part
    if part.op is Op.OR:
        # Where one of two relations holds for all thresholds, at each of them one of the two does.
        return terms.any(_statement(terms, side, values) for side in part.args)
    if part.op is Op.NOT and part.args[0].op in (Op.LT, Op.LE):
        high, low = part.args[0].args
    elif part.op in (Op.LT, Op.LE, Op.EQ):
        low, high = part.args
    else:
        return terms.true
    if low.sort is Sort.BOOL or not (_is_lattice(low) and _is_lattice(high)):
        return terms.true
    a, b = _above(terms, low, values), _above(terms, high, values)
    return terms.eq(a, b) if part.op is Op.EQ else terms.or_(terms.not_(a), b)


def _above(terms: Terms, number_: Term, values: dict[Term, Term]) -> Term:
    for term in _inner(number_):
        if term in values:
            continue
        kind = _kind(term)
        if kind is None:
            values[term] = terms.var(f"above@{term.number}", Sort.BOOL)
        else:
            a, b = (values[arg] for arg in term.args[-2:])
            values[term] = terms.and_(a, b) if kind is Op.MIN else terms.or_(a, b)
    return values[number_]


def _constants(terms: Terms, values: dict[Term, Term]) -> Iterable[Term]:
    """The order of constants, and that no Int is beyond the ends of its range."""
    constants = sorted((term for term in values if term.is_const), key=number)
    for low, high in itertools.pairwise(constants):
        yield terms.or_(terms.not_(values[low]), values[high])
    for constant in constants:
        for variable in (term for term in values if term.op is Op.VAR and term.sort is Sort.INT):
            if constant.value == arithmetic.INT_MIN:
                yield terms.or_(terms.not_(values[constant]), values[variable])
            if constant.value == arithmetic.INT_MAX:
                yield terms.or_(terms.not_(values[variable]), values[constant])


def _kind(term: Term) -> Op | None:
    """`MIN` or `MAX`, also where it is written as the smaller or larger side of a comparison."""
    if term.op in (Op.MIN, Op.MAX):
        return term.op
    if term.op is Op.IF and term.args[0].op in (Op.LT, Op.LE):
        low, high = term.args[0].args
        if (term.args[1], term.args[2]) == (low, high):
            return Op.MIN
        if (term.args[1], term.args[2]) == (high, low):
            return Op.MAX
    return None


def _is_lattice(number_: Term) -> bool:
    return all(_kind(t) is not None or t.op in (Op.VAR, Op.CONST) for t in _inner(number_))


def _inner(number_: Term) -> Iterable[Term]:
    """The numbers below a number, arguments first, without what stands in conditions."""
    return (term for term in postorder((number_,)) if term.sort is number_.sort)

"""Intervals: between which numbers the terms of a merge lie, by plain interval arithmetic and a small fixpoint."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from kcheck.checker import arithmetic
from kcheck.checker.law.euclid import GCD
from kcheck.checker.law.problem import Invariant, Problem
from kcheck.checker.law.solver.wording import at_least, at_most, leaf_text
from kcheck.checker.law.terms import Op, Sort, Term, number, postorder, saturated

Bound: TypeAlias = "int | Fraction | None"
"""None is minus infinity as a lower bound and plus infinity as an upper one."""

_WIDEN_AFTER = 3
_ROUNDS = 40


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, both included; a Bool is 0 or 1."""

    low: Bound
    high: Bound

    def joined(self, other: Interval) -> Interval:
        low = None if self.low is None or other.low is None else min(self.low, other.low)
        high = None if self.high is None or other.high is None else max(self.high, other.high)
        return Interval(low, high)

    def met(self, other: Interval) -> Interval:
        """What both say; where they contradict each other, `self`: that is right of a value that does not exist."""
        low = max((b for b in (self.low, other.low) if b is not None), default=None)
        high = min((b for b in (self.high, other.high) if b is not None), default=None)
        return self if low is not None and high is not None and low > high else Interval(low, high)

    @property
    def is_known(self) -> bool:
        """Whether it holds one number only."""
        return self.low is not None and self.low == self.high


WHOLE = {
    Sort.BOOL: Interval(0, 1),
    Sort.INT: Interval(arithmetic.INT_MIN, arithmetic.INT_MAX),
    Sort.REAL: Interval(None, None),
}


def ranges(terms: Sequence[Term], known: Mapping[Term, Interval]) -> dict[Term, Interval]:
    """The interval of each term below these, where the terms in `known` lie within theirs."""
    found: dict[Term, Interval] = {}
    for term in postorder(terms):
        interval = _interval(term, found)
        found[term] = interval.met(known[term]) if term in known else interval
    return found


def assumed_ranges(assumptions: Iterable[Term]) -> dict[Term, Interval]:
    """What comparisons of a variable with a constant say of the variable."""
    found: dict[Term, Interval] = {}
    for fact in conjuncts(assumptions):
        bounded = _bounded(fact)
        if bounded is not None:
            variable, interval = bounded
            found[variable] = found.get(variable, WHOLE[variable.sort]).met(interval)
    return found


def conjuncts(facts: Iterable[Term]) -> Iterable[Term]:
    """The facts, those that are an `and` taken apart."""
    pending = list(facts)
    while pending:
        fact = pending.pop()
        if fact.op is Op.AND:
            pending.extend(fact.args)
        else:
            yield fact


def is_bound(fact: Term) -> bool:
    """Whether it compares a variable with a constant."""
    return _bounded(fact) is not None


def _bounded(fact: Term) -> tuple[Term, Interval] | None:
    if fact.op not in (Op.LE, Op.LT, Op.EQ):
        return None
    left, right = fact.args
    inward = 1 if fact.op is Op.LT and left.sort is Sort.INT else 0
    if left.is_const and right.op is Op.VAR and right.sort is not Sort.BOOL:
        value = _number(left)
        return right, Interval(value + inward, value if fact.op is Op.EQ else None)
    if right.is_const and left.op is Op.VAR and left.sort is not Sort.BOOL:
        value = _number(right)
        return left, Interval(value if fact.op is Op.EQ else None, value - inward)
    return None


# ---------------------------------------------------------------- reachable values


def reachable(problem: Problem) -> tuple[Interval, ...]:
    """An interval for each leaf that holds every reachable value: compute's results and their merges are within."""
    known = given_ranges(problem)
    thresholds = _thresholds(problem)
    found = ranges(problem.compute.leaves, known)
    state = tuple(found[leaf] for leaf in problem.compute.leaves)
    for count in range(_ROUNDS):
        following = _step(problem, known, state)
        if following == state:
            return state
        if count >= _WIDEN_AFTER:
            following = tuple(_widened(old, new, thresholds) for old, new in zip(state, following, strict=True))
        state = following
    return tuple(WHOLE[sort] for sort in problem.sorts)


def always(problem: Problem, conditions: Sequence[Term]) -> bool:
    """Whether conditions in compute and merge are seen to hold for all reachable values."""
    known, state = given_ranges(problem), reachable(problem)
    known |= dict(zip((*problem.left, *problem.right), (*state, *state), strict=True))
    found = ranges(conditions, known)
    return all(found[condition].low == 1 for condition in conditions)


def given_ranges(problem: Problem) -> dict[Term, Interval]:
    """The ranges of params and of what compute reads."""
    known = assumed_ranges(problem.assumptions)
    for read in problem.inputs:
        known[read.variable] = WHOLE[read.variable.sort].met(Interval(read.low, read.high))
    return known


def interval_invariants(problem: Problem) -> tuple[Invariant, ...]:
    """`f >= c` and `f <= c` for the bounds of `reachable`; inductive, since the intervals are."""
    found: list[Invariant] = []
    for index, interval in enumerate(reachable(problem)):
        sort = problem.sorts[index]
        if sort is Sort.BOOL:
            continue
        if interval.low is not None and interval.low != WHOLE[sort].low:
            found.append(at_least(problem, index, interval.low))
        if interval.high is not None and interval.high != WHOLE[sort].high:
            found.append(at_most(problem, index, interval.high))
    return tuple(found)


def counted_invariants(problem: Problem) -> tuple[Invariant, ...]:
    """`f = the number of elements` of Ints that are 1 and are added, `0 <= f <= the number of elements` of 0 or 1.

    Such sums do not wrap, as no field has more elements than an Int counts.
    """
    terms, state, count = problem.terms, problem.state("h"), problem.terms.var("h.n", Sort.INT)
    known = ranges(problem.compute.leaves, given_ranges(problem))
    found: list[Invariant] = []
    for i, (leaf, merged) in enumerate(zip(problem.compute.leaves, problem.merge.leaves, strict=True)):
        if (
            merged.op is not Op.ADD
            or set(merged.args) != {problem.left[i], problem.right[i]}
            or leaf.sort is not Sort.INT
        ):
            continue
        low, high = known[leaf].low, known[leaf].high
        if low == high == 1:
            found.append(Invariant(f"{leaf_text(problem, i)} = the number of elements", terms.eq(state[i], count)))
        elif low is not None and high is not None and low >= 0 and high <= 1:
            found.append(at_least(problem, i, 0))
            found.append(Invariant(f"{leaf_text(problem, i)} <= the number of elements", terms.le(state[i], count)))
    return tuple(found)


def _step(problem: Problem, known: Mapping[Term, Interval], state: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """The state joined with what the merge of two such states gives."""
    sides = dict(zip((*problem.left, *problem.right), (*state, *state), strict=True))
    found = ranges(problem.merge.leaves, {**known, **sides})
    return tuple(old.joined(found[leaf]) for old, leaf in zip(state, problem.merge.leaves, strict=True))


def _thresholds(problem: Problem) -> Sequence[int | Fraction]:
    """Where a growing bound may stop: the constants of the program and 0, 1, -1, in order."""
    constants = {_number(t) for t in postorder(all_terms(problem)) if t.is_const and t.sort is not Sort.BOOL}
    return sorted(constants | {0, 1, -1, arithmetic.INT_MIN, arithmetic.INT_MAX})


def all_terms(problem: Problem) -> list[Term]:
    """The leaves of compute and merge and what the params are held to."""
    return [*problem.compute.leaves, *problem.merge.leaves, *problem.assumptions]


def _widened(old: Interval, new: Interval, thresholds: Sequence[int | Fraction]) -> Interval:
    low, high = new.low, new.high
    if low is not None and low != old.low:
        low = max((t for t in thresholds if t <= low), default=None)
    if high is not None and high != old.high:
        high = min((t for t in thresholds if t >= high), default=None)
    return Interval(low, high)


# ---------------------------------------------------------------- one term


def _number(term: Term) -> int | Fraction:
    return number(term)


def _interval(term: Term, found: Mapping[Term, Interval]) -> Interval:
    if term.op is Op.CONST:
        value = _number(term)
        return Interval(value, value)
    if term.op is Op.IF:
        return _choice(term, found)
    args = [found[arg] for arg in term.args]
    if term.sort is Sort.BOOL:
        return _truth(term.op, args)
    exact = unwrapped(term, found)
    if exact is not None:
        # An Int whose exact result may leave the range of Int wraps, so it may be anything.
        return exact if term.sort is Sort.REAL or fits_int(exact) else WHOLE[Sort.INT]
    if term.sort is Sort.INT:
        return _of_int(term, args)
    return _of_real(term.op, args)


def unwrapped(term: Term, found: Mapping[Term, Interval]) -> Interval | None:
    """The interval of a sum, product, negation … as if numbers had no end; None for other operations."""
    args = [found[arg] for arg in term.args]
    if term.op is Op.MUL and term.args[0] is term.args[1]:
        return _square(args[0])
    rule = _RULES.get(term.op)
    return None if rule is None else rule(*args)


def fits_int(interval: Interval) -> bool:
    low, high = interval.low, interval.high
    return low is not None and high is not None and low >= arithmetic.INT_MIN and high <= arithmetic.INT_MAX


def _choice(term: Term, found: Mapping[Term, Interval]) -> Interval:
    condition, then, otherwise = term.args
    truth = found[condition]
    if truth.is_known:
        return found[then] if truth.low == 1 else found[otherwise]
    return _where(condition, True, then, found).joined(_where(condition, False, otherwise, found))


def _where(condition: Term, holds: bool, term: Term, found: Mapping[Term, Interval]) -> Interval:
    """The interval of `term` where a comparison that it is a side of holds, or does not."""
    interval = found[term]
    if condition.op not in (Op.LT, Op.LE) or term not in condition.args:
        return interval
    left, right = condition.args
    inward = 1 if term.sort is Sort.INT and (condition.op is Op.LT) is holds else 0
    below = (term is left) is holds
    other = found[right if term is left else left]
    if below:
        return interval.met(Interval(None, _plus(other.high, -inward)))
    return interval.met(Interval(_plus(other.low, inward), None))


def _truth(op: Op, args: Sequence[Interval]) -> Interval:
    match op:
        case Op.NOT:
            return _minus(Interval(1, 1), args[0])
        case Op.AND:
            return _least(*args)
        case Op.OR:
            return _greatest(*args)
        case Op.LT | Op.LE | Op.EQ:
            return _comparison(op, *args)
        case _:
            return WHOLE[Sort.BOOL]


def _comparison(op: Op, a: Interval, b: Interval) -> Interval:
    a_below = a.high is not None and b.low is not None and (a.high < b.low or (op is Op.LE and a.high == b.low))
    b_below = b.high is not None and a.low is not None and (b.high < a.low or (op is Op.LT and b.high == a.low))
    if op is Op.EQ:
        if a_below or b_below:
            return Interval(0, 0)
        return Interval(1, 1) if a.is_known and a == b else WHOLE[Sort.BOOL]
    if a_below:
        return Interval(1, 1)
    return Interval(0, 0) if b_below else WHOLE[Sort.BOOL]


def _plus(a: Bound, b: Bound) -> Bound:
    return None if a is None or b is None else a + b


def _sum(a: Interval, b: Interval) -> Interval:
    return Interval(_plus(a.low, b.low), _plus(a.high, b.high))


def _negated(a: Interval) -> Interval:
    return Interval(None if a.high is None else -a.high, None if a.low is None else -a.low)


def _minus(a: Interval, b: Interval) -> Interval:
    return _sum(a, _negated(b))


def _least(a: Interval, b: Interval) -> Interval:
    low = None if a.low is None or b.low is None else min(a.low, b.low)
    return Interval(low, min((x for x in (a.high, b.high) if x is not None), default=None))


def _greatest(a: Interval, b: Interval) -> Interval:
    return _negated(_least(_negated(a), _negated(b)))


def _absolute(a: Interval) -> Interval:
    both = _greatest(a, _negated(a))
    low = 0 if both.low is None else max(both.low, 0)
    return Interval(low, None if a.low is None or a.high is None else both.high)


def _square(a: Interval) -> Interval:
    size = _absolute(a)
    assert size.low is not None
    return Interval(size.low * size.low, None if size.high is None else size.high * size.high)


def _product(a: Interval, b: Interval) -> Interval:
    if a.low is not None and a.high is not None and b.low is not None and b.high is not None:
        corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
        return Interval(min(corners), max(corners))
    if a.low is not None and a.low >= 0 and b.low is not None and b.low >= 0:
        return Interval(a.low * b.low, None)
    return Interval(None, None)


_RULES: Mapping[Op, Callable[..., Interval]] = {
    Op.ADD: _sum,
    Op.SUB: _minus,
    Op.NEG: _negated,
    Op.MUL: _product,
    Op.MIN: _least,
    Op.MAX: _greatest,
    Op.ABS: _absolute,
    Op.TO_REAL: lambda a: a,
}
"""What holds of Ints too, unless the exact result wraps."""


def _of_real(op: Op, args: Sequence[Interval]) -> Interval:
    match op:
        case Op.EXP | Op.SQRT:
            return Interval(0, None)
        case Op.FLOOR:
            low, high = args[0].low, args[0].high
            return Interval(None if low is None else math.floor(low), None if high is None else math.floor(high))
        case Op.DIV:
            return _quotient(*args)
        case Op.REM if args[0].low is not None and args[0].low >= 0:
            return Interval(0, args[0].high)
        case _:
            return WHOLE[Sort.REAL]


def _quotient(a: Interval, b: Interval) -> Interval:
    if b.low is None or b.low < 0 or a.low is None or a.low < 0:
        return WHOLE[Sort.REAL]
    low = Fraction(0) if b.high is None or b.high == 0 else Fraction(a.low) / b.high
    return Interval(low, None if a.high is None or b.low == 0 else Fraction(a.high) / b.low)


def _of_int(term: Term, args: Sequence[Interval]) -> Interval:
    whole = WHOLE[Sort.INT]
    match term.op:
        case Op.BIT_AND:
            highs = [a.high for a in args if a.low is not None and a.low >= 0 and a.high is not None]
            return Interval(0, min(highs)) if highs else whole
        case Op.BIT_OR | Op.BIT_XOR if all(_non_negative(a) for a in args):
            bits = max(int(a.high or 0).bit_length() for a in args)
            return Interval(0, (1 << bits) - 1)
        case Op.POPCOUNT | Op.CLZ | Op.CTZ:
            return Interval(0, 32)
        case Op.FUNCTION if term.value == GCD and all(_non_negative(a) for a in args):
            return Interval(0, max(int(a.high or 0) for a in args))
        case Op.USHR | Op.SHR | Op.UREM | Op.UDIV | Op.REM | Op.DIV if term.args[1].is_const:
            return _by_constant(term.op, args[0], int(_number(term.args[1])))
        case Op.REM:
            return _rest(*args)
        case Op.UREM | Op.UDIV | Op.DIV if all(_non_negative(a) for a in args):
            return _rest(*args) if term.op is Op.UREM else Interval(0, args[0].high)
        case Op.TO_INT:
            low, high = args[0].low, args[0].high
            return Interval(
                arithmetic.INT_MIN if low is None else saturated(Fraction(low)),
                arithmetic.INT_MAX if high is None else saturated(Fraction(high)),
            )
        case _:
            return whole


def _by_constant(op: Op, a: Interval, by: int) -> Interval:
    whole = WHOLE[Sort.INT]
    assert a.low is not None
    assert a.high is not None
    low, high = int(a.low), int(a.high)
    match op:
        case Op.SHR:
            return Interval(low >> (by & 31), high >> (by & 31))
        case Op.USHR if low >= 0:
            return Interval(low >> (by & 31), high >> (by & 31))
        case Op.USHR if by & 31:
            return Interval(0, arithmetic.unsigned(-1) >> (by & 31))
        case Op.UREM if by > 0:
            return a if low >= 0 and high < by else Interval(0, by - 1)
        case Op.UDIV if by > 0 and low >= 0:
            return Interval(low // by, high // by)
        case Op.UDIV if by > 1:
            return Interval(0, arithmetic.unsigned(-1) // by)
        case Op.REM if by > 0:
            return Interval(max(low, 1 - by) if low < 0 else 0, min(high, by - 1) if high > 0 else 0)
        case Op.DIV if by > 0:
            return Interval(arithmetic.divide_ints(low, by), arithmetic.divide_ints(high, by))
        case _:
            return whole


def _rest(a: Interval, b: Interval) -> Interval:
    """A remainder is no larger than the dividend, smaller than the divisor, and has the dividend's sign."""
    size = _absolute(b).high
    assert size is not None
    most = max(size - 1, 0)
    assert a.low is not None
    assert a.high is not None
    return Interval(max(min(a.low, 0), -most), min(max(a.high, 0), most))


def _non_negative(a: Interval) -> bool:
    return a.low is not None and a.low >= 0

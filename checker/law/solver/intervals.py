"""Intervals: between which numbers the terms of a merge lie, by plain interval arithmetic and a small fixpoint."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce

from kcheck.checker import arithmetic
from kcheck.checker.law import work
from kcheck.checker.law.algebra.comparisons import are_proved
from kcheck.checker.law.algebra.interval import BOOL, EVERYTHING, INT, Interval, least, point
from kcheck.checker.law.algebra.polynomial import Number, tidy
from kcheck.checker.law.euclid import GCD
from kcheck.checker.law.problem import Invariant, Problem
from kcheck.checker.law.solver.ends import between_ends
from kcheck.checker.law.solver.means import mean
from kcheck.checker.law.solver.wording import above, at_least, at_most, below, leaf_text
from kcheck.checker.law.terms import Op, Sort, Term, number, postorder, saturated
from kcheck.checker.types import leaves

_WIDEN_AFTER = 3
_ROUNDS = 40
_PATHS, _PATHS_SECONDS = 40, 0.01
_DIGITS = 200
"""Binary ones, of the longest numbers that are kept as they are."""
_FAR = 4096
"""Larger powers of two than that are no bound, and smaller parts than its inverse are left out."""

WHOLE = {Sort.BOOL: BOOL, Sort.INT: INT, Sort.REAL: EVERYTHING}
"""What lies in each sort; only Reals have open ends, and a Bool is 0 or 1."""


def met(a: Interval, b: Interval) -> Interval:
    """What both say; where they contradict each other, the first: that is right of a value that does not exist."""
    both = a.meet(b)
    return a if both.is_empty else both


def ranges(terms: Sequence[Term], known: Mapping[Term, Interval]) -> dict[Term, Interval]:
    """The interval of each term below these, where the terms in `known` lie within theirs."""
    found: dict[Term, Interval] = {}
    for term in postorder(terms):
        interval = _interval(term, found)
        found[term] = _short(met(interval, known[term]) if term in known else interval)
    return found


def _short(a: Interval) -> Interval:
    """The same or, where its ends are long numbers, a slightly wider one."""
    low, high = _rounded(a.low, math.floor), _rounded(a.high, math.ceil)
    return a if low is a.low and high is a.high else Interval(low, high, a.low_open, a.high_open)


def _rounded(end: Number | None, to_whole: Callable[[Fraction], int]) -> Number | None:
    """A short number near a long one."""
    if end is None or (end.numerator.bit_length() < _DIGITS and end.denominator.bit_length() < _DIGITS):
        return end
    size = end.numerator.bit_length() - end.denominator.bit_length()
    if size > _FAR:
        return None
    unit = Fraction(2) ** max(size - _DIGITS, -_FAR)
    return tidy(to_whole(end / unit) * unit)


def assumed_ranges(assumptions: Iterable[Term]) -> dict[Term, Interval]:
    """What comparisons of a variable with a constant say of the variable."""
    found: dict[Term, Interval] = {}
    for fact in conjuncts(assumptions):
        bounded = _bounded(fact)
        if bounded is not None:
            variable, interval = bounded
            found[variable] = met(found.get(variable, WHOLE[variable.sort]), interval)
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
    if left.is_const and right.op is Op.VAR and right.sort is not Sort.BOOL:
        value = point(number(left))
        return right, value if fact.op is Op.EQ else _beyond(value, right.sort, strict=fact.op is Op.LT)
    if right.is_const and left.op is Op.VAR and left.sort is not Sort.BOOL:
        value = point(number(right))
        return left, value if fact.op is Op.EQ else _before(value, left.sort, strict=fact.op is Op.LT)
    return None


def _beyond(a: Interval, sort: Sort, *, strict: bool) -> Interval:
    """All numbers that are at least as large as one of `a`, or larger where `strict`."""
    if a.low is not None and strict and sort is Sort.INT:
        return Interval(a.low + 1)
    return Interval(a.low, None, a.low is not None and (strict or a.low_open))


def _before(a: Interval, sort: Sort, *, strict: bool) -> Interval:
    return -_beyond(-a, sort, strict=strict)


# ---------------------------------------------------------------- reachable values


def reachable(problem: Problem) -> tuple[Interval, ...]:
    """An interval for each leaf that holds every reachable value: compute's results and their merges are within."""
    known = given_ranges(problem) | {problem.merge.leaves[i]: count for i, count in counts(problem).items()}
    thresholds = _thresholds(problem)
    found = ranges(problem.compute.leaves, known)
    state = tuple(found[leaf] for leaf in problem.compute.leaves)
    for count in range(_ROUNDS):
        following = _step(problem, known, state)
        if following == state:
            return state
        if count >= _WIDEN_AFTER:
            following = tuple(
                _widened(old, new, thresholds, sort)
                for old, new, sort in zip(state, following, problem.sorts, strict=True)
            )
        state = following
    return tuple(WHOLE[sort] for sort in problem.sorts)


def always(problem: Problem, conditions: Sequence[Term]) -> bool:
    """Whether conditions in compute and merge are seen to hold for all reachable values."""
    known, state = given_ranges(problem), reachable(problem)
    known |= dict(zip((*problem.left, *problem.right), (*state, *state), strict=True))
    found = ranges(conditions, known)
    return all(is_true(found[condition]) for condition in conditions)


def is_true(truth: Interval) -> bool:
    return truth.low == 1


def given_ranges(problem: Problem) -> dict[Term, Interval]:
    """The ranges of params and of what compute reads."""
    known = assumed_ranges(problem.assumptions)
    for read in problem.inputs:
        known[read.variable] = met(WHOLE[read.variable.sort], Interval(read.low, read.high))
    return known


def interval_invariants(problem: Problem) -> tuple[Invariant, ...]:
    """`f >= c`, `f > c` and so on for the bounds of `reachable`; inductive, since the intervals are."""
    return tuple(found for i, interval in enumerate(reachable(problem)) for found in bounds_of(problem, i, interval))


def bounds_of(problem: Problem, index: int, interval: Interval) -> Iterator[Invariant]:
    """That a leaf lies within an interval, unless all of its sort do."""
    sort = problem.sorts[index]
    if sort is Sort.BOOL:
        return
    if interval.low is not None and interval.low != WHOLE[sort].low:
        yield (above if interval.low_open else at_least)(problem, index, interval.low)
    if interval.high is not None and interval.high != WHOLE[sort].high:
        yield (below if interval.high_open else at_most)(problem, index, interval.high)


def counted_invariants(problem: Problem) -> tuple[Invariant, ...]:
    """`f = the number of elements` of Ints that are 1 and are added, `0 <= f <= the number of elements` of 0 or 1, and
    `f + g = the number of elements` of the bins of a histogram.

    Such sums do not wrap, as no field has more elements than an Int counts.
    """
    terms, state, count = problem.terms, problem.state("h"), problem.terms.var("h.n", Sort.INT)
    found: list[Invariant] = []
    for i, interval in counts(problem).items():
        if interval.low == 1:
            found.append(Invariant(f"{leaf_text(problem, i)} = the number of elements", terms.eq(state[i], count)))
        else:
            found.append(at_least(problem, i, 0))
            found.append(Invariant(f"{leaf_text(problem, i)} <= the number of elements", terms.le(state[i], count)))
    for bins in _histograms(problem):
        text = f"{' + '.join(leaf_text(problem, i) for i in bins)} = the number of elements"
        total = reduce(terms.add, (terms.to_real(state[i]) for i in bins))  # as Ints they might wrap, for all one knows
        found.append(Invariant(text, terms.eq(total, terms.to_real(count))))
    return tuple(found)


def _histograms(problem: Problem) -> Iterator[list[int]]:
    """Counts that stand side by side, of which each element is counted in just one."""
    by_parent: dict[tuple[int | str, ...], list[int]] = {}
    found, paths = counts(problem), [leaf.path for leaf in leaves(problem.type)]
    for i, interval in found.items():
        if interval.low == 0:
            by_parent.setdefault(paths[i][:-1], []).append(i)
    for bins in by_parent.values():
        if len(bins) > 1 and (_are_bins(problem, bins) or _add_up_to_one(problem, bins)):
            yield bins


def _are_bins(problem: Problem, bins: Sequence[int]) -> bool:
    """Whether compute makes one of them 1 by a number that has one of their numbers, as in `bins[k] = 1`."""
    found: dict[Term, set[Number]] = {}
    for leaf in (problem.compute.leaves[i] for i in bins):
        if not (leaf.op is Op.IF and leaf.args[0].op is Op.EQ and leaf.args[1].value == 1 and leaf.args[2].value == 0):
            return False
        for chosen, key in (leaf.args[0].args, leaf.args[0].args[::-1]):
            if key.is_const and key.sort is Sort.INT:
                found.setdefault(chosen, set()).add(number(key))
    within = ranges(list(found), given_ranges(problem))
    return any(
        len(keys) == len(bins) and within[chosen].within(min(keys), max(keys)) and max(keys) - min(keys) < len(bins)
        for chosen, keys in found.items()
    )


def _add_up_to_one(problem: Problem, bins: Sequence[int]) -> bool:
    """The same, seen by going through the outcomes of comparisons."""
    terms = problem.terms
    total = reduce(terms.add, (problem.compute.leaves[i] for i in bins))
    return are_proved([(total, terms.integer(1))], problem.assumptions, _PATHS, work.clock() + _PATHS_SECONDS)


def counts(problem: Problem) -> dict[int, Interval]:
    """The leaves that are added and 1 for each element, or 0 or 1, and where they and their sums lie.

    The sums do not wrap, as no field is long enough.
    """
    known = ranges(problem.compute.leaves, given_ranges(problem))
    found: dict[int, Interval] = {}
    for i, (leaf, merged) in enumerate(zip(problem.compute.leaves, problem.merge.leaves, strict=True)):
        is_sum = merged.op is Op.ADD and set(merged.args) == {problem.left[i], problem.right[i]}
        if is_sum and leaf.sort is Sort.INT and known[leaf].within(0, 1):
            found[i] = Interval(known[leaf].low, arithmetic.INT_MAX)
    return found


def _step(problem: Problem, known: Mapping[Term, Interval], state: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """The state joined with what the merge of two such states gives."""
    sides = dict(zip((*problem.left, *problem.right), (*state, *state), strict=True))
    found = ranges(problem.merge.leaves, {**known, **sides})
    return tuple(old.join(found[leaf]) for old, leaf in zip(state, problem.merge.leaves, strict=True))


def _thresholds(problem: Problem) -> Sequence[Number]:
    """Where a growing bound may stop: the constants of the program and 0, 1, -1, in order."""
    constants = {tidy(number(t)) for t in postorder(all_terms(problem)) if t.is_const and t.sort is not Sort.BOOL}
    return sorted(constants | {0, 1, -1, arithmetic.INT_MIN, arithmetic.INT_MAX})


def all_terms(problem: Problem) -> list[Term]:
    """The leaves of compute and merge and what the params are held to."""
    return [*problem.compute.leaves, *problem.merge.leaves, *problem.assumptions]


def _widened(old: Interval, new: Interval, thresholds: Sequence[Number], sort: Sort) -> Interval:
    """`new` with the ends that have moved moved on to the next threshold, which a Real does not reach."""
    low, low_open = _further(old, new, thresholds, sort)
    high, high_open = _further(-old, -new, [-t for t in reversed(thresholds)], sort)
    return Interval(low, None if high is None else -high, low_open, high_open)


def _further(old: Interval, new: Interval, thresholds: Sequence[Number], sort: Sort) -> tuple[Number | None, bool]:
    """The lower end, and whether it is open."""
    low = new.low
    if low is None or (low, new.low_open) == (old.low, old.low_open):
        return low, new.low_open
    end = max((t for t in thresholds if t <= low), default=None)
    return end, end is not None and sort is Sort.REAL and (end < low or new.low_open)


# ---------------------------------------------------------------- one term


def _interval(term: Term, found: Mapping[Term, Interval]) -> Interval:
    interval = _by_operation(term, found)
    for tighter in (mean, between_ends) if term.sort is Sort.REAL else ():
        between = tighter(term, found)
        interval = interval if between is None else met(interval, between)
    return interval


def _by_operation(term: Term, found: Mapping[Term, Interval]) -> Interval:
    if term.op is Op.CONST:
        return point(tidy(number(term)))
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
    return _of_real(term, args)


def unwrapped(term: Term, found: Mapping[Term, Interval]) -> Interval | None:
    """The interval of a sum, product, negation … as if numbers had no end; None for other operations."""
    args = [found[arg] for arg in term.args]
    if term.op is Op.MUL and term.args[0] is term.args[1]:
        return args[0].power(2)
    rule = _RULES.get(term.op)
    return None if rule is None else rule(*args)


def fits_int(interval: Interval) -> bool:
    return interval.within(arithmetic.INT_MIN, arithmetic.INT_MAX)


def _choice(term: Term, found: Mapping[Term, Interval]) -> Interval:
    condition, then, otherwise = term.args
    truth = found[condition]
    if truth.is_point:
        return found[then] if is_true(truth) else found[otherwise]
    return _where(condition, True, then, found).join(_where(condition, False, otherwise, found))


def _where(condition: Term, holds: bool, term: Term, found: Mapping[Term, Interval]) -> Interval:
    """The interval of `term` where a comparison that it is a side of holds, or does not."""
    interval = found[term]
    if term not in condition.args:
        return interval
    return where(condition, holds, found).get(term, interval)


def where(condition: Term, holds: bool, found: Mapping[Term, Interval]) -> dict[Term, Interval]:
    """The intervals of both sides of a comparison where it holds, or does not."""
    if condition.op in (Op.LT, Op.LE):
        small, large = condition.args if holds else condition.args[::-1]
        strict = (condition.op is Op.LT) is holds
        return {
            small: met(found[small], _before(found[large], small.sort, strict=strict)),
            large: met(found[large], _beyond(found[small], large.sort, strict=strict)),
        }
    if condition.op is Op.EQ and condition.args[0].sort is not Sort.BOOL:
        a, b = condition.args
        if holds:
            return {a: met(found[a], found[b]), b: met(found[b], found[a])}
        return {a: _except(found[a], found[b], a.sort), b: _except(found[b], found[a], b.sort)}
    return {}


def _except(a: Interval, other: Interval, sort: Sort) -> Interval:
    """`a` without an end that is the one number of `other`."""
    if other.is_point and a.low == other.low:
        return met(a, _beyond(other, sort, strict=True))
    if other.is_point and a.high == other.high:
        return met(a, _before(other, sort, strict=True))
    return a


def _truth(op: Op, args: Sequence[Interval]) -> Interval:
    match op:
        case Op.NOT:
            return point(1) + -args[0]
        case Op.AND:
            return least(*args)
        case Op.OR:
            return _greatest(*args)
        case Op.LT | Op.LE | Op.EQ:
            return _comparison(op, *args)
        case _:
            return WHOLE[Sort.BOOL]


def _comparison(op: Op, a: Interval, b: Interval) -> Interval:
    difference = a + -b
    if op is Op.EQ:
        if difference.positive or difference.negative:
            return point(0)
        return point(1) if a.is_point and a == b else WHOLE[Sort.BOOL]
    holds, fails = difference.negative, difference.not_negative
    if op is Op.LE:
        holds, fails = difference.not_positive, difference.positive
    return point(1) if holds else point(0) if fails else WHOLE[Sort.BOOL]


def _greatest(a: Interval, b: Interval) -> Interval:
    return -least(-a, -b)


def _absolute(a: Interval) -> Interval:
    if a.not_negative or a.not_positive:
        return a if a.not_negative else -a
    both = _greatest(a, -a)
    return Interval(0, both.high, False, both.high_open)


_RULES: Mapping[Op, Callable[..., Interval]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a + -b,
    Op.NEG: lambda a: -a,
    Op.MUL: lambda a, b: a * b,
    Op.MIN: least,
    Op.MAX: _greatest,
    Op.ABS: _absolute,
    Op.TO_REAL: lambda a: a,
}
"""What holds of Ints too, unless the exact result wraps."""


def _of_real(term: Term, args: Sequence[Interval]) -> Interval:
    match term.op:
        case Op.EXP:
            return _exponential(args[0])
        case Op.SQRT:
            return _root(args[0])
        case Op.LOG:
            above_one = args[0] + point(-1)
            return Interval(0 if above_one.not_negative else None, 0 if above_one.not_positive else None)
        case Op.FUNCTION if term.value in ("sin", "cos"):
            return Interval(-1, 1)
        case Op.FLOOR:
            low, high = args[0].low, args[0].high
            return Interval(None if low is None else math.floor(low), None if high is None else math.floor(high))
        case Op.DIV:
            return args[0] * args[1].power(-1)
        case Op.REM if args[0].not_negative:
            return Interval(0, args[0].high)
        case _:
            return WHOLE[Sort.REAL]


def _exponential(a: Interval) -> Interval:
    """Above 0, and above or below 1 where `a` is so of 0."""
    high = 1 if a.not_positive else None
    return Interval(1, high) if a.not_negative else Interval(0, high, low_open=True)


def _root(a: Interval) -> Interval:
    """Between a number and 1, of a number that is not below 0."""
    if a.low is None or a.low < 0:
        return Interval(0, None if a.high is None else max(a.high, 1))
    low = min(a.low, 1)
    return Interval(low, None if a.high is None else max(a.high, 1), a.low_open and low == a.low)


def _of_int(term: Term, args: Sequence[Interval]) -> Interval:
    whole = WHOLE[Sort.INT]
    match term.op:
        case Op.BIT_AND:
            highs = [a.high for a in args if a.low is not None and a.low >= 0 and a.high is not None]
            return Interval(0, min(highs)) if highs else whole
        case Op.BIT_OR | Op.BIT_XOR if all(a.not_negative for a in args):
            bits = max(int(a.high or 0).bit_length() for a in args)
            return Interval(0, (1 << bits) - 1)
        case Op.POPCOUNT | Op.CLZ | Op.CTZ:
            return Interval(0, 32)
        case Op.FUNCTION if term.value == GCD and all(a.not_negative for a in args):
            return Interval(0, max(int(a.high or 0) for a in args))
        case Op.USHR | Op.SHR | Op.UREM | Op.UDIV | Op.REM | Op.DIV if term.args[1].is_const:
            return _by_constant(term.op, args[0], int(number(term.args[1])))
        case Op.REM:
            return _rest(*args)
        case Op.UREM | Op.UDIV | Op.DIV if all(a.not_negative for a in args):
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

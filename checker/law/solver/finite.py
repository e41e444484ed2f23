"""Laws of merges with few reachable values, by a table of all of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from kcheck.checker.law import exact
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.concrete import Concrete, Unsupported, param_variables
from kcheck.checker.law.problem import Law, Problem
from kcheck.checker.law.solver.intervals import given_ranges, ranges
from kcheck.checker.law.terms import Op, Sort, Term, Terms, Value, number, postorder

State: TypeAlias = tuple[Value, ...]

MOST_VALUES = 256
"""A byte each."""
MOST_WORK = 12_000_000
"""How many terms may be evaluated for all merges of two values: some tenths of a second."""
_OF_A_MERGE = 50
"""To keep what a merge gives takes as long as so many terms."""
_OF_REALS = 20
"""How many times longer it takes to evaluate a term of Reals, which is done exactly."""
_MOST_OF_A_TERM = 64
_MOST_COMBINED = 60_000
"""How many terms may be evaluated for all combinations of what compute is made of."""


class Table:
    """All values that compute may give and all merges of them; more than are reachable, perhaps.

    `rows[i][j]` is the position of the merge of values i and j.
    """

    def __init__(self, rows: Sequence[bytes]) -> None:
        self.rows = rows

    def holds(self, law: Law) -> bool:
        rows = self.rows
        if law is Law.COMMUTATIVE:
            return all(rows[i][j] == rows[j][i] for i in range(len(rows)) for j in range(i))
        # Row (i j) is what the merge of i and j gives with each value, and so is row j looked up in row i.
        padded = [row + bytes(256 - len(row)) for row in rows]
        return all(rows[row[j]] == rows[j].translate(padded[i]) for i, row in enumerate(rows) for j in range(len(row)))


def table_of(
    problem: Problem, most: int = MOST_VALUES, most_work: int = MOST_WORK, elements: Sequence[State] | None = None
) -> Table | None:
    """The table, or None where there are more values, or where a merge depends on a param or has no value.

    `elements` are the values that compute gives, where that is known better than by the bounds of its parts.
    """
    sides = {*problem.left, *problem.right}
    parts = list(postorder(_merge_terms(problem)))
    if not all(term in sides for term in parts if term.op is Op.VAR):
        return None
    has_reals = any(term.sort is Sort.REAL for term in parts)
    work = _OF_A_MERGE + len(parts) * (_OF_REALS if has_reals else 1)
    most = min(most, math.isqrt(most_work // work))
    first = _first_values(problem, most) if elements is None else elements
    if first is None or len(first) > most:
        return None
    merge = _exactly(problem) if has_reals else _quickly(problem)
    return None if merge is None else closed(first, merge, most)


def _merge_terms(problem: Problem) -> list[Term]:
    conditions = [term for o in problem.merge.obligations for term in (o.guard, o.condition)]
    return [*problem.merge.leaves, *conditions]


def closed(first: Sequence[State], merge: Callable[[State, State], State | None], most: int) -> Table | None:
    """The table of these values and of all merges of them; None where those are more, or one has no value."""
    numbers = {value: i for i, value in enumerate(first)}
    values = list(numbers)
    merged: dict[tuple[int, int], int] = {}
    # Merges with a first value alone come first: where values never end, that shows soonest so.
    for count in (len(values), most):
        done = 0
        while done < len(values):
            # All pairs whose later member is `done`.
            for pair in ((i, j) for k in range(min(done + 1, count)) for i, j in {(k, done), (done, k)}):
                if pair in merged:
                    continue
                value = merge(values[pair[0]], values[pair[1]])
                if value is None:
                    return None
                if value not in numbers:
                    numbers[value] = len(values)
                    values.append(value)
                    if len(values) > most:
                        return None
                merged[pair] = numbers[value]
            done += 1
    return Table([bytes(merged[i, j] for j in range(len(values))) for i in range(len(values))])


def _quickly(problem: Problem) -> Callable[[State, State], State | None] | None:
    """The merge of Ints and Bools."""
    try:
        compiled = Concrete(problem).merge
    except Unsupported:
        return None

    params = (0,) * len(param_variables(problem))  # they make no difference

    def merge(a: State, b: State) -> State | None:
        leaves, failing = compiled(whole(a), whole(b), params)
        return whole(leaves) if failing is None else None

    return merge


def whole(state: Sequence[Value | float]) -> tuple[bool | int, ...]:
    """Leaves that are Ints and Bools, as a state."""
    return tuple(leaf for leaf in state if isinstance(leaf, int))


def _exactly(problem: Problem) -> Callable[[State, State], State | None]:
    """The merge where Reals take part."""
    roots = _merge_terms(problem)
    variables_ = (*problem.left, *problem.right)
    count = len(problem.merge.leaves)

    def merge(a: State, b: State) -> State | None:
        known = [exact.point(v) if isinstance(v, Fraction) else v for v in (*a, *b)]
        found = exact.evaluated(roots, dict(zip(variables_, known, strict=True)))
        guards, conditions = found[count::2], found[count + 1 :: 2]
        if not all(guard is False or condition is True for guard, condition in zip(guards, conditions, strict=True)):
            return None
        return _points(found[:count])

    return merge


def _points(values: Sequence[exact.Value]) -> State | None:
    """The values as a state, if each is known exactly."""
    leaves = [_point(value) for value in values]
    return None if None in leaves else tuple(leaf for leaf in leaves if leaf is not None)


def _point(value: exact.Value) -> Value | None:
    if isinstance(value, exact.Interval):
        return value.low if value.is_point else None
    return value


# ---------------------------------------------------------------- what compute gives


def _first_values(problem: Problem, most: int) -> list[State] | None:
    """What compute may give, and perhaps more; None where that is too much."""
    terms, leaves = problem.terms, problem.compute.leaves
    found = _possible(terms, leaves, ranges(leaves, given_ranges(problem)))
    choices = []
    for leaf in leaves:
        values = found[leaf]
        if values is None:
            return None
        choices.append(sorted(values))
    together = _together(problem, found)
    if together is None and math.prod(map(len, choices)) <= most:
        together = list(product(*choices))
    return together if together is not None and len(together) <= most else None


def _together(problem: Problem, found: Mapping[Term, frozenset[Value] | None]) -> list[State] | None:
    """What the leaves of compute may be together: for all combinations of the parts that they are made of."""
    terms, leaves = problem.terms, problem.compute.leaves
    parts = {part: found[part] or frozenset() for part in _parts(leaves, found)}
    if math.prod(map(len, parts.values())) * len(found) > _MOST_COMBINED:
        return None
    names = {part: terms.var(f"part {i}", part.sort) for i, part in enumerate(parts)}
    roots = terms.substitute(leaves, names)
    states: dict[State, None] = {}
    for values in product(*map(sorted, parts.values())):
        known = [exact.point(v) if isinstance(v, Fraction) else v for v in values]
        state = _points(exact.evaluated(roots, dict(zip(names.values(), known, strict=True))))
        if state is None:
            return None
        states[state] = None
    return list(states)


def _parts(roots: Sequence[Term], found: Mapping[Term, frozenset[Value] | None]) -> list[Term]:
    """Terms of few values, of which these are made, but which are not made of such terms themselves."""
    parts: dict[Term, None] = {}
    seen: set[Term] = set()
    pending = list(roots)
    while pending:
        term = pending.pop()
        if term in seen or term.is_const:
            continue
        seen.add(term)
        if term.args and all(found[arg] is not None for arg in term.args):
            pending.extend(term.args)
        else:
            parts[term] = None
    return list(parts)


def _possible(terms: Terms, roots: Sequence[Term], within: dict[Term, Interval]) -> dict[Term, frozenset[Value] | None]:
    """The values that each term may have, or None where they are many."""
    found: dict[Term, frozenset[Value] | None] = {}
    for term in postorder(roots):
        found[term] = _values(terms, term, found, within[term])
    return found


def _values(
    terms: Terms, term: Term, found: dict[Term, frozenset[Value] | None], within: Interval
) -> frozenset[Value] | None:
    if term.sort is Sort.BOOL:
        return frozenset((False, True))
    if term.is_const:
        return frozenset((number(term),))
    masks = [int(number(arg)) for arg in term.args if arg.is_const] if term.op is Op.BIT_AND else []
    few = _below_mask(masks[0]) if masks else None
    few = _of_interval(term, within) if few is None else few
    if few is not None:
        return few
    args = [found[arg] for arg in term.args]
    if term.op is Op.IF:
        then, otherwise = args[1:]
        return None if then is None or otherwise is None else _few(then | otherwise)
    if not args or any(values is None for values in args):
        return None
    return _applied(terms, term, [values for values in args if values is not None])


def _applied(terms: Terms, term: Term, args: Sequence[frozenset[Value]]) -> frozenset[Value] | None:
    """What an operation gives for all combinations of its arguments' values."""
    results: set[Value] = set()
    for values in product(*args):
        constants = [terms.const(value, arg.sort) for value, arg in zip(values, term.args, strict=True)]
        result = terms.rebuild(term, constants)
        if not result.is_const or len(results) > _MOST_OF_A_TERM:
            return None
        results.add(number(result))
    return _few(frozenset(results))


def _of_interval(term: Term, within: Interval) -> frozenset[Value] | None:
    low, high = within.low, within.high
    if term.sort is not Sort.INT or low is None or high is None or high - low >= MOST_VALUES:
        return None
    return frozenset(range(int(low), int(high) + 1))


def _below_mask(mask: int) -> frozenset[Value] | None:
    """All Ints of which no bit is set outside the mask."""
    if mask < 0 or mask.bit_count() > 6:
        return None
    bits = [1 << i for i in range(31) if mask >> i & 1]
    return frozenset(sum(chosen) for chosen in product(*((0, bit) for bit in bits)))


def _few(values: frozenset[Value]) -> frozenset[Value] | None:
    return values if len(values) <= MOST_VALUES else None

"""Laws of merges with few reachable values, by a table of all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import TypeAlias

from kcheck.checker.law import exact
from kcheck.checker.law.concrete import Concrete, Unsupported, param_variables
from kcheck.checker.law.problem import Law, Problem
from kcheck.checker.law.solver.intervals import Interval, given_ranges, ranges
from kcheck.checker.law.terms import Op, Sort, Term, Terms, Value, number, postorder, variables

State: TypeAlias = tuple[Value, ...]

MOST_VALUES = 128
MOST_OF_REALS = 32
"""Merges of Reals are evaluated exactly, which takes longer."""
_MOST_OF_A_TERM = 64


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


def table_of(problem: Problem, most: int = MOST_VALUES) -> Table | None:
    """The table, or None where there are more values, or where a merge depends on a param or has no value."""
    sides = {*problem.left, *problem.right}
    if not all(v in sides for v in variables(_merge_terms(problem))):
        return None
    first = _first_values(problem)
    if first is None or len(first) > most:
        return None
    has_reals = any(term.sort is Sort.REAL for term in postorder(problem.merge.leaves))
    merge = _exactly(problem) if has_reals else _quickly(problem)
    return None if merge is None else closed(first, merge, min(most, MOST_OF_REALS) if has_reals else most)


def _merge_terms(problem: Problem) -> list[Term]:
    conditions = [term for o in problem.merge.obligations for term in (o.guard, o.condition)]
    return [*problem.merge.leaves, *conditions]


def closed(first: Sequence[State], merge: Callable[[State, State], State | None], most: int) -> Table | None:
    """The table of these values and of all merges of them; None where those are more, or one has no value."""
    numbers = {value: i for i, value in enumerate(first)}
    values = list(numbers)
    merged: dict[tuple[int, int], int] = {}
    done = 0
    while done < len(values):
        # All pairs whose later member is `done`.
        for pair in ((i, j) for k in range(done + 1) for i, j in {(k, done), (done, k)}):
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
    return Table([bytes(merged[i, j] for j in range(done)) for i in range(done)])


def _quickly(problem: Problem) -> Callable[[State, State], State | None] | None:
    """The merge of Ints and Bools."""
    try:
        compiled = Concrete(problem).merge
    except Unsupported:
        return None

    params = (0,) * len(param_variables(problem))  # they make no difference

    def merge(a: State, b: State) -> State | None:
        leaves, failing = compiled(_ints(a), _ints(b), params)
        return _ints(leaves) if failing is None else None

    return merge


def _ints(state: Sequence[Value | float]) -> tuple[bool | int, ...]:
    """A state of Ints and Bools as one."""
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
        leaves = [_point(value) for value in found[:count]]
        return None if None in leaves else tuple(leaf for leaf in leaves if leaf is not None)

    return merge


def _point(value: exact.Value) -> Value | None:
    if isinstance(value, exact.Interval):
        return value.low if value.is_point else None
    return value


# ---------------------------------------------------------------- what compute gives


def _first_values(problem: Problem) -> list[State] | None:
    """All combinations of what the leaves of compute may be, or None where there are too many."""
    terms, leaves = problem.terms, problem.compute.leaves
    found = _possible(terms, leaves, ranges(leaves, given_ranges(problem)))
    count = 1
    choices = []
    for leaf in leaves:
        values = found[leaf]
        if values is None:
            return None
        choices.append(sorted(values))
        count *= len(values)
        if count > MOST_VALUES:
            return None
    return list(product(*choices))


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
    few = _of_interval(term, within)
    if few is not None:
        return few
    args = [found[arg] for arg in term.args]
    if term.op is Op.IF:
        then, otherwise = args[1:]
        return None if then is None or otherwise is None else _few(then | otherwise)
    if term.op is Op.BIT_AND:
        masks = [int(number(arg)) for arg in term.args if arg.is_const]
        return _below_mask(masks[0]) if masks else None
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

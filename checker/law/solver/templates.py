"""What an invariant may look like: candidates that no sample contradicts."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import combinations, groupby, pairwise, permutations

from kcheck.checker import arithmetic
from kcheck.checker.law.algebra.polynomial import Number
from kcheck.checker.law.concrete import Unsupported, compiled, param_variables
from kcheck.checker.law.problem import Invariant, Problem, Symbolic
from kcheck.checker.law.solver.guards import test_text, tests_of_one_side
from kcheck.checker.law.solver.intervals import all_terms, given_ranges, ranges
from kcheck.checker.law.solver.samples import Sample
from kcheck.checker.law.solver.wording import leaf_text, number_text, param_text
from kcheck.checker.law.terms import Op, Sort, Term, choices, number, postorder, variables
from kcheck.checker.types import leaves

MOST_CANDIDATES = 400
_MOST_PAIRED = 12
"""Of more leaves only neighbours are compared."""
_MOST_SUMMED = 6
_MOST_GUARDED = 12
_FEW_VALUES = 4
"""All values of a leaf that has no more are asked for."""
_BOUNDS_EACH = 3
"""How many of the constants that bound a leaf are tried, from the nearest."""
_MODULI = (2, 4, 8, 16)
_MOST_EACH = 16
"""The most that a count is tried to grow by for each element."""
_SLACK = 1e-9
"""Samples of Reals are doubles."""


@dataclass(frozen=True, slots=True)
class _Column:
    """A quantity of a reachable value: how it is written, its term over the state `h`, and its sampled values."""

    text: str
    term: Term
    values: tuple[float, ...]
    path: tuple[int | str, ...] = ()


def simple_candidates(problem: Problem, samples: Sequence[Sample]) -> list[Invariant]:
    """Bounds of leaves, and relations of leaves, params and the number of elements, that hold of all samples."""
    return _candidates(_Makers(problem, samples).simple()) if samples else []


def tested_candidates(problem: Problem, samples: Sequence[Sample]) -> list[Invariant]:
    """What leaves are where a test of merge holds, such as `id = -1 where t < 0`."""
    made = _Makers(problem, samples).tested() if samples else ()
    return _candidates(i for i in made if i.holds.op is Op.OR and _is_of_value(i.holds.args[1]))


def _is_of_value(said: Term) -> bool:
    """Whether it says which value a leaf has."""
    return said.op in (Op.EQ, Op.VAR) or (said.op is Op.NOT and said.args[0].op is Op.VAR)


def equation_candidates(problem: Problem, samples: Sequence[Sample]) -> list[Invariant]:
    """Leaves that are one number, equal, opposite, or that add up, shares of a whole, vectors of length 1, what is of
    another leaf what compute says."""
    return _candidates(_Makers(problem, samples).equations()) if samples else []


def other_candidates(problem: Problem, samples: Sequence[Sample]) -> list[Invariant]:
    """Sums, and what holds where something else does, for values of few leaves."""
    return _candidates(_Makers(problem, samples).others()) if samples else []


def _candidates(made: Iterable[Invariant]) -> list[Invariant]:
    found: dict[Term, Invariant] = {}
    for invariant in made:
        if not invariant.holds.is_const:
            found.setdefault(invariant.holds, invariant)
        if len(found) >= MOST_CANDIDATES:
            break
    return list(found.values())


def whole_leaves(problem: Problem, samples: Sequence[Sample]) -> list[Invariant]:
    """`f is whole` for each Real of which all samples are."""
    terms, state = problem.terms, problem.state("h")
    return [
        Invariant(f"{leaf_text(problem, i)} is whole", terms.eq(terms.apply(Op.FLOOR, leaf), leaf))
        for i, leaf in enumerate(state)
        if leaf.sort is Sort.REAL and samples and all(is_nearly_whole(sample.leaves[i]) for sample in samples)
    ]


def is_nearly_whole(value: float) -> bool:
    return math.isfinite(value) and abs(value - round(value)) <= _SLACK * (1 + abs(value))


class _Makers:
    """The templates, each a method that yields what fits the samples."""

    def __init__(self, problem: Problem, samples: Sequence[Sample]) -> None:
        self._problem = problem
        self._terms = problem.terms
        self._samples = samples
        self._rows = range(len(samples))
        state = problem.state("h")
        self._columns = [
            _Column(leaf_text(problem, i), state[i], tuple(sample.leaves[i] for sample in samples), leaf.path)
            for i, leaf in enumerate(leaves(problem.type))
        ]
        count = problem.terms.var("h.n", Sort.INT)
        self._count = _Column("the number of elements", count, tuple(sample.count for sample in samples))
        self._params = [
            _Column(param_text(variable), variable, tuple(sample.params[i] for sample in samples))
            for i, variable in enumerate(param_variables(problem))
        ]
        self._constants = _constants(problem)
        self._out_of_reach = dict(zip(state, _open_ends(problem), strict=True))
        """Numbers that compute comes near to and never gives, though samples, which are rounded, may."""

    def simple(self) -> Iterator[Invariant]:
        numbers = self._numbers
        yield from self._common()
        yield from self._flags()
        yield from self.tested()
        yield from self._empty()
        for column in numbers:
            yield from self._bounds(column, self._rows, _BOUNDS_EACH)
            yield from self._rests(column)
        for column in numbers:
            yield from self._against_count(column)
            for param in self._params:
                yield from self._order(column, param, self._rows)
                yield from self._order(param, column, self._rows)
        yield from self._counted_together(numbers)
        for a, b in self._pairs(numbers):
            yield from self._order(a, b, self._rows)
        yield from self._sorted_unless_filled()

    def equations(self) -> Iterator[Invariant]:
        numbers = self._numbers
        for column in numbers:
            if min(column.values) == max(column.values):
                yield self._compare(column, "=", column.values[0])
        for a, b in combinations(numbers, 2) if len(numbers) <= _MOST_PAIRED else pairwise(numbers):
            yield from self._equal(a, b)
            yield from self._opposite(a, b)
        yield from self._lengths(numbers)
        yield from self._shares(numbers)
        yield from (
            i for i in self._computed() if i.holds.op is Op.EQ and Op.NEG not in {arg.op for arg in i.holds.args}
        )
        if len(numbers) <= _MOST_SUMMED:
            for a, b in combinations(numbers, 2):
                total = self._total(a, b)
                for other in numbers if total is not None else ():
                    if total is not None and other is not a and other is not b:
                        yield from self._equal(other, total)

    def others(self) -> Iterator[Invariant]:
        yield from self._computed()
        yield from self._guarded()
        if len(self._numbers) <= _MOST_SUMMED:
            yield from self._where_equal(self._numbers)
            yield from self._sums(self._numbers)

    @property
    def _numbers(self) -> list[_Column]:
        return [column for column in self._columns if column.term.sort is not Sort.BOOL]

    def _pairs(self, columns: Sequence[_Column]) -> Iterator[tuple[_Column, _Column]]:
        if len(columns) <= _MOST_PAIRED:
            yield from permutations(columns, 2)
        else:
            for a, b in pairwise(columns):
                yield a, b
                yield b, a

    def _common(self) -> Iterator[Invariant]:
        """`f` is what compute gives for every element, where that rests on params and shared reads alone."""
        for column, leaf in zip(self._columns, self._problem.compute.leaves, strict=True):
            read = variables((leaf,))
            if read and self._problem.common.issuperset(read):
                yield Invariant(f"{column.text} is one for all elements", self._terms.eq(column.term, leaf))

    # ------------------------------------------------------------ Bools

    def _flags(self) -> Iterator[Invariant]:
        """`f = true`, `f = false`, `g = true where f`."""
        terms = self._terms
        flags = [column for column in self._columns if column.term.sort is Sort.BOOL]
        for flag in flags:
            if all(flag.values):
                yield Invariant(f"{flag.text} = true", flag.term)
            elif not any(flag.values):
                yield Invariant(f"{flag.text} = false", terms.not_(flag.term))
        for a, b in self._pairs(flags):
            if all(y or not x for x, y in zip(a.values, b.values, strict=True)):
                yield Invariant(f"{b.text} = true where {a.text}", terms.or_(terms.not_(a.term), b.term))

    # ------------------------------------------------------------ one leaf

    def _bounds(self, column: _Column, rows: Sequence[int], most: int) -> Iterator[Invariant]:
        """`f = c`, `f >= c`, `f > c`, `f <= c`, `f < c`, `f != 0`."""
        terms, sort = self._terms, column.term.sort
        low, high = (pick(column.values[row] for row in rows) for pick in (min, max))
        constants, beyond = self._constants[sort], self._out_of_reach.get(column.term, ())
        if low == high:
            yield self._compare(column, "=", low)
            if len(rows) < len(self._rows):
                return
        above = [c for c in constants if c <= low + _slack(sort, low)]
        below = [c for c in constants if c >= high - _slack(sort, high)]
        for c in above[-most:]:
            yield self._compare(column, ">=", c)
            if sort is Sort.REAL and (c < low or c in beyond):
                yield self._compare(column, ">", c)
        for c in below[:most]:
            yield self._compare(column, "<=", c)
            if sort is Sort.REAL and (c > high or c in beyond):
                yield self._compare(column, "<", c)
        if low < 0 < high and all(column.values[row] != 0 for row in rows):
            holds = terms.not_(terms.eq(column.term, terms.zero(sort)))
            yield Invariant(f"{column.text} != 0", holds)

    def _rests(self, column: _Column) -> Iterator[Invariant]:
        """`f` has the rest r modulo a power of 2."""
        terms = self._terms
        for modulus in _MODULI if column.term.sort is Sort.INT else ():
            rests = {int(value) % modulus for value in column.values}
            if len(rests) == 1 and len(set(column.values)) > 1:
                [rest] = rests
                low_bits = terms.apply(Op.BIT_AND, column.term, terms.integer(modulus - 1))
                shown = (
                    f"{column.text} is a multiple of {modulus}"
                    if rest == 0
                    else f"{column.text} & {modulus - 1} = {rest}"
                )
                yield Invariant(shown, terms.eq(low_bits, terms.integer(rest)))

    def _compare(self, column: _Column, how: str, value: float | Fraction) -> Invariant:
        terms, exact = self._terms, Fraction(value)
        constant = terms.const(exact, column.term.sort)
        holds = {
            "=": lambda: terms.eq(column.term, constant),
            ">=": lambda: terms.le(constant, column.term),
            ">": lambda: terms.lt(constant, column.term),
            "<=": lambda: terms.le(column.term, constant),
            "<": lambda: terms.lt(column.term, constant),
        }[how]()
        return Invariant(f"{column.text} {how} {number_text(exact)}", holds)

    def _against_count(self, column: _Column) -> Iterator[Invariant]:
        """`f = n`, `f = 3 n`, `f = n - 1`, `f <= n`, `f >= n`, `f >= -n`, with the number of elements n."""
        terms, real = self._terms, column.term.sort is Sort.REAL
        count = self._count
        if real:
            count = _Column(count.text, terms.to_real(count.term), count.values)
        yield from self._order(column, count, self._rows)
        yield from self._order(count, column, self._rows)
        times = column.values[0] // count.values[0]
        if 1 < times <= _MOST_EACH and all(v == times * n for v, n in zip(column.values, count.values, strict=True)):
            several = terms.mul(terms.const(Fraction(times), column.term.sort), count.term)
            yield Invariant(f"{column.text} = {int(times)} * {count.text}", terms.eq(column.term, several))
        more = column.values[0] - count.values[0]
        if more and more == int(more) and all(v == n + more for v, n in zip(column.values, count.values, strict=True)):
            moved = terms.add(count.term, terms.const(Fraction(more), column.term.sort))
            sign = "-" if more < 0 else "+"
            yield Invariant(f"{column.text} = {count.text} {sign} {abs(int(more))}", terms.eq(column.term, moved))
        opposite = _Column(f"-{count.text}", terms.neg(count.term), tuple(-v for v in count.values))
        if any(v < 0 for v in column.values):
            yield from self._order(opposite, column, self._rows)

    # ------------------------------------------------------------ several leaves

    def _computed(self) -> Iterator[Invariant]:
        """`f` is the same function of `g` as in compute, where `g` is what was read."""
        compute = self._problem.compute.leaves
        owners = {leaf: self._columns[i] for i, leaf in enumerate(compute) if leaf.op is Op.VAR}
        for column, leaf in zip(self._columns, compute, strict=True):
            read = [v for v in variables((leaf,)) if v not in self._problem.common]
            if len(read) != 1 or read[0] is leaf or read[0] not in owners:
                continue
            owner = owners[read[0]]
            [expected] = self._terms.substitute((leaf,), {read[0]: owner.term})
            yield Invariant(
                f"{column.text} is of {owner.text} what compute says", self._terms.eq(column.term, expected)
            )

    def _order(self, a: _Column, b: _Column, rows: Sequence[int]) -> Iterator[Invariant]:
        """`a = b`, `a <= b`, `a < b`."""
        terms = self._terms
        if a.term.sort is not b.term.sort or a.term.sort is Sort.BOOL:
            return
        pairs = [(a.values[row], b.values[row]) for row in rows]
        slack = a.term.sort is Sort.REAL
        if not all(x <= y + (_SLACK * (1 + abs(y)) if slack else 0) for x, y in pairs):
            return
        yield Invariant(f"{a.text} <= {b.text}", terms.le(a.term, b.term))
        if all(x < y for x, y in pairs):
            yield Invariant(f"{a.text} < {b.text}", terms.lt(a.term, b.term))
        if all(x >= y - (_SLACK * (1 + abs(y)) if slack else 0) for x, y in pairs):
            yield Invariant(f"{a.text} = {b.text}", terms.eq(a.term, b.term))

    def _equal(self, a: _Column, b: _Column) -> Iterator[Invariant]:
        """`a = b`."""
        return (i for i in self._order(a, b, self._rows) if i.holds.op is Op.EQ)

    def _opposite(self, a: _Column, b: _Column) -> Iterator[Invariant]:
        """`a = -b`, where that is not `a = b` too."""
        negated = _Column(f"-{b.text}", self._terms.neg(b.term), tuple(-value for value in b.values))
        return self._equal(a, negated) if any(b.values) else iter(())

    def _lengths(self, numbers: Sequence[_Column]) -> Iterator[Invariant]:
        """`x^2 + y^2 = 1` for Reals that stand side by side."""
        terms = self._terms
        for parts in _side_by_side(numbers):
            if parts[0].term.sort is Sort.REAL:
                squares = [sum(value * value for value in row) for row in zip(*(p.values for p in parts), strict=True)]
                if all(abs(square - 1) <= _SLACK for square in squares):
                    term = reduce(terms.add, (terms.mul(p.term, p.term) for p in parts))
                    text = " + ".join(f"{p.text}^2" for p in parts)
                    yield Invariant(f"{text} = 1", terms.eq(term, terms.real(1)))

    def _shares(self, numbers: Sequence[_Column]) -> Iterator[Invariant]:
        """`x + y + z = 1`, or another number of the program's, for Reals that stand side by side."""
        terms = self._terms
        for parts in _side_by_side(numbers):
            if parts[0].term.sort is not Sort.REAL:
                continue
            totals = [sum(row) for row in zip(*(part.values for part in parts), strict=True)]
            for whole in self._constants[Sort.REAL]:
                if all(abs(total - whole) <= _SLACK * (1 + abs(whole)) for total in totals):
                    text = f"{' + '.join(part.text for part in parts)} = {number_text(whole)}"
                    term = reduce(terms.add, (part.term for part in parts))
                    yield Invariant(text, terms.eq(term, terms.real(whole)))

    def _counted_together(self, numbers: Sequence[_Column]) -> Iterator[Invariant]:
        """`x + y + z` is the number of elements, for numbers that stand side by side: each is counted in one place."""
        terms = self._terms
        for parts in _side_by_side(numbers):
            if [sum(row) for row in zip(*(part.values for part in parts), strict=True)] == list(self._count.values):
                total = reduce(terms.add, (part.term for part in parts))
                count = terms.to_real(self._count.term) if total.sort is Sort.REAL else self._count.term
                text = f"{' + '.join(part.text for part in parts)} = {self._count.text}"
                yield Invariant(text, terms.eq(total, count))

    def _sorted_unless_filled(self) -> Iterator[Invariant]:
        """`f < g where f != c`, and so for g: f and g are in order but for what compute fills empty places with."""
        filled = {
            column.term: leaf
            for column, leaf in zip(self._columns, self._problem.compute.leaves, strict=True)
            if leaf.is_const
        }
        for a, b in self._pairs(self._numbers):
            for place in (a, b):
                filler = filled.get(place.term)
                if filler is not None:
                    yield from self._sorted_but_for(a, b, place, Fraction(number(filler)))

    def _sorted_but_for(self, a: _Column, b: _Column, place: _Column, filler: Fraction) -> Iterator[Invariant]:
        """`a < b` or `a <= b`, where the place is not filled."""
        is_filled = self._compare(place, "=", filler)
        rows = [row for row in self._rows if place.values[row] != float(filler)]
        known = {i.holds for i in self._order(a, b, self._rows) if i.holds.op is Op.LE}
        for invariant in self._order(a, b, rows) if rows else ():
            if invariant.holds.op is not Op.EQ and invariant.holds not in known:
                holds = self._terms.or_(is_filled.holds, invariant.holds)
                yield Invariant(f"{invariant.text} where {place.text} != {number_text(filler)}", holds)

    def _sums(self, numbers: Sequence[_Column]) -> Iterator[Invariant]:
        """`f + g = h`, `f + g <= h`, h a leaf or the number of elements."""
        for a, b in combinations(numbers, 2):
            total = self._total(a, b)
            for other in (*numbers, self._count) if total is not None else ():
                if total is not None and other is not a and other is not b:
                    yield from self._order(total, other, self._rows)

    def _total(self, a: _Column, b: _Column) -> _Column | None:
        """`f + g`, where they are of one sort."""
        if a.term.sort is not b.term.sort:
            return None
        values = tuple(x + y for x, y in zip(a.values, b.values, strict=True))
        return _Column(f"{a.text} + {b.text}", self._terms.add(a.term, b.term), values)

    # ------------------------------------------------------------ where something holds

    def tested(self) -> Iterator[Invariant]:
        """What holds where a test of merge does, such as `id = -1 where t < 0`: values that stand for none."""
        problem, samples = self._problem, self._samples
        tests = list(tests_of_one_side(problem))
        outcomes = Symbolic(tuple(tests), ())
        try:
            told = compiled(outcomes, (problem.state("h"), param_variables(problem)))
        except Unsupported:
            return
        values = [told(sample.leaves, sample.params)[0] for sample in samples]
        for i, test in enumerate(tests):
            for wanted, guard in ((True, test), (False, self._terms.not_(test))):
                rows = [row for row in self._rows if values[row][i] == wanted]
                if rows and len(rows) < len(self._rows):
                    yield from self._only_under(guard, rows, _own(guard))

    def _only_under(self, guard: Term, rows: Sequence[int], own: Term | None) -> Iterator[Invariant]:
        """What holds of the leaves but its `own` where the guard does, and not everywhere."""
        text = test_text(self._problem, guard)
        for column in self._columns:
            everywhere = {invariant.holds for invariant in self._under(column, self._rows)}
            for inner in self._under(column, rows) if column.term is not own else ():
                if inner.holds not in everywhere:
                    condition = self._terms.or_(self._terms.not_(guard), inner.holds)
                    yield Invariant(f"{inner.text} where {text}", condition)

    def _empty(self) -> Iterator[Invariant]:
        """`f = c where g = d`, numbers that compute gives some elements: where one of them is, all mostly are."""
        terms = self._terms
        given = {
            column: _chosen_constants(leaf)
            for column, leaf in zip(self._columns, self._problem.compute.leaves, strict=True)
        }
        for owner, values in given.items():
            for value in sorted(values) if owner.term.sort is not Sort.BOOL else ():
                guard = self._compare(owner, "=", value)
                rows = [row for row in self._rows if owner.values[row] == value]
                for column in self._beside(owner) if rows else ():
                    there = {column.values[row] for row in rows}
                    if len(there) == 1 and there <= given[column] and not there.issuperset(column.values):
                        [said, *_] = self._under(column, rows)
                        holds = terms.or_(terms.not_(guard.holds), said.holds)
                        yield Invariant(f"{said.text} where {guard.text}", holds)

    def _guarded(self) -> Iterator[Invariant]:
        """`f = 0 -> g = 0`, `b -> f >= 1` and their kind: what holds of the samples for which a guard does."""
        for owner, text, guard, holds in self._guards():
            others = self._beside(owner)
            rows = [row for row in self._rows if holds(owner.values[row])] if others else []
            if not rows or len(rows) == len(self._rows):
                continue
            pairs = owner.term.sort is Sort.BOOL
            everywhere = {invariant.holds for invariant in self._inner(others, self._rows, pairs)}
            for inner in self._inner(others, rows, pairs):
                if inner.holds not in everywhere:
                    condition = self._terms.or_(self._terms.not_(guard), inner.holds)
                    yield Invariant(f"{inner.text} where {text}", condition)

    def _beside(self, owner: _Column) -> list[_Column]:
        """All other leaves where they are few, else those of the struct that a leaf is a field of, if they are."""
        others = [column for column in self._columns if column is not owner]
        if len(others) >= _MOST_GUARDED:
            parent = owner.path[:-1]
            others = [column for column in others if parent and column.path[: len(parent)] == parent]
        return others if len(others) < _MOST_GUARDED else []

    def _inner(self, columns: Sequence[_Column], rows: Sequence[int], pairs: bool) -> Iterator[Invariant]:
        """What may hold of these columns, and of pairs of them, where a guard does."""
        for column in columns:
            yield from self._under(column, rows)
        if pairs and len(columns) <= _MOST_SUMMED:
            for a, b in permutations(columns, 2):
                yield from self._order(a, b, rows)
        else:
            yield from self._alike(columns, rows)

    def _alike(self, columns: Sequence[_Column], rows: Sequence[int]) -> Iterator[Invariant]:
        """`a = b`, `a = c` for columns and params that are equal in these rows, and not one number."""
        first: dict[tuple[Sort, tuple[float, ...]], _Column] = {}
        for column in (*columns, *self._params):
            values = tuple(column.values[row] for row in rows)
            other = first.setdefault((column.term.sort, values), column)
            if other is not column and other not in self._params and min(values) < max(values):
                yield Invariant(f"{other.text} = {column.text}", self._terms.eq(other.term, column.term))

    def _where_equal(self, numbers: Sequence[_Column]) -> Iterator[Invariant]:
        """`f = h where g = h`, and `x.id <= y.id where x.key = y.key`."""
        terms = self._terms
        for a, b in permutations(numbers, 2):
            rows = [row for row in self._rows if a.values[row] == b.values[row]]
            if a.term.sort is not b.term.sort or not rows or len(rows) == len(self._rows):
                continue
            for c, d in permutations(numbers, 2):
                if d is b and c is not a:
                    inner = [i for i in self._order(c, d, rows) if i.holds.op is Op.EQ]
                elif _are_beside(a, b, c, d):
                    inner = list(self._order(c, d, rows))
                else:
                    continue
                for invariant in inner:
                    condition = terms.or_(terms.not_(terms.eq(a.term, b.term)), invariant.holds)
                    yield Invariant(f"{invariant.text} where {a.text} = {b.text}", condition)

    def _under(self, column: _Column, rows: Sequence[int]) -> Iterator[Invariant]:
        if column.term.sort is not Sort.BOOL:
            yield from self._bounds(column, rows, 1)
            return
        values = {column.values[row] for row in rows}
        if values == {True}:
            yield Invariant(column.text, column.term)
        if values == {False}:
            yield Invariant(f"!{column.text}", self._terms.not_(column.term))

    def _guards(self) -> Iterator[tuple[_Column, str, Term, Callable[[float], bool]]]:
        terms = self._terms
        for column, leaf in zip(self._columns, self._problem.compute.leaves, strict=True):
            if column.term.sort is Sort.BOOL:
                yield column, column.text, column.term, bool
                yield column, f"!{column.text}", terms.not_(column.term), operator.not_
                continue
            few = set(column.values) if column.term.sort is Sort.INT else {0.0}
            for value in sorted(few if len(few) <= _FEW_VALUES else {0.0} | _chosen_constants(leaf)):
                constant = terms.const(Fraction(value), column.term.sort)
                equal = terms.eq(column.term, constant)
                shown = number_text(Fraction(value))
                yield column, f"{column.text} = {shown}", equal, partial(operator.eq, value)
                if value == 0:
                    yield column, f"{column.text} != 0", terms.not_(equal), bool


def _chosen_constants(term: Term) -> set[float]:
    """The numbers that a tree of `if` may give: what stands for none, mostly."""
    return {float(number(chosen)) for chosen in choices(term) if chosen.is_const}


def _own(guard: Term) -> Term | None:
    """The leaf that a test for a value is of: what it is there needs no saying."""
    test = guard.args[0] if guard.op is Op.NOT else guard
    if test.op is Op.VAR:
        return test
    return next((arg for arg in test.args if not arg.is_const), None) if test.op is Op.EQ else None


def _are_beside(a: _Column, b: _Column, c: _Column, d: _Column) -> bool:
    """Whether a and b are one field of two values of one type, and c and d another field of the same two."""
    if not (a.path and b.path and c.path and d.path):
        return False
    fields = a.path[-1] == b.path[-1] != c.path[-1] == d.path[-1]
    return fields and {a.path[:-1], b.path[:-1]} == {c.path[:-1], d.path[:-1]} and len({a.path[:-1], b.path[:-1]}) == 2


def _slack(sort: Sort, value: float) -> float:
    return _SLACK * (1 + abs(value)) if sort is Sort.REAL else 0


def _side_by_side(columns: Sequence[_Column]) -> Iterator[list[_Column]]:
    """The numbers of one sort in the same array, vector or struct, where there are several."""
    for _, group in groupby(columns, key=lambda column: (column.path[:-1], column.term.sort)):
        parts = list(group)
        if len(parts) > 1:
            yield parts


def _open_ends(problem: Problem) -> Iterator[Sequence[Number]]:
    """Of each leaf that compute gives the open ends of the interval in which it lies."""
    leaves_ = problem.compute.leaves
    within = ranges(leaves_, given_ranges(problem))
    for interval in (within[leaf] for leaf in leaves_):
        ends = ((interval.low, interval.low_open), (interval.high, interval.high_open))
        yield [end for end, is_open in ends if is_open and end is not None]


def _constants(problem: Problem) -> dict[Sort, list[Fraction]]:
    """The numbers that the program speaks of, Ints next to them, and 0 and 1 and -1, in order."""
    found: dict[Sort, set[int | Fraction]] = {Sort.INT: {-1, 0, 1}, Sort.REAL: {-1, 0, 1}}
    for term in postorder(all_terms(problem)):
        if term.is_const and term.sort is not Sort.BOOL:
            found[term.sort].add(number(term))
    found[Sort.INT] |= {value - 1 for value in found[Sort.INT] if value > 1}  # `f < 60` is `f <= 59`
    found[Sort.INT] -= {arithmetic.INT_MIN, arithmetic.INT_MAX}  # no bounds at all
    return {sort: sorted(map(Fraction, values)) for sort, values in found.items()}

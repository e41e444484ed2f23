"""Terms of Ints with few values, in all rows of the table of these values at once.

A Bool is a number with a bit for each row.  An Int is a list of such numbers, from its lowest bit to its sign, which
stands for all bits above too: so most steps are a few operations on long numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from kcheck.checker.law import work
from kcheck.checker.law.algebra.comparisons import Goal
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.solver.intervals import assumed_ranges, conjuncts, is_bound
from kcheck.checker.law.terms import Op, Sort, Term, postorder, variables

MOST_ROWS = 1 << 16
_MOST_CELLS = 400_000_000
"""The most terms times rows."""
_TERM, _CELL = 3e-6, 4e-11
"""The work of a term, and of each of its rows."""
_WIDTH = 32

Bits = tuple[int, ...]


class Unsupported(Exception):
    """A term holds something else, or its variables have too many values."""


def are_few(of: Sequence[Term], facts: Sequence[Term]) -> bool:
    """Whether the table of all values of these variables has few enough rows."""
    ranges = assumed_ranges(facts)
    try:
        return math.prod(len(_values(variable, ranges)) for variable in of) <= MOST_ROWS
    except Unsupported:
        return False


def shown(goals: Sequence[Goal], facts: Sequence[Term]) -> tuple[set[int], set[int]]:
    """The positions of goals that hold in all rows where the facts do, and those of the facts that say so.

    Raises `Unsupported`.
    """
    table = _Table(goals, facts)
    held: set[int] = set()
    used = {i for i, fact in enumerate(facts) if table.is_bounded_by(fact)}
    where = None
    for i, (left, right) in enumerate(goals):
        fails = table.where_unequal(left, right)
        if fails and where is None:
            where, said = table.where(facts)
            used |= said
        if not fails & (table.all_rows if where is None else where):
            held.add(i)
    return held, used


class _Table:
    def __init__(self, goals: Sequence[Goal], facts: Sequence[Term]) -> None:
        sides = [side for goal in goals for side in goal]
        self._variables = variables(sides)
        ranges = assumed_ranges(facts)
        values = [_values(variable, ranges) for variable in self._variables]
        self._rows = math.prod(map(len, values))
        terms = sum(1 for _ in postorder(sides))
        if self._rows > MOST_ROWS or self._rows * terms > _MOST_CELLS:
            raise Unsupported
        work.count(terms * (_TERM + _CELL * self._rows))
        self.all_rows = (1 << self._rows) - 1
        self._known: dict[Term, Bits] = {}
        inner = self._rows
        for variable, own in zip(self._variables, values, strict=True):
            inner //= len(own)
            column = self._column(own, inner)
            self._known[variable] = column[:1] if variable.sort is Sort.BOOL else column
        self._make_known(sides)

    def _column(self, values: Sequence[int], inner: int) -> Bits:
        """The bits of a variable that has each of its values in so many rows, one value after the other, again and
        again."""
        width = max(map(_width, values))
        block, period = (1 << inner) - 1, inner * len(values)
        repeated = self.all_rows // ((1 << period) - 1)
        return _short(
            [
                repeated * sum(block << (inner * i) for i, value in enumerate(values) if value >> bit & 1)
                for bit in range(width)
            ]
        )

    def is_bounded_by(self, fact: Term) -> bool:
        own = set(self._variables)
        return any(is_bound(part) and not own.isdisjoint(part.args) for part in conjuncts((fact,)))

    def where(self, facts: Sequence[Term]) -> tuple[int, set[int]]:
        """The rows where those facts hold that speak of nothing else, and which these are."""
        rows, own = self.all_rows, set(self._variables)
        said: set[int] = set()
        for i, fact in enumerate(facts):
            if own.issuperset(variables((fact,))):
                with suppress(Unsupported):
                    self._make_known((fact,))
                    rows &= self._known[fact][0]
                    said.add(i)
        return rows, said

    # ------------------------------------------------------------ values

    def where_unequal(self, x: Term, y: Term) -> int:
        return self.all_rows & ~self._equal(self._known[x], self._known[y])

    def _make_known(self, terms: Sequence[Term]) -> None:
        """The bits of these terms; those of a Bool are one number."""
        for part in postorder(terms):
            if part not in self._known:
                self._known[part] = self._made(part, [self._known[arg] for arg in part.args])

    def _made(self, term: Term, args: Sequence[Bits]) -> Bits:
        if term.op is Op.CONST:
            return self._constant(term)
        make = _MAKE.get(term.op)
        if make is None or (term.sort is Sort.REAL and term.op is Op.MUL):
            raise Unsupported
        made = make(self, *args)
        if term.sort is Sort.REAL and len(made) >= _WIDTH:  # Reals do not wrap: none may come that far
            raise Unsupported
        return made

    def _constant(self, term: Term) -> Bits:
        assert term.value is not None
        assert not isinstance(term.value, str)
        if term.sort is Sort.BOOL:
            return (self.all_rows if term.value else 0,)
        value = int(term.value)
        if value != term.value or _width(value) > _WIDTH:
            raise Unsupported
        return tuple(self.all_rows if value >> bit & 1 else 0 for bit in range(_width(value)))

    # ------------------------------------------------------------ Bools

    def not_(self, x: Bits) -> Bits:
        return (self.all_rows & ~x[0],)

    def and_(self, x: Bits, y: Bits) -> Bits:
        return (x[0] & y[0],)

    def or_(self, x: Bits, y: Bits) -> Bits:
        return (x[0] | y[0],)

    def same(self, x: Bits, y: Bits) -> Bits:
        return (self._equal(x, y),)

    def _equal(self, x: Bits, y: Bits) -> int:
        differ = 0
        for a, b in _both(x, y, max(len(x), len(y))):
            differ |= a ^ b
        return self.all_rows & ~differ

    def below(self, x: Bits, y: Bits) -> Bits:
        return (self._sum(x, self._opposite(y), self.all_rows, max(len(x), len(y)) + 1)[-1],)

    def not_above(self, x: Bits, y: Bits) -> Bits:
        return self.not_(self.below(y, x))

    def below_unsigned(self, x: Bits, y: Bits) -> Bits:
        return self.below((*_long(x), 0), (*_long(y), 0))

    # ------------------------------------------------------------ Ints

    def choice(self, condition: Bits, x: Bits, y: Bits) -> Bits:
        yes, no = condition[0], self.all_rows & ~condition[0]
        return _short([(a & yes) | (b & no) for a, b in _both(x, y, max(len(x), len(y)))])

    def add(self, x: Bits, y: Bits) -> Bits:
        return _short(self._sum(x, y, 0, min(_WIDTH, max(len(x), len(y)) + 1)))

    def subtract(self, x: Bits, y: Bits) -> Bits:
        return _short(self._sum(x, self._opposite(y), self.all_rows, min(_WIDTH, max(len(x), len(y)) + 1)))

    def negate(self, x: Bits) -> Bits:
        return self.subtract((0,), x)

    def _opposite(self, x: Bits) -> Bits:
        return tuple(self.all_rows & ~bit for bit in x)

    def _sum(self, x: Bits, y: Bits, carry: int, width: int) -> list[int]:
        made = []
        for a, b in _both(x, y, width):
            made.append(a ^ b ^ carry)
            carry = (a & b) | (carry & (a ^ b))
        return made

    def multiply(self, x: Bits, y: Bits) -> Bits:
        *plain, sign = y
        result: Bits = (0,)
        for i, bit in enumerate(plain):
            result = self.add(result, _moved_up(tuple(a & bit for a in x), i)) if bit else result
        return self.subtract(result, _moved_up(tuple(a & sign for a in x), len(plain))) if sign else result

    def least(self, x: Bits, y: Bits) -> Bits:
        return self.choice(self.below(x, y), x, y)

    def greatest(self, x: Bits, y: Bits) -> Bits:
        return self.choice(self.below(x, y), y, x)

    def absolute(self, x: Bits) -> Bits:
        return self.choice((x[-1],), self.negate(x), x)

    # ------------------------------------------------------------ words

    def both(self, x: Bits, y: Bits) -> Bits:
        return _short([a & b for a, b in _both(x, y, max(len(x), len(y)))])

    def either(self, x: Bits, y: Bits) -> Bits:
        return _short([a | b for a, b in _both(x, y, max(len(x), len(y)))])

    def unlike(self, x: Bits, y: Bits) -> Bits:
        return _short([a ^ b for a, b in _both(x, y, max(len(x), len(y)))])

    def inverse(self, x: Bits) -> Bits:
        return self._opposite(x)

    def shift_left(self, x: Bits, count: Bits) -> Bits:
        return self._shifted(x, count, _moved_up)

    def shift_right(self, x: Bits, count: Bits) -> Bits:
        return self._shifted(x, count, lambda bits, by: bits[by:] or bits[-1:])

    def shift_right_logical(self, x: Bits, count: Bits) -> Bits:
        return self._shifted(x, count, lambda bits, by: _short([*_long(bits)[by:], 0]))

    def _shifted(self, x: Bits, count: Bits, move: Callable[[Bits, int], Bits]) -> Bits:
        for step, (bit, _) in enumerate(_both(count, count, 5)):
            x = self.choice((bit,), move(x, 1 << step), x) if bit else x
        return x

    def ones(self, x: Bits) -> Bits:
        return self._count(_long(x))

    def leading_zeros(self, x: Bits) -> Bits:
        return self._zeros_before(reversed(_long(x)))

    def trailing_zeros(self, x: Bits) -> Bits:
        return self._zeros_before(_long(x))

    def _zeros_before(self, bits: Iterable[int]) -> Bits:
        met, zeros = 0, []
        for bit in bits:
            met |= bit
            zeros.append(self.all_rows & ~met)
        return self._count(zeros)

    def _count(self, flags: Iterable[int]) -> Bits:
        result: Bits = (0,)
        for flag in flags:
            result = self.add(result, (flag, 0)) if flag else result
        return result


_MAKE: Mapping[Op, Callable[..., Bits]] = {
    Op.NOT: _Table.not_,
    Op.AND: _Table.and_,
    Op.OR: _Table.or_,
    Op.IF: _Table.choice,
    Op.EQ: _Table.same,
    Op.LT: _Table.below,
    Op.LE: _Table.not_above,
    Op.ULT: _Table.below_unsigned,
    Op.ADD: _Table.add,
    Op.SUB: _Table.subtract,
    Op.MUL: _Table.multiply,
    Op.NEG: _Table.negate,
    Op.MIN: _Table.least,
    Op.MAX: _Table.greatest,
    Op.ABS: _Table.absolute,
    Op.BIT_AND: _Table.both,
    Op.BIT_OR: _Table.either,
    Op.BIT_XOR: _Table.unlike,
    Op.BIT_NOT: _Table.inverse,
    Op.SHL: _Table.shift_left,
    Op.SHR: _Table.shift_right,
    Op.USHR: _Table.shift_right_logical,
    Op.POPCOUNT: _Table.ones,
    Op.CLZ: _Table.leading_zeros,
    Op.CTZ: _Table.trailing_zeros,
}


def _values(variable: Term, ranges: Mapping[Term, Interval]) -> Sequence[int]:
    if variable.sort is Sort.BOOL:
        return (0, 1)
    bounds = ranges.get(variable)
    if variable.sort is Sort.REAL or bounds is None or bounds.low is None or bounds.high is None:
        raise Unsupported
    values = range(int(bounds.low), int(bounds.high) + 1)
    if not 0 < len(values) <= MOST_ROWS:
        raise Unsupported
    return values


def _width(value: int) -> int:
    """How many bits it has, its sign among them."""
    return (value if value >= 0 else ~value).bit_length() + 1


def _both(x: Bits, y: Bits, width: int) -> Iterable[tuple[int, int]]:
    """So many bits of both, their signs repeated."""
    for i in range(width):
        yield x[min(i, len(x) - 1)], y[min(i, len(y) - 1)]


def _long(x: Bits) -> Bits:
    return (*x, *(x[-1:] * (_WIDTH - len(x))))


def _moved_up(x: Bits, by: int) -> Bits:
    return _short([*([0] * by), *x][:_WIDTH])


def _short(bits: Sequence[int]) -> Bits:
    """Without bits that only repeat the sign."""
    end = len(bits)
    while end > 1 and bits[end - 1] == bits[end - 2]:
        end -= 1
    return tuple(bits[:end])

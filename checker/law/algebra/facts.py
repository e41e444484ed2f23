"""What is known on one path through the case distinctions: signs of polynomials, bounds, linear conditions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import permutations

from kcheck.checker.arithmetic import INT_MAX, INT_MIN, wrap
from kcheck.checker.law import work
from kcheck.checker.law.algebra.atoms import Atoms, Kind
from kcheck.checker.law.algebra.corners import MAX_FACTORS, Factor, Range, factors
from kcheck.checker.law.algebra.corners import signs as signs_in_corners
from kcheck.checker.law.algebra.elimination import Oracle, Row
from kcheck.checker.law.algebra.interval import EVERYTHING, INT, ZERO, Interval, least, point
from kcheck.checker.law.algebra.polynomial import (
    ONE,
    Key,
    Monomial,
    Number,
    Polynomial,
    TooLarge,
    add,
    constant,
    constant_value,
    inverse,
    key,
    leading,
    multiply,
    multiply_monomials,
    of_atom,
    power,
    primitive,
    scale,
    shift,
    subtract,
    tidy,
)
from kcheck.checker.law.algebra.polynomial import atoms as atoms_of

NEGATIVE, NULL, ABOVE = 1, 2, 4
ANY = NEGATIVE | NULL | ABOVE
"""The signs that a number may have, as bits."""

TWO_TO_32 = 1 << 32
MAX_UNSIGNED = TWO_TO_32 - 1
FAR = 1 << 30
_WRAPPED = (Kind.SIGNED, Kind.UNSIGNED)
"""What equals its polynomial modulo 2^32."""
_SIGN, _COPY = 1e-4, 5e-5
"""The work of finding the signs that a polynomial may have, and of starting a branch."""
MAX_REWRITES = 60
"""The most steps in which known equations are put into a polynomial."""


def reduced(p: Polynomial) -> Polynomial:
    """The same modulo 2^32, with the smallest coefficients, which are whole."""
    if all(INT_MIN <= c <= INT_MAX for c in p.values()):
        return p
    return {m: wrapped for m, c in p.items() if (wrapped := wrap(int(c)))}


def flipped(signs: int) -> int:
    """The signs of the negated number."""
    return (signs & NULL) | (signs & NEGATIVE) << 2 | (signs & ABOVE) >> 2


@dataclass(frozen=True, slots=True)
class Query:
    """Whether the sign of a polynomial is one of these; of a Bool atom (as 0 or 1) too."""

    polynomial: Polynomial
    signs: int

    def negated(self) -> Query:
        return Query(self.polynomial, ANY & ~self.signs)


class Contradiction(Exception):
    """The path cannot be: `cause` are the invariants that say so."""

    def __init__(self, cause: int) -> None:
        super().__init__(cause)
        self.cause = cause


@dataclass(slots=True)
class Usage:
    """Shared by all paths of a search: the invariants that conclusions were drawn from, as bits, and the deadline."""

    deadline: float
    """In the time of `work`."""
    causes: int = 0

    def check(self) -> None:
        """Raises `TooLarge` after the deadline."""
        if work.clock() > self.deadline:
            raise TooLarge


class Facts:
    """Grows along a path; `copy` starts a branch."""

    def __init__(self, atoms: Atoms, usage: Usage, oracle: Oracle) -> None:
        self.atoms = atoms
        self._usage = usage
        self._oracle = oracle
        self._signs: dict[Key, tuple[int, int]] = {}
        """Of primitive polynomials: the signs left to them, and the causes."""
        self._settled: dict[Key, int] = {}
        """The signs worked out since the last new fact."""
        self._bounds: dict[Monomial, tuple[Interval, int]] = {}
        self._rows: list[Row] = []
        self._ints: set[Key] = set()
        """Polynomials whose values are in the range of Int."""
        self._excluded: dict[Monomial, frozenset[Number]] = {}
        """Values that whole monomials do not have."""
        self.solved: dict[int, Polynomial] = {}
        """Variables that equal a polynomial without them."""
        self.solved_wrapping: dict[int, Polynomial] = {}
        """Int variables that do so modulo 2^32."""
        self._zeros: list[tuple[Monomial, Polynomial]] = []
        """Equations between Reals, or exact ones between Ints, as a monomial and what it equals."""
        self._zeros_wrapping: list[tuple[Monomial, Polynomial]] = []
        """Equations modulo 2^32."""

    def copy(self) -> Facts:
        work.count(_COPY)
        twin = Facts(self.atoms, self._usage, self._oracle)
        twin._signs = dict(self._signs)
        twin._settled = dict(self._settled)
        twin._bounds = dict(self._bounds)
        twin._rows = list(self._rows)
        twin._ints = set(self._ints)
        twin._excluded = dict(self._excluded)
        twin.solved = dict(self.solved)
        twin.solved_wrapping = dict(self.solved_wrapping)
        twin._zeros = list(self._zeros)
        twin._zeros_wrapping = list(self._zeros_wrapping)
        return twin

    def check_time(self) -> None:
        """Raises `TooLarge` after the deadline."""
        self._usage.check()

    # ------------------------------------------------------------ questions

    def holds(self, query: Query) -> bool | None:
        """None where the facts leave it open."""
        signs = self.sign(query.polynomial)
        if not signs & ~query.signs:
            return True
        return None if signs & query.signs else False

    def sign(self, p: Polynomial) -> int:
        """The signs that p may have, by all means that this path has."""
        self._usage.check()
        value = constant_value(p)
        if value is not None:
            return _sign_of(value)
        factor, base = primitive(p)
        base_key = key(base)
        signs = self._settled.get(base_key)
        if signs is None:
            work.count(_SIGN)
            signs = self._settled[base_key] = self._worked_out(base, base_key)
        return signs if factor > 0 else flipped(signs)

    def interval(self, p: Polynomial) -> Interval:
        result = ZERO
        for monomial, coefficient in p.items():
            result = result + self._of_monomial(monomial).scaled(coefficient)
            if result.low is None and result.high is None:
                return EVERYTHING
        return result

    def within(self, p: Polynomial, low: int, high: int) -> bool:
        """Whether low <= p <= high is known."""
        if self.interval(p).within(low, high):
            self._credit(p)
            return True
        if not self._related(p):
            return False
        if self._is_told_within(p, low, high):
            return True
        return not self.sign(add(p, constant(-low))) & NEGATIVE and not self.sign(add(p, constant(-high))) & ABOVE

    def _is_told_within(self, p: Polynomial, low: int, high: int) -> bool:
        """The same where these very bounds were said."""
        return not (self._told(add(p, constant(-low))) & NEGATIVE or self._told(add(p, constant(-high))) & ABOVE)

    def _told(self, p: Polynomial) -> int:
        """The signs that p may have, by what was said of it itself."""
        if constant_value(p) is not None:
            return ANY
        factor, base = primitive(p)
        signs, cause = self._signs.get(key(base), (ANY, 0))
        if signs != ANY:
            self._usage.causes |= cause
        return signs if factor > 0 else flipped(signs)

    def is_int(self, p: Polynomial) -> bool:
        return key(p) in self._ints or self.within(p, INT_MIN, INT_MAX)

    def note_int(self, p: Polynomial) -> None:
        """Takes note that the values of p, as whole numbers, are in the range of Int."""
        self._ints.add(key(p))

    def positive(self, atom: int) -> bool:
        return self.atoms[atom].kind is Kind.EXP or self.sign(of_atom(atom)) == ABOVE

    def carry(self, p: Polynomial) -> Polynomial:
        """How often 2^32 goes into a polynomial with whole values, rounded down."""
        rest = reduced(p)
        wrapped = {m: (c - rest.get(m, 0)) // TWO_TO_32 for m, c in p.items() if c != rest.get(m, 0)}
        bounds = self.interval(rest)
        low = None if bounds.low is None else bounds.low // TWO_TO_32
        high = None if bounds.high is None else bounds.high // TWO_TO_32
        if low is not None and low == high:
            self._credit(rest)
            return add(wrapped, constant(low))
        if self._is_told_within(rest, 0, 1):
            return wrapped
        full = self._static(rest)
        low = None if full.low is None else full.low // TWO_TO_32
        high = None if full.high is None else full.high // TWO_TO_32
        atom = self.atoms.make(Kind.CARRY, key(rest), integral=True, interval=Interval(low, high))
        return add(wrapped, of_atom(atom))

    def vanishes(self, p: Polynomial, wrapping: bool) -> bool:
        """Whether p is 0 (modulo 2^32, if wrapping) once the known equations are put in."""
        rules = self._zeros_wrapping if wrapping else self._zeros
        if wrapping and any(self.atoms[atom].kind in _WRAPPED for atom in atoms_of(p)):
            p = self._wrapping(p)
        for _ in range(MAX_REWRITES):
            if not p:
                return True
            p, changed = _rewritten(p, rules)
            if not changed:
                return False
            p = reduced(p) if wrapping else p
        return False

    # ------------------------------------------------------------ new facts

    def assume(self, query: Query, cause: int = 0) -> None:
        """Takes it for true; raises `Contradiction` where that is seen not to be."""
        value = constant_value(query.polynomial)
        if value is not None:
            if not _sign_of(value) & query.signs:
                raise Contradiction(cause)
            return
        factor, base = primitive(query.polynomial)
        wanted = query.signs if factor > 0 else flipped(query.signs)
        base_key = key(base)
        known, before = self._signs.get(base_key, (ANY, 0))
        signs = known & wanted
        if signs == known:
            return
        cause |= before
        possible = _signs_of(self.interval(base))
        if signs & ~possible:
            signs &= possible
            cause |= self._causes_of(base)
        self._signs[base_key] = signs, cause
        self._settled = {}
        if not signs:
            raise Contradiction(cause)
        self._record(base, signs, cause)

    def _record(self, base: Polynomial, signs: int, cause: int) -> None:
        strict = not signs & NULL
        if signs == NULL:
            self._rows.append(Row(base, equal=True, cause=cause))
            self._usage.causes |= cause  # the equation is put in wherever it can be
            self._solve(base)
        elif not signs & ABOVE:
            self._record_below(base, strict, cause)
        elif not signs & NEGATIVE:
            self._record_below(scale(base, -1), strict, cause)
        self._record_bound(base, signs, cause)
        if not signs & ABOVE:
            self._record_limit(base, cause)
        if not signs & NEGATIVE:
            self._record_limit(scale(base, -1), cause)
        exponent = self._exponent(base)
        if exponent is not None:
            self.assume(Query(exponent, signs), cause)

    def _record_limit(self, p: Polynomial, cause: int) -> None:
        """Where p <= 0 is the least that p can be, each of its terms is the least that it can be."""
        least = [self._of_monomial(m).scaled(c).low for m, c in p.items()]
        known = [low for low in least if low is not None]
        if 1 < len(known) == len(p) and sum(known) == 0:
            cause |= self._causes_of(p)
            for (m, c), low in zip(p.items(), known, strict=True):
                if m != ONE:
                    self.assume(Query(add({m: c}, constant(-low)), NULL), cause)
        if _multiplies(p):
            self._record_corners(p, cause)

    def _record_corners(self, p: Polynomial, cause: int) -> None:
        """The same of products: a factor is at an end if p is above 0 wherever it is not."""
        bounds = self._bounds_of_factors(p)
        if bounds is None or _signs_in_corners(p, bounds) & NEGATIVE:
            return
        cause |= self._causes_of(p)
        for factor, interval in bounds.items():
            for end, without in interval.without_ends():
                if _signs_in_corners(p, {**bounds, factor: without}) == ABOVE:
                    held = (factor[0], 1) if end == 0 and factor[1] > 0 else factor
                    self.assume(Query(add({(held,): 1}, constant(-end)), NULL), cause)

    def _record_below(self, p: Polynomial, strict: bool, cause: int) -> None:
        if strict and self.atoms.whole(p):
            p, strict = add(p, constant(1)), False
        self._rows.append(Row(p, strict, cause=cause))

    def _record_bound(self, base: Polynomial, signs: int, cause: int) -> None:
        """Where base is c * m + k it bounds the monomial m."""
        monomials = [m for m in base if m != ONE]
        if len(monomials) != 1:
            return
        [m] = monomials
        whole = self.atoms.whole({m: 1})
        limit = tidy(Fraction(-base.get(ONE, 0)) / base[m])
        if whole and not signs & NULL:
            self._excluded[m] = self._excluded.get(m, frozenset()) | {limit}
        bound = _limited(limit, signs if base[m] > 0 else flipped(signs), whole)
        before, causes = self._bounds.get(m, (EVERYTHING, 0))
        bound = before.meet(bound)
        if whole:
            bound = _without(self._of_monomial(m).meet(bound), self._excluded.get(m, frozenset()))
        self._bounds[m] = bound, causes | cause
        if bound.low is not None and bound.high is not None and bound.low >= bound.high:
            if bound.low > bound.high:
                raise Contradiction(causes | cause)
            self.assume(Query({m: 1, ONE: -bound.low} if bound.low else {m: 1}, NULL), causes | cause)

    def _solve(self, p: Polynomial) -> None:
        """Learns from p = 0 what a variable is, where p has one that stands alone in it."""
        lead = leading(p)
        self._zeros.append((lead, scale(add(p, {lead: p[lead]}, -1), tidy(-1 / Fraction(p[lead])))))
        whole = self.atoms.whole(p)
        for atom, coefficient in self._alone(p):
            if not self.atoms[atom].integral or (whole and coefficient in (1, -1)):
                rest = add(p, of_atom(atom), -coefficient)
                self.solved[atom] = scale(rest, tidy(-1 / Fraction(coefficient)))
                break
        if whole:
            self._solve_wrapping(self._wrapping(p))

    def _solve_wrapping(self, p: Polynomial) -> None:
        """The same of p = 0 modulo 2^32."""
        if not p:
            return
        lead = leading(p)
        if p[lead] % 2:
            inverse = -pow(int(p[lead]), -1, TWO_TO_32)
            self._zeros_wrapping.append((lead, reduced(scale(add(p, {lead: p[lead]}, -1), inverse))))
        for atom, coefficient in self._alone(p):
            if coefficient % 2:
                rest = add(p, of_atom(atom), -coefficient)
                self.solved_wrapping[atom] = reduced(scale(rest, -pow(int(coefficient), -1, TWO_TO_32)))
                return

    def _alone(self, p: Polynomial) -> Iterator[tuple[int, Number]]:
        """The variables not yet solved of which p is a multiple plus something without them, with the factor."""
        if any(atom in self.solved or atom in self.solved_wrapping for atom in atoms_of(p)):
            return
        for monomial, coefficient in p.items():
            if len(monomial) == 1 and monomial[0][1] == 1:
                atom = monomial[0][0]
                uses = sum(atom == other for m in p for other, _ in m)
                if uses == 1 and self.atoms[atom].kind is Kind.VARIABLE:
                    yield atom, coefficient

    def _wrapping(self, p: Polynomial) -> Polynomial:
        """A polynomial that equals p modulo 2^32, in which atoms that stand for others modulo 2^32 are these."""
        total: Polynomial = {}
        for monomial, coefficient in reduced(p).items():
            part = constant(coefficient)
            for atom, exponent in monomial:
                entry = self.atoms[atom]
                base = of_atom(atom)
                if entry.kind in _WRAPPED:
                    assert isinstance(entry.key, frozenset)
                    base = dict(entry.key)
                for _ in range(int(exponent)):
                    part = reduced(multiply(part, base))
            total = add(total, part)
        return reduced(total)

    # ------------------------------------------------------------ how signs are worked out

    def _worked_out(self, base: Polynomial, base_key: Key) -> int:
        signs, cause = self._signs.get(base_key, (ANY, 0))
        if signs != ANY:
            self._usage.causes |= cause
        by_interval = _signs_of(self.interval(base))
        if by_interval & signs != signs:
            self._credit(base)
            signs &= by_interval
        exponent = self._exponent(base)
        if exponent is not None:
            signs &= self.sign(exponent)
        if signs not in (NEGATIVE, NULL, ABOVE) and _multiplies(base):
            signs = self._by_corners(base, signs)
        if signs in (NEGATIVE, NULL, ABOVE) or not self._related(base):
            return signs
        return self._by_elimination(base, signs)

    def _exponent(self, p: Polynomial) -> Polynomial | None:
        """Of a difference of two exponentials, that of their arguments, which has the same sign; None of all else."""
        if len(p) != 2 or sum(p.values()) != 0:
            return None
        larger, smaller = sorted(p, key=p.__getitem__, reverse=True)
        total: Polynomial = {}
        for monomial, factor in ((larger, 1), (smaller, -1)):
            for atom, exponent in monomial:
                entry = self.atoms[atom]
                if entry.kind is not Kind.EXP:
                    return None
                assert isinstance(entry.key, tuple)
                argument, denominator = entry.key
                if denominator != ONE:
                    return None
                total = add(total, {argument: 1}, factor * exponent)
        return total

    def _by_corners(self, base: Polynomial, signs: int) -> int:
        bounds = self._bounds_of_factors(base)
        if bounds is None:
            return signs
        found = signs & _signs_in_corners(base, bounds)
        order, cause = self._order_of(bounds) if found & NEGATIVE and found & ABOVE else ({}, 0)
        if order:
            ranges = {f: Range.of(interval) for f, interval in bounds.items()}
            found &= _signs_in_ranges(base, {**order, **{f: r for f, r in ranges.items() if f not in order}})
        if found != signs:
            self._credit(base)
            self._usage.causes |= cause
        return found

    def _order_of(self, bounds: Mapping[Factor, Interval]) -> tuple[dict[Factor, Range], int]:
        """The ranges of factors that others bound, as in `colour <= alpha`, and the causes of these bounds."""
        found: dict[Factor, Range] = {}
        ends: set[Factor] = set()
        causes = 0
        for low, high in permutations([f for f in bounds if f[1] == 1], 2):
            factor, base = primitive({(low,): 1, (high,): -1})
            signs, cause = self._signs.get(key(base), (ANY, 0))
            if (signs if factor > 0 else flipped(signs)) & ABOVE or low in found or high in found:
                continue
            x, y = bounds[low], bounds[high]
            if low not in ends and x.low is not None:
                found[low] = Range(constant(x.low), {(high,): 1}, x.low_open)
                ends.add(high)
            elif high not in ends:
                found[high] = Range({(low,): 1}, None if y.high is None else constant(y.high), False, y.high_open)
                ends.add(low)
            causes |= cause
        return found, causes

    def _bounds_of_factors(self, p: Polynomial) -> dict[Factor, Interval] | None:
        """Where what its monomials are products of lies; None where that tells nothing."""
        found = factors(p)
        if len(found) > MAX_FACTORS:
            return None
        bounds = {f: self._of_atom(f[0]) if f[1] == 1 else self._of_atom(f[0]).power(f[1]) for f in found}
        tells = all(b != INT and (b.low is not None or b.high is not None) for b in bounds.values())
        return bounds if tells else None

    def _by_elimination(self, base: Polynomial, signs: int) -> int:
        context = self._relevant(base)
        for sign, row in (
            (NEGATIVE, Row(base, strict=True)),
            (ABOVE, Row(scale(base, -1), strict=True)),
            (NULL, Row(base, equal=True)),
        ):
            if signs & sign and signs != sign:
                cause = self._oracle([*context, row])
                if cause is not None:
                    self._usage.causes |= cause
                    signs &= ~sign
        return signs

    def _related(self, p: Polynomial) -> bool:
        """Whether some condition between several monomials says something of those of p."""
        return any(
            m in row.polynomial and len(row.polynomial) > 1 for m in p if m != ONE for row in self._all_rows([m])
        )

    def _relevant(self, p: Polynomial) -> list[Row]:
        """The conditions that hang together with p's monomials, and bounds for these."""
        found: list[Row] = []
        seen: set[Monomial] = {ONE}
        pending = [m for m in p if m != ONE]
        while pending:
            m = pending.pop()
            if m in seen:
                continue
            seen.add(m)
            for row in self._all_rows([m]):
                if m in row.polynomial and row not in found:
                    found.append(row)
                    pending.extend(row.polynomial)
        far = any(_is_far(row.polynomial) for row in found) or _is_far(p)
        for m in seen - {ONE}:
            found.extend(self._bound_rows(m, far))
        return found

    def _all_rows(self, monomials: Sequence[Monomial]) -> Iterator[Row]:
        yield from self._rows
        for m in monomials:
            if len(m) == 1 and m[0][1] == 1:
                yield from self._rows_of_atom(m[0][0])

    def _rows_of_atom(self, atom: int) -> Iterator[Row]:
        """What always holds between an atom and those that it is made of."""
        this = of_atom(atom)
        argument = self.atoms[atom].key
        match self.atoms[atom].kind:
            case Kind.EXTREME:
                assert isinstance(argument, frozenset)
                if len(argument) == 1:
                    yield from (Row(subtract(this, dict(p))) for least in argument for p in least)
                elif all(len(least) == 1 for least in argument):
                    yield from (Row(subtract(dict(p), this)) for least in argument for p in least)
            case Kind.ABS:
                assert isinstance(argument, frozenset)
                yield Row(subtract(dict(argument), this))
                yield Row(subtract(scale(dict(argument), -1), this))
            case Kind.FLOOR:
                assert isinstance(argument, frozenset)
                yield Row(subtract(this, dict(argument)))
                yield Row(add(subtract(dict(argument), this), constant(-1)), strict=True)
            case Kind.SIGNED:
                assert isinstance(argument, frozenset)
                p = dict(argument)
                times = self.carry(add(p, constant(-INT_MIN)))
                yield Row(add(subtract(p, this), times, -TWO_TO_32), equal=True)
            case Kind.UNSIGNED:
                assert isinstance(argument, frozenset)
                p = dict(argument)
                yield Row(add(subtract(p, this), self.carry(p), -TWO_TO_32), equal=True)
            case Kind.CARRY:
                assert isinstance(argument, frozenset)
                rest = add(dict(argument), this, -TWO_TO_32)
                yield Row(scale(rest, -1))
                yield Row(add(rest, constant(1 - TWO_TO_32)))

    def _bound_rows(self, m: Monomial, far: bool) -> Iterator[Row]:
        """Where m lies; the ends of the range of Int matter only beside other numbers that are as `far` off."""
        bound = self._of_monomial(m)
        cause = self._causes(m)
        if bound.low is not None and (far or bound.low > -FAR):
            yield Row({m: -1, ONE: bound.low} if bound.low else {m: -1}, bound.low_open, cause=cause)
        if bound.high is not None and (far or bound.high < FAR):
            yield Row({m: 1, ONE: -bound.high} if bound.high else {m: 1}, bound.high_open, cause=cause)

    def rows(self) -> Sequence[Row]:
        """The conditions of this path."""
        return self._rows

    def rows_about(self, m: Monomial) -> Iterator[Row]:
        """What else is known of a monomial: its bounds, and what it has to do with the atoms in it."""
        yield from self._bound_rows(m, far=True)
        if len(m) == 1 and m[0][1] == 1:
            yield from self._rows_of_atom(m[0][0])

    def _static(self, p: Polynomial) -> Interval:
        """Where p lies whatever is known of its atoms on this path."""
        return Facts(self.atoms, self._usage, self._oracle).interval(p)

    def _of_monomial(self, m: Monomial) -> Interval:
        if m == ONE:
            return point(1)
        result: Interval | None = None
        for atom, exponent in m:
            part = self._of_atom(atom) if exponent == 1 else self._of_atom(atom).power(exponent)
            result = part if result is None else result * part
        assert result is not None
        known = self._bounds.get(m) if len(m) > 1 or m[0][1] != 1 else None
        return result.meet(known[0]) if known else result

    def _of_atom(self, atom: int) -> Interval:
        entry = self.atoms[atom]
        known = self._bounds.get(power(atom))
        interval = entry.interval.meet(known[0]) if known else entry.interval
        if entry.kind is Kind.EXTREME:
            interval = interval.meet(self._of_extreme(entry.key))
        elif entry.kind is Kind.FLOOR:
            assert isinstance(entry.key, frozenset)
            inner = self.interval(dict(entry.key))
            low = None if inner.low is None else math.floor(inner.low)
            high = None if inner.high is None else math.floor(inner.high)
            interval = interval.meet(Interval(low, high))
        elif entry.kind is Kind.EXP:
            assert isinstance(entry.key, tuple)
            argument, denominator = entry.key
            interval = interval.meet(_of_exponential(self._of_monomial(argument) if denominator == ONE else EVERYTHING))
        elif entry.kind is Kind.REST:
            assert isinstance(entry.key, tuple)
            divisor = self._of_atom(entry.key[0]).high
            interval = interval.meet(Interval(None, None if divisor is None else divisor - 1))
        return interval

    def _of_extreme(self, form: object) -> Interval:
        assert isinstance(form, frozenset)
        minima = [reduce(least, (self.interval(dict(leaf)) for leaf in leaves)) for leaves in form]
        return -reduce(least, (-minimum for minimum in minima))

    def _causes(self, m: Monomial) -> int:
        """Of what is known of the interval of a monomial."""
        cause = self._bounds[m][1] if m in self._bounds else 0
        for atom, _ in m:
            cause |= self._bounds[power(atom)][1] if power(atom) in self._bounds else 0
            entry = self.atoms[atom]
            if entry.kind is Kind.EXTREME:
                assert isinstance(entry.key, frozenset)
                cause |= self._causes_of({inner: 1 for least in entry.key for leaf in least for inner, _ in leaf})
            elif entry.kind is Kind.FLOOR:
                assert isinstance(entry.key, frozenset)
                cause |= self._causes_of(dict(entry.key))
            elif entry.kind is Kind.EXP:
                assert isinstance(entry.key, tuple)
                cause |= self._causes(entry.key[0])
            elif entry.kind is Kind.REST:
                assert isinstance(entry.key, tuple)
                cause |= self._causes(power(entry.key[0]))
        return cause

    def _causes_of(self, p: Polynomial) -> int:
        cause = 0
        for m in p:
            cause |= self._causes(m)
        return cause

    def _credit(self, p: Polynomial) -> None:
        self._usage.causes |= self._causes_of(p)


def _sign_of(value: Number) -> int:
    return NULL if value == 0 else ABOVE if value > 0 else NEGATIVE


def _of_exponential(argument: Interval) -> Interval:
    """Where e^x lies beside 1, as x beside 0."""
    low, high = (1 if argument.not_negative else 0), (1 if argument.not_positive else None)
    return Interval(low, high, argument.positive or not low, argument.negative)


def _limited(limit: Number, signs: int, whole: bool) -> Interval:
    """Where x lies if the sign of x - limit is one of these."""
    low = None if signs & NEGATIVE else limit
    high = None if signs & ABOVE else limit
    is_open = not signs & NULL
    if not whole:
        return Interval(low, high, is_open and low is not None, is_open and high is not None)
    if low is not None:
        low = math.floor(low) + 1 if is_open else math.ceil(low)
    if high is not None:
        high = math.ceil(high) - 1 if is_open else math.floor(high)
    return Interval(low, high)


def _signs_in_corners(p: Polynomial, bounds: Mapping[Factor, Interval]) -> int:
    return _signs_in_ranges(p, {factor: Range.of(interval) for factor, interval in bounds.items()})


def _signs_in_ranges(p: Polynomial, ranges: Mapping[Factor, Range]) -> int:
    found = signs_in_corners(p, ranges)
    return ANY if found is None else NEGATIVE * found[0] | NULL * found[1] | ABOVE * found[2]


def _multiplies(p: Polynomial) -> bool:
    """Whether it has products in it, and more than one term: else its interval is told by those of its atoms."""
    return len(p) > 1 and any(len(m) > 1 for m in p)


def _is_far(p: Polynomial) -> bool:
    last = p.get(ONE, 0)
    return last >= FAR or last <= -FAR


def _signs_of(interval: Interval) -> int:
    signs = ANY
    if interval.not_negative:
        signs &= ~NEGATIVE
    if interval.not_positive:
        signs &= ~ABOVE
    if interval.positive or interval.negative:
        signs &= ~NULL
    return signs


def _without(interval: Interval, excluded: frozenset[Number]) -> Interval:
    """The interval of whole numbers, with the ends moved past the excluded ones."""
    low, high = interval.low, interval.high
    while low is not None and low in excluded and (high is None or low <= high):
        low += 1
    while high is not None and high in excluded and (low is None or low <= high):
        high -= 1
    return Interval(low, high)


def _rewritten(p: Polynomial, rules: Sequence[tuple[Monomial, Polynomial]]) -> tuple[Polynomial, bool]:
    """p after one use of a rule, and whether there was one."""
    for lead, value in rules:
        for monomial, coefficient in p.items():
            rest = multiply_monomials(monomial, inverse(lead))
            if all(exponent > 0 for _, exponent in rest):
                return add(add(p, {monomial: coefficient}, -1), shift(value, rest), coefficient), True
    return p, False

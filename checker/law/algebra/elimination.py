"""Whether linear conditions contradict each other, by Gauss's and then Fourier and Motzkin's elimination.

Monomials are the unknowns; that one is a product of others is not known here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from kcheck.checker.law import work
from kcheck.checker.law.algebra.polynomial import ONE, Monomial, Polynomial

MAX_STEPS = 800
"""The most rows to make; beyond them nothing is said."""
_COMBINING = 2e-5
"""The work of adding two rows."""


@dataclass(frozen=True, slots=True)
class Row:
    """`polynomial` = 0 where `equal`; else it is below 0, or at most 0 where not `strict`.

    `cause` has the bits of the invariants that it follows from.
    """

    polynomial: Polynomial
    strict: bool = False
    equal: bool = False
    cause: int = 0


class Oracle(Protocol):
    def __call__(self, rows: Sequence[Row]) -> int | None:
        """The causes of a contradiction among these conditions; None if none was found."""
        ...


@dataclass(frozen=True, slots=True)
class _Line:
    """A row in whole numbers, over numbered unknowns."""

    factors: dict[int, int]
    constant: int
    strict: bool
    cause: int

    @property
    def fails(self) -> bool:
        return not self.factors and (self.constant > 0 or (self.constant == 0 and self.strict))


def refute(rows: Sequence[Row]) -> int | None:
    """The `Oracle` of this module."""
    numbers: dict[Monomial, int] = {}
    equalities = [_line(row, numbers) for row in rows if row.equal]
    lines = [_line(row, numbers) for row in rows if not row.equal]
    while equalities:
        solved = equalities.pop()
        if not solved.factors:
            if solved.constant:
                return solved.cause
            continue
        unknown = min(solved.factors, key=lambda n: abs(solved.factors[n]))
        equalities = [_without(line, solved, unknown) for line in equalities]
        lines = [_without(line, solved, unknown) for line in lines]
    return _refute_inequalities(lines)


def _line(row: Row, numbers: dict[Monomial, int]) -> _Line:
    scale = math.lcm(*(c.denominator for c in row.polynomial.values()))
    factors = {
        numbers.setdefault(m, len(numbers)): c.numerator * (scale // c.denominator)
        for m, c in row.polynomial.items()
        if m != ONE
    }
    last = row.polynomial.get(ONE, 0)
    return _Line(factors, last.numerator * (scale // last.denominator), row.strict, row.cause)


def _combined(x: _Line, by: int, y: _Line, times: int) -> _Line:
    """by * x + times * y, in the smallest whole numbers."""
    work.count(_COMBINING)
    factors = {n: by * c for n, c in x.factors.items()}
    for n, c in y.factors.items():
        total = factors.get(n, 0) + times * c
        if total:
            factors[n] = total
        else:
            factors.pop(n, None)
    constant = by * x.constant + times * y.constant
    common = math.gcd(constant, *factors.values())
    if common > 1:
        factors = {n: c // common for n, c in factors.items()}
        constant //= common
    return _Line(factors, constant, x.strict or y.strict, x.cause | y.cause)


def _without(line: _Line, solved: _Line, unknown: int) -> _Line:
    """The line with the equation's solution for `unknown` put in."""
    factor = line.factors.get(unknown, 0)
    if not factor:
        return line
    pivot = solved.factors[unknown]
    combined = _combined(line, abs(pivot), solved, -factor if pivot > 0 else factor)
    return _Line(combined.factors, combined.constant, line.strict, combined.cause)


def _refute_inequalities(lines: Iterable[_Line]) -> int | None:
    pending = _strongest(lines)
    steps = 0
    while True:
        above: dict[int, int] = {}
        below: dict[int, int] = {}
        for line in pending:
            if line.fails:
                return line.cause
            for n, c in line.factors.items():
                side = above if c > 0 else below
                side[n] = side.get(n, 0) + 1
        unknowns = above.keys() | below.keys()
        if not unknowns:
            return None
        unknown = min(unknowns, key=lambda n: (above.get(n, 0) * below.get(n, 0), n))
        steps += above.get(unknown, 0) * below.get(unknown, 0)
        if steps > MAX_STEPS:
            return None
        pending = _strongest(_eliminated(pending, unknown))


def _eliminated(lines: Sequence[_Line], unknown: int) -> Iterable[_Line]:
    yield from (line for line in lines if unknown not in line.factors)
    upper = [line for line in lines if line.factors.get(unknown, 0) > 0]
    lower = [line for line in lines if line.factors.get(unknown, 0) < 0]
    for up in upper:
        for down in lower:
            yield _combined(up, -down.factors[unknown], down, up.factors[unknown])


def _strongest(lines: Iterable[_Line]) -> list[_Line]:
    """Of those with the same unknowns the one that says most."""
    best: dict[frozenset[tuple[int, int]], _Line] = {}
    for line in lines:
        same = frozenset(line.factors.items())
        known = best.get(same)
        if known is None or (line.constant, line.strict) > (known.constant, known.strict):
            best[same] = line
    return list(best.values())

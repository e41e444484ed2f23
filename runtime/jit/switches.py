"""The cases of a `Switch` as ranges that do not overlap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_FEW = 64
"""A range of so many numbers is taken number by number, for a table of jumps."""


@dataclass(frozen=True, slots=True)
class Intervals:
    """`single` are numbers with the positions of their cases, `wide` the ranges (both ends included) with theirs."""

    single: list[tuple[int, int]]
    wide: list[tuple[int, int, int]]


def intervals_of(cases: Sequence[Sequence[tuple[int, int]]]) -> Intervals:
    """Which case each number has: the first one that holds it."""
    found = Intervals([], [])
    taken: list[tuple[int, int]] = []
    for position, ranges in enumerate(cases):
        for low, high in ranges:
            for first, last in _left(low, high, taken):
                if last - first < _FEW:
                    found.single.extend((number, position) for number in range(first, last + 1))
                else:
                    found.wide.append((first, last, position))
            taken = sorted([*taken, (low, high)])
    return found


def _left(low: int, high: int, taken: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What the ranges `taken`, which are in order, leave of a range."""
    for first, last in taken:
        if low < first:
            if first > high:
                break
            yield low, first - 1
        low = max(low, last + 1)
    if low <= high:
        yield low, high

"""Abstract values: an interval for each scalar of a value, in the order of `types.leaves`."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from kcheck.checker import ir, types
from kcheck.checker.ranges import interval
from kcheck.checker.ranges.interval import Interval

Value: TypeAlias = "tuple[Interval, ...] | None"
"""None for a value of many scalars: nothing is known of it."""

MOST_LEAVES = 64


@lru_cache(maxsize=1024)
def unknown(type_: types.Type) -> Value:
    """Any value of a type."""
    if types.leaf_count(type_) > MOST_LEAVES:
        return None
    return tuple(interval.everything(leaf.scalar) for leaf in types.leaves(type_))


def filled(type_: types.Type, part: Interval) -> Value:
    """A value all scalars of which lie in one interval."""
    count = types.leaf_count(type_)
    return (part,) * count if count <= MOST_LEAVES else None


def constant(node: ir.Const) -> Value:
    if len(node.leaves) > MOST_LEAVES:
        return None
    return tuple(interval.point(number) for number in ir.const_numbers(node))


def hull(a: Value, b: Value) -> Value:
    if a is None or b is None or a is b:
        return a if a is b else None
    return tuple(interval.hull(x, y) for x, y in zip(a, b, strict=True))


def part(value: Value, parts: tuple[types.Type, ...], index: int) -> Value:
    """One of the parts that a value's scalars are divided among."""
    if value is None:
        return unknown(parts[index])
    start = sum(types.leaf_count(p) for p in parts[:index])
    return value[start : start + types.leaf_count(parts[index])]


def any_part(value: Value, element: types.Type) -> Value:
    """What any of a value's equal parts may be."""
    size = types.leaf_count(element)
    if value is None or size == 0:
        return unknown(element)
    pieces = [value[start : start + size] for start in range(0, len(value), size)]
    return tuple(interval.hull(*(piece[i] for piece in pieces)) for i in range(size))

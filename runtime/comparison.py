"""Two fields of one type held against each other: to rounding, as tests do it, or bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kcheck.checker import rules
from kcheck.checker.types import FLOAT, Leaf
from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.leaves import leaf_name, leaf_views
from kcheck.runtime.values.literals import shown
from kcheck.runtime.values.plain import floats
from kcheck.runtime.values.sizes import shape_text
from kcheck.runtime.values.slot import Slot

RELATIVE = 1e-5
"""Floats agree when they differ by less than this part of the larger one,"""
OF_GREATEST = 1e-6
"""or by less than this part of the greatest value that is expected in their place of any element;"""
NEAR_ZERO = 2.0**-23
"""and where zero is expected, anything below this is zero."""

SameFloats: TypeAlias = Callable[[AnyArray, AnyArray], AnyArray]
"""From two arrays of Floats to where they agree."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first element (row-major) in which a leaf of two fields differs, and in how many it does."""

    at: int
    count: int
    leaf: Leaf
    got: AnyArray
    expected: AnyArray

    def place(self, field: Field) -> tuple[int, ...]:
        """The element's position along the axes of the field."""
        return tuple(int(step) for step in np.unravel_index(self.at, field.shape))

    def steps(self, field: Field) -> str:
        """The same and the way to the leaf, as `[2][0].position.x`."""
        name = leaf_name(field.type.element, self.leaf.path)
        steps = "".join(f"[{step}]" for step in self.place(field))
        return steps + (f".{name}" if name and name[0] != "[" else name)

    @property
    def texts(self) -> tuple[str, str]:
        """What stands there in the one field and in the other."""
        return leaf_text(self.leaf, self.got), leaf_text(self.leaf, self.expected)


def leaf_text(leaf: Leaf, value: AnyArray) -> str:
    """A number with the digits of its type."""
    return str(floats(np.array([value]))[0]) if leaf.scalar is FLOAT else shown(value.item())


def differences(got: Field, expected: Field, same: SameFloats) -> list[Difference]:
    """One for each leaf that differs anywhere, the first place first; both fields have one shape."""
    return sorted(_differences(got, expected, same), key=lambda difference: difference.at)


def _differences(got: Field, expected: Field, same: SameFloats) -> Iterator[Difference]:
    element, rank = got.type.element, got.type.rank
    pairs = zip(leaf_views(element, got.data, rank), leaf_views(element, expected.data, rank), strict=True)
    for (leaf, ours), (_, theirs) in pairs:
        equal = same(ours, theirs) if leaf.scalar is FLOAT else ours == theirs
        if not equal.all():
            wrong = np.flatnonzero(~equal)
            at = int(wrong[0])
            yield Difference(at, len(wrong), leaf, ours.reshape(-1)[at], theirs.reshape(-1)[at])


def compare(slot: Slot, got: Field, expected: Field) -> None:
    """K716 where two fields differ: by shape, or in an element by more than rounding."""
    if got.shape != expected.shape:
        problem = f"gave {shape_text(got.shape)}, expected {shape_text(expected.shape)}"
        raise slot.error(rules.EXPECTATION_FAILED, problem)
    found = differences(got, expected, same_floats)
    if not found:
        return
    first = found[0]
    count = sum(difference.count for difference in found)
    notes = (f"{count} values differ in all",) if count > 1 else ()
    ours, theirs = first.texts
    problem = f"`{slot.name}{first.steps(got)}` is {ours}, expected {theirs}"
    raise slot.error(rules.EXPECTATION_FAILED, problem, *notes)


def same_floats(got: AnyArray, expected: AnyArray) -> AnyArray:
    """Where floats agree to rounding; NaN agrees with NaN, an infinity with itself."""
    a, b = got.astype(np.float64), expected.astype(np.float64)
    finite = np.abs(b[np.isfinite(b)])
    floor = OF_GREATEST * finite.max(initial=0.0)
    with np.errstate(invalid="ignore"):
        allowed = np.maximum(RELATIVE * np.maximum(np.abs(a), np.abs(b)), floor)
        allowed = np.where(b == 0.0, np.maximum(allowed, NEAR_ZERO), allowed)
        near = np.isfinite(a) & np.isfinite(b) & (np.abs(a - b) <= allowed)
    same: AnyArray = near | (a == b) | (np.isnan(a) & np.isnan(b))
    return same


def same_bits(got: AnyArray, expected: AnyArray) -> AnyArray:
    """Where floats have the same bits; any NaN agrees with any other."""
    bits: AnyArray = got.view(np.uint32) == expected.view(np.uint32)
    return bits | (np.isnan(got) & np.isnan(expected))

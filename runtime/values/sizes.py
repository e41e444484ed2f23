"""Sizes: how they are written, how large they may be, and memory for arrays of that size."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Sequence
from functools import cache

from kcheck.checker import rules
from kcheck.runtime.layout import AnyArray, base_dtype, inner_shape, zeros
from kcheck.runtime.values.slot import Shape, Slot

MAX_ELEMENTS = (1 << 31) - 1
MAX_AXIS = 1 << 24
"""The longest axis of a Grid or Volume: up to here every address is exact as a Float."""

_AXES = {2: " (w x h)", 3: " (w x h x d)"}


def shape_text(shape: Shape) -> str:
    """A shape for people, x first: `12 elements`, `64x48 (w x h)`."""
    if len(shape) == 1:
        return f"{shape[0]} element{'' if shape[0] == 1 else 's'}"
    return "x".join(str(n) for n in reversed(shape)) + _AXES.get(len(shape), "")


def shape_of_size(slot: Slot, size: Sequence[int]) -> Shape:
    """The NumPy shape of a size that is written x first; K704 where it is none for this slot."""
    if len(size) != slot.rank:
        needs = {
            0: "takes no size",
            1: "needs one size (n)",
            2: "needs a size (w, h)",
            3: "needs a size (w, h, d)",
        }
        written = ", ".join(str(n) for n in size)
        raise slot.error(rules.SHAPE_MISMATCH, f"got the size ({written}), but {slot.type} {needs[slot.rank]}")
    if any(n < 0 for n in size):
        raise slot.error(rules.SHAPE_MISMATCH, f"got a size of {min(size)}; sizes are 0 or more")
    return tuple(reversed(size))


def check_limits(slot: Slot, shape: Shape) -> None:
    """K713 for a field that the language, or this machine, does not have room for."""
    if math.prod(shape) > MAX_ELEMENTS:
        count = f"{math.prod(shape):,} elements are too many"
        raise slot.error(rules.FIELD_TOO_LARGE, f"{count}; a field holds at most {MAX_ELEMENTS:,}")
    if len(shape) > 1 and max(shape) > MAX_AXIS:
        long = f"{shape_text(shape)} has an axis of {max(shape):,}"
        raise slot.error(rules.FIELD_TOO_LARGE, f"{long}; those of grids and volumes go to {MAX_AXIS:,}")
    needed = math.prod((*shape, *inner_shape(slot.element))) * base_dtype(slot.element).itemsize
    if needed > _memory():
        problem = f"{shape_text(shape)} need {needed / 1e9:,.1f} GB, more than the machine has"
        raise slot.error(rules.FIELD_TOO_LARGE, problem)


@cache
def _memory() -> int:
    """The machine's memory in bytes; where that is not known, more than any field needs."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return sys.maxsize


def allocate(slot: Slot, shape: Shape) -> AnyArray:
    """Zeros for a field of this shape; K713 where the memory for it is not to be had."""
    check_limits(slot, shape)
    try:
        return zeros(slot.element, shape)
    except (MemoryError, ValueError):
        problem = f"there is not enough memory left for {shape_text(shape)}"
        raise slot.error(rules.FIELD_TOO_LARGE, problem) from None

"""What a block of elements carries while it runs: lanes, masks and the locals of one function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from kcheck.checker.ir import Program
from kcheck.runtime.backend import Cancelled, Interrupted
from kcheck.runtime.interpreter.values import Value, take_lanes, width
from kcheck.runtime.layout import AnyArray

# ---------------------------------------------------------------- masks

Mask: TypeAlias = "AnyArray | None"
"""Which lanes are active: None for all of them, else Bool `(n,)` with at least one True, or `NOBODY`."""

NOBODY: AnyArray = np.zeros(0, np.bool_)
"""No lane at all (compared by identity).  Nothing is ever evaluated under it."""


def narrow(mask: Mask, condition: AnyArray) -> Mask:
    """The lanes of `mask` where `condition` (`(n,)` or uniform) holds."""
    if condition.size == 1:
        return mask if condition else NOBODY
    if mask is None:
        return None if condition.all() else _some(condition)
    return _some(mask & condition)


def join(then: Mask, otherwise: Mask) -> Mask:
    """Two disjoint masks together."""
    if then is NOBODY:
        return otherwise
    if otherwise is NOBODY:
        return then
    if then is None or otherwise is None:
        return None
    return then | otherwise


def without(mask: Mask, running: Mask, still: Mask) -> Mask:
    """`mask` without the lanes of `running` that are not in `still` any more."""
    if still is running:
        return mask
    if still is NOBODY:
        return NOBODY if running is None else narrow(mask, ~running)
    assert still is not None  # nothing widens a mask
    return narrow(mask, still if running is None else still | ~running)


def _some(mask: AnyArray) -> AnyArray:
    return mask if mask.any() else NOBODY


# ---------------------------------------------------------------- a run


@dataclass(frozen=True, slots=True)
class Source:
    """A port's elements: views with one axis of `count` elements, row-major, and the axes' sizes, x first."""

    elements: Value
    size: tuple[int, ...]
    count: int


def no_emit(pair: Value, count: int, mask: Mask) -> None:
    raise AssertionError("only a scatter takes emitted pairs")


@dataclass(slots=True)
class Run:
    """What all blocks of a launch share.

    `sizes` (by port) and `domain` are x first; `extents` are the sizes of the ports' boxes.  `memories` are
    private copies, written in place.  `emit` takes the pairs that the active ones of so many lanes emit.
    """

    program: Program
    inputs: Mapping[str, Source] = field(default_factory=dict)
    memories: Mapping[str, Source] = field(default_factory=dict)
    params: Mapping[str, Value] = field(default_factory=dict)
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    extents: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    domain: tuple[int, ...] = ()
    group: int = 1
    cancelled: Cancelled = lambda: False
    emit: Callable[[Value, int, Mask], None] = no_emit
    _polls: int = 0

    def poll(self) -> None:
        """Give a caller the chance to stop the run; cheap enough for every round of a loop."""
        self._polls += 1
        if self._polls % 1024 == 0:
            self.check()

    def check(self) -> None:
        if self.cancelled():
            raise Interrupted


# ---------------------------------------------------------------- lanes and frames


class Lanes:
    """The elements that run together: `count` of them from number `first`, or those in `numbers`.

    `cache` holds what places and ports have given to this block already.
    """

    __slots__ = ("cache", "count", "first", "numbers", "run")

    def __init__(self, run: Run, first: int, count: int, numbers: AnyArray | None = None) -> None:
        self.run = run
        self.first = first
        self.count = count
        self.numbers = numbers
        self.cache: dict[object, Value] = {}

    def elements(self) -> AnyArray:
        """The number of every lane's element (int64, `(n,)`)."""
        if self.numbers is None:
            return np.arange(self.first, self.first + self.count, dtype=np.int64)
        return self.numbers

    def at(self, lanes: AnyArray) -> Lanes:
        """These lanes alone."""
        return Lanes(self.run, 0, lanes.shape[0], self.elements()[lanes])


class Frame:
    """A running call: the locals by number (None before their first value) and the result so far.

    Where `room` is not None, a result of one scalar a lane for all lanes at once may be computed into it.
    """

    __slots__ = ("lanes", "locals", "result", "room")

    def __init__(self, lanes: Lanes, locals_: list[Value | None]) -> None:
        self.lanes = lanes
        self.locals = locals_
        self.result: Value | None = None
        self.room: AnyArray | None = None

    def at(self, lanes: AnyArray) -> Frame:
        """A frame for these lanes alone, with a copy of what they hold."""
        held = [None if value is None else take_lanes(value, lanes) for value in self.locals]
        return Frame(self.lanes.at(lanes), held)


Evaluate: TypeAlias = Callable[[Frame, Mask], Value]
"""A compiled expression; called only where at least one lane is active.

What it gives for lanes that are not active means nothing: expressions are total, so they may run along.
"""

Scalars: TypeAlias = Callable[[Frame, Mask], AnyArray]
"""A compiled expression whose value is one array: of scalars, a vector or a matrix."""

Execute: TypeAlias = Callable[[Frame, Mask], Mask]
"""A compiled statement: runs, and answers the lanes that have not returned; `mask` itself if none has."""


def lane_count(*leaves: AnyArray) -> int:
    return max(width(leaf) for leaf in leaves)

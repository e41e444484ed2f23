"""Launches whose fields are larger than the device binds, run piece after piece."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from kcheck.checker import ir
from kcheck.runtime.backend import Launch, Outcome, Progress
from kcheck.runtime.fields import Field, field_of
from kcheck.runtime.gpu.device import TooLarge
from kcheck.runtime.gpu.pieces import Pieces, pieces_of
from kcheck.runtime.interpreter.combining import after
from kcheck.runtime.layout import base_dtype, inner_shape
from kcheck.runtime.outputs import output_extent, output_shape
from kcheck.runtime.values.leaves import leaf_views

_FEWEST = 1 << 8
"""The elements of a piece for which it is still worth it."""

Run = Callable[[Launch], Outcome]
"""Runs a launch on the device; raises `TooLarge` where it does not fit."""


def run_by_pieces(launch: Launch, reason: TooLarge, run: Run, progress: Progress) -> Outcome:
    """The outcome of a launch that is too large for the `reason`; raises that where smaller pieces do not help."""
    pieces = pieces_of(launch)
    count = math.prod(launch.shape)
    size = 1 << max(0, math.floor(math.log2(max(1, count) / reason.times)))
    while size >= _FEWEST:
        try:
            return _Walk(pieces, _whole_groups(launch, size), run, progress).outcome()
        except TooLarge:
            size //= 2
    raise reason


def _whole_groups(launch: Launch, size: int) -> int:
    """So many elements, or as many as make whole groups."""
    schedule = launch.program.schedule
    return max(1, size // schedule.size) * schedule.size if isinstance(schedule, ir.Lanes) else size


@dataclass(frozen=True, slots=True)
class _Walk:
    """Runs pieces of `size` elements in order."""

    pieces: Pieces
    size: int
    run: Run
    progress: Progress

    def outcome(self) -> Outcome:
        match self.pieces.launch.program.schedule:
            case ir.Fold():
                return self._fold()
            case ir.CombineByAddress() as schedule:
                return self._scatter(schedule.into)
            case ir.OrderedWalk():
                return self._scan()
            case ir.RunningCombine() as schedule:
                return self._in_rows(lambda rows, first, end: _combine_before(schedule.op, rows, first, end))
            case ir.Elements() | ir.Lanes():
                return self._in_rows(lambda rows, first, end: None)

    def _bounds(self) -> Iterator[tuple[int, int]]:
        count = math.prod(self.pieces.launch.shape)
        for first in range(0, count, self.size):
            yield first, min(first + self.size, count)
            self.progress(min(first + self.size, count) / count)

    def _in_rows(self, then: Callable[[Field, int, int], None]) -> Outcome:
        """Pieces whose outputs follow one another; `then` is done with an output after each."""
        rows = self._rows()
        for first, end in self._bounds():
            outcome = self.run(self.pieces.piece(first, end, {}))
            for name, field in rows.items():
                field.data[first:end] = outcome.outputs[name].data
                then(field, first, end)
        return Outcome(self._shaped(rows), {})

    def _fold(self) -> Outcome:
        """As pieces have a power of two elements, their results make the same tree as all elements at once."""
        [name] = [port.name for port in self.pieces.program.outputs]
        folded = [self.run(self.pieces.piece(first, end, {})).outputs[name].data for first, end in self._bounds()]
        return self.run(self.pieces.merging(np.concatenate(folded)))

    def _scatter(self, into: str) -> Outcome:
        """Each piece goes on with what the one before made of the target."""
        changed: dict[str, Field] = {}
        for first, end in self._bounds():
            outcome = self.run(self.pieces.piece(first, end, changed))
            [changed[into]] = outcome.outputs.values()
        return outcome

    def _scan(self) -> Outcome:
        rows, memories = self._rows(), dict(self.pieces.launch.memories)
        [result] = rows.values()
        for first, end in self._bounds():
            piece = self.pieces.piece(first, end, memories)
            if first:
                piece = self.pieces.going_on(piece, result.data[first - 1])
            outcome = self.run(piece)
            [made] = outcome.outputs.values()
            result.data[first:end] = made.data
            memories |= outcome.memories
        return Outcome(self._shaped(rows), memories)

    def _rows(self) -> dict[str, Field]:
        """Room for the outputs, all elements in a row."""
        count = math.prod(self.pieces.launch.shape)
        return {port.name: _room(port, count) for port in self.pieces.program.outputs}

    def _shaped(self, rows: dict[str, Field]) -> dict[str, Field]:
        launch = self.pieces.launch
        shape, box = output_shape(launch), output_extent(launch)
        return {
            port.name: Field(port.type, rows[port.name].data.reshape(shape + inner_shape(port.type.element)), box)
            for port in launch.program.outputs
        }


def _room(port: ir.PortDecl, count: int) -> Field:
    element = port.type.element
    return field_of(port.type, np.empty((count, *inner_shape(element)), base_dtype(element)))


def _combine_before(op: ir.CombineOp, rows: Field, first: int, end: int) -> None:
    """Combine the running combinations of a piece with the last one before it."""
    if not first:
        return
    for _, leaf in leaf_views(rows.type.element, rows.data, 1):
        leaf[first:end] = after(op, leaf[first:end], leaf[first - 1])

"""Many values side by side: an array for each of their pieces, so that loops over them can be vectorised."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.checker.types import Type
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.storage import Piece, byte_size


class Rows:
    """Values of one type; `starts` point to the arrays, one for each piece."""

    def __init__(self, emitter: Emitter, type_: Type, starts: Sequence[str]) -> None:
        self._emitter = emitter
        self.type = type_
        self.starts = starts

    def places(self, index: str) -> list[str]:
        """Where the pieces of the value at `index` (i64) are."""
        paired = zip(self._emitter.pieces(self.type), self.starts, strict=True)
        return [self._place(piece, start, index) for piece, start in paired]

    def _place(self, piece: Piece, start: str, index: str) -> str:
        distance = self._emitter.code.value(f"mul nuw nsw i64 {index}, {byte_size(piece)}")
        return self._emitter.code.offset(start, distance)

    def get(self, index: str) -> Value:
        return self._emitter.get(self.places(index), self.type)

    def put(self, index: str, value: Value) -> None:
        self._emitter.put(self.places(index), self.type, value)


def rows_behind(emitter: Emitter, type_: Type, start: str, count: str) -> Rows:
    """Rows of so many (i64) values, one behind the other from `start` on."""
    starts = []
    for piece in emitter.pieces(type_):
        starts.append(start)
        start = emitter.code.offset(start, emitter.code.value(f"mul nuw nsw i64 {count}, {byte_size(piece)}"))
    return Rows(emitter, type_, starts)


def own_rows(emitter: Emitter, type_: Type, count: int) -> Rows:
    """Rows of so many values in room of the function's own, on the stack: there LLVM knows them apart."""
    sizes = [byte_size(piece) * count for piece in emitter.pieces(type_)]
    return Rows(emitter, type_, [emitter.room(size, on_stack=size) for size in sizes])


def argument_rows(emitter: Emitter, type_: Type, name: str) -> tuple[Rows, list[str]]:
    """Rows that a function gets as arguments of this name, and the arguments' declarations."""
    starts = [f"%{name}.{i}" for i in range(len(emitter.pieces(type_)))]
    return Rows(emitter, type_, starts), [f"ptr noalias {start}" for start in starts]

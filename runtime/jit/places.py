"""Where an element stands in the domain, and the sizes of ports."""

from __future__ import annotations

from typing import assert_never

from kcheck.checker.ir import PlaceKind
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.module import COORDINATES, GROUP, INDEX, LANE
from kcheck.runtime.jit.numbers import int_to_float
from kcheck.runtime.jit.text import float_constant

_HALF = float_constant(0x3F000000)


def place(emitter: Emitter, kind: PlaceKind) -> Value:
    """The value of `index()`, `coord()` and so on for the element at hand."""
    match kind:
        case PlaceKind.INDEX:
            return [_index(emitter)]
        case PlaceKind.COORD:
            return _coord(emitter)
        case PlaceKind.PLACE:
            return _normalised(emitter)
        case PlaceKind.DOMAIN:
            return as_address(emitter, [emitter.domain(axis) for axis in range(emitter.module.program.rank)])
        case PlaceKind.LANE:
            return [emitter.item(LANE)]
        case PlaceKind.GROUP:
            return [emitter.item(GROUP)]
        case _:
            assert_never(kind)


def _index(emitter: Emitter) -> str:
    return emitter.code.value(f"trunc i64 {emitter.item(INDEX)} to i32")


def _coord(emitter: Emitter) -> Value:
    return as_address(emitter, _coordinates(emitter))


def _coordinates(emitter: Emitter) -> list[str]:
    rank = emitter.module.program.rank
    return [_index(emitter)] if rank == 1 else [emitter.item(axis) for axis in COORDINATES[:rank]]


def _normalised(emitter: Emitter) -> Value:
    """`(coord + 0.5) / size`, in Floats throughout."""
    code, parts = emitter.code, []
    for axis, coordinate in enumerate(_coordinates(emitter)):
        middle = code.value(f"fadd float {int_to_float(code, coordinate)}, {_HALF}")
        size = int_to_float(code, emitter.domain(axis))
        parts.append(code.value(f"fdiv float {middle}, {size}"))
    return parts


def as_address(emitter: Emitter, numbers: list[str]) -> Value:
    """Whole numbers, x first, as an address is typed: an Int on one axis, else a vector."""
    return numbers if len(numbers) == 1 else [int_to_float(emitter.code, number) for number in numbers]


def size(emitter: Emitter, port: str) -> Value:
    rank = emitter.module.port(port).type.rank
    return as_address(emitter, [emitter.size(port, axis) for axis in range(rank)])


def extent(emitter: Emitter, port: str) -> Value:
    """The size of a port's box in space."""
    start = emitter.module.environment.extents[port]
    return [emitter.env("float", start + 4 * axis) for axis in range(emitter.module.port(port).type.rank)]

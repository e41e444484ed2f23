"""How values are held by compiled code: as scalars in registers, or as arrays in memory.

A value is the list of its *pieces*, in the order of `types.leaves`: scalars, each an SSA value, and *stored* arrays,
each a pointer.  An array is stored where a register could not be chosen by a computed index, or where it is large.
In memory everything lies as in `runtime.layout`, packed: a Bool takes 1 byte, an Int or a Float 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeAlias

from kcheck.checker import ir, types
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Enum, Mat, Scalar, Struct, Type, Unit, Vec

Piece: TypeAlias = "Scalar | Array"
"""A scalar, or a stored array."""

REGISTERS: dict[Scalar, str] = {BOOL: "i1", INT: "i32", FLOAT: "float"}
"""The LLVM types of scalars in registers."""
IN_MEMORY: dict[Scalar, str] = {BOOL: "i8", INT: "i32", FLOAT: "float"}
SIZES: dict[Scalar, int] = {BOOL: 1, INT: 4, FLOAT: 4}

_MOST_CHOICES = 8
"""Up to so many elements a computed index chooses among registers, which loops can do for many elements at once."""
_MOST_LEAVES = 32
"""A larger array is always stored."""


def byte_size(type_: Type) -> int:
    """The bytes of a value in memory."""
    match type_:
        case Scalar():
            return SIZES[type_]
        case Array():
            return type_.length * byte_size(type_.element)
        case Vec() | Mat():
            return 4 * types.leaf_count(type_)
        case Struct():
            return sum(byte_size(f.type) for f in type_.fields)
        case Enum():
            return 4 + sum(byte_size(f.type) for v in type_.variants for f in v.fields)
        case Unit():
            return 0


@dataclass(frozen=True, slots=True)
class Storage:
    """Which arrays of a program are stored; the same everywhere in it."""

    computed: frozenset[Array]
    """Those that are indexed by something else than a constant."""
    _known: dict[Type, tuple[Piece, ...]] = field(default_factory=dict)

    def is_stored(self, array: Array) -> bool:
        if types.leaf_count(array) > _MOST_LEAVES:
            return True
        return array in self.computed and array.length > _MOST_CHOICES

    def pieces(self, type_: Type) -> tuple[Piece, ...]:
        known = self._known.get(type_)
        if known is None:
            known = self._known[type_] = tuple(self._find(type_))
        return known

    def _find(self, type_: Type) -> Iterator[Piece]:
        match type_:
            case Scalar():
                yield type_
            case Array() if self.is_stored(type_):
                yield type_
            case Enum():
                yield INT
                for variant in type_.variants:
                    for member in variant.fields:
                        yield from self.pieces(member.type)
            case Unit():
                return
            case _:
                for part in types.parts(type_):
                    yield from self.pieces(part)

    def offsets(self, type_: Type) -> tuple[int, ...]:
        """Where each piece lies in memory, in bytes."""
        sizes = [byte_size(piece) for piece in self.pieces(type_)]
        return tuple(accumulate(sizes[:-1], initial=0)) if sizes else ()

    def span(self, before: tuple[Type, ...], type_: Type) -> slice:
        """Which pieces of a whole belong to the part of `type_` behind parts of the types `before`."""
        start = sum(len(self.pieces(part)) for part in before)
        return slice(start, start + len(self.pieces(type_)))


def storage_of(program: ir.Program) -> Storage:
    """How the values of a program are held."""
    return Storage(frozenset(found for f in program.functions for found in _computed(f)))


def _computed(function: ir.Function) -> Iterator[Array]:
    for node in ir.walk(function.body):
        match node:
            case ir.Index(operand=ir.Expression(type=Array() as array), index=index):
                if not isinstance(index, ir.Const):
                    yield array
            case ir.Assign():
                yield from _computed_targets(node, function.locals[node.local].type)


def _computed_targets(node: ir.Assign, type_: Type) -> Iterator[Array]:
    for step in node.steps:
        match step, type_:
            case ir.FieldStep(), Struct():
                type_ = type_.fields[step.index].type
            case ir.IndexStep(), Array():
                if not isinstance(step.index, ir.Const):
                    yield type_
                type_ = type_.element
            case _:
                return  # inside of a vector or matrix are no arrays

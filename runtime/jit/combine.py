"""Putting a value to what lies in memory already, scalar by scalar: sums, minima, maxima, the last."""

from __future__ import annotations

from collections.abc import Callable

from kcheck.checker import floats, ir, types
from kcheck.checker.ir import BinaryOp, CombineOp
from kcheck.checker.types import FLOAT, INT, Scalar, Struct, Type
from kcheck.runtime.jit import numbers
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.numbers import OPERATORS
from kcheck.runtime.jit.reads import Address, element_place, position_inside
from kcheck.runtime.jit.storage import byte_size
from kcheck.runtime.jit.text import Code

_COMBINE: dict[CombineOp, dict[Scalar, Callable[[Code, str, str], str]]] = {
    CombineOp.SUM: {INT: OPERATORS[INT][BinaryOp.ADD], FLOAT: OPERATORS[FLOAT][BinaryOp.ADD]},
    CombineOp.MIN: {INT: numbers.int_min, FLOAT: numbers.minimum},
    CombineOp.MAX: {INT: numbers.int_max, FLOAT: numbers.maximum},
}


def apply_pair(emitter: Emitter, pair: Type, value: Value) -> None:
    """Combine the value of a pair with the target's element at its address, if there is one."""
    scatter = emitter.module.program.schedule
    assert isinstance(scatter, ir.CombineByAddress)
    assert isinstance(pair, Struct)
    address, element = (field.type for field in pair.fields)
    kind = INT if address is INT else FLOAT
    split = len(emitter.pieces(address))
    [output] = emitter.module.program.outputs
    inside, position = position_inside(emitter, output.name, Address(value[:split], kind))
    with emitter.code.only_if(inside):
        combine_into(emitter, scatter.op, element_place(emitter, output.name, position), element, value[split:])


def combine_into(emitter: Emitter, op: CombineOp, pointer: str, type_: Type, value: Value) -> None:
    """Combine a value with the one that lies at `pointer`, in place."""
    if op is CombineOp.LAST:
        emitter.store(pointer, type_, value)
        return
    placed = zip(emitter.pieces(type_), emitter.module.storage.offsets(type_), value, strict=True)
    for piece, offset, part in placed:
        place = emitter.code.offset(pointer, offset)
        if isinstance(piece, Scalar):
            old = emitter.load_scalar(place, piece)
            emitter.store_scalar(place, piece, _COMBINE[op][piece](emitter.code, old, part))
        else:
            size = byte_size(piece.element)
            with emitter.rounds("0", str(piece.length)) as i:
                distance = emitter.code.value(f"mul nuw nsw i64 {i}, {size}")
                element = emitter.load(emitter.code.offset(part, distance), piece.element)
                combine_into(emitter, op, emitter.code.offset(place, distance), piece.element, element)


def identity(emitter: Emitter, op: CombineOp, type_: Type) -> Value:
    """The value that changes nothing: 0 for sums, what never wins for minima and maxima."""
    of_int = {CombineOp.MIN: 2**31 - 1, CombineOp.MAX: -(2**31)}.get(op, 0)
    leaves = [of_int if leaf.scalar is INT else floats.NAN for leaf in types.leaves(type_)]
    return emitter.constant(type_, leaves)

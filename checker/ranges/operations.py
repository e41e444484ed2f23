"""Operators and built-ins on abstract values: dicts by the enums of the IR, scalar by scalar."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kcheck.checker import ir, types
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp, UnaryOp
from kcheck.checker.ranges import interval as iv
from kcheck.checker.ranges.interval import Interval
from kcheck.checker.ranges.values import Value, unknown
from kcheck.checker.types import BOOL, FLOAT, INT

_INT: dict[BinaryOp, iv.Operation] = {
    BinaryOp.ADD: iv.add_ints,
    BinaryOp.SUB: iv.subtract_ints,
    BinaryOp.MUL: iv.multiply_ints,
    BinaryOp.DIV: iv.divide_ints,
    BinaryOp.REM: iv.remainder_ints,
    BinaryOp.AND: iv.and_ints,
    BinaryOp.OR: iv.or_ints,
    BinaryOp.XOR: iv.xor_ints,
    BinaryOp.SHL: iv.shift_left,
    BinaryOp.SHR: iv.shift_right,
    BinaryOp.USHR: iv.shift_right_logical,
}
_FLOAT: dict[BinaryOp, iv.Operation] = {
    BinaryOp.ADD: iv.add_floats,
    BinaryOp.SUB: iv.subtract_floats,
    BinaryOp.MUL: iv.multiply_floats,
    BinaryOp.DIV: iv.divide_floats,
    BinaryOp.REM: iv.remainder_floats,
}
_BOOL: dict[BinaryOp, iv.Operation] = {
    BinaryOp.AND: iv.both,
    BinaryOp.OR: iv.either,
    BinaryOp.XOR: lambda a, b: iv.negate(iv.equal(a, b)),
}
_ORDER: dict[BinaryOp, iv.Operation] = {
    BinaryOp.LT: iv.less,
    BinaryOp.LE: iv.at_most,
    BinaryOp.GT: lambda a, b: iv.less(b, a),
    BinaryOp.GE: lambda a, b: iv.at_most(b, a),
}


def binary(node: ir.Binary, left: Value, right: Value) -> Value:
    if left is None or right is None:
        return unknown(node.type)
    if node.op in (BinaryOp.EQ, BinaryOp.NE):
        return (_equality(node.op, left, right),)
    compare = _ORDER.get(node.op)
    if compare is not None:
        return (compare(left[0], right[0]),)
    operation = _table(node.type).get(node.op)
    if operation is None:  # the product of matrices
        return unknown(node.type)
    return tuple(operation(a, b) for a, b in zip(left, right, strict=True))


def _table(type_: types.Type) -> dict[BinaryOp, iv.Operation]:
    return _INT if type_ is INT else _BOOL if type_ is BOOL else _FLOAT


def _equality(op: BinaryOp, left: Sequence[Interval], right: Sequence[Interval]) -> Interval:
    same = iv.ALWAYS
    for a, b in zip(left, right, strict=True):
        same = iv.both(same, iv.equal(a, b))
    return same if op is BinaryOp.EQ else iv.negate(same)


def unary(node: ir.Unary, operand: Value) -> Value:
    if operand is None:
        return unknown(node.type)
    match node.op:
        case UnaryOp.NOT:
            return (iv.negate(operand[0]),)
        case UnaryOp.INVERT:
            return (iv.invert(operand[0]),)
        case UnaryOp.NEG:
            function = iv.negate_ints if node.type is INT else iv.negate_floats
            return tuple(function(part) for part in operand)


# ---------------------------------------------------------------- built-ins

_Function = Callable[..., Interval]

_WAVE = Interval(-1.0000005, 1.0000005)
"""A sine and its rounding."""


def _wave(a: Interval) -> Interval:
    return _WAVE._replace(nan=a.nan or a.low == -iv.INFINITY or a.high == iv.INFINITY)


def _power(a: Interval) -> Interval:
    return Interval(0.0, iv.INFINITY, a.nan)


def _step(edge: Interval, a: Interval) -> Interval:
    return iv.negate(iv.less(a, edge))


_BITS = Interval(0, 32)

_ON_FLOATS: dict[Builtin, _Function] = {
    Builtin.ABS: iv.absolute_floats,
    Builtin.SIGN: iv.sign_floats,
    Builtin.MIN: iv.least_floats,
    Builtin.MAX: iv.greatest_floats,
    Builtin.CLAMP: iv.clamp_floats,
    Builtin.FLOOR: iv.floor,
    Builtin.CEIL: iv.ceil,
    Builtin.ROUND: iv.nearest,
    Builtin.TRUNC: iv.trunc,
    Builtin.FRACT: iv.fract,
    Builtin.SQRT: iv.square_root,
    Builtin.EXP: _power,
    Builtin.EXP2: _power,
    Builtin.SIN: _wave,
    Builtin.COS: _wave,
    Builtin.SATURATE: iv.saturate,
    Builtin.STEP: _step,
}
"""Componentwise, from Floats to Floats."""

_ON_INTS: dict[Builtin, _Function] = {
    Builtin.ABS: iv.absolute_ints,
    Builtin.SIGN: iv.sign_ints,
    Builtin.MIN: iv.least_ints,
    Builtin.MAX: iv.greatest_ints,
    Builtin.CLAMP: iv.clamp_ints,
    Builtin.POPCOUNT: lambda _: _BITS,
    Builtin.CLZ: lambda _: _BITS,
    Builtin.CTZ: lambda _: _BITS,
    Builtin.RANDOM: lambda _: Interval(0.0, 1.0),
}


def builtin(node: ir.BuiltinCall, args: Sequence[Value]) -> Value:
    known = [arg for arg in args if arg is not None]
    if len(known) < len(args):
        return unknown(node.type)
    match node.builtin:
        case Builtin.SELECT:
            return tuple(iv.hull(a, b) for a, b in zip(known[1], known[2], strict=True))
        case Builtin.TO_INT:
            return (iv.to_int(known[0][0]),)
        case Builtin.TO_FLOAT if node.args[0].type is not FLOAT:
            return (iv.to_float(known[0][0]),)
        case Builtin.TO_FLOAT:
            return known[0]
        case Builtin.ISNAN if not known[0][0].nan:
            return (iv.NEVER,)
        case Builtin.LENGTH | Builtin.DISTANCE:
            return (Interval(0.0, iv.INFINITY, True),)
    scalars = {leaf.scalar for arg in node.args for leaf in types.leaves(arg.type)}
    table = _ON_FLOATS if scalars == {FLOAT} else _ON_INTS
    function = table.get(node.builtin)
    if function is None:
        return unknown(node.type)
    return tuple(function(*parts) for parts in zip(*known, strict=True))

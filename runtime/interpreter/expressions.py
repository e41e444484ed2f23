"""Expressions of the IR, compiled to closures over a frame and a mask.

Every closure is called only under a mask with an active lane, so a read of an empty field is an error
wherever it is evaluated at all: `Conditional` and `ShortCircuit` run a side only for lanes that choose it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never, cast

import numpy as np

from kcheck.checker import ir
from kcheck.checker.ir import BinaryOp, Logic, UnaryOp
from kcheck.checker.types import FLOAT, Array, Enum, Mat, Scalar, Type, Vec, length_of
from kcheck.runtime.failures import empty_read
from kcheck.runtime.interpreter import composites
from kcheck.runtime.interpreter.builtins import OPERATIONS
from kcheck.runtime.interpreter.frames import NOBODY, Evaluate, Frame, Mask, Scalars, narrow
from kcheck.runtime.interpreter.functions import Scope
from kcheck.runtime.interpreter.numbers import OPERATORS
from kcheck.runtime.interpreter.places import address_value, place, position_value
from kcheck.runtime.interpreter.reads import filtered, load, read_at
from kcheck.runtime.interpreter.values import (
    Value,
    an_int,
    component,
    concatenate,
    constant,
    element,
    equal,
    select,
    splat,
    stack,
    zero,
)
from kcheck.runtime.layout import AnyArray


def compile_expression(node: ir.Expression, scope: Scope) -> Evaluate:
    """The closure that evaluates `node`."""
    match node:
        case ir.Const():
            return _always(constant(node))
        case ir.Local():
            return _local(node.local)
        case ir.Param():
            return lambda frame, mask: frame.lanes.run.params[node.name]
        case ir.Unary():
            return _unary(node.op, compile_scalars(node.operand, scope))
        case ir.Binary():
            return _binary(node, scope)
        case ir.ShortCircuit():
            left, right = compile_scalars(node.left, scope), compile_scalars(node.right, scope)
            return _and(left, right) if node.op is Logic.AND else _or(left, right)
        case ir.Conditional():
            return _conditional(node, scope)
        case ir.StructField() | ir.Swizzle() | ir.Index() | ir.Tag() | ir.Payload():
            return _part(node, scope)
        case ir.Make() | ir.Splat() | ir.MakeVariant():
            return _whole(node, scope)
        case ir.BuiltinCall():
            return _builtin(OPERATIONS[node.builtin], compile_all(node.args, scope))
        case ir.Call():
            return _call(node, scope)
        case ir.Sample() | ir.SampleAt() | ir.At():
            return _read(node, scope)
        case ir.Size():
            return lambda frame, mask: address_value(frame.lanes.run.sizes[node.port])
        case ir.Extent():
            return lambda frame, mask: position_value(frame.lanes.run.extents[node.port])
        case ir.Place():
            return lambda frame, mask: place(node.kind, frame.lanes)
        case _:
            # Not `assert_never`: `Expression` is the open base of the nodes above.
            raise TypeError(f"not an expression: {node}")


def compile_scalars(node: ir.Expression, scope: Scope) -> Scalars:
    """As `compile_expression`, for a node whose value is one array."""
    return cast(Scalars, compile_expression(node, scope))


def compile_all(nodes: Sequence[ir.Expression], scope: Scope) -> list[Scalars]:
    return [compile_scalars(node, scope) for node in nodes]


def _always(value: Value) -> Evaluate:
    return lambda frame, mask: value


def _local(local: int) -> Evaluate:
    def evaluate(frame: Frame, mask: Mask) -> Value:
        value = frame.locals[local]
        assert value is not None  # assigned before it is read on every path
        return value

    return evaluate


# ---------------------------------------------------------------- operators


def _unary(op: UnaryOp, operand: Scalars) -> Evaluate:
    match op:
        case UnaryOp.NEG:
            return lambda frame, mask: -operand(frame, mask)
        case UnaryOp.NOT | UnaryOp.INVERT:
            return lambda frame, mask: ~operand(frame, mask)
        case _:
            assert_never(op)


def _binary(node: ir.Binary, scope: Scope) -> Evaluate:
    left, right = compile_scalars(node.left, scope), compile_scalars(node.right, scope)
    match node.op:
        case BinaryOp.EQ:
            return lambda frame, mask: equal(left(frame, mask), right(frame, mask))
        case BinaryOp.NE:
            return lambda frame, mask: ~equal(left(frame, mask), right(frame, mask))
        case BinaryOp.MATMUL:
            return lambda frame, mask: composites.matmul(left(frame, mask), right(frame, mask))
        case BinaryOp.ADD:  # the three most frequent ones without a second call
            return lambda frame, mask: left(frame, mask) + right(frame, mask)
        case BinaryOp.SUB:
            return lambda frame, mask: left(frame, mask) - right(frame, mask)
        case BinaryOp.MUL:
            return lambda frame, mask: left(frame, mask) * right(frame, mask)
        case _:
            operation = OPERATORS[_scalar_kind(node.left.type)][node.op]
            return lambda frame, mask: operation(left(frame, mask), right(frame, mask))


_DIRECT: dict[BinaryOp, np.ufunc] = {
    BinaryOp.ADD: np.add,
    BinaryOp.SUB: np.subtract,
    BinaryOp.MUL: np.multiply,
}


def compile_into(node: ir.Expression, scope: Scope) -> Callable[[Frame, AnyArray], Value] | None:
    """The closure that evaluates `node` for all lanes into an array, for nodes where that saves a copy."""
    if not isinstance(node, ir.Binary) or node.op not in _DIRECT or not isinstance(node.type, Scalar):
        return None
    operation = _DIRECT[node.op]
    left, right = compile_scalars(node.left, scope), compile_scalars(node.right, scope)
    return lambda frame, room: operation(left(frame, None), right(frame, None), out=room)


def _scalar_kind(type_: Type) -> Scalar:
    return type_ if isinstance(type_, Scalar) else FLOAT


def _and(left: Scalars, right: Scalars) -> Evaluate:
    def evaluate(frame: Frame, mask: Mask) -> Value:
        first = left(frame, mask)
        undecided = narrow(mask, first)
        return first if undecided is NOBODY else first & right(frame, undecided)

    return evaluate


def _or(left: Scalars, right: Scalars) -> Evaluate:
    def evaluate(frame: Frame, mask: Mask) -> Value:
        first = left(frame, mask)
        undecided = narrow(mask, ~first)
        return first if undecided is NOBODY else first | right(frame, undecided)

    return evaluate


def _conditional(node: ir.Conditional, scope: Scope) -> Evaluate:
    condition = compile_scalars(node.condition, scope)
    then, otherwise = compile_expression(node.then, scope), compile_expression(node.otherwise, scope)

    def evaluate(frame: Frame, mask: Mask) -> Value:
        chosen = condition(frame, mask)
        if chosen.size == 1:
            return (then if chosen else otherwise)(frame, mask)
        yes, no = narrow(mask, chosen), narrow(mask, ~chosen)
        if no is NOBODY:
            return then(frame, yes)
        if yes is NOBODY:
            return otherwise(frame, no)
        return select(chosen, then(frame, yes), otherwise(frame, no))

    return evaluate


def _builtin(operation: Callable[..., Value], args: Sequence[Scalars]) -> Evaluate:
    match args:
        case [one]:
            return lambda frame, mask: operation(one(frame, mask))
        case [one, two]:
            return lambda frame, mask: operation(one(frame, mask), two(frame, mask))
        case _:
            return lambda frame, mask: operation(*[arg(frame, mask) for arg in args])


def _call(node: ir.Call, scope: Scope) -> Evaluate:
    callee = scope.callees[node.function]
    args = compile_all(node.args, scope)

    def evaluate(frame: Frame, mask: Mask) -> Value:
        result = callee.call(frame.lanes, [arg(frame, mask) for arg in args], mask)
        assert result is not None  # every path of a function with a result returns one
        return result

    return evaluate


# ---------------------------------------------------------------- parts and wholes


def _part(node: ir.StructField | ir.Swizzle | ir.Index | ir.Tag | ir.Payload, scope: Scope) -> Evaluate:
    operand = compile_expression(node.operand, scope)
    match node:
        case ir.StructField():
            return _field(operand, node.index)
        case ir.Swizzle():
            return _swizzle(cast(Scalars, operand), node.components)
        case ir.Index():
            index, length = compile_scalars(node.index, scope), length_of(node.operand.type)
            return lambda frame, mask: element(operand(frame, mask), index(frame, mask), length)
        case ir.Tag():
            return _field(operand, 0)
        case ir.Payload():
            return _field(_field(_field(operand, 1), node.variant), node.index)
        case _:
            assert_never(node)


def _field(operand: Evaluate, index: int) -> Evaluate:
    return lambda frame, mask: operand(frame, mask)[index]


def _swizzle(operand: Scalars, components: tuple[int, ...]) -> Evaluate:
    if len(components) == 1:
        return lambda frame, mask: component(operand(frame, mask), components[0])
    start, end = components[0], components[-1] + 1
    if components == tuple(range(start, end)):
        return lambda frame, mask: operand(frame, mask)[:, start:end]
    chosen = list(components)

    def evaluate(frame: Frame, mask: Mask) -> Value:
        # By way of the transpose, so that the lane axis stays the fastest.
        return operand(frame, mask).T[chosen].T

    return evaluate


def _whole(node: ir.Make | ir.Splat | ir.MakeVariant, scope: Scope) -> Evaluate:
    match node:
        case ir.Make():
            return _make(node.type, compile_all(node.parts, scope))
        case ir.Splat():
            operand, shape = compile_expression(node.operand, scope), _splat_shape(node.type)
            return lambda frame, mask: splat(operand(frame, mask), shape)
        case ir.MakeVariant():
            return _make_variant(node, scope)
        case _:
            assert_never(node)


def _make(type_: Type, parts: Sequence[Scalars]) -> Evaluate:
    match type_:
        case Vec():
            size = type_.size
            return lambda frame, mask: concatenate([part(frame, mask) for part in parts], size)
        case Mat() | Array():
            return lambda frame, mask: stack([part(frame, mask) for part in parts])
        case _:
            return lambda frame, mask: tuple([part(frame, mask) for part in parts])


def _splat_shape(type_: Type) -> tuple[int, ...]:
    match type_:
        case Mat():
            return (type_.size, type_.size)
        case _:
            return (length_of(type_),)


def _make_variant(node: ir.MakeVariant, scope: Scope) -> Evaluate:
    assert isinstance(node.type, Enum)
    parts = compile_all(node.parts, scope)
    tag = an_int(node.variant)
    unused = cast(tuple[Value, tuple[Value, ...]], zero(node.type))[1]
    before, after = unused[: node.variant], unused[node.variant + 1 :]
    return lambda frame, mask: (tag, (*before, tuple([part(frame, mask) for part in parts]), *after))


# ---------------------------------------------------------------- reading ports


def _read(node: ir.Sample | ir.SampleAt | ir.At, scope: Scope) -> Evaluate:
    match node:
        case ir.Sample():
            return _sample(node.port)
        case ir.SampleAt():
            return _sample_at(node, scope)
        case ir.At():
            return _at(node, scope)
        case _:
            assert_never(node)


def _sample(port: str) -> Evaluate:
    def evaluate(frame: Frame, mask: Mask) -> Value:
        lanes = frame.lanes
        known = lanes.cache.get(port)
        if known is None:
            known = lanes.cache[port] = load(lanes.run.inputs[port].elements, lanes)
        return known

    return evaluate


def _sample_at(node: ir.SampleAt, scope: Scope) -> Evaluate:
    position, origin = compile_scalars(node.position, scope), scope.origin(node)

    def evaluate(frame: Frame, mask: Mask) -> Value:
        source = frame.lanes.run.inputs[node.port]
        if not source.count:
            raise empty_read(node.port, origin)
        return filtered(source, position(frame, mask))

    return evaluate


def _at(node: ir.At, scope: Scope) -> Evaluate:
    address, origin = compile_all(node.address, scope), scope.origin(node)

    def evaluate(frame: Frame, mask: Mask) -> Value:
        source = frame.lanes.run.inputs[node.port]
        if not source.count:
            raise empty_read(node.port, origin)
        return read_at(source, [part(frame, mask) for part in address])

    return evaluate

"""Constant expressions: their values, computed as every backend computes them in strict mode.

Whether an expression is constant depends on its nodes alone, never on values: what a branch not taken holds
must be constant too.  Expressions of any depth are evaluated without recursion.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeAlias, TypeVar, assert_never, cast

from kcheck.checker import arithmetic, floats, ir, linear
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp, Const, LeafValue, UnaryOp
from kcheck.checker.linear import Matrix, Vector
from kcheck.checker.types import (
    BOOL,
    FLOAT,
    INT,
    Array,
    Enum,
    Mat,
    Scalar,
    Struct,
    Type,
    Vec,
    leaf_count,
    leaves,
)

Leaves: TypeAlias = tuple[LeafValue, ...]
Rule: TypeAlias = Callable[[Sequence[Const]], Leaves]
"""How a built-in makes the leaves of its result."""

NodeT = TypeVar("NodeT", bound=ir.Expression)

ConstantNode: TypeAlias = (
    ir.Const
    | ir.Unary
    | ir.Binary
    | ir.ShortCircuit
    | ir.Conditional
    | ir.StructField
    | ir.Swizzle
    | ir.Index
    | ir.Make
    | ir.Splat
    | ir.MakeVariant
    | ir.Tag
    | ir.Payload
    | ir.BuiltinCall
)


class NotConstant(Exception):
    """`node` reads something that only a run knows."""

    def __init__(self, node: ir.Node) -> None:
        super().__init__(f"not constant: {type(node).__name__} {node.id}")
        self.node = node


def evaluate(expression: ir.Expression) -> Const:
    """The value of a constant expression; raises `NotConstant` with the first node that is none."""
    return _folded(_constant_nodes(expression), _value)


def _folded(nodes: Sequence[NodeT], value: Callable[[NodeT, Sequence[Const]], Leaves]) -> Const:
    """The value of the first of these nodes, which has all others below it; `value` makes one from its operands."""
    values: list[Const] = []
    for node in reversed(nodes):
        operands = [values.pop() for _ in ir.children(node)]
        values.append(Const(type=node.type, leaves=value(node, operands)))
    return values[0]


def _constant_nodes(expression: ir.Expression) -> list[ConstantNode]:
    """Parents before children, and these in evaluation order."""
    nodes = []
    for node in ir.walk(expression):
        if not isinstance(node, ConstantNode):
            raise NotConstant(node)
        nodes.append(node)
    return nodes


def _value(node: ConstantNode, operands: Sequence[Const]) -> Leaves:
    match node:
        case ir.Const():
            return node.leaves
        case ir.Unary():
            return _unary(node.op, *operands)
        case ir.Binary():
            return _binary(node.op, *operands)
        case ir.ShortCircuit():
            left, right = operands
            return right.leaves if left.leaves[0] == (node.op is ir.Logic.AND) else left.leaves
        case ir.Conditional():
            condition, then, otherwise = operands
            return (then if condition.leaves[0] else otherwise).leaves
        case ir.StructField():
            return _struct_field(operands[0], node.index)
        case ir.Swizzle():
            return tuple(operands[0].leaves[i] for i in node.components)
        case ir.Index():
            return _element(*operands)
        case ir.Make():
            return _joined(operands)
        case ir.Splat():
            operand = operands[0]
            return operand.leaves * (leaf_count(node.type) // len(operand.leaves))
        case ir.MakeVariant():
            return _make_variant(node, operands)
        case ir.Tag():
            return operands[0].leaves[:1]
        case ir.Payload():
            return _payload(operands[0], node.variant, node.index)
        case ir.BuiltinCall():
            return BUILTINS[node.builtin](operands)
        case _:
            assert_never(node)


# ---------------------------------------------------------------- functions


def call(functions: Sequence[ir.Function], position: int, args: Sequence[Const]) -> Const:
    """What a function without effects or loops, whose assignments give whole locals, makes of constants."""
    function = functions[position]
    held: list[Const | None] = [*args, *[None] * (len(function.locals) - len(args))]
    result = _run(function.body, held, functions)
    assert result is not None  # every path of a function with a result returns one
    return result


_Locals: TypeAlias = "list[Const | None]"


def _run(block: ir.Block, held: _Locals, functions: Sequence[ir.Function]) -> Const | None:
    """Run statements until one returns; `held` are the locals."""
    for statement in block.statements:
        match statement:
            case ir.Assign(steps=()):
                held[statement.local] = _in_function(statement.value, held, functions)
                result = None
            case ir.If():
                condition = _in_function(statement.condition, held, functions)
                result = _run(statement.then if condition.leaves[0] else statement.otherwise, held, functions)
            case ir.Block():
                result = _run(statement, held, functions)
            case ir.Return(value=ir.Expression() as value):
                result = _in_function(value, held, functions)
            case _:
                raise TypeError(f"not for constants: {statement}")
        if result is not None:
            return result
    return None


def _in_function(expression: ir.Expression, held: _Locals, functions: Sequence[ir.Function]) -> Const:
    def value(node: ir.Expression, operands: Sequence[Const]) -> Leaves:
        match node:
            case ir.Local():
                known = held[node.local]
                assert known is not None  # assigned before it is read on every path
                return known.leaves
            case ir.Call():
                return call(functions, node.function, operands).leaves
            case _:
                return _value(cast(ConstantNode, node), operands)

    return _folded(cast(list[ir.Expression], list(ir.walk(expression))), value)


# ---------------------------------------------------------------- parts of values


def _joined(values: Sequence[Const]) -> Leaves:
    return tuple(chain.from_iterable(value.leaves for value in values))


def _slice(value: Const, before: Sequence[Type], type_: Type) -> Leaves:
    """The part of type `type_` that stands after parts of the types `before`."""
    start = sum(map(leaf_count, before))
    return value.leaves[start : start + leaf_count(type_)]


def _struct_field(value: Const, index: int) -> Leaves:
    assert isinstance(value.type, Struct)
    types = [field.type for field in value.type.fields]
    return _slice(value, types[:index], types[index])


def _element(value: Const, index: Const) -> Leaves:
    match value.type:
        case Array(element, length):
            size = leaf_count(element)
        case Vec(length):
            size = 1
        case Mat(length):
            size = length
        case _:
            raise TypeError(f"{value.type} has no elements")
    start = max(0, min(index.leaves[0], length - 1)) * size
    return value.leaves[start : start + size]


def _make_variant(node: ir.MakeVariant, parts: Sequence[Const]) -> Leaves:
    zeros = tuple(False if leaf.scalar is BOOL else 0 for leaf in leaves(node.type))
    payload = _joined(parts)
    start = 1 + sum(map(leaf_count, _payload_types(node.type, node.variant)))
    return (node.variant, *zeros[1:start], *payload, *zeros[start + len(payload) :])


def _payload(value: Const, variant: int, index: int) -> Leaves:
    assert isinstance(value.type, Enum)
    types = [field.type for field in value.type.variants[variant].fields]
    before = [INT, *_payload_types(value.type, variant), *types[:index]]
    return _slice(value, before, types[index])


def _payload_types(type_: Type, variant: int) -> list[Type]:
    """The types of what is stored after the tag and before the fields of a variant."""
    assert isinstance(type_, Enum)
    return [field.type for before in type_.variants[:variant] for field in before.fields]


# ---------------------------------------------------------------- operators


def _unary(op: UnaryOp, operand: Const) -> Leaves:
    match op:
        case UnaryOp.NOT:
            return (not operand.leaves[0],)
        case UnaryOp.INVERT:
            return (~operand.leaves[0],)
        case UnaryOp.NEG:
            return _numbers(lambda a: arithmetic.wrap(-a), operator.neg)([operand])


_ON_BOOLS: dict[BinaryOp, Callable[[bool, bool], bool]] = {
    BinaryOp.AND: operator.and_,
    BinaryOp.OR: operator.or_,
    BinaryOp.XOR: operator.xor,
}

_ON_INTS: dict[BinaryOp, Callable[[int, int], int]] = {
    BinaryOp.ADD: lambda a, b: arithmetic.wrap(a + b),
    BinaryOp.SUB: lambda a, b: arithmetic.wrap(a - b),
    BinaryOp.MUL: lambda a, b: arithmetic.wrap(a * b),
    BinaryOp.DIV: arithmetic.divide_ints,
    BinaryOp.REM: arithmetic.remainder_ints,
    BinaryOp.AND: operator.and_,
    BinaryOp.OR: operator.or_,
    BinaryOp.XOR: operator.xor,
    BinaryOp.SHL: arithmetic.shift_left,
    BinaryOp.SHR: arithmetic.shift_right,
    BinaryOp.USHR: arithmetic.shift_right_logical,
}

_ON_FLOATS: dict[BinaryOp, Callable[[float, float], float]] = {
    BinaryOp.ADD: arithmetic.add,
    BinaryOp.SUB: arithmetic.subtract,
    BinaryOp.MUL: arithmetic.multiply,
    BinaryOp.DIV: arithmetic.divide,
    BinaryOp.REM: arithmetic.remainder,
}

_COMPARISONS: dict[BinaryOp, Callable[[float, float], bool]] = {
    BinaryOp.LT: operator.lt,
    BinaryOp.LE: operator.le,
    BinaryOp.GT: operator.gt,
    BinaryOp.GE: operator.ge,
}


def _binary(op: BinaryOp, left: Const, right: Const) -> Leaves:
    if op is BinaryOp.EQ:
        return (_equal(left, right),)
    if op is BinaryOp.NE:
        return (not _equal(left, right),)
    if op is BinaryOp.MATMUL:
        return _product(left, right)
    if op in _COMPARISONS:
        return (_COMPARISONS[op](_number(left), _number(right)),)
    if left.type is BOOL:
        return (_ON_BOOLS[op](bool(left.leaves[0]), bool(right.leaves[0])),)
    if left.type is INT:
        return (_ON_INTS[op](left.leaves[0], right.leaves[0]),)
    return _each_float(_ON_FLOATS[op])([left, right])


def _equal(left: Const, right: Const) -> bool:
    def equal(kind: Scalar, a: LeafValue, b: LeafValue) -> bool:
        return floats.to_float(a) == floats.to_float(b) if kind is FLOAT else a == b

    kinds = (leaf.scalar for leaf in leaves(left.type))
    return all(map(equal, kinds, left.leaves, right.leaves))


def _product(left: Const, right: Const) -> Leaves:
    if isinstance(right.type, Mat):
        return _matrix_leaves(linear.times_matrix(_matrix(left), _matrix(right)))
    return _vector_leaves(linear.times_vector(_matrix(left), _vector(right)))


# ---------------------------------------------------------------- leaves and numbers


def _number(value: Const) -> float:
    """A scalar as a number: a bool and an int as they are, a Float as a double."""
    leaf = value.leaves[0]
    return floats.to_float(leaf) if value.type is FLOAT else leaf


def _vector(value: Const) -> Vector:
    """The Floats of a value of Floats alone."""
    return tuple(map(floats.to_float, value.leaves))


def _vector_leaves(vector: Vector) -> Leaves:
    return tuple(map(floats.from_float, vector))


def _matrix(value: Const) -> Matrix:
    assert isinstance(value.type, Mat)
    numbers, size = _vector(value), value.type.size
    return tuple(numbers[i : i + size] for i in range(0, size * size, size))


def _matrix_leaves(matrix: Matrix) -> Leaves:
    return _vector_leaves(tuple(chain.from_iterable(matrix)))


# ---------------------------------------------------------------- built-ins


def _each_float(function: Callable[..., float]) -> Rule:
    """On each component of Floats, vectors or matrices."""
    return lambda args: _vector_leaves(tuple(map(function, *map(_vector, args))))


def _each_int(function: Callable[..., int]) -> Rule:
    return lambda args: (function(*(arg.leaves[0] for arg in args)),)


def _numbers(on_ints: Callable[..., int], on_floats: Callable[..., float]) -> Rule:
    int_rule, float_rule = _each_int(on_ints), _each_float(on_floats)
    return lambda args: int_rule(args) if args[0].type is INT else float_rule(args)


def _to_scalar(function: Callable[..., float]) -> Rule:
    """From whole vectors to a Float."""
    return lambda args: (floats.from_float(function(*map(_vector, args))),)


def _to_vector(function: Callable[..., Vector]) -> Rule:
    return lambda args: _vector_leaves(function(*map(_vector, args)))


def _of_matrix(function: Callable[[Matrix], Matrix]) -> Rule:
    return lambda args: _matrix_leaves(function(_matrix(args[0])))


def _refract(args: Sequence[Const]) -> Leaves:
    incident, normal, eta = map(_vector, args)
    return _vector_leaves(linear.refract(incident, normal, eta[0]))


def _elementary(builtin: Builtin) -> Rule:
    """On each component, by the prelude's text."""

    def rule(args: Sequence[Const]) -> Leaves:
        # Not above: making the prelude's functions needs constants.
        from kcheck.checker.prelude import elementary_function

        functions, position = elementary_function(builtin)
        each = zip(*(arg.leaves for arg in args), strict=True)
        calls = ([Const(type=FLOAT, leaves=(leaf,)) for leaf in component] for component in each)
        return tuple(call(functions, position, component).leaves[0] for component in calls)

    return rule


def _determinant(args: Sequence[Const]) -> Leaves:
    return (floats.from_float(linear.determinant(_matrix(args[0]))),)


def _test(function: Callable[[float], bool]) -> Rule:
    return lambda args: (function(_number(args[0])),)


def _bitcast_int(args: Sequence[Const]) -> Leaves:
    bits = args[0].leaves[0]
    return (arithmetic.wrap(floats.NAN if floats.is_nan(bits) else bits),)


def _to_int(args: Sequence[Const]) -> Leaves:
    return (arithmetic.int_from(_number(args[0])),)


def _select(args: Sequence[Const]) -> Leaves:
    condition, first, second = args
    return (first if condition.leaves[0] else second).leaves


BUILTINS: dict[Builtin, Rule] = {
    Builtin.ABS: _numbers(lambda a: arithmetic.wrap(abs(a)), math.fabs),
    Builtin.SIGN: _numbers(arithmetic.sign_of_int, arithmetic.sign),
    Builtin.MIN: _numbers(min, arithmetic.least),
    Builtin.MAX: _numbers(max, arithmetic.greatest),
    Builtin.CLAMP: _numbers(lambda a, low, high: min(max(a, low), high), arithmetic.clamp),
    Builtin.FLOOR: _each_float(arithmetic.floor),
    Builtin.CEIL: _each_float(arithmetic.ceil),
    Builtin.ROUND: _each_float(arithmetic.nearest),
    Builtin.TRUNC: _each_float(arithmetic.trunc),
    Builtin.FRACT: _each_float(arithmetic.fract),
    Builtin.SQRT: _each_float(arithmetic.square_root),
    Builtin.INVERSESQRT: _elementary(Builtin.INVERSESQRT),
    Builtin.EXP: _elementary(Builtin.EXP),
    Builtin.EXP2: _elementary(Builtin.EXP2),
    Builtin.LOG: _elementary(Builtin.LOG),
    Builtin.LOG2: _elementary(Builtin.LOG2),
    Builtin.POW: _elementary(Builtin.POW),
    Builtin.SIN: _elementary(Builtin.SIN),
    Builtin.COS: _elementary(Builtin.COS),
    Builtin.TAN: _elementary(Builtin.TAN),
    Builtin.ASIN: _elementary(Builtin.ASIN),
    Builtin.ACOS: _elementary(Builtin.ACOS),
    Builtin.ATAN: _elementary(Builtin.ATAN),
    Builtin.ATAN2: _elementary(Builtin.ATAN2),
    Builtin.SINH: _elementary(Builtin.SINH),
    Builtin.COSH: _elementary(Builtin.COSH),
    Builtin.TANH: _elementary(Builtin.TANH),
    Builtin.RADIANS: _each_float(arithmetic.radians),
    Builtin.DEGREES: _each_float(arithmetic.degrees),
    Builtin.MIX: _each_float(arithmetic.mix),
    Builtin.STEP: _each_float(arithmetic.step),
    Builtin.SMOOTHSTEP: _each_float(arithmetic.smoothstep),
    Builtin.SATURATE: _each_float(arithmetic.saturate),
    Builtin.ISNAN: _test(math.isnan),
    Builtin.ISINF: _test(math.isinf),
    Builtin.DOT: _to_scalar(linear.dot),
    Builtin.CROSS: _to_vector(linear.cross),
    Builtin.LENGTH: _to_scalar(linear.length),
    Builtin.DISTANCE: _to_scalar(linear.distance),
    Builtin.NORMALIZE: _to_vector(linear.normalize),
    Builtin.REFLECT: _to_vector(linear.reflect),
    Builtin.REFRACT: _refract,
    Builtin.TRANSPOSE: _of_matrix(linear.transpose),
    Builtin.DETERMINANT: _determinant,
    Builtin.INVERSE: _of_matrix(linear.inverse),
    Builtin.POPCOUNT: _each_int(lambda a: arithmetic.unsigned(a).bit_count()),
    Builtin.CLZ: _each_int(arithmetic.count_leading_zeros),
    Builtin.CTZ: _each_int(arithmetic.count_trailing_zeros),
    Builtin.REVERSE_BITS: _each_int(arithmetic.reverse_bits),
    Builtin.UDIV: _each_int(arithmetic.divide_unsigned),
    Builtin.UREM: _each_int(arithmetic.remainder_unsigned),
    Builtin.ULT: lambda args: (operator.lt(*(arithmetic.unsigned(arg.leaves[0]) for arg in args)),),
    Builtin.BITCAST_INT: _bitcast_int,
    Builtin.BITCAST_FLOAT: lambda args: (arithmetic.unsigned(args[0].leaves[0]),),
    Builtin.TO_INT: _to_int,
    Builtin.TO_FLOAT: lambda args: (floats.from_float(_number(args[0])),),
    Builtin.SELECT: _select,
    Builtin.LUMA: _to_scalar(linear.luma),
    Builtin.HASH: _each_int(arithmetic.hash_int),
    Builtin.RANDOM: lambda args: (floats.from_float(arithmetic.random_from(args[0].leaves[0])),),
}

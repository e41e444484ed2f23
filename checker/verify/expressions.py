"""The type that each expression must have, given the types of its operands."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.checker import ir, types
from kcheck.checker.builtins import CONTRACTS, resolve
from kcheck.checker.ir import BinaryOp, PlaceKind, UnaryOp
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Enum, Mat, Scalar, Struct, Type, Vec
from kcheck.checker.verify.data import check_leaves, check_type
from kcheck.checker.verify.problem import Problem, require
from kcheck.checker.verify.scope import Scope


def check_expression(node: ir.Expression, scope: Scope) -> None:
    check_type(node.type)
    expected = _type(node, scope)
    require(node.type == expected, f"has the type {node.type}, not {expected}")


def _type(node: ir.Expression, scope: Scope) -> Type:
    match node:
        case ir.Const():
            check_leaves(node.type, node.leaves, node)
            return node.type
        case ir.Local():
            return scope.local(node.local)
        case ir.Param():
            return scope.param(node.name)
        case ir.Unary():
            return _unary(node.op, node.operand.type)
        case ir.Binary():
            return _binary(node.op, node.left.type, node.right.type)
        case ir.ShortCircuit():
            require(node.left.type is BOOL and node.right.type is BOOL, "an operand is not a Bool")
            return BOOL
        case ir.Conditional():
            require(node.condition.type is BOOL, "the condition is not a Bool")
            require(node.then.type == node.otherwise.type, "the branches have different types")
            return node.then.type
        case ir.Call():
            return _call(node, scope)
        case ir.BuiltinCall():
            return _builtin(node)
        case ir.Sample() | ir.SampleAt() | ir.At() | ir.Size() | ir.Extent():
            return _read(node, scope)
        case ir.Place():
            return _place(node.kind, scope.program)
        case _:
            return _part_or_whole(node)


# ---------------------------------------------------------------- operators and calls


def _unary(op: UnaryOp, operand: Type) -> Type:
    match op:
        case UnaryOp.NOT:
            fits = operand is BOOL
        case UnaryOp.INVERT:
            fits = operand is INT
        case UnaryOp.NEG:
            fits = _is_number(operand)
    require(fits, f"{op.value} on {operand}")
    return operand


_ARITHMETIC = {BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV, BinaryOp.REM}
_BITWISE = {BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR}
_SHIFTS = {BinaryOp.SHL, BinaryOp.SHR, BinaryOp.USHR}
_ORDER = {BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE}


def _binary(op: BinaryOp, left: Type, right: Type) -> Type:
    if op is BinaryOp.MATMUL:
        fits = isinstance(left, Mat) and right in (left, Vec(left.size))
        require(fits, f"the product of {left} and {right}")
        return right
    require(left == right, f"operands of the types {left} and {right}")
    if op in _ARITHMETIC:
        fits, result = _is_number(left), left
    elif op in _BITWISE:
        fits, result = left in (INT, BOOL), left
    elif op in _SHIFTS:
        fits, result = left is INT, left
    elif op in _ORDER:
        fits, result = left in (INT, FLOAT), BOOL
    else:
        fits, result = True, BOOL
    require(fits, f"{op.value} on {left}")
    return result


def _is_number(type_: Type) -> bool:
    return type_ in (INT, FLOAT) or isinstance(type_, (Vec, Mat))


def _call(node: ir.Call, scope: Scope) -> Type:
    callee = scope.callee(node.function, _types(node.args))
    require(not callee.effects, f"{callee.name} acts: its calls are statements")
    return callee.result


def _builtin(node: ir.BuiltinCall) -> Type:
    args = _types(node.args)
    found = resolve(CONTRACTS[node.builtin], args)
    if found is None or found.parameters != args:
        raise Problem(f"{node.builtin.value} has no overload for ({', '.join(map(str, args))})")
    return found.result


# ---------------------------------------------------------------- ports and places


def _read(node: ir.Sample | ir.SampleAt | ir.At | ir.Size | ir.Extent, scope: Scope) -> Type:
    match node:
        case ir.Size():
            return types.address_type(scope.readable(node.port).rank)
        case ir.Extent():
            return types.position_type(scope.input(node.port).rank)
        case ir.Sample():
            port = scope.input(node.port)
            require(port.rank == scope.program.rank, f"{node.port}, a {port}, has no element at this place")
        case ir.SampleAt():
            port = scope.input(node.port)
            require(types.float_shape(port.element), f"elements of {node.port} cannot be mixed")
            require(node.position.type == types.position_type(port.rank), f"{node.port} has no such position")
        case ir.At():
            port = scope.input(node.port)
            check_address(node.address, port)
    return port.element


def check_address(address: Sequence[ir.Expression], port: types.Field) -> None:
    """One Int, vector, or an Int for each axis."""
    forms = {(types.address_type(port.rank),), (INT,) * port.rank}
    require(_types(address) in forms, f"no address of a {port}")


def _place(kind: PlaceKind, program: ir.Program) -> Type:
    match kind:
        case PlaceKind.INDEX:
            return INT
        case PlaceKind.COORD | PlaceKind.DOMAIN:
            return types.address_type(program.rank)
        case PlaceKind.PLACE:
            return types.position_type(program.rank)
        case PlaceKind.LANE | PlaceKind.GROUP:
            require(isinstance(program.schedule, ir.Lanes), "only groups have lanes")
            return INT


# ---------------------------------------------------------------- parts and wholes


def _part_or_whole(node: ir.Expression) -> Type:
    match node:
        case ir.StructField():
            return field_type(node.operand.type, node.index)
        case ir.Swizzle():
            return swizzle_type(node.operand.type, node.components)
        case ir.Index():
            require(node.index.type is INT, "the index is not an Int")
            return element_type(node.operand.type)
        case ir.Make():
            _check_make(node.type, _types(node.parts))
            return node.type
        case ir.Splat():
            _check_splat(node.type, node.operand.type)
            return node.type
        case ir.MakeVariant():
            require(_types(node.parts) == _variant_fields(node.type, node.variant), "parts of other types")
            return node.type
        case ir.Tag():
            require(isinstance(node.operand.type, Enum), f"{node.operand.type} has no tag")
            return INT
        case ir.Payload():
            fields = _variant_fields(node.operand.type, node.variant)
            require(0 <= node.index < len(fields), f"the variant has no field {node.index}")
            return fields[node.index]
        case _:
            raise Problem("no known expression")


def _types(nodes: Sequence[ir.Expression]) -> tuple[Type, ...]:
    return tuple(node.type for node in nodes)


def field_type(type_: Type, index: int) -> Type:
    """The type of a struct's field."""
    if not isinstance(type_, Struct) or not 0 <= index < len(type_.fields):
        raise Problem(f"{type_} has no field {index}")
    return type_.fields[index].type


def swizzle_type(type_: Type, components: Sequence[int]) -> Type:
    size = type_.size if isinstance(type_, Vec) else 0
    fits = 1 <= len(components) <= 4 and all(0 <= c < size for c in components)
    require(fits, f"{type_} has no components {tuple(components)}")
    return FLOAT if len(components) == 1 else Vec(len(components))


def element_type(type_: Type) -> Type:
    """What an Int selects from an array, vector or matrix."""
    element = types.element_type(type_)
    if element is None:
        raise Problem(f"{type_} has no elements by number")
    return element


def _check_make(type_: Type, parts: tuple[Type, ...]) -> None:
    match type_:
        case Vec(size):
            fits = all(part is FLOAT or isinstance(part, Vec) for part in parts)
            require(fits and sum(map(types.leaf_count, parts)) == size, f"parts that are no {type_}")
        case Struct() | Array() | Mat():
            require(parts == types.parts(type_), f"parts that are no {type_}")
        case _:
            raise Problem(f"{type_} is not made of parts")


def _check_splat(type_: Type, operand: Type) -> None:
    match type_:
        case Vec() | Mat():
            require(operand is FLOAT, f"{operand} in every component of a {type_}")
        case Array(element, _):
            require(operand == element, f"{operand} in every element of {type_}")
        case Scalar() | Struct() | Enum() | types.Unit():
            raise Problem(f"{type_} is not made from one value")


def _variant_fields(type_: Type, variant: int) -> tuple[Type, ...]:
    if not isinstance(type_, Enum) or not 0 <= variant < len(type_.variants):
        raise Problem(f"{type_} has no variant {variant}")
    return tuple(field.type for field in type_.variants[variant].fields)

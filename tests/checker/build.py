"""Short names for pieces of IR."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import fields, replace

from kcheck.checker import floats, ir
from kcheck.checker.builtins import CONTRACTS, Builtin, resolve
from kcheck.checker.ir import BinaryOp, Const, Expression, UnaryOp
from kcheck.checker.types import BOOL, FLOAT, INT, UNIT, Array, Enum, Field, FieldOf, Mat, Struct, Type, Variant, Vec
from kcheck.grammar.spans import Origin, Span

COMPARISONS = {BinaryOp.EQ, BinaryOp.NE, BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE}

PAIR = Struct("Pair", "a.kernel#Pair", (FieldOf("address", INT), FieldOf("value", FLOAT)))
SHAPE = Enum(
    "Shape",
    "a.kernel#Shape",
    (
        Variant("Dot", ()),
        Variant("Disc", (FieldOf("r", FLOAT), FieldOf("filled", BOOL))),
        Variant("Box", (FieldOf("size", Vec(2)), FieldOf("id", INT))),
    ),
)


def boolean(value: bool) -> Const:
    return Const(type=BOOL, leaves=(value,))


def integer(value: int) -> Const:
    return Const(type=INT, leaves=(value,))


def bits(value: int) -> Const:
    """A Float by its bits."""
    return Const(type=FLOAT, leaves=(value,))


def number(value: float) -> Const:
    return bits(floats.from_float(value))


def vector(*values: float) -> Const:
    return Const(type=Vec(len(values)), leaves=tuple(map(floats.from_float, values)))


def matrix(*columns: Sequence[float]) -> Const:
    return Const(type=Mat(len(columns)), leaves=tuple(floats.from_float(x) for c in columns for x in c))


def array(*parts: Expression) -> ir.Make:
    return ir.Make(type=Array(parts[0].type, len(parts)), parts=parts)


def unary(op: UnaryOp, operand: Expression) -> ir.Unary:
    return ir.Unary(type=operand.type, op=op, operand=operand)


def binary(left: Expression, op: BinaryOp, right: Expression, type_: Type | None = None) -> ir.Binary:
    if type_ is None:
        type_ = BOOL if op in COMPARISONS else right.type if op is BinaryOp.MATMUL else left.type
    return ir.Binary(type=type_, op=op, left=left, right=right)


def call(builtin: Builtin, *args: Expression) -> ir.BuiltinCall:
    found = resolve(CONTRACTS[builtin], [arg.type for arg in args])
    assert found is not None
    return ir.BuiltinCall(type=found.result, builtin=builtin, args=args)


# ---------------------------------------------------------------- functions and programs

ORIGIN = Origin("a.kernel", "a.kernel#kernel a@1", Span(0, 1))


def numbered(body: ir.Block) -> ir.Block:
    """A copy in which each node has the next id."""
    count = itertools.count()

    def copy(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(copy, value))
        if not isinstance(value, ir.Node):
            return value
        changes = {f.name: copy(getattr(value, f.name)) for f in fields(value) if f.name != "id"}
        return replace(value, id=next(count), **changes)

    return copy(body)


def block(*statements: ir.Statement) -> ir.Block:
    return ir.Block(statements=statements)


def function(
    *statements: ir.Statement,
    name: str = "main",
    takes: Sequence[Type] = (),
    locals_: Sequence[Type] = (),
    result: Type = UNIT,
    effects: Sequence[ir.Effect] = (),
) -> ir.Function:
    """The parameters are the first locals, `locals_` the others."""
    body = numbered(block(*statements))
    return ir.Function(
        name=name,
        parameters=len(takes),
        locals=tuple(ir.LocalDecl(name="l", type=t) for t in (*takes, *locals_)),
        result=result,
        body=body,
        effects=frozenset(effects),
        origins=(ORIGIN,) * sum(1 for _ in ir.walk(body)),
    )


def port(name: str, rank: int, element: Type) -> ir.PortDecl:
    return ir.PortDecl(name=name, type=Field(rank, element), origin=ORIGIN)


def param(name: str, default: Const, low: Const | None = None, high: Const | None = None) -> ir.ParamDecl:
    return ir.ParamDecl(name=name, type=default.type, default=default, low=low, high=high, origin=ORIGIN)


def program(
    schedule: ir.Schedule,
    *functions: ir.Function,
    result: Type,
    inputs: Sequence[ir.PortDecl] = (),
    outputs: Sequence[ir.PortDecl] | None = None,
    memories: Sequence[ir.PortDecl] = (),
    params: Sequence[ir.ParamDecl] = (),
    rank: int = 1,
    sampled: Sequence[str] = (),
) -> ir.Program:
    """With one output `result`, of the program's result, where no others are given."""
    return ir.Program(
        name="a@1",
        inputs=tuple(inputs),
        outputs=(port("result", rank, result),) if outputs is None else tuple(outputs),
        memories=tuple(memories),
        params=tuple(params),
        rank=rank,
        result=result,
        schedule=schedule,
        functions=functions,
        sampled=frozenset(sampled),
        origin=ORIGIN,
    )

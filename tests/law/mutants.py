"""Merges with one small mistake each: what somebody might have written instead.

A mutant changes one node of `merge` or of a function that it calls: an operator, a constant by one, which of two
equal-typed operands, fields or branches is taken.  Some mutants mean the same as the merge that they come from.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from kcheck.checker import floats, ir
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp
from kcheck.checker.rewrite import rewritten
from kcheck.checker.types import FLOAT, INT, Struct, Type

_SWAPPED = {
    BinaryOp.ADD: BinaryOp.SUB,
    BinaryOp.SUB: BinaryOp.ADD,
    BinaryOp.MUL: BinaryOp.ADD,
    BinaryOp.DIV: BinaryOp.MUL,
    BinaryOp.AND: BinaryOp.OR,
    BinaryOp.OR: BinaryOp.AND,
    BinaryOp.XOR: BinaryOp.OR,
    BinaryOp.SHL: BinaryOp.USHR,
    BinaryOp.SHR: BinaryOp.USHR,
    BinaryOp.USHR: BinaryOp.SHL,
    BinaryOp.EQ: BinaryOp.NE,
    BinaryOp.NE: BinaryOp.EQ,
}
_STRICTER = {
    BinaryOp.LT: BinaryOp.LE,
    BinaryOp.LE: BinaryOp.LT,
    BinaryOp.GT: BinaryOp.GE,
    BinaryOp.GE: BinaryOp.GT,
}
_TURNED = {
    BinaryOp.LT: BinaryOp.GT,
    BinaryOp.LE: BinaryOp.GE,
    BinaryOp.GT: BinaryOp.LT,
    BinaryOp.GE: BinaryOp.LE,
}
_BUILTINS = {
    Builtin.MIN: Builtin.MAX,
    Builtin.MAX: Builtin.MIN,
    Builtin.EXP: Builtin.EXP2,
    Builtin.FLOOR: Builtin.CEIL,
    Builtin.UREM: Builtin.UDIV,
}


@dataclass(frozen=True)
class Mutant:
    """`change` says what was done, for a failing test to show."""

    change: str
    program: ir.Program


def mutants(program: ir.Program, count: int, seed: str) -> list[Mutant]:
    """Up to `count` mutants of the program's merge, no two alike."""
    found = list(_all(program))
    random.Random(seed).shuffle(found)
    return found[:count]


def _all(program: ir.Program) -> Iterator[Mutant]:
    assert isinstance(program.schedule, ir.Fold)
    for position in sorted(_called(program, program.schedule.merge)):
        function = program.functions[position]
        for site in ir.walk(function.body):
            for change, node in _changes(site, function, position == program.schedule.merge):
                body = rewritten(function.body, lambda n, node=node: node if n.id == node.id else n)
                functions = list(program.functions)
                functions[position] = replace(function, body=body)
                yield Mutant(f"{function.name}: {change}", replace(program, functions=tuple(functions)))


def _called(program: ir.Program, position: int) -> set[int]:
    """The functions that a function calls, directly or not, and it itself."""
    found = {position}
    for node in ir.walk(program.functions[position].body):
        if isinstance(node, ir.Call | ir.CallStatement):
            found |= _called(program, node.function)
    return found


def _changes(node: ir.Node, function: ir.Function, is_merge: bool) -> Iterator[tuple[str, ir.Node]]:
    """The mistakes that could be made at a node: what, and the node instead of it."""
    match node:
        case ir.Binary():
            for table in (_SWAPPED, _STRICTER, _TURNED):
                if node.op in table and _has(table[node.op], node.left.type):
                    yield f"{node.op.value} for {table[node.op].value}", replace(node, op=table[node.op])
            if node.op in (BinaryOp.SUB, BinaryOp.DIV, BinaryOp.MATMUL) and node.left.type == node.right.type:
                yield f"operands of {node.op.value}", replace(node, left=node.right, right=node.left)
        case ir.Const(type=type_, leaves=(value,)) if type_ is INT:
            yield f"{value} and one", replace(node, leaves=(value + 1 if value < 2**31 - 1 else value - 1,))
        case ir.Const(type=type_, leaves=(bits,)) if type_ is FLOAT:
            number = floats.to_float(int(bits))
            yield f"{number} and one", replace(node, leaves=(floats.from_float(number + 1.0),))
        case ir.Local(local=local) if is_merge and local < 2:
            yield "a for b" if local else "b for a", replace(node, local=1 - local)
        case ir.StructField(operand=operand, index=index) if isinstance(operand.type, Struct):
            yield from _other_fields(node, operand.type, index)
        case ir.Swizzle(components=(component,)):
            yield "another component", replace(node, components=(1 - component if component < 2 else 0,))
        case ir.If():
            yield "branches", replace(node, then=node.otherwise, otherwise=node.then)
        case ir.Conditional():
            yield "branches", replace(node, then=node.otherwise, otherwise=node.then)
        case ir.ShortCircuit():
            other = ir.Logic.OR if node.op is ir.Logic.AND else ir.Logic.AND
            yield f"{node.op.value} for {other.value}", replace(node, op=other)
        case ir.BuiltinCall() if node.builtin in _BUILTINS:
            yield f"{node.builtin.value} for another", replace(node, builtin=_BUILTINS[node.builtin])
        case ir.Make(parts=parts) if len(parts) > 1 and parts[0].type == parts[1].type and parts[0] != parts[1]:
            yield "the first two parts", replace(node, parts=(parts[1], parts[0], *parts[2:]))


def _has(op: BinaryOp, type_: Type) -> bool:
    """Whether the operator takes operands of this type."""
    return type_ in (INT, FLOAT) or op not in (BinaryOp.DIV, BinaryOp.SHL)


def _other_fields(node: ir.StructField, struct: Struct, index: int) -> Iterator[tuple[str, ir.Node]]:
    for other, field in enumerate(struct.fields):
        if other != index and field.type == struct.fields[index].type:
            yield f"{field.name} for {struct.fields[index].name}", replace(node, index=other)
            return

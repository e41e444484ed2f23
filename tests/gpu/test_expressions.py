"""Random expressions, and every built-in on edge values, on the device and on the interpreter: the same bits."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import numpy as np
import pytest

from kcheck.checker import ir, types
from kcheck.checker.builtins import CONTRACTS, Builtin, ErrorClass
from kcheck.checker.ir import BinaryOp
from kcheck.checker.prelude import expand_prelude
from kcheck.checker.rewrite import rewritten, with_calls, with_functions
from kcheck.checker.types import BOOL, FLOAT, INT, Type, Vec, leaves
from kcheck.runtime.backend import Launch, Outcome
from kcheck.runtime.binding import constant
from kcheck.runtime.fields import field_of
from kcheck.runtime.interpreter import Interpreter
from kcheck.runtime.layout import AnyArray, base_dtype, inner_shape
from kcheck.runtime.values.leaves import leaf_views
from tests.checker.build import binary, call, function, number, port, program
from tests.checker.generate import FLOATS, INTS, SIGNATURES, Generator
from tests.gpu.launches import device, flushes

ELEMENTS = 24
Node = TypeVar("Node", bound=ir.Expression)
Columns = dict[str, tuple[Type, AnyArray]]


def assert_same(node: ir.Expression, columns: Columns) -> None:
    """An expression over inputs gives the interpreter's bits for all their elements, but for those of NaNs, and for
    elements where a device that takes subnormal numbers for zero may tell."""
    main = function(ir.Return(value=node), result=node.type)
    ports = [port(name, 1, type_) for name, (type_, _) in columns.items()]
    made = program(ir.Elements(element=0), main, result=node.type, inputs=ports, sampled=list(columns))
    fields = {p.name: field_of(p.type, columns[p.name][1]) for p in ports}
    launch = Launch(made, fields, {}, {}, (len(next(iter(columns.values()))[1]),))
    got, wanted = device().run(launch), Interpreter().run(launch)
    flushed = Interpreter().run(replace(launch, program=flushing(made))) if flushes() else wanted
    views = (bits(made, outcome) for outcome in (got, wanted, flushed))
    for (path, a), (_, b), (_, c) in zip(*views, strict=True):
        np.testing.assert_array_equal(a[b == c], b[b == c], err_msg=str(path))


X = ir.Local(type=FLOAT, local=0)
IS_SUBNORMAL = binary(call(Builtin.ABS, X), BinaryOp.LT, number(2.0**-126), BOOL)
ZERO = binary(X, BinaryOp.MUL, number(0.0))
FLUSHED = function(ir.Return(value=call(Builtin.SELECT, IS_SUBNORMAL, ZERO, X)), takes=[FLOAT], result=FLOAT)
"""A Float, or zero where it is subnormal."""


def flushing(made: ir.Program) -> ir.Program:
    """The program with zeros of the same sign for all Floats that are subnormal, those within built-ins included."""
    expanded = expand_prelude(made)

    def flushed(value: ir.Expression) -> ir.Expression:
        return ir.Call(type=FLOAT, function=0, args=(value,))

    def position(old: int) -> int:
        return old + 1

    def rewrite(found: ir.Node) -> ir.Node:
        match found:
            case ir.Expression(type=types.Scalar.FLOAT):
                return flushed(found)
            case ir.Expression(type=Vec(size=size)):
                parts = (ir.Swizzle(type=FLOAT, operand=found, components=(i,)) for i in range(size))
                return ir.Make(type=found.type, parts=tuple(map(flushed, parts)))
            case _:
                return found

    moved = [with_calls(f, position) for f in expanded.functions]
    functions = [FLUSHED, *(replace(f, body=rewritten(f.body, rewrite)) for f in moved)]
    return replace(expanded, functions=tuple(functions), schedule=with_functions(expanded.schedule, position))


def bits(made: ir.Program, outcome: Outcome) -> Iterator[tuple[object, AnyArray]]:
    [output] = made.outputs
    for leaf, view in leaf_views(output.type.element, outcome.outputs[output.name].data, 1):
        floats = view.dtype == np.float32
        data = np.ascontiguousarray(view)
        yield leaf.path, np.where(np.isnan(data), np.int32(0x7FC00000), data.view(np.int32)) if floats else data


def without_subnormals(node: Node) -> Node:
    """The expression with 0.25 for constants that devices may take for 0."""

    def rewrite(found: ir.Node) -> ir.Node:
        if not isinstance(found, ir.Const):
            return found
        kept = [
            0x3E800000 if leaf.scalar is FLOAT and 0 < int(value) & 0x7FFFFFFF < 0x00800000 else value
            for leaf, value in zip(leaves(found.type), found.leaves, strict=True)
        ]
        return replace(found, leaves=tuple(kept))

    return rewritten(node, rewrite)


def with_inputs(node: ir.Expression, source: Generator) -> tuple[ir.Expression, Columns]:
    """The expression with an input of random values in place of every constant, which compilers could compute away."""
    columns: Columns = {"spare": (INT, np.zeros(ELEMENTS, np.int32))}

    def rewrite(found: ir.Node) -> ir.Node:
        if not isinstance(found, ir.Const):
            return found
        data = np.empty((ELEMENTS, *inner_shape(found.type)), base_dtype(found.type))
        for i in range(ELEMENTS):
            data[i] = constant(without_subnormals(source.constant(found.type)))
        name = f"c{len(columns)}"
        columns[name] = found.type, data
        return ir.Sample(type=found.type, port=name)

    return rewritten(node, rewrite), columns


@pytest.mark.parametrize("seed", range(30))
def test_random_expressions(seed: int) -> None:
    source = Generator(seed)
    node, columns = with_inputs(source.expression(source.type(), 4), source)
    if len(columns) < 30:  # a device may bind no more
        assert_same(node, columns)


@pytest.mark.parametrize("seed", range(30, 45))
def test_random_constant_expressions(seed: int) -> None:
    source = Generator(seed)
    assert_same(without_subnormals(source.expression(source.type(), 5)), {"spare": (INT, np.zeros(3, np.int32))})


NORMAL = [x for x in FLOATS if x == 0.0 or not abs(x) < 2.0**-126]
"""Devices may take the others for 0."""
FLOAT_VALUES = np.array([*NORMAL, 8388607.5, -2147483904.0, 2147483520.0, 1.5, -0.5, 2.5], np.float32)
INT_VALUES = np.array(INTS, np.int64).astype(np.int32)


def pairs(values: AnyArray) -> tuple[AnyArray, AnyArray]:
    left, right = np.meshgrid(values, values)
    return left.ravel().copy(), right.ravel().copy()


@pytest.mark.parametrize("builtin", [b for b in Builtin if b is not Builtin.SELECT], ids=lambda b: b.value)
def test_built_ins_on_edge_values(builtin: Builtin) -> None:
    for args in (args for b, args, _ in SIGNATURES if b is builtin and set(args) <= {INT, FLOAT}):
        columns: Columns = {}
        values = pairs(FLOAT_VALUES if args[0] is FLOAT else INT_VALUES)
        for i, type_ in enumerate(args):
            columns[f"x{i}"] = type_, np.roll(values[i % 2], i // 2)
        assert_same(call(builtin, *[ir.Sample(type=args[0], port=f"x{i}") for i in range(len(args))]), columns)


def test_elementary_functions_on_all_exponents() -> None:
    every = np.arange(0, 2**32, 2**32 // 5000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    every = every[~(np.abs(every) < 2.0**-126)]
    for builtin, contract in CONTRACTS.items():
        if contract.error is ErrorClass.ELEMENTARY and contract.arity == 1:
            assert_same(call(builtin, ir.Sample(type=FLOAT, port="x0")), {"x0": (FLOAT, every)})

"""Random expressions and edge values on the JIT and on the interpreter: the same bits."""

from __future__ import annotations

import numpy as np
import pytest

from kcheck.checker import ir
from kcheck.checker.builtins import CONTRACTS, Builtin, ErrorClass
from kcheck.checker.ir import BinaryOp
from kcheck.checker.prelude import PRELUDE_BUILTINS
from kcheck.checker.rewrite import rewritten
from kcheck.checker.types import BOOL, FLOAT, INT, Type
from kcheck.runtime.backend import Launch
from kcheck.runtime.binding import constant
from kcheck.runtime.fields import field_of
from kcheck.runtime.jit.builtins import OPERATIONS
from kcheck.runtime.jit.engine import optimised
from kcheck.runtime.jit.program import write_module
from kcheck.runtime.layout import AnyArray, base_dtype, inner_shape
from tests.checker.build import binary, call, function, integer, number, port, program
from tests.checker.generate import FLOATS, INTS, SIGNATURES, Generator
from tests.jit.build import assert_same

ELEMENTS = 24


def assert_same_of(node: ir.Expression, columns: dict[str, tuple[Type, AnyArray]]) -> None:
    """An expression over inputs, for all their elements at once."""
    main = function(ir.Return(value=node), result=node.type)
    ports = [port(name, 1, type_) for name, (type_, _) in columns.items()]
    made = program(ir.Elements(element=0), main, result=node.type, inputs=ports, sampled=list(columns))
    fields = {p.name: field_of(p.type, columns[p.name][1]) for p in ports}
    assert_same(Launch(made, fields, {}, {}, (len(next(iter(columns.values()))[1]),)))


def with_inputs(node: ir.Expression, source: Generator) -> tuple[ir.Expression, dict[str, tuple[Type, AnyArray]]]:
    """The expression with an input of random values in place of every constant, which LLVM could compute away."""
    columns: dict[str, tuple[Type, AnyArray]] = {"spare": (INT, np.zeros(ELEMENTS, np.int32))}

    def rewrite(found: ir.Node) -> ir.Node:
        if not isinstance(found, ir.Const):
            return found
        data = np.empty((ELEMENTS, *inner_shape(found.type)), base_dtype(found.type))
        for i in range(ELEMENTS):
            data[i] = constant(source.constant(found.type))
        name = f"c{len(columns)}"
        columns[name] = found.type, data
        return ir.Sample(type=found.type, port=name)

    return rewritten(node, rewrite), columns


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions(seed: int) -> None:
    source = Generator(seed)
    node, columns = with_inputs(source.expression(source.type(), 5), source)
    assert_same_of(node, columns)


@pytest.mark.parametrize("seed", range(60, 75))
def test_random_constant_expressions(seed: int) -> None:
    source = Generator(seed)
    assert_same_of(source.expression(source.type(), 5), {"spare": (INT, np.zeros(3, np.int32))})


# ---------------------------------------------------------------- every operation on every pair of edge values

FLOAT_VALUES = np.array([*FLOATS, 8388607.5, -2147483904.0, 2147483520.0, 1.5, -0.5, 2.5, 1e-45], np.float32)
INT_VALUES = np.array(INTS, np.int64).astype(np.int32)


def pairs(values: AnyArray) -> tuple[AnyArray, AnyArray]:
    left, right = np.meshgrid(values, values)
    return left.ravel().copy(), right.ravel().copy()


def samples(type_: Type, count: int) -> list[ir.Expression]:
    return [ir.Sample(type=type_, port=f"x{i}") for i in range(count)]


@pytest.mark.parametrize("op", BinaryOp)
def test_operators_on_edge_values(op: BinaryOp) -> None:
    bitwise = {BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR, BinaryOp.SHL, BinaryOp.SHR, BinaryOp.USHR}
    kinds = [(INT, INT_VALUES)] + [(FLOAT, FLOAT_VALUES)] * (op not in bitwise)
    for type_, values in kinds:
        if op is not BinaryOp.MATMUL:
            x, y = pairs(values)
            assert_same_of(binary(*_around(op, type_)), {"x0": (type_, x), "x1": (type_, y)})


def _around(op: BinaryOp, type_: Type) -> tuple[ir.Expression, BinaryOp, ir.Expression]:
    left, right = samples(type_, 2)
    return left, op, right


@pytest.mark.parametrize("op", [BinaryOp.DIV, BinaryOp.REM])
@pytest.mark.parametrize("divisor", [0, 1, -1, 7, -7, 2**31 - 1, -(2**31)])
def test_division_by_constants(op: BinaryOp, divisor: int) -> None:
    [x] = samples(INT, 1)
    assert_same_of(binary(x, op, integer(divisor)), {"x0": (INT, INT_VALUES)})
    assert_same_of(binary(integer(divisor), op, x), {"x0": (INT, INT_VALUES)})


@pytest.mark.parametrize("builtin", [b for b in Builtin if b is not Builtin.SELECT], ids=lambda b: b.value)
def test_scalar_builtins_on_edge_values(builtin: Builtin) -> None:
    found = [args for b, args, _ in SIGNATURES if b is builtin and set(args) <= {INT, FLOAT}]
    for args in found:
        columns: dict[str, tuple[Type, AnyArray]] = {}
        values = pairs(FLOAT_VALUES if args[0] is FLOAT else INT_VALUES)
        for i, type_ in enumerate(args):
            columns[f"x{i}"] = type_, np.roll(values[i % 2], i // 2)
        assert_same_of(call(builtin, *samples(args[0], len(args))), columns)


def test_elementary_functions_on_all_exponents() -> None:
    every = np.arange(0, 2**32, 2**32 // 5000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    for builtin, contract in CONTRACTS.items():
        if contract.error is ErrorClass.ELEMENTARY and contract.arity == 1:
            assert_same_of(call(builtin, *samples(FLOAT, 1)), {"x0": (FLOAT, every)})


def test_a_nan_has_one_pattern() -> None:
    odd = np.array([0x7FC12345, 0x7F812345, 0xFFC00001], np.uint32).view(np.float32)
    [x] = samples(FLOAT, 1)
    assert_same_of(call(Builtin.BITCAST_INT, x), {"x0": (FLOAT, odd)})
    assert_same_of(call(Builtin.MIN, x, number(1.0)), {"x0": (FLOAT, odd)})


def test_every_builtin_has_a_form() -> None:
    assert set(OPERATIONS) | PRELUDE_BUILTINS | {Builtin.SELECT, Builtin.TRANSPOSE} == set(Builtin)


@pytest.mark.parametrize("seed", range(30))
def test_llvm_has_nothing_to_say(seed: int, capfd: pytest.CaptureFixture[str]) -> None:
    """It warns, past Python, of a loop that it was told to vectorise and cannot."""
    source = Generator(seed)
    result = (FLOAT, BOOL, INT)[seed % 3]
    node, columns = with_inputs(source.expression(result, 5), source)
    main = function(ir.Return(value=node), result=result)
    ports = [port(name, 1, type_) for name, (type_, _) in columns.items()]
    made = program(ir.Elements(element=0), main, result=result, inputs=ports, sampled=list(columns))
    optimised(write_module(made, frozenset(), fast=False).text)
    assert capfd.readouterr().err == ""

"""Constant expressions; what is expected is worked out by hand, in closed form or with fractions."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from kcheck.checker import floats, ir
from kcheck.checker.builtins import CONTRACTS, Builtin
from kcheck.checker.evaluate import BUILTINS, NotConstant, evaluate
from kcheck.checker.ir import BinaryOp, Logic, UnaryOp
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Mat, Type, Vec
from tests.checker.build import (
    PAIR,
    SHAPE,
    array,
    binary,
    bits,
    boolean,
    call,
    integer,
    matrix,
    number,
    unary,
    vector,
)

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
NAN, INF = math.nan, math.inf
TINY = 2.0**-149
TRIDIAGONAL_INVERSE = [2 / 3, -1 / 3, 0, -1 / 3, 2 / 3, -0.0, 1 / 12, -1 / 6, 1 / 4]


def leaves(expression: ir.Expression) -> tuple[ir.LeafValue, ...]:
    value = evaluate(expression)
    assert value.type == expression.type
    return value.leaves


def as_bits(*values: float) -> tuple[int, ...]:
    return tuple(map(floats.from_float, values))


# ---------------------------------------------------------------- Int and Bool


@pytest.mark.parametrize(
    ("left", "op", "right", "expected"),
    [
        (INT_MAX, "+", 1, INT_MIN),
        (INT_MIN, "-", 1, INT_MAX),
        (65536, "*", 65536, 0),
        (INT_MIN, "*", INT_MIN, 0),
        (123456789, "*", 987654321, -67153019),
        (7, "/", -2, -3),
        (-7, "/", 2, -3),
        (-7, "/", 0, -7),
        (INT_MIN, "/", -1, INT_MIN),
        (7, "%", -2, 1),
        (-7, "%", 2, -1),
        (-7, "%", 0, 0),
        (INT_MIN, "%", -1, 0),
        (1, "<<", 31, INT_MIN),
        (1, "<<", 32, 1),
        (1, "<<", INT_MAX, INT_MIN),
        (3, "<<", -1, INT_MIN),
        (-8, ">>", 1, -4),
        (-1, ">>", 33, -1),
        (-1, ">>>", 28, 15),
        (-1, ">>>", 32, -1),
        (12, "&", -6, 8),
        (12, "|", -16, -4),
        (12, "^", -1, -13),
        (-1, "<", 0, True),
        (3, ">=", 3, True),
        (3, "==", 4, False),
        (3, "!=", 4, True),
    ],
)
def test_ints(left, op, right, expected):
    assert leaves(binary(integer(left), BinaryOp(op), integer(right))) == (expected,)


def test_negation_and_inversion_of_ints():
    assert leaves(unary(UnaryOp.NEG, integer(INT_MIN))) == (INT_MIN,)
    assert leaves(unary(UnaryOp.NEG, integer(5))) == (-5,)
    assert leaves(unary(UnaryOp.INVERT, integer(5))) == (-6,)


@pytest.mark.parametrize(("op", "expected"), [("&", [0, 0, 0, 1]), ("|", [0, 1, 1, 1]), ("^", [0, 1, 1, 0])])
def test_bools(op, expected):
    pairs = [(a, b) for a in (False, True) for b in (False, True)]
    assert [leaves(binary(boolean(a), BinaryOp(op), boolean(b)))[0] for a, b in pairs] == list(map(bool, expected))


@pytest.mark.parametrize(("op", "expected"), [(Logic.AND, [0, 0, 0, 1]), (Logic.OR, [0, 1, 1, 1])])
def test_short_circuits(op, expected):
    pairs = [(a, b) for a in (False, True) for b in (False, True)]
    got = [leaves(ir.ShortCircuit(type=BOOL, op=op, left=boolean(a), right=boolean(b)))[0] for a, b in pairs]
    assert got == list(map(bool, expected))
    assert leaves(unary(UnaryOp.NOT, boolean(True))) == (False,)


# ---------------------------------------------------------------- Float


@pytest.mark.parametrize(
    ("left", "op", "right", "expected"),
    [
        (16777216.0, "+", 1.0, 16777216.0),
        (16777216.0, "+", 3.0, 16777220.0),
        (3.4e38, "+", 3.4e38, INF),
        (INF, "-", INF, NAN),
        (1.0, "-", 1.0, 0.0),
        (-0.0, "+", -0.0, -0.0),
        (TINY, "*", 0.5, 0.0),
        (TINY, "*", 0.75, TINY),
        (TINY, "*", -0.5, -0.0),
        (0.0, "*", INF, NAN),
        (1.0, "/", 0.0, INF),
        (1.0, "/", -0.0, -INF),
        (-INF, "/", -0.0, INF),
        (0.0, "/", 0.0, NAN),
        (NAN, "/", 0.0, NAN),
        (1.0, "/", 3.0, 11184811 / 2**25),
        (5.5, "%", -2.0, 1.5),
        (-5.5, "%", 2.0, -1.5),
        (-4.0, "%", 2.0, -0.0),
        (1.0, "%", 0.0, NAN),
        (INF, "%", 2.0, NAN),
        (1.0, "%", INF, 1.0),
        (2.0**127, "%", 3.0, 2.0),
    ],
)
def test_floats(left, op, right, expected):
    assert leaves(binary(number(left), BinaryOp(op), number(right))) == as_bits(expected)


def test_every_float_operation_is_rounded_once():
    """Against the exact quotient, product and sum of the same numbers."""
    source = random.Random(2)
    for _ in range(300):
        a, b = (floats.to_float(source.randrange(1, floats.INFINITY)) for _ in range(2))
        exact = {
            BinaryOp.ADD: Fraction(a) + Fraction(b),
            BinaryOp.MUL: Fraction(a) * Fraction(b),
            BinaryOp.DIV: Fraction(a) / Fraction(b),
        }
        for op, value in exact.items():
            assert leaves(binary(number(a), op, number(b))) == (nearest(value),)


def nearest(value: Fraction) -> int:
    """Through 400 decimal places, which no product of two numbers is an exact halfway point beyond."""
    digits = 400
    expected = floats.bits_of(f"{round(value * 10**digits)}e-{digits}")
    return floats.INFINITY if expected is None else expected


def test_comparisons_of_floats():
    for left, op, right, expected in [
        (0.0, "==", -0.0, True),
        (NAN, "==", NAN, False),
        (NAN, "!=", NAN, True),
        (NAN, "<", 1.0, False),
        (NAN, ">=", 1.0, False),
        (-INF, "<", TINY, True),
        (2.0, "<=", 2.0, True),
        (2.0, ">", 2.0, False),
    ]:
        assert leaves(binary(number(left), BinaryOp(op), number(right))) == (expected,)


def test_negation_flips_the_sign_of_zero_too():
    assert leaves(unary(UnaryOp.NEG, vector(0.0, -1.5))) == as_bits(-0.0, 1.5)
    assert leaves(unary(UnaryOp.NEG, number(NAN))) == (floats.NAN,)


# ---------------------------------------------------------------- values with parts


def test_vectors_and_matrices_componentwise():
    assert leaves(binary(vector(1, 2, 3), BinaryOp.MUL, vector(4, 5, 6))) == as_bits(4, 10, 18)
    assert leaves(binary(vector(7, -7), BinaryOp.REM, vector(4, 4))) == as_bits(3, -3)
    a, b = matrix((1, 2), (3, 4)), matrix((5, 6), (7, 8))
    assert leaves(binary(a, BinaryOp.MUL, b)) == as_bits(5, 12, 21, 32)
    assert leaves(binary(a, BinaryOp.SUB, b)) == as_bits(-4, -4, -4, -4)


def test_the_matrix_product():
    a, b = matrix((1, 2), (3, 4)), matrix((5, 6), (7, 8))  # columns: [1 3; 2 4] * [5 7; 6 8]
    assert leaves(binary(a, BinaryOp.MATMUL, b)) == as_bits(23, 34, 31, 46)
    assert leaves(binary(a, BinaryOp.MATMUL, vector(5, 6))) == as_bits(23, 34)


def test_the_matrix_product_sums_from_the_first_column():
    big = 2.0**24
    first_row = matrix((big, 0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0), (-big, 0, 0, 0))
    assert leaves(binary(first_row, BinaryOp.MATMUL, vector(1, 1, 1, 1))) == as_bits(0, 0, 0, 0)
    first_row = matrix((big, 0, 0, 0), (-big, 0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0))
    assert leaves(binary(first_row, BinaryOp.MATMUL, vector(1, 1, 1, 1))) == as_bits(2, 0, 0, 0)


def pair(address: int, value: float) -> ir.Make:
    return ir.Make(type=PAIR, parts=(integer(address), number(value)))


def test_equality_of_any_type():
    zero, minus_zero = pair(1, 0.0), pair(1, -0.0)
    assert leaves(binary(zero, BinaryOp.EQ, minus_zero)) == (True,)
    assert leaves(binary(zero, BinaryOp.NE, minus_zero)) == (False,)
    assert leaves(binary(array(zero, pair(2, NAN)), BinaryOp.EQ, array(zero, pair(2, NAN)))) == (False,)
    dot = ir.MakeVariant(type=SHAPE, variant=0, parts=())
    assert leaves(binary(dot, BinaryOp.EQ, dot)) == (True,)
    assert leaves(binary(dot, BinaryOp.NE, disc(0.0, False))) == (True,)
    assert leaves(binary(boolean(True), BinaryOp.EQ, boolean(True))) == (True,)


def test_making_and_taking_apart():
    both = array(pair(1, 0.5), pair(2, 0.25))
    assert leaves(both) == (1, *as_bits(0.5), 2, *as_bits(0.25))
    assert leaves(ir.StructField(type=FLOAT, operand=pair(1, 0.5), index=1)) == as_bits(0.5)
    assert leaves(ir.StructField(type=INT, operand=pair(1, 0.5), index=0)) == (1,)
    joined = ir.Make(type=Vec(4), parts=(number(1), vector(2, 3), number(4)))
    assert leaves(joined) == as_bits(1, 2, 3, 4)
    assert leaves(ir.Swizzle(type=Vec(3), operand=joined, components=(3, 0, 0))) == as_bits(4, 1, 1)
    assert leaves(ir.Swizzle(type=FLOAT, operand=joined, components=(2,))) == as_bits(3)
    assert leaves(ir.Make(type=Mat(2), parts=(vector(1, 2), vector(3, 4)))) == as_bits(1, 2, 3, 4)


@pytest.mark.parametrize(("index", "place"), [(0, 0), (1, 1), (2, 1), (-1, 0), (INT_MIN, 0), (INT_MAX, 1)])
def test_indices_clamp(index, place):
    def element(operand: ir.Expression, type_: Type) -> ir.Index:
        return ir.Index(type=type_, operand=operand, index=integer(index))

    assert leaves(element(array(pair(1, 0.5), pair(2, 0.25)), PAIR)) == leaves([pair(1, 0.5), pair(2, 0.25)][place])
    assert leaves(element(vector(3, 4), FLOAT)) == as_bits([3, 4][place])
    assert leaves(element(matrix((1, 2), (3, 4)), Vec(2))) == [as_bits(1, 2), as_bits(3, 4)][place]


def test_splats():
    assert leaves(ir.Splat(type=Vec(3), operand=number(2))) == as_bits(2, 2, 2)
    assert leaves(ir.Splat(type=Mat(2), operand=number(2))) == as_bits(2, 2, 2, 2)
    assert leaves(ir.Splat(type=Array(PAIR, 2), operand=pair(1, 2))) == (1, *as_bits(2), 1, *as_bits(2))


def disc(radius: float, filled: bool) -> ir.MakeVariant:
    return ir.MakeVariant(type=SHAPE, variant=1, parts=(number(radius), boolean(filled)))


def test_variants_keep_a_place_for_the_fields_of_all():
    box = ir.MakeVariant(type=SHAPE, variant=2, parts=(vector(1, 2), integer(9)))
    assert leaves(ir.MakeVariant(type=SHAPE, variant=0, parts=())) == (0, 0, False, 0, 0, 0)
    assert leaves(disc(1.5, True)) == (1, *as_bits(1.5), True, 0, 0, 0)
    assert leaves(box) == (2, 0, False, *as_bits(1, 2), 9)
    assert leaves(ir.Tag(type=INT, operand=box)) == (2,)
    assert leaves(ir.Payload(type=BOOL, operand=disc(1.5, True), variant=1, index=1)) == (True,)
    assert leaves(ir.Payload(type=Vec(2), operand=box, variant=2, index=0)) == as_bits(1, 2)
    assert leaves(ir.Payload(type=INT, operand=box, variant=2, index=1)) == (9,)


def test_conditionals():
    for condition, expected in [(True, 1), (False, 2)]:
        chosen = ir.Conditional(type=INT, condition=boolean(condition), then=integer(1), otherwise=integer(2))
        assert leaves(chosen) == (expected,)


# ---------------------------------------------------------------- built-ins


def test_every_built_in_has_a_rule():
    assert BUILTINS.keys() == set(Builtin) == CONTRACTS.keys()


@pytest.mark.parametrize(
    ("builtin", "args", "expected"),
    [
        (Builtin.ABS, [INT_MIN], INT_MIN),
        (Builtin.ABS, [-3], 3),
        (Builtin.SIGN, [-3], -1),
        (Builtin.SIGN, [0], 0),
        (Builtin.MIN, [-3, 2], -3),
        (Builtin.MAX, [-3, 2], 2),
        (Builtin.CLAMP, [5, 0, 3], 3),
        (Builtin.CLAMP, [5, 9, 3], 3),
        (Builtin.POPCOUNT, [-1], 32),
        (Builtin.POPCOUNT, [0x55], 4),
        (Builtin.CLZ, [0], 32),
        (Builtin.CLZ, [1], 31),
        (Builtin.CLZ, [-1], 0),
        (Builtin.CTZ, [0], 32),
        (Builtin.CTZ, [INT_MIN], 31),
        (Builtin.CTZ, [12], 2),
        (Builtin.REVERSE_BITS, [1], INT_MIN),
        (Builtin.REVERSE_BITS, [-2], INT_MAX),
        (Builtin.UDIV, [-1, 2], INT_MAX),
        (Builtin.UDIV, [-5, 0], -5),
        (Builtin.UDIV, [-1, 1], -1),
        (Builtin.UREM, [-1, 10], 5),
        (Builtin.UREM, [-5, 0], 0),
        (Builtin.UREM, [-1, INT_MIN], INT_MAX),
        (Builtin.ULT, [1, -1], True),
        (Builtin.ULT, [-1, 1], False),
        (Builtin.TO_INT, [7], 7),
        (Builtin.HASH, [0], 129708002),
        (Builtin.HASH, [1], -1463883204),
    ],
)
def test_built_ins_of_ints(builtin, args, expected):
    assert leaves(call(builtin, *map(integer, args))) == (expected,)


@pytest.mark.parametrize(
    ("builtin", "args", "expected"),
    [
        (Builtin.ABS, [-0.0], 0.0),
        (Builtin.SIGN, [NAN], 0.0),
        (Builtin.SIGN, [-0.0], 0.0),
        (Builtin.SIGN, [-INF], -1.0),
        (Builtin.MIN, [NAN, 1.0], 1.0),
        (Builtin.MIN, [1.0, NAN], 1.0),
        (Builtin.MIN, [0.0, -0.0], -0.0),
        (Builtin.MIN, [-0.0, 0.0], -0.0),
        (Builtin.MAX, [NAN, NAN], NAN),
        (Builtin.MAX, [-0.0, 0.0], 0.0),
        (Builtin.MAX, [0.0, -0.0], 0.0),
        (Builtin.CLAMP, [NAN, 2.0, 3.0], 2.0),
        (Builtin.CLAMP, [9.0, 2.0, 3.0], 3.0),
        (Builtin.FLOOR, [-0.5], -1.0),
        (Builtin.FLOOR, [-0.0], -0.0),
        (Builtin.FLOOR, [INF], INF),
        (Builtin.CEIL, [-0.5], -0.0),
        (Builtin.CEIL, [1e30], 1e30),
        (Builtin.ROUND, [2.5], 2.0),
        (Builtin.ROUND, [-3.5], -4.0),
        (Builtin.ROUND, [-0.5], -0.0),
        (Builtin.ROUND, [NAN], NAN),
        (Builtin.TRUNC, [-1.75], -1.0),
        (Builtin.FRACT, [-1.75], 0.25),
        (Builtin.FRACT, [-(2.0**-30)], 1.0),
        (Builtin.FRACT, [INF], NAN),
        (Builtin.SQRT, [2.0], 11863283 / 2**23),
        (Builtin.SQRT, [-0.0], -0.0),
        (Builtin.SQRT, [-1.0], NAN),
        (Builtin.SQRT, [TINY], 2.0**-74.5),
        (Builtin.INVERSESQRT, [4.0], 0.5),
        (Builtin.INVERSESQRT, [0.0], INF),
        (Builtin.INVERSESQRT, [-0.0], -INF),
        (Builtin.INVERSESQRT, [INF], 0.0),
        (Builtin.INVERSESQRT, [-1.0], NAN),
        (Builtin.EXP, [0.0], 1.0),
        (Builtin.EXP, [1.0], 2.718281828459045),
        (Builtin.EXP, [3e38], INF),
        (Builtin.EXP, [-INF], 0.0),
        (Builtin.EXP2, [-149.0], TINY),
        (Builtin.EXP2, [128.0], INF),
        (Builtin.EXP2, [1e30], INF),
        (Builtin.LOG, [1.0], 0.0),
        (Builtin.LOG, [-0.0], -INF),
        (Builtin.LOG, [-1.0], NAN),
        (Builtin.LOG, [INF], INF),
        (Builtin.LOG2, [TINY], -149.0),
        (Builtin.LOG2, [0.0], -INF),
        (Builtin.LOG2, [-TINY], NAN),
        (Builtin.POW, [-2.0, 3.0], -8.0),
        (Builtin.POW, [-2.0, 0.5], NAN),
        (Builtin.POW, [0.0, 0.0], 1.0),
        (Builtin.POW, [NAN, 0.0], 1.0),
        (Builtin.POW, [1.0, NAN], 1.0),
        (Builtin.POW, [-1.0, INF], 1.0),
        (Builtin.POW, [-0.0, -3.0], -INF),
        (Builtin.POW, [-0.0, -2.0], INF),
        (Builtin.POW, [-0.0, -0.5], INF),
        (Builtin.POW, [0.0, -INF], INF),
        (Builtin.POW, [-0.0, 3.0], -0.0),
        (Builtin.POW, [-3e38, 3e38], INF),
        (Builtin.POW, [-3e38, 16777215.0], -INF),
        (Builtin.POW, [-INF, -3.0], -0.0),
        (Builtin.SIN, [-0.0], -0.0),
        (Builtin.SIN, [INF], NAN),
        (Builtin.SIN, [1.0], 0.8414709848078965),
        (Builtin.COS, [0.0], 1.0),
        (Builtin.COS, [-INF], NAN),
        (Builtin.TAN, [-0.0], -0.0),
        (Builtin.TAN, [INF], NAN),
        (Builtin.ASIN, [1.0], math.pi / 2),
        (Builtin.ASIN, [1.5], NAN),
        (Builtin.ACOS, [1.0], 0.0),
        (Builtin.ACOS, [-1.0], math.pi),
        (Builtin.ACOS, [-1.5], NAN),
        (Builtin.ATAN, [INF], math.pi / 2),
        (Builtin.ATAN2, [0.0, -0.0], math.pi),
        (Builtin.ATAN2, [-0.0, -1.0], -math.pi),
        (Builtin.ATAN2, [-0.0, 0.0], -0.0),
        (Builtin.ATAN2, [1.0, 0.0], math.pi / 2),
        (Builtin.SINH, [-1e30], -INF),
        (Builtin.SINH, [-0.0], -0.0),
        (Builtin.COSH, [-1e30], INF),
        (Builtin.COSH, [0.0], 1.0),
        (Builtin.TANH, [-INF], -1.0),
        (Builtin.RADIANS, [180.0], 180 * 0.01745329238474369),
        (Builtin.DEGREES, [2.0], 2 * 57.295780181884766),
        (Builtin.MIX, [1.0, 3.0, 0.25], 1.5),
        (Builtin.MIX, [1.0, INF, 0.0], NAN),
        (Builtin.STEP, [1.0, 1.0], 1.0),
        (Builtin.STEP, [1.0, 0.5], 0.0),
        (Builtin.STEP, [1.0, NAN], 1.0),
        (Builtin.SMOOTHSTEP, [0.0, 2.0, 1.0], 0.5),
        (Builtin.SMOOTHSTEP, [0.0, 4.0, 1.0], 0.15625),
        (Builtin.SMOOTHSTEP, [2.0, 0.0, 3.0], 0.0),
        (Builtin.SMOOTHSTEP, [1.0, 1.0, 0.5], 0.0),
        (Builtin.SMOOTHSTEP, [1.0, 1.0, 1.0], 1.0),
        (Builtin.SATURATE, [NAN], 0.0),
        (Builtin.SATURATE, [-0.0], 0.0),
        (Builtin.SATURATE, [7.0], 1.0),
        (Builtin.LENGTH, [-3.0], 3.0),
        (Builtin.DISTANCE, [1.0, 4.0], 3.0),
        (Builtin.TO_FLOAT, [0.5], 0.5),
    ],
)
def test_built_ins_of_floats(builtin, args, expected):
    assert leaves(call(builtin, *map(number, args))) == as_bits(expected)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1.9, 1),
        (-1.9, -1),
        (2147483520.0, 2147483520),
        (2.0**31, INT_MAX),
        (-(2.0**31), INT_MIN),
        (INF, INT_MAX),
        (-INF, INT_MIN),
        (NAN, 0),
    ],
)
def test_int_truncates_and_saturates(value, expected):
    assert leaves(call(Builtin.TO_INT, number(value))) == (expected,)


def test_conversions_and_bits():
    assert leaves(call(Builtin.TO_INT, boolean(True))) == (1,)
    assert leaves(call(Builtin.TO_FLOAT, boolean(True))) == as_bits(1)
    assert leaves(call(Builtin.TO_FLOAT, integer(16777217))) == as_bits(16777216)
    assert leaves(call(Builtin.TO_FLOAT, integer(INT_MAX))) == as_bits(2.0**31)
    assert leaves(call(Builtin.BITCAST_INT, number(-0.0))) == (INT_MIN,)
    assert leaves(call(Builtin.BITCAST_INT, bits(0xFF812345))) == (0x7FC00000,)
    assert leaves(call(Builtin.BITCAST_FLOAT, integer(-1082130432))) == as_bits(-1)
    assert leaves(call(Builtin.ISNAN, number(NAN))) == leaves(call(Builtin.ISINF, number(-INF))) == (True,)
    assert leaves(call(Builtin.ISNAN, number(INF))) == leaves(call(Builtin.ISINF, number(NAN))) == (False,)


def test_select_takes_any_type():
    for condition, expected in [(True, disc(1, True)), (False, disc(2, False))]:
        chosen = call(Builtin.SELECT, boolean(condition), disc(1, True), disc(2, False))
        assert leaves(chosen) == leaves(expected)


def test_random_is_made_from_the_hash():
    assert leaves(call(Builtin.RANDOM, integer(0))) == as_bits((129708002 >> 8) / 2**24)
    assert leaves(call(Builtin.RANDOM, integer(1))) == as_bits(((-1463883204 % 2**32) >> 8) / 2**24)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (call(Builtin.MAX, vector(1, NAN), vector(0, 5)), [1, 5]),
        (call(Builtin.DOT, vector(1, 2, 3), vector(4, 5, 6)), [32]),
        # (1 + 2^-12)^2 is rounded to 1 + 2^-11 before the sum.
        (call(Builtin.DOT, vector(1 + 2.0**-12, -1), vector(1 + 2.0**-12, 1 + 2.0**-11)), [0]),
        # Products are summed from the left: (2^24 + 1) + 1 loses both ones.
        (call(Builtin.DOT, vector(2.0**24, 1, 1, -(2.0**24)), vector(1, 1, 1, 1)), [0]),
        (call(Builtin.CROSS, vector(1, 0, 0), vector(0, 1, 0)), [0, 0, 1]),
        (call(Builtin.CROSS, vector(1, 2, 3), vector(4, 5, 6)), [-3, 6, -3]),
        (call(Builtin.LENGTH, vector(3, 4)), [5]),
        (call(Builtin.LENGTH, vector(1e20, 0)), [INF]),
        (call(Builtin.DISTANCE, vector(1, 1), vector(4, 5)), [5]),
        (call(Builtin.NORMALIZE, vector(3, 4)), [3 / 5, 4 / 5]),
        (call(Builtin.NORMALIZE, vector(0, 0)), [NAN, NAN]),
        (call(Builtin.REFLECT, vector(1, -1), vector(0, 1)), [1, 1]),
        (call(Builtin.REFRACT, vector(0, -1), vector(0, 1), number(0.5)), [0, -1]),
        (call(Builtin.REFRACT, vector(1, 0), vector(0, 1), number(2)), [0, 0]),
        (call(Builtin.LUMA, vector(1, 0, 0)), [0.2126]),
        (call(Builtin.LUMA, vector(0, 0, 1, 9)), [0.0722]),
        (call(Builtin.TRANSPOSE, matrix((1, 2), (3, 4))), [1, 3, 2, 4]),
        (call(Builtin.DETERMINANT, matrix((1, 2), (3, 4))), [-2]),
        (call(Builtin.DETERMINANT, matrix((2, 0, 1), (0, 3, 0), (1, 0, 4))), [21]),
        (call(Builtin.DETERMINANT, matrix((0, 1, 0, 0), (1, 0, 0, 0), (0, 0, 2, 0), (0, 0, 0, 3))), [-6]),
        (call(Builtin.DETERMINANT, matrix((1, 2, 3, 4), (2, 1, 0, 1), (0, 1, 3, 1), (1, 1, 1, 2))), [-1]),
        (call(Builtin.INVERSE, matrix((1, 2), (3, 4))), [-2, 1, 1.5, -0.5]),
        (call(Builtin.INVERSE, matrix((2, 1, 0), (1, 2, 0), (0, 1, 4))), TRIDIAGONAL_INVERSE),
        (call(Builtin.INVERSE, matrix((0, 0), (0, 0))), [NAN] * 4),
    ],
)  # fmt: skip
def test_vectors_and_matrices(expression, expected):
    assert leaves(expression) == as_bits(*expected)


def test_a_matrix_times_its_inverse():
    source = random.Random(3)
    for size in (2, 3, 4):
        for _ in range(20):
            columns = [[source.uniform(-1, 1) + 4 * (i == j) for j in range(size)] for i in range(size)]
            m = matrix(*columns)
            product = evaluate(binary(m, BinaryOp.MATMUL, call(Builtin.INVERSE, m)))
            for i, leaf in enumerate(product.leaves):
                assert floats.to_float(leaf) == pytest.approx(float(i % (size + 1) == 0), abs=1e-6)


# ---------------------------------------------------------------- what is not constant, and depth


@pytest.mark.parametrize(
    "node",
    [
        ir.Local(type=INT, local=0),
        ir.Param(type=INT, name="n"),
        ir.Call(type=INT, function=0, args=()),
        ir.Sample(type=INT, port="x"),
        ir.SampleAt(type=INT, port="x", position=number(0)),
        ir.At(type=INT, port="x", address=(integer(0),)),
        ir.Size(type=INT, port="x"),
        ir.Extent(type=INT, port="x"),
        ir.Place(type=INT, kind=ir.PlaceKind.INDEX),
    ],
    ids=lambda node: type(node).__name__,
)
def test_what_a_run_decides_is_not_constant(node):
    other = ir.Local(type=INT, local=7)
    for expression in (node, binary(integer(1), BinaryOp.ADD, binary(node, BinaryOp.MUL, other))):
        with pytest.raises(NotConstant) as found:
            evaluate(expression)
        assert found.value.node is node


def test_a_branch_not_taken_must_be_constant_too():
    node = ir.Param(type=INT, name="n")
    chosen = ir.Conditional(type=INT, condition=boolean(True), then=integer(1), otherwise=node)
    with pytest.raises(NotConstant):
        evaluate(chosen)


def test_deep_expressions():
    expression: ir.Expression = integer(0)
    for _ in range(20_000):
        expression = binary(expression, BinaryOp.ADD, integer(1))
    assert evaluate(expression).leaves == (20_000,)

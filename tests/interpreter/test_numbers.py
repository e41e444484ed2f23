"""Operators and conversions, bit for bit, against plain Python."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcheck.checker import ir
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp, UnaryOp
from kcheck.checker.types import BOOL, FLOAT, INT
from kcheck.runtime.layout import AnyArray
from tests.checker.build import binary, call, unary
from tests.interpreter.build import evaluate, evaluate_each, local

MIN, MAX = -(2**31), 2**31 - 1
EDGES = [0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 33, -31, 255, 65536, MAX, MAX - 1, MIN, MIN + 1, 0x55555555, -12345678]
INTS = st.one_of(st.sampled_from(EDGES), st.integers(MIN, MAX))

NAN, INF = math.nan, math.inf
TINY, HUGE = 2.0**-149, struct.unpack("<f", b"\xff\xff\x7f\x7f")[0]
FLOAT_EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 3.0, 1e-40, TINY, -TINY, HUGE, -HUGE, INF, -INF, NAN]
FLOAT_EDGES += [2.0**23 + 1, 2.0**24, 2.0**31, -(2.0**31), 2147483520.0, 0.1]
FLOATS = st.one_of(st.sampled_from(FLOAT_EDGES), st.floats(width=32))


def wrap(number: int) -> int:
    return (number + 2**31) % 2**32 - 2**31


def unsigned(number: int) -> int:
    return number % 2**32


def single(value: float) -> float:
    """The nearest binary32 number."""
    return float(np.float32(value)) if math.isfinite(value) else value


def exact_div(a: int, b: int) -> int:
    return wrap(math.trunc(Fraction(a, b))) if b else a


INT_OPERATORS: dict[BinaryOp, Callable[[int, int], int]] = {
    BinaryOp.ADD: lambda a, b: wrap(a + b),
    BinaryOp.SUB: lambda a, b: wrap(a - b),
    BinaryOp.MUL: lambda a, b: wrap(a * b),
    BinaryOp.DIV: exact_div,
    BinaryOp.REM: lambda a, b: wrap(a - math.trunc(Fraction(a, b)) * b) if b else 0,
    BinaryOp.AND: lambda a, b: a & b,
    BinaryOp.OR: lambda a, b: a | b,
    BinaryOp.XOR: lambda a, b: a ^ b,
    BinaryOp.SHL: lambda a, b: wrap(a * 2 ** (b % 32)),
    BinaryOp.SHR: lambda a, b: a // 2 ** (b % 32),
    BinaryOp.USHR: lambda a, b: wrap(unsigned(a) // 2 ** (b % 32)),
    BinaryOp.EQ: lambda a, b: a == b,
    BinaryOp.NE: lambda a, b: a != b,
    BinaryOp.LT: lambda a, b: a < b,
    BinaryOp.LE: lambda a, b: a <= b,
    BinaryOp.GT: lambda a, b: a > b,
    BinaryOp.GE: lambda a, b: a >= b,
}

INT_BUILTINS: dict[Builtin, Callable[[int, int], int]] = {
    Builtin.MIN: min,
    Builtin.MAX: max,
    Builtin.UDIV: lambda a, b: wrap(unsigned(a) // unsigned(b)) if b else a,
    Builtin.UREM: lambda a, b: wrap(unsigned(a) % unsigned(b)) if b else 0,
    Builtin.ULT: lambda a, b: unsigned(a) < unsigned(b),
}

ONE_INT: dict[Builtin, Callable[[int], int]] = {
    Builtin.ABS: lambda a: wrap(abs(a)),
    Builtin.SIGN: lambda a: (a > 0) - (a < 0),
    Builtin.POPCOUNT: lambda a: bin(unsigned(a)).count("1"),
    Builtin.CLZ: lambda a: f"{unsigned(a):032b}1".index("1"),
    Builtin.CTZ: lambda a: f"{unsigned(a):032b}"[::-1].find("1") % 33,
    Builtin.REVERSE_BITS: lambda a: wrap(int(f"{unsigned(a):032b}"[::-1], 2)),
}


def pairs(first: list[int], second: list[int]) -> tuple[AnyArray, AnyArray]:
    grid = np.array([(a, b) for a in first for b in second], np.int32)
    return grid[:, 0].copy(), grid[:, 1].copy()


def check_ints(node: ir.Expression, oracle: Callable[..., int], *args: AnyArray) -> None:
    want = [oracle(*map(int, row)) for row in zip(*args, strict=True)]
    typed = [(INT, a) for a in args]
    assert evaluate(node, *typed).tolist() == want
    assert evaluate_each(node, *[(INT, a[:24]) for a in args]).tolist() == want[:24]


INT_A, INT_B = local(0, INT), local(1, INT)


@pytest.mark.parametrize("op", INT_OPERATORS, ids=lambda op: op.name)
def test_int_operator_on_edges(op: BinaryOp) -> None:
    check_ints(binary(INT_A, op, INT_B), INT_OPERATORS[op], *pairs(EDGES, EDGES))


@pytest.mark.parametrize("op", INT_OPERATORS, ids=lambda op: op.name)
@settings(max_examples=12)
@given(rows=st.lists(st.tuples(INTS, INTS), min_size=1, max_size=50))
def test_int_operator(op: BinaryOp, rows: list[tuple[int, int]]) -> None:
    grid = np.array(rows, np.int32)
    check_ints(binary(INT_A, op, INT_B), INT_OPERATORS[op], grid[:, 0].copy(), grid[:, 1].copy())


@pytest.mark.parametrize("builtin", INT_BUILTINS, ids=lambda b: b.name)
def test_int_builtin_of_two(builtin: Builtin) -> None:
    check_ints(call(builtin, INT_A, INT_B), INT_BUILTINS[builtin], *pairs(EDGES, EDGES))


@pytest.mark.parametrize("builtin", ONE_INT, ids=lambda b: b.name)
@settings(max_examples=12)
@given(numbers=st.lists(INTS, min_size=1, max_size=50))
def test_int_builtin_of_one(builtin: Builtin, numbers: list[int]) -> None:
    check_ints(call(builtin, INT_A), ONE_INT[builtin], np.array(numbers + EDGES, np.int32))


def test_signs_of_int() -> None:
    edges = np.array(EDGES, np.int32)
    check_ints(unary(UnaryOp.NEG, INT_A), lambda a: wrap(-a), edges)
    check_ints(unary(UnaryOp.INVERT, INT_A), lambda a: wrap(~a), edges)


def test_bools() -> None:
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    left, right = local(0, BOOL), local(1, BOOL)
    for op, want in {
        BinaryOp.AND: [0, 0, 0, 1],
        BinaryOp.OR: [0, 1, 1, 1],
        BinaryOp.XOR: [0, 1, 1, 0],
        BinaryOp.EQ: [1, 0, 0, 1],
        BinaryOp.NE: [0, 1, 1, 0],
    }.items():
        assert evaluate(binary(left, op, right), (BOOL, a), (BOOL, b)).tolist() == [bool(x) for x in want]
    assert evaluate(unary(UnaryOp.NOT, left), (BOOL, a)).tolist() == [True, True, False, False]


# ---------------------------------------------------------------- Float


def bits(values: AnyArray) -> list[int]:
    """The bits of Floats, all NaNs alike."""
    return np.where(np.isnan(values), np.int32(0x7FC00000), values.view(np.int32)).tolist()


def float_sum(a: float, b: float) -> float:
    """By way of exact fractions, where both are finite."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a + b
    return nearest(Fraction(a) + Fraction(b), a + b)


def float_product(a: float, b: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b
    return nearest(Fraction(a) * Fraction(b), a * b)


def float_quotient(a: float, b: float) -> float:
    if b == 0:
        sign = math.copysign(1.0, a) * math.copysign(1.0, b)
        return NAN if a == 0 or math.isnan(a) else math.copysign(INF, sign)
    if not (math.isfinite(a) and math.isfinite(b)):
        return a / b
    return nearest(Fraction(a) / Fraction(b), a / b)


def nearest(exact: Fraction, signed: float) -> float:
    """The binary32 number nearest to an exact value, halves to even; zeros take the sign of `signed`."""
    if exact == 0:
        return math.copysign(0.0, signed)
    exponent = max(math.frexp(float(abs(exact)))[1] - 24, -149) if abs(exact) < 2**200 else 200
    for shift in (exponent - 1, exponent, exponent + 1):
        scaled = abs(exact) / Fraction(2) ** max(shift, -149)
        if scaled < 2**24:
            rounded = float(round(scaled) * Fraction(2) ** max(shift, -149))
            return math.copysign(INF if rounded >= 2.0**128 else rounded, exact)
    return math.copysign(INF, exact)


def c_fmod(a: float, b: float) -> float:
    return NAN if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0 else math.fmod(a, b)


def extreme(a: float, b: float, order: Callable[..., tuple[float, float]]) -> float:
    if math.isnan(a) or math.isnan(b):
        return b if math.isnan(a) else a
    return order((a, math.copysign(1.0, a)), (b, math.copysign(1.0, b)))[0]


FLOAT_OPERATORS: dict[BinaryOp, Callable[[float, float], float]] = {
    BinaryOp.ADD: float_sum,
    BinaryOp.SUB: lambda a, b: float_sum(a, -b),
    BinaryOp.MUL: float_product,
    BinaryOp.DIV: float_quotient,
    BinaryOp.REM: c_fmod,
}
FLOAT_A, FLOAT_B = local(0, FLOAT), local(1, FLOAT)


def check_floats(node: ir.Expression, oracle: Callable[..., float], *args: AnyArray) -> None:
    rows = [tuple(map(float, row)) for row in zip(*args, strict=True)]
    want = bits(np.array([oracle(*row) for row in rows], np.float32))
    assert bits(evaluate(node, *[(FLOAT, a) for a in args])) == want
    assert bits(evaluate_each(node, *[(FLOAT, a[:24]) for a in args])) == want[:24]


def float_pairs() -> tuple[AnyArray, AnyArray]:
    grid = np.array([(a, b) for a in FLOAT_EDGES for b in FLOAT_EDGES], np.float32)
    return grid[:, 0].copy(), grid[:, 1].copy()


@pytest.mark.parametrize("op", FLOAT_OPERATORS, ids=lambda op: op.name)
def test_float_operator_on_edges(op: BinaryOp) -> None:
    check_floats(binary(FLOAT_A, op, FLOAT_B), FLOAT_OPERATORS[op], *float_pairs())


@pytest.mark.parametrize("op", FLOAT_OPERATORS, ids=lambda op: op.name)
@settings(max_examples=12)
@given(rows=st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=50))
def test_float_operator(op: BinaryOp, rows: list[tuple[float, float]]) -> None:
    grid = np.array(rows, np.float32)
    check_floats(binary(FLOAT_A, op, FLOAT_B), FLOAT_OPERATORS[op], grid[:, 0].copy(), grid[:, 1].copy())


def test_float_extremes_ignore_nan_and_order_zeros() -> None:
    a, b = float_pairs()
    check_floats(call(Builtin.MIN, FLOAT_A, FLOAT_B), lambda x, y: extreme(x, y, min), a, b)
    check_floats(call(Builtin.MAX, FLOAT_A, FLOAT_B), lambda x, y: extreme(x, y, max), a, b)


def test_float_extremes_ignore_signalling_nan() -> None:
    signalling = np.full(9, 0x7F800001, np.uint32).view(np.float32)
    ones = np.ones(9, np.float32)
    for builtin in (Builtin.MIN, Builtin.MAX):
        for args in ((signalling, ones), (ones, signalling)):
            got = evaluate(call(builtin, FLOAT_A, FLOAT_B), *[(FLOAT, a) for a in args])
            assert got.tolist() == [1.0] * 9


def test_float_comparisons() -> None:
    a, b = float_pairs()
    for op, oracle in {
        BinaryOp.EQ: lambda x, y: x == y,
        BinaryOp.NE: lambda x, y: x != y,
        BinaryOp.LT: lambda x, y: x < y,
        BinaryOp.LE: lambda x, y: x <= y,
        BinaryOp.GT: lambda x, y: x > y,
        BinaryOp.GE: lambda x, y: x >= y,
    }.items():
        got = evaluate(binary(FLOAT_A, op, FLOAT_B), (FLOAT, a), (FLOAT, b))
        assert got.tolist() == [oracle(float(x), float(y)) for x, y in zip(a, b, strict=True)]


def signed_whole(function: Callable[[float], int]) -> Callable[[float], float]:
    return lambda x: math.copysign(float(function(x)), x) if math.isfinite(x) else x


ONE_FLOAT: dict[Builtin, Callable[[float], float]] = {
    Builtin.FLOOR: signed_whole(math.floor),
    Builtin.CEIL: signed_whole(math.ceil),
    Builtin.ROUND: signed_whole(round),
    Builtin.TRUNC: signed_whole(math.trunc),
    Builtin.ABS: math.fabs,
    Builtin.SIGN: lambda x: float((x > 0) - (x < 0)),
    Builtin.SQRT: lambda x: NAN if x < 0 else x if x == 0 else single(math.sqrt(x)),
}


@pytest.mark.parametrize("builtin", ONE_FLOAT, ids=lambda b: b.name)
@settings(max_examples=12)
@given(numbers=st.lists(FLOATS, min_size=1, max_size=50))
def test_float_builtin_of_one(builtin: Builtin, numbers: list[float]) -> None:
    check_floats(call(builtin, FLOAT_A), ONE_FLOAT[builtin], np.array(numbers + FLOAT_EDGES, np.float32))


def test_negation_flips_the_sign_bit() -> None:
    values = np.array(FLOAT_EDGES, np.float32)
    flipped = evaluate(unary(UnaryOp.NEG, FLOAT_A), (FLOAT, values))
    assert (flipped.view(np.uint32) == values.view(np.uint32) ^ np.uint32(0x80000000)).all()


# ---------------------------------------------------------------- conversions


def int_of(x: float) -> int:
    return 0 if math.isnan(x) else MIN if x <= MIN else MAX if x >= MAX else math.trunc(x)


@settings(max_examples=12)
@given(numbers=st.lists(FLOATS, min_size=1, max_size=50))
def test_int_of_float(numbers: list[float]) -> None:
    values = np.array(numbers + FLOAT_EDGES, np.float32)
    node = call(Builtin.TO_INT, FLOAT_A)
    want = [int_of(float(x)) for x in values]
    assert evaluate(node, (FLOAT, values)).tolist() == want
    assert evaluate_each(node, (FLOAT, values)).tolist() == want


@settings(max_examples=12)
@given(numbers=st.lists(INTS, min_size=1, max_size=50))
def test_float_of_int(numbers: list[int]) -> None:
    values = np.array([*numbers, *EDGES, 2**24 + 1, 2**24 + 3, MAX - 64, MAX - 63], np.int32)
    want = [nearest(Fraction(int(n)), 0.0) for n in values]
    assert evaluate(call(Builtin.TO_FLOAT, INT_A), (INT, values)).tolist() == want


def test_conversions_of_bools() -> None:
    values = np.array([True, False])
    flag = local(0, BOOL)
    assert evaluate(call(Builtin.TO_INT, flag), (BOOL, values)).tolist() == [1, 0]
    assert evaluate(call(Builtin.TO_FLOAT, flag), (BOOL, values)).tolist() == [1.0, 0.0]


def test_bits_of_floats() -> None:
    patterns = np.array([0, 0x80000000, 0x3F800000, 0x7F800000, 0xFF800000, 1, 0x7F800001, 0xFFC12345], np.uint32)
    got = evaluate(call(Builtin.BITCAST_INT, FLOAT_A), (FLOAT, patterns.view(np.float32)))
    want = [*map(wrap, patterns[:-2].tolist()), 0x7FC00000, 0x7FC00000]
    assert got.tolist() == want
    back = evaluate(call(Builtin.BITCAST_FLOAT, INT_A), (INT, patterns.view(np.int32)))
    assert back.view(np.uint32).tolist() == patterns.tolist()


def test_hash_of_the_language_reference() -> None:
    got = evaluate(call(Builtin.HASH, INT_A), (INT, np.array([0, 1], np.int32)))
    assert got.tolist() == [129708002, -1463883204]


@settings(max_examples=12)
@given(numbers=st.lists(INTS, min_size=1, max_size=50))
def test_hash_and_random(numbers: list[int]) -> None:
    def pcg(i: int) -> int:
        s = (i * 747796405 + 2891336453) % 2**32
        w = ((s >> ((s >> 28) + 4)) ^ s) * 277803737 % 2**32
        return (w >> 22) ^ w

    values = np.array(numbers + EDGES, np.int32)
    check_ints(call(Builtin.HASH, INT_A), lambda i: wrap(pcg(i)), values)
    got = evaluate(call(Builtin.RANDOM, INT_A), (INT, values))
    assert got.tolist() == [(pcg(int(i)) >> 8) / 2**24 for i in values]


def test_scalars_and_arrays_have_the_dtypes_of_the_language() -> None:
    """NumPy's own promotion would make float64 or int64 of a mixed scalar and array."""
    constant = ir.Const(type=FLOAT, leaves=(0x3DCCCCCD,))
    for count in (1, 3):
        values = np.full(count, 0.1, np.float32)
        got = evaluate(binary(FLOAT_A, BinaryOp.ADD, constant), (FLOAT, values))
        assert got.dtype == np.float32
        assert got.tolist() == [float(np.float32(0.1) + np.float32(0.1))] * count

"""What each pure built-in that the prelude does not define does: one line a built-in, scalar by scalar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kcheck.checker.builtins import Builtin
from kcheck.checker.types import BOOL, FLOAT, INT, Scalar
from kcheck.runtime.jit import numbers
from kcheck.runtime.jit.numbers import intrinsic
from kcheck.runtime.jit.text import Code

Operation: TypeAlias = Callable[..., str]


def _of_bool(code: Code, x: str) -> str:
    return code.value(f"zext i1 {x} to i32")


def _bool_to_float(code: Code, x: str) -> str:
    return code.value(f"uitofp i1 {x} to float")


def _same(code: Code, x: str) -> str:
    return x


def _unsigned_less(code: Code, a: str, b: str) -> str:
    return code.value(f"icmp ult i32 {a}, {b}")


_FALSE = "i1 false"

OPERATIONS: dict[Builtin, dict[Scalar, Operation]] = {
    Builtin.ABS: {INT: intrinsic("llvm.abs.i32", "i32", _FALSE), FLOAT: intrinsic("llvm.fabs.f32", "float")},
    Builtin.SIGN: {INT: numbers.int_sign, FLOAT: numbers.float_sign},
    Builtin.MIN: {INT: numbers.int_min, FLOAT: numbers.minimum},
    Builtin.MAX: {INT: numbers.int_max, FLOAT: numbers.maximum},
    Builtin.FLOOR: {FLOAT: intrinsic("llvm.floor.f32", "float")},
    Builtin.CEIL: {FLOAT: intrinsic("llvm.ceil.f32", "float")},
    Builtin.ROUND: {FLOAT: intrinsic("llvm.roundeven.f32", "float")},
    Builtin.TRUNC: {FLOAT: intrinsic("llvm.trunc.f32", "float")},
    Builtin.SQRT: {FLOAT: intrinsic("llvm.sqrt.f32", "float")},
    Builtin.ISNAN: {FLOAT: numbers.is_nan},
    Builtin.ISINF: {FLOAT: numbers.is_infinite},
    Builtin.POPCOUNT: {INT: intrinsic("llvm.ctpop.i32", "i32")},
    Builtin.CLZ: {INT: intrinsic("llvm.ctlz.i32", "i32", _FALSE)},
    Builtin.CTZ: {INT: intrinsic("llvm.cttz.i32", "i32", _FALSE)},
    Builtin.REVERSE_BITS: {INT: intrinsic("llvm.bitreverse.i32", "i32")},
    Builtin.UDIV: {INT: numbers.unsigned_divide},
    Builtin.UREM: {INT: numbers.unsigned_remainder},
    Builtin.ULT: {INT: _unsigned_less},
    Builtin.BITCAST_INT: {FLOAT: numbers.bits_of},
    Builtin.BITCAST_FLOAT: {INT: numbers.float_of_bits},
    Builtin.TO_INT: {FLOAT: numbers.float_to_int, INT: _same, BOOL: _of_bool},
    Builtin.TO_FLOAT: {INT: numbers.int_to_float, FLOAT: _same, BOOL: _bool_to_float},
}
"""By the kind of the first argument.  Those of several scalars apply to each component; `select` and `transpose`
move whole values, and have their place in `expressions`."""

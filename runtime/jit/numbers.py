"""The numbers of the language (its reference, "Numbers") in LLVM's instructions, scalar by scalar."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kcheck.checker.ir import BinaryOp
from kcheck.checker.types import BOOL, FLOAT, INT, Scalar
from kcheck.runtime.jit.text import Code, float_constant

Unary: TypeAlias = Callable[[Code, str], str]
Operation: TypeAlias = Callable[[Code, str, str], str]

ZERO, ONE, MINUS_ONE = (float_constant(bits) for bits in (0x00000000, 0x3F800000, 0xBF800000))
_TWO31, _MINUS_TWO31 = float_constant(0x4F000000), float_constant(0xCF000000)
_NAN_BITS = "2143289344"


def _plain(instruction: str) -> Operation:
    return lambda code, a, b: code.value(f"{instruction} {a}, {b}")


def _float_plain(instruction: str) -> Operation:
    return lambda code, a, b: code.value(f"{instruction} {code.float_flags}float {a}, {b}")


def intrinsic(name: str, kind: str, *more: str) -> Callable[..., str]:
    """A call of LLVM's own function on operands of one type, which it gives back."""

    def emit(code: Code, *operands: str) -> str:
        args = [*(f"{kind} {operand}" for operand in operands), *more]
        return code.call(kind, name, args)

    return emit


# ---------------------------------------------------------------- Int


def divide(code: Code, a: str, b: str) -> str:
    """The quotient towards zero; x / 0 = x and MIN / -1 = MIN."""
    divisor = _divisor(code, b)
    quotient = code.value(f"sdiv i32 {a}, {divisor}")
    return _unless_minus_one(code, a, b, quotient, code.value(f"sub i32 0, {a}"))


def remainder(code: Code, a: str, b: str) -> str:
    """What the quotient leaves, with the sign of `a`; x % 0 = 0 and MIN % -1 = 0."""
    return code.value(f"srem i32 {a}, {_divisor(code, b)}")


def _divisor(code: Code, b: str) -> str:
    """1 in place of the divisors that LLVM's division leaves undefined for some or all numbers: 0 and -1."""
    next_ = code.value(f"add i32 {b}, 1")
    odd = code.value(f"icmp ult i32 {next_}, 2")
    return code.value(f"select i1 {odd}, i32 1, i32 {b}")


def _unless_minus_one(code: Code, a: str, b: str, usual: str, negative: str) -> str:
    odd = code.value(f"icmp eq i32 {b}, -1")
    return code.value(f"select i1 {odd}, i32 {negative}, i32 {usual}")


def unsigned_divide(code: Code, a: str, b: str) -> str:
    return code.value(f"udiv i32 {a}, {_unsigned_divisor(code, b)}")


def unsigned_remainder(code: Code, a: str, b: str) -> str:
    return code.value(f"urem i32 {a}, {_unsigned_divisor(code, b)}")


def _unsigned_divisor(code: Code, b: str) -> str:
    return intrinsic("llvm.umax.i32", "i32")(code, b, "1")


def _shift(instruction: str) -> Operation:
    def emit(code: Code, a: str, count: str) -> str:
        modulo = code.value(f"and i32 {count}, 31")
        return code.value(f"{instruction} i32 {a}, {modulo}")

    return emit


int_min, int_max = intrinsic("llvm.smin.i32", "i32"), intrinsic("llvm.smax.i32", "i32")


def int_sign(code: Code, a: str) -> str:
    above, below = code.value(f"icmp sgt i32 {a}, 0"), code.value(f"ashr i32 {a}, 31")
    return code.value(f"select i1 {above}, i32 1, i32 {below}")


# ---------------------------------------------------------------- Float


def is_nan(code: Code, x: str) -> str:
    return code.value(f"fcmp uno float {x}, {ZERO}")


def minimum(code: Code, a: str, b: str) -> str:
    """The smaller Float; a NaN is ignored and -0 is below +0."""
    return _extreme(code, a, b, "olt", "or")


def maximum(code: Code, a: str, b: str) -> str:
    """The larger Float; a NaN is ignored and -0 is below +0."""
    return _extreme(code, a, b, "ogt", "and")


def _extreme(code: Code, a: str, b: str, order: str, of_equals: str) -> str:
    wins = code.value(f"fcmp {order} float {a}, {b}")
    winner = code.value(f"select i1 {wins}, float {a}, float {b}")
    # Equal ones have the same bits, but for zeros: of these the bits say which sign wins.
    same = code.value(f"fcmp oeq float {a}, {b}")
    bits = code.value(f"{of_equals} i32 {bits_as_int(code, a)}, {bits_as_int(code, b)}")
    known = code.value(f"select i1 {same}, float {float_of_bits(code, bits)}, float {winner}")
    return code.value(f"select i1 {is_nan(code, b)}, float {a}, float {known}")


def float_sign(code: Code, x: str) -> str:
    """-1, 0 or 1; 0 for NaN and both zeros."""
    above, below = code.value(f"fcmp ogt float {x}, {ZERO}"), code.value(f"fcmp olt float {x}, {ZERO}")
    negative = code.value(f"select i1 {below}, float {MINUS_ONE}, float {ZERO}")
    return code.value(f"select i1 {above}, float {ONE}, float {negative}")


def is_infinite(code: Code, x: str) -> str:
    return code.value(f"fcmp oeq float {_absolute(code, x)}, {float_constant(0x7F800000)}")


_absolute = intrinsic("llvm.fabs.f32", "float")


def float_to_int(code: Code, x: str) -> str:
    """Truncated and saturated; NaN gives 0."""
    # LLVM has this as one function, of which it thinks that it cannot be done for several numbers at once.
    fits = code.value(f"fcmp olt float {_absolute(code, x)}, {_TWO31}")
    bounded = code.value(f"select i1 {fits}, float {x}, float {ZERO}")
    whole = code.value(f"fptosi float {bounded} to i32")
    above, below = code.value(f"fcmp oge float {x}, {_TWO31}"), code.value(f"fcmp ole float {x}, {_MINUS_TWO31}")
    low = code.value(f"select i1 {below}, i32 {-(2**31)}, i32 {whole}")
    return code.value(f"select i1 {above}, i32 {2**31 - 1}, i32 {low}")


def int_to_float(code: Code, i: str) -> str:
    return code.value(f"sitofp i32 {i} to float")


def bits_of(code: Code, x: str) -> str:
    """The bits of a Float as an Int; any NaN gives 0x7FC00000."""
    return code.value(f"select i1 {is_nan(code, x)}, i32 {_NAN_BITS}, i32 {bits_as_int(code, x)}")


def bits_as_int(code: Code, x: str) -> str:
    """The bits of a Float as they are."""
    return code.value(f"bitcast float {x} to i32")


def float_of_bits(code: Code, i: str) -> str:
    return code.value(f"bitcast i32 {i} to float")


def float_remainder(code: Code, a: str, b: str) -> str:
    """C's fmod, which is exact."""
    return code.value(f"frem float {a}, {b}")


# ---------------------------------------------------------------- order-preserving keys


def ordered_key(code: Code, x: str, nan: int) -> str:
    """An Int that is ordered as the Floats are, -0 below +0; NaNs have the key `nan`."""
    return code.value(f"select i1 {is_nan(code, x)}, i32 {nan}, i32 {_flip(code, bits_as_int(code, x))}")


def from_key(code: Code, key: str) -> str:
    return float_of_bits(code, _flip(code, key))


def _flip(code: Code, bits: str) -> str:
    """Turn the order of the negative ones round; its own inverse."""
    sign = code.value(f"ashr i32 {bits}, 31")
    mask = code.value(f"and i32 {sign}, 2147483647")
    return code.value(f"xor i32 {bits}, {mask}")


# ---------------------------------------------------------------- the tables of operators

_BITWISE = {BinaryOp.AND: "and", BinaryOp.OR: "or", BinaryOp.XOR: "xor"}
_ARITHMETIC = {BinaryOp.ADD: "add", BinaryOp.SUB: "sub", BinaryOp.MUL: "mul"}
_ORDER = {BinaryOp.LT: "lt", BinaryOp.LE: "le", BinaryOp.GT: "gt", BinaryOp.GE: "ge"}

OPERATORS: dict[Scalar, dict[BinaryOp, Operation]] = {
    BOOL: {op: _plain(f"{name} i1") for op, name in _BITWISE.items()},
    INT: {
        **{op: _plain(f"{name} i32") for op, name in (_BITWISE | _ARITHMETIC).items()},
        **{op: _plain(f"icmp s{name} i32") for op, name in _ORDER.items()},
        BinaryOp.DIV: divide,
        BinaryOp.REM: remainder,
        BinaryOp.SHL: _shift("shl"),
        BinaryOp.SHR: _shift("ashr"),
        BinaryOp.USHR: _shift("lshr"),
    },
    FLOAT: {
        **{op: _float_plain(f"f{name}") for op, name in _ARITHMETIC.items()},
        **{op: _plain(f"fcmp o{name} float") for op, name in _ORDER.items()},
        BinaryOp.DIV: _float_plain("fdiv"),
        BinaryOp.REM: float_remainder,
    },
}
"""What the operators mean for each kind of scalar."""

EQUAL: dict[Scalar, Operation] = {
    BOOL: _plain("icmp eq i1"),
    INT: _plain("icmp eq i32"),
    FLOAT: _plain("fcmp oeq float"),
}
"""Whether two scalars are equal, Floats as numbers."""

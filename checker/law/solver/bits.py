"""The operations of Ints on bit-vectors of SMT-LIB."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from kcheck.checker import arithmetic
from kcheck.checker.law.terms import Op


def constant(value: int) -> str:
    return f"#x{arithmetic.unsigned(value):08x}"


def operation(op: Op, args: Sequence[str]) -> str:
    name = _NAMES.get(op)
    return f"({name} {' '.join(args)})" if name is not None else _FORMS[op](*args)


_NAMES: Mapping[Op, str] = {
    Op.LT: "bvslt",
    Op.LE: "bvsle",
    Op.ULT: "bvult",
    Op.ADD: "bvadd",
    Op.SUB: "bvsub",
    Op.MUL: "bvmul",
    Op.NEG: "bvneg",
    Op.BIT_AND: "bvand",
    Op.BIT_OR: "bvor",
    Op.BIT_XOR: "bvxor",
    Op.BIT_NOT: "bvnot",
}

_ZERO, _MIN, _MINUS_ONE = constant(0), constant(arithmetic.INT_MIN), constant(-1)


def _shift(name: str) -> Callable[[str, str], str]:
    """Counts are taken modulo 32."""
    return lambda a, count: f"({name} {a} (bvand {count} {constant(31)}))"


def _divide(a: str, b: str) -> str:
    # bvsdiv gives MIN for MIN / -1, as the language does.
    return f"(ite (= {b} {_ZERO}) {a} (bvsdiv {a} {b}))"


def _remainder(a: str, b: str) -> str:
    return f"(ite (= {b} {_ZERO}) {_ZERO} (bvsrem {a} {b}))"


def _bit(a: str, position: int) -> str:
    return f"((_ extract {position} {position}) {a})"


def _popcount(a: str) -> str:
    ones = " ".join(f"((_ zero_extend 31) {_bit(a, i)})" for i in range(32))
    return f"(bvadd {ones})"


def _leading_zeros(a: str) -> str:
    text = constant(32)
    for i in range(32):
        text = f"(ite (= {_bit(a, i)} #b1) {constant(31 - i)} {text})"
    return text


def _trailing_zeros(a: str) -> str:
    text = constant(32)
    for i in reversed(range(32)):
        text = f"(ite (= {_bit(a, i)} #b1) {constant(i)} {text})"
    return text


def _reversed(a: str) -> str:
    return f"(concat {' '.join(_bit(a, i) for i in range(32))})"


def _to_real(a: str) -> str:
    return f"(to_real (ite (bvslt {a} {_ZERO}) (- (bv2nat {a}) {1 << 32}) (bv2nat {a})))"


_FORMS: Mapping[Op, Callable[..., str]] = {
    Op.MIN: lambda a, b: f"(ite (bvsle {a} {b}) {a} {b})",
    Op.MAX: lambda a, b: f"(ite (bvsle {a} {b}) {b} {a})",
    Op.ABS: lambda a: f"(ite (bvslt {a} {_ZERO}) (bvneg {a}) {a})",
    Op.DIV: _divide,
    Op.REM: _remainder,
    Op.SHL: _shift("bvshl"),
    Op.SHR: _shift("bvashr"),
    Op.USHR: _shift("bvlshr"),
    Op.UDIV: lambda a, b: f"(ite (= {b} {_ZERO}) {a} (bvudiv {a} {b}))",
    Op.UREM: lambda a, b: f"(ite (= {b} {_ZERO}) {_ZERO} (bvurem {a} {b}))",
    Op.POPCOUNT: _popcount,
    Op.CLZ: _leading_zeros,
    Op.CTZ: _trailing_zeros,
    Op.REVERSE_BITS: _reversed,
    Op.TO_REAL: _to_real,
}

"""Terms evaluated one node at a time, exactly where that can be: the plain reading that faster ones are held to."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from kcheck.checker import arithmetic, floats
from kcheck.checker.law.terms import Op, Sort, Term, postorder, remainder, saturated

_INT = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.NEG: lambda a: -a,
    Op.MIN: min,
    Op.MAX: max,
    Op.ABS: abs,
    Op.DIV: arithmetic.divide_ints,
    Op.REM: arithmetic.remainder_ints,
    Op.BIT_AND: lambda a, b: a & b,
    Op.BIT_OR: lambda a, b: a | b,
    Op.BIT_XOR: lambda a, b: a ^ b,
    Op.BIT_NOT: lambda a: ~a,
    Op.SHL: arithmetic.shift_left,
    Op.SHR: arithmetic.shift_right,
    Op.USHR: arithmetic.shift_right_logical,
    Op.UDIV: arithmetic.divide_unsigned,
    Op.UREM: arithmetic.remainder_unsigned,
    Op.POPCOUNT: lambda a: (a & 0xFFFFFFFF).bit_count(),
    Op.CLZ: arithmetic.count_leading_zeros,
    Op.CTZ: arithmetic.count_trailing_zeros,
    Op.REVERSE_BITS: arithmetic.reverse_bits,
}

_REAL = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.NEG: lambda a: -a,
    Op.MIN: min,
    Op.MAX: max,
    Op.ABS: abs,
    Op.DIV: lambda a, b: a / b,
    Op.REM: remainder,
    Op.FLOOR: lambda a: Fraction(math.floor(a)),
    Op.EXP: lambda a: Fraction(math.exp(a)),
    Op.LOG: lambda a: Fraction(math.log(a)),
    Op.SQRT: lambda a: Fraction(math.sqrt(a)),
}

_FUNCTIONS = {
    "sin": math.sin,
    "cos": math.cos,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "pow": math.pow,
}


def evaluate(terms: Sequence[Term], values: Mapping[Term, Any]) -> list[Any]:
    """The values of `terms`: bools, ints, Fractions; None for what has none (a division by 0 and all above it)."""
    done: dict[Term, Any] = dict(values)
    for term in postorder(terms):
        if term not in done:
            done[term] = _value(term, [done[arg] for arg in term.args])
    return [done[term] for term in terms]


def _value(term: Term, args: list[Any]) -> Any:
    if term.op is Op.CONST:
        return term.value
    if term.op is Op.IF:
        return None if args[0] is None else args[1] if args[0] else args[2]
    if term.op is Op.AND and False in args:
        return False
    if term.op is Op.OR and True in args:
        return True
    if None in args:
        return None
    try:
        return _defined(term, args)
    except (ZeroDivisionError, ValueError, OverflowError):
        return None


def _defined(term: Term, args: list[Any]) -> Any:
    match term.op:
        case Op.NOT:
            return not args[0]
        case Op.AND | Op.OR:
            return args[0]
        case Op.EQ:
            return args[0] == args[1]
        case Op.LT:
            return args[0] < args[1]
        case Op.LE:
            return args[0] <= args[1]
        case Op.ULT:
            return arithmetic.unsigned(args[0]) < arithmetic.unsigned(args[1])
        case Op.TO_REAL:
            return Fraction(args[0])
        case Op.TO_INT:
            return saturated(args[0])
        case Op.FUNCTION:
            return _function(term, args)
        case _ if term.sort is Sort.INT:
            return arithmetic.wrap(_INT[term.op](*args))
        case _:
            return _REAL[term.op](*args)


def _function(term: Term, args: list[Any]) -> Any:
    if term.value == "bitcast_int":
        return arithmetic.wrap(floats.from_float(float(args[0])))
    if term.value == "bitcast_float":
        value = floats.to_float(args[0] & 0xFFFFFFFF)
        return Fraction(value) if math.isfinite(value) else None
    if term.value == "gcd":
        return arithmetic.wrap(math.gcd(*args))
    return Fraction(_FUNCTIONS[str(term.value)](*args))

"""Programs run in real arithmetic: what the prover's verdicts are about, written a second time.

A Float is a `Fraction`, or a number of `DIGITS` digits after an irrational function; an Int is an int that wraps.
Vectors, matrices (tuples of columns), arrays and structs are tuples, an enum is (tag, fields of every variant).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import mpmath
from mpmath import mpf

from kcheck.checker import arithmetic, floats, ir
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp
from kcheck.checker.prelude import COMPOSITE_BUILTINS, expand_prelude
from kcheck.checker.types import INT, Array, Enum, Mat, Scalar, Struct, Type, Vec, leaves, parts

DIGITS = 60
_NEAR = mpf(10) ** -40
"""Numbers closer than this, relative to their size, are neither surely equal nor surely not."""

_LARGE = 10**9
_MOST_BITS = 1 << 12
"""How long a power may be that is kept exactly: powers of powers would soon take all time."""

Exact: TypeAlias = "bool | int | Fraction | mpf | tuple[Exact, ...]"
Read: TypeAlias = Callable[[ir.Expression, Sequence[Any]], Any]
"""What a read of a port or place gives; the second argument is the address."""


class UndefinedValue(Exception):
    """A step has no value over the reals."""


class Undecided(Exception):
    """A comparison of numbers that are too close, or a step that has no exact form here."""


def no_reads(node: ir.Expression, address: Sequence[Any]) -> Any:
    raise AssertionError(f"{type(node).__name__} outside compute")


class ExactProgram:
    """`compute` and `merge` of a reduction on exact values; raises `UndefinedValue` and `Undecided`."""

    def __init__(self, program: ir.Program, params: Mapping[str, Any]) -> None:
        self._program = expand_prelude(program, COMPOSITE_BUILTINS)
        self._params = params
        assert isinstance(self._program.schedule, ir.Fold)
        self._fold = self._program.schedule

    def compute(self, read: Read) -> Any:
        return self._call(self._fold.element, (), read)

    def merge(self, a: Any, b: Any) -> Any:
        return self._call(self._fold.merge, (a, b), no_reads)

    def _call(self, function: int, args: Sequence[Any], read: Read) -> Any:
        return _Frame(self._program, self._params, read, function, args).run()


@dataclass(frozen=True)
class _Returned:
    value: Any


class _Frame:
    """One call of a function."""

    def __init__(
        self, program: ir.Program, params: Mapping[str, Any], read: Read, function: int, args: Sequence[Any]
    ) -> None:
        self.program, self.params, self.read = program, params, read
        self.function = program.functions[function]
        self.held = [*args, *[None] * (len(self.function.locals) - len(args))]

    def run(self) -> Any:
        found = self._block(self.function.body)
        return found.value if found else None

    def _block(self, block: ir.Block) -> _Returned | None:
        for statement in block.statements:
            found = self._statement(statement)
            if found:
                return found
        return None

    def _statement(self, node: ir.Statement) -> _Returned | None:
        match node:
            case ir.Block():
                return self._block(node)
            case ir.Assign():
                self._assign(node)
            case ir.If():
                return self._block(node.then if self.value(node.condition) else node.otherwise)
            case ir.Switch():
                subject = self.value(node.subject)
                for case in node.cases:
                    if any(low <= subject <= high for low, high in case.ranges):
                        return self._block(case.body)
                return self._block(node.otherwise)
            case ir.Loop():
                return self._loop(node)
            case ir.Return():
                return _Returned(None if node.value is None else self.value(node.value))
            case _:
                raise AssertionError(type(node).__name__)
        return None

    def _loop(self, node: ir.Loop) -> _Returned | None:
        low, high = self.value(node.low), self.value(node.high)
        for i in range(low, high + node.closed):
            self.held[node.local] = i
            if node.until:
                self._block(node.until.block)
                if self.value(node.until.condition):
                    break
            found = self._block(node.body)
            if found:
                return found
        return None

    def _assign(self, node: ir.Assign) -> None:
        value = self.value(node.value)
        steps = [self.value(s.index) if isinstance(s, ir.IndexStep) else s for s in node.steps]
        self.held[node.local] = _updated(self.held[node.local], steps, value)

    def value(self, node: ir.Expression) -> Any:
        match node:
            case ir.Const():
                return from_leaves(node.type, [_leaf(v, t) for v, t in _const_leaves(node)])
            case ir.Local():
                return self.held[node.local]
            case ir.Param():
                return self.params[node.name]
            case ir.ShortCircuit():
                left = self.value(node.left)
                return self.value(node.right) if left == (node.op is ir.Logic.AND) else left
            case ir.Conditional():
                return self.value(node.then if self.value(node.condition) else node.otherwise)
            case ir.Call():
                args = [self.value(arg) for arg in node.args]
                return _Frame(self.program, self.params, self.read, node.function, args).run()
            case ir.Sample() | ir.At() | ir.Size() | ir.Place():
                return self.read(node, [self.value(a) for a in ir.children(node) if isinstance(a, ir.Expression)])
            case _:
                return _operation(node, [self.value(a) for a in ir.children(node) if isinstance(a, ir.Expression)])


def _updated(old: Any, steps: Sequence[Any], value: Any) -> Any:
    """`old` with one part replaced; a position outside drops the whole assignment."""
    if not steps:
        return value
    step, rest = steps[0], steps[1:]
    if isinstance(step, ir.SwizzleStep):
        parts = list(old)
        given = value if isinstance(value, tuple) else (value,)
        for position, component in zip(step.components, given, strict=True):
            parts[position] = component
        return tuple(parts)
    index = step.index if isinstance(step, ir.FieldStep) else step
    if not 0 <= index < len(old):
        return old
    return (*old[:index], _updated(old[index], rest, value), *old[index + 1 :])


# ---------------------------------------------------------------- expressions


def _operation(node: ir.Expression, args: list[Any]) -> Any:
    match node:
        case ir.Unary():
            return _each(_UNARY[node.op, _is_int(node.type)], node.type, args)
        case ir.Binary():
            return _binary(node, *args)
        case ir.StructField():
            return args[0][node.index]
        case ir.Swizzle():
            chosen = tuple(args[0][i] for i in node.components)
            return chosen[0] if len(chosen) == 1 else chosen
        case ir.Index():
            return args[0][max(0, min(args[1], len(args[0]) - 1))]
        case ir.Make():
            if isinstance(node.type, Vec):
                return tuple(x for arg in args for x in (arg if isinstance(arg, tuple) else (arg,)))
            return tuple(args)
        case ir.Splat():
            return _splat(node.type, args[0])
        case ir.MakeVariant():
            assert isinstance(node.type, Enum)
            payloads = [zero_fields(v.fields) for v in node.type.variants]
            payloads[node.variant] = tuple(args)
            return (node.variant, *payloads)
        case ir.Tag():
            return args[0][0]
        case ir.Payload():
            return args[0][1 + node.variant][node.index]
        case ir.BuiltinCall():
            return _builtin(node, args)
        case _:
            raise Undecided(type(node).__name__)


def _splat(type_: Type, value: Any) -> Any:
    match type_:
        case Vec():
            return (value,) * type_.size
        case Mat():
            return ((value,) * type_.size,) * type_.size
        case Array():
            return (value,) * type_.length
        case _:
            return value


def _is_int(type_: Type) -> bool:
    return type_ is INT


def _each(function: Callable[..., Any], type_: Type, args: Sequence[Any]) -> Any:
    """Apply to scalars, or component by component."""
    if isinstance(type_, Vec | Mat):
        inner = Vec(type_.size) if isinstance(type_, Mat) else None
        parts = zip(*args, strict=True)
        return tuple(_each(function, inner, part) if inner else function(*part) for part in parts)
    return function(*args)


def _binary(node: ir.Binary, left: Any, right: Any) -> Any:
    op, kind = node.op, node.left.type
    if op is BinaryOp.MATMUL:
        return _matmul(left, right)
    if op in (BinaryOp.EQ, BinaryOp.NE):
        return equal(left, right) == (op is BinaryOp.EQ)
    if op in _COMPARE:
        return _COMPARE[op](_order(left, right), 0)
    if kind is Scalar.BOOL:
        return _BITS[op](left, right)
    if kind is INT:
        return arithmetic.wrap(_INTS[op](left, right))
    return _each(_REALS[op], node.type, (left, right))


def _matmul(left: Any, right: Any) -> Any:
    if not isinstance(right[0], tuple):
        rows = range(len(left[0]))
        return tuple(_sum(_mul(left[k][r], right[k]) for k in range(len(left))) for r in rows)
    return tuple(_matmul(left, column) for column in right)


def _sum(terms: Any) -> Any:
    total: Any = Fraction(0)
    for term in terms:
        total = _add(total, term)
    return total


def equal(left: Any, right: Any) -> bool:
    """Whether two values are equal; raises `Undecided` for numbers that are too close to tell."""
    if isinstance(left, tuple):
        return not differ(left, right) and all(equal(a, b) for a, b in zip(left, right, strict=True))
    return _order(left, right) == 0


def differ(left: Any, right: Any) -> bool:
    """Whether two values surely differ in some part."""
    if isinstance(left, tuple):
        return any(differ(a, b) for a, b in zip(left, right, strict=True))
    try:
        return _order(left, right) != 0
    except Undecided:
        return False


def _order(left: Any, right: Any) -> int:
    if isinstance(left, mpf) or isinstance(right, mpf):
        p, q = _irrational(left), _irrational(right)
        if abs(p - q) <= _NEAR * max(abs(p), abs(q), mpf(1)):
            raise Undecided("too close")
        return 1 if p > q else -1
    return (left > right) - (left < right)


# ---------------------------------------------------------------- real numbers


def _irrational(x: Any) -> mpf:
    return x if isinstance(x, mpf) else mpf(x.numerator) / x.denominator


def _moderate(x: Any) -> mpf:
    """An argument that is not so large that its exponential fills all memory."""
    if abs(x) > _LARGE:
        raise Undecided("too large")
    return _irrational(x)


def _real(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def apply(x: Any, y: Any) -> Any:
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return operation(x, y)
        return operation(_irrational(x), _irrational(y))

    return apply


_add, _sub, _mul, _quotient = _real(operator.add), _real(operator.sub), _real(operator.mul), _real(operator.truediv)


def _positive(x: Any) -> bool:
    return _order(x, Fraction(0)) > 0


def _divide(x: Any, y: Any) -> Any:
    if _order(y, Fraction(0)) == 0:
        raise UndefinedValue("division by 0")
    return _quotient(x, y)


def _floor(x: Any) -> Any:
    if isinstance(x, mpf):
        nearest = mpmath.nint(x)
        if abs(x - nearest) < _NEAR * max(abs(x), mpf(1)):
            raise Undecided("floor")
        return Fraction(int(mpmath.floor(x)))
    return Fraction(x.numerator // x.denominator)


def _trunc(x: Any) -> Any:
    return _floor(x) if _order(x, Fraction(0)) >= 0 else -_floor(-x)


def _round(x: Any) -> Any:
    return Fraction(round(x)) if isinstance(x, Fraction) else _floor(_add(x, Fraction(1, 2)))


def _remainder(x: Any, y: Any) -> Any:
    return _sub(x, _mul(y, _trunc(_divide(x, y))))


def _sqrt(x: Any) -> Any:
    if _order(x, Fraction(0)) < 0:
        raise UndefinedValue("root of a negative number")
    if isinstance(x, Fraction):
        root = Fraction(_isqrt(x.numerator), _isqrt(x.denominator))
        if root * root == x:
            return root
    return mpmath.sqrt(_irrational(x))


def _isqrt(n: int) -> int:
    return int(mpmath.libmp.isqrt(n))


def _function(name: str, known: Mapping[int, int]) -> Callable[[Any], Any]:
    """An irrational function; `known` holds whole arguments with whole results."""
    apply = getattr(mpmath, name)

    def call(x: Any) -> Any:
        if isinstance(x, Fraction) and x in known:
            return Fraction(known[int(x)])
        return apply(_irrational(x) if name == "log" else _moderate(x))

    return call


_exp, _ln = _function("exp", {0: 1}), _function("log", {1: 0})


def _log(x: Any) -> Any:
    if not _positive(x):
        raise UndefinedValue("logarithm of what is not above 0")
    return _ln(x)


def _exp2(x: Any) -> Any:
    if isinstance(x, Fraction) and x.denominator == 1 and abs(x) < 4096:
        return Fraction(2) ** int(x)
    return mpf(2) ** _moderate(x)


def _log2(x: Any) -> Any:
    logarithm = _log(x)
    if isinstance(x, Fraction) and Fraction(2) ** (x.numerator.bit_length() - x.denominator.bit_length()) == x:
        return Fraction(x.numerator.bit_length() - x.denominator.bit_length())
    return _irrational(logarithm) / mpmath.log(2)


def _arc(name: str) -> Callable[[Any], Any]:
    apply = _function(name, {})

    def call(x: Any) -> Any:
        if _order(abs(x), Fraction(1)) > 0:
            raise UndefinedValue("beyond 1")
        return apply(x)

    return call


def _pow(x: Any, y: Any) -> Any:
    whole = isinstance(y, Fraction) and y.denominator == 1
    sign = _order(x, Fraction(0))
    if (sign < 0 and not whole) or (sign == 0 and _order(y, Fraction(0)) < 0):
        raise UndefinedValue("power")
    if (
        whole
        and isinstance(x, Fraction)
        and abs(y) * (x.numerator.bit_length() + x.denominator.bit_length()) < _MOST_BITS
    ):
        return x ** int(y)
    return _moderate(x) ** _moderate(y) if sign else Fraction(int(y == 0))


def _atan2(y: Any, x: Any) -> Any:
    if _order(x, Fraction(0)) == 0 == _order(y, Fraction(0)):
        return Fraction(0)
    return mpmath.atan2(_irrational(y), _irrational(x))


def _least(x: Any, y: Any) -> Any:
    return _extreme(x, y, -1)


def _most(x: Any, y: Any) -> Any:
    return _extreme(x, y, 1)


def _extreme(x: Any, y: Any, sign: int) -> Any:
    """Of numbers too close to tell it does not matter which is taken."""
    try:
        return x if _order(x, y) == sign else y
    except Undecided:
        return x


def _to_int(x: Any) -> int:
    return max(arithmetic.INT_MIN, min(int(_trunc(x)), arithmetic.INT_MAX))


def _bits(x: Any) -> int:
    """The bits of the Float that equals a number."""
    bits = floats.from_float(float(x))
    if real(floats.to_float(bits)) != x:
        raise Undecided("no Float")
    return arithmetic.wrap(bits)


_UNARY: Mapping[tuple[ir.UnaryOp, bool], Callable[[Any], Any]] = {
    (ir.UnaryOp.NEG, True): lambda x: arithmetic.wrap(-x),
    (ir.UnaryOp.NEG, False): operator.neg,
    (ir.UnaryOp.NOT, False): operator.not_,
    (ir.UnaryOp.INVERT, True): operator.invert,
}
_COMPARE = {BinaryOp.LT: operator.lt, BinaryOp.LE: operator.le, BinaryOp.GT: operator.gt, BinaryOp.GE: operator.ge}
_BITS = {BinaryOp.AND: operator.and_, BinaryOp.OR: operator.or_, BinaryOp.XOR: operator.xor}
_INTS: Mapping[BinaryOp, Callable[[int, int], int]] = {
    BinaryOp.ADD: operator.add,
    BinaryOp.SUB: operator.sub,
    BinaryOp.MUL: operator.mul,
    BinaryOp.DIV: arithmetic.divide_ints,
    BinaryOp.REM: arithmetic.remainder_ints,
    BinaryOp.SHL: arithmetic.shift_left,
    BinaryOp.SHR: arithmetic.shift_right,
    BinaryOp.USHR: arithmetic.shift_right_logical,
    **_BITS,
}
_REALS: Mapping[BinaryOp, Callable[[Any, Any], Any]] = {
    BinaryOp.ADD: _add,
    BinaryOp.SUB: _sub,
    BinaryOp.MUL: _mul,
    BinaryOp.DIV: _divide,
    BinaryOp.REM: _remainder,
}


def _builtin(node: ir.BuiltinCall, args: list[Any]) -> Any:
    match node.builtin:
        case Builtin.SELECT:
            return args[1] if args[0] else args[2]
        case Builtin.TRANSPOSE:
            return tuple(zip(*args[0], strict=True))
        case Builtin.TO_INT:
            return _to_int(args[0]) if isinstance(args[0], Fraction | mpf) else int(args[0])
        case Builtin.TO_FLOAT:
            return args[0] if isinstance(args[0], Fraction | mpf) else Fraction(int(args[0]))
        case Builtin.ISNAN | Builtin.ISINF:
            return False
        case Builtin.BITCAST_INT:
            return _bits(args[0])
        case Builtin.BITCAST_FLOAT:
            return real(floats.to_float(arithmetic.unsigned(args[0])))
    table = _OF_INTS if node.args[0].type is INT else _OF_REALS
    if node.builtin not in table:
        raise Undecided(node.builtin.value)
    return _each(table[node.builtin], node.type, args)


_OF_INTS: Mapping[Builtin, Callable[..., Any]] = {
    Builtin.ABS: lambda x: arithmetic.wrap(abs(x)),
    Builtin.SIGN: arithmetic.sign_of_int,
    Builtin.MIN: min,
    Builtin.MAX: max,
    Builtin.POPCOUNT: lambda x: arithmetic.unsigned(x).bit_count(),
    Builtin.CLZ: arithmetic.count_leading_zeros,
    Builtin.CTZ: arithmetic.count_trailing_zeros,
    Builtin.REVERSE_BITS: arithmetic.reverse_bits,
    Builtin.UDIV: arithmetic.divide_unsigned,
    Builtin.UREM: arithmetic.remainder_unsigned,
    Builtin.ULT: lambda x, y: arithmetic.unsigned(x) < arithmetic.unsigned(y),
}
_OF_REALS: Mapping[Builtin, Callable[..., Any]] = {
    Builtin.ABS: abs,
    Builtin.SIGN: lambda x: Fraction(_order(x, Fraction(0))),
    Builtin.MIN: _least,
    Builtin.MAX: _most,
    Builtin.FLOOR: _floor,
    Builtin.CEIL: lambda x: -_floor(-x),
    Builtin.ROUND: _round,
    Builtin.TRUNC: _trunc,
    Builtin.SQRT: _sqrt,
    Builtin.INVERSESQRT: lambda x: _divide(Fraction(1), _sqrt(x)),
    Builtin.EXP: _exp,
    Builtin.EXP2: _exp2,
    Builtin.LOG: _log,
    Builtin.LOG2: _log2,
    Builtin.POW: _pow,
    Builtin.ATAN2: _atan2,
    Builtin.ASIN: _arc("asin"),
    Builtin.ACOS: _arc("acos"),
    **{
        getattr(Builtin, name.upper()): _function(name, {0: int(name in ("cos", "cosh"))})
        for name in ("sin", "cos", "tan", "atan", "sinh", "cosh", "tanh")
    },
}


# ---------------------------------------------------------------- values and leaves


def _const_leaves(node: ir.Const) -> list[tuple[ir.LeafValue, Scalar]]:
    return [(value, leaf.scalar) for value, leaf in zip(node.leaves, leaves(node.type), strict=True)]


def _leaf(value: ir.LeafValue, scalar: Scalar) -> Any:
    return real(floats.to_float(int(value))) if scalar is Scalar.FLOAT else value


def real(value: float) -> Fraction:
    """The number that a Float is."""
    if not math.isfinite(value):
        raise UndefinedValue("not a number")
    return Fraction(value)


def from_leaves(type_: Type, scalars: Sequence[Any]) -> Any:
    """The value of these scalars, in the order of `types.leaves`."""
    rest = list(reversed(scalars))
    value = _built(type_, rest)
    assert not rest
    return value


def _built(type_: Type, rest: list[Any]) -> Any:
    match type_:
        case Scalar():
            return rest.pop()
        case Enum():
            return (rest.pop(), *(tuple(_built(f.type, rest) for f in v.fields) for v in type_.variants))
        case _:
            return tuple(_built(part, rest) for part in parts(type_))


def zero_fields(fields: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(_zero(field.type) for field in fields)


def _zero(type_: Type) -> Any:
    match type_:
        case Scalar():
            return {Scalar.BOOL: False, Scalar.INT: 0, Scalar.FLOAT: Fraction(0)}[type_]
        case Enum():
            return (0, *(zero_fields(v.fields) for v in type_.variants))
        case Struct():
            return zero_fields(type_.fields)
        case _:
            return tuple(_zero(part) for part in parts(type_))


mpmath.mp.dps = DIGITS

"""Random constant expressions of any type."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator

from kcheck.checker import ir, types
from kcheck.checker.builtins import CONTRACTS, Builtin, ErrorClass, resolve
from kcheck.checker.ir import BinaryOp, Const, Logic, UnaryOp
from kcheck.checker.types import BOOL, FLOAT, INT, Array, Enum, Mat, Struct, Type, Vec
from tests.checker.build import PAIR, SHAPE, binary, boolean, call, integer, number, unary

TYPES: tuple[Type, ...] = (
    *(BOOL, INT, FLOAT, Vec(2), Vec(3), Vec(4), Mat(2), Mat(3), Mat(4)),
    *(PAIR, SHAPE, Array(INT, 3), Array(PAIR, 2), Array(SHAPE, 1), Array(Vec(2), 2)),
)
INTS = (0, 1, -1, 2, -3, 5, 31, 32, 33, 100_000, 16_777_217, 2**31 - 1, -(2**31), -(2**31) + 1)
FLOATS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 0.1, 1e-3, 1e10, -1e20, 3.4e38, 16777217.0, 2.0**31, -(2.0**31)),
    *(math.inf, -math.inf, math.nan, 2.0**-149, -(2.0**-126), 1.5 * 2.0**-130),
)
ARITHMETIC = (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL, BinaryOp.DIV, BinaryOp.REM)
BITWISE = (BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR)
SHIFTS = (BinaryOp.SHL, BinaryOp.SHR, BinaryOp.USHR)
ORDER = (BinaryOp.LT, BinaryOp.LE, BinaryOp.GT, BinaryOp.GE)


def signatures() -> Iterator[tuple[Builtin, tuple[Type, ...], Type]]:
    """Every way to call every built-in but `select`."""
    simple = [(INT,), (FLOAT,), (BOOL,), *((v,) for v in (*VECTORS, *MATRICES))]
    several = [(t,) * n for n in (2, 3) for t in (INT, FLOAT, *VECTORS)]
    for contract in CONTRACTS.values():
        for args in [*simple, *several, *((v, v, FLOAT) for v in VECTORS)]:
            found = resolve(contract, args)
            if found is not None and found.parameters == args and contract.builtin is not Builtin.SELECT:
                yield contract.builtin, args, found.result


VECTORS = (Vec(2), Vec(3), Vec(4))
MATRICES = (Mat(2), Mat(3), Mat(4))
SIGNATURES = tuple(signatures())
EXACT_BY_RESULT = {
    result: [(b, args) for b, args, r in SIGNATURES if r == result and CONTRACTS[b].error is not ErrorClass.ELEMENTARY]
    for result in {r for _, _, r in SIGNATURES}
}


class Generator:
    """Expressions that hold no elementary functions: two right evaluators agree on them bit for bit."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def type(self) -> Type:
        return self._random.choice(TYPES)

    def expression(self, type_: Type, depth: int) -> ir.Expression:
        if depth <= 0 or self._random.random() < 0.1:
            return self.constant(type_)
        makers = [*self._makers(type_), *(self._any,) * 2]
        return self._random.choice(makers)(type_, depth - 1)

    def constant(self, type_: Type) -> Const:
        """Any value of `type_`."""
        if isinstance(type_, Enum):
            variant = self._random.randrange(len(type_.variants))
            leaves: list[ir.LeafValue] = [variant]
            for number_, each in enumerate(type_.variants):
                for field in each.fields:
                    some = self.constant(field.type).leaves
                    zero = [leaf.scalar is not BOOL and 0 for leaf in types.leaves(field.type)]
                    leaves += some if number_ == variant else zero
            return Const(type=type_, leaves=tuple(leaves))
        if type_ in (BOOL, INT, FLOAT):
            return self._scalar(type_)
        parts = (self.constant(part).leaves for part in types.parts(type_))
        return Const(type=type_, leaves=tuple(leaf for part in parts for leaf in part))

    def _scalar(self, type_: Type) -> Const:
        source = self._random
        if type_ is BOOL:
            return boolean(source.random() < 0.5)
        if type_ is INT:
            return integer(source.choice([source.choice(INTS), source.randrange(-(2**31), 2**31)]))
        some = (source.choice(FLOATS), source.choice(FLOATS), source.uniform(-4, 4), source.gauss(0, 1e4))
        return number(source.choice(some))

    # ------------------------------------------------------------ of any type

    def _any(self, type_: Type, depth: int) -> ir.Expression:
        makers = (self._conditional, self._select, self._element, self._field)
        return self._random.choice(makers)(type_, depth)

    def _conditional(self, type_: Type, depth: int) -> ir.Expression:
        condition, then, otherwise = (self.expression(t, depth) for t in (BOOL, type_, type_))
        return ir.Conditional(type=type_, condition=condition, then=then, otherwise=otherwise)

    def _select(self, type_: Type, depth: int) -> ir.Expression:
        return call(Builtin.SELECT, *(self.expression(t, depth) for t in (BOOL, type_, type_)))

    def _element(self, type_: Type, depth: int) -> ir.Expression:
        length = self._random.randrange(1, 4)
        operand = self.expression(Array(type_, length), depth)
        return ir.Index(type=type_, operand=operand, index=self.expression(INT, depth))

    def _field(self, type_: Type, depth: int) -> ir.Expression:
        fields = tuple(types.FieldOf(name, t) for name, t in (("a", self.type()), ("b", type_), ("c", self.type())))
        operand = self.expression(Struct("S", "S", fields), depth)
        return ir.StructField(type=type_, operand=operand, index=1)

    # ------------------------------------------------------------ by type

    def _makers(self, type_: Type) -> list[Callable[[Type, int], ir.Expression]]:
        calls = [self._call] * 4 if type_ in EXACT_BY_RESULT else []
        if type_ is BOOL:
            return [self._not, self._bits, self._short_circuit, *(self._compare,) * 3, self._payload, *calls]
        if type_ is INT:
            return [self._negated, self._inverted, self._bits, self._shift, *(self._arithmetic,) * 3, self._tag, *calls]
        if type_ is FLOAT:
            return [self._negated, *(self._arithmetic,) * 3, self._swizzle, self._component, self._payload, *calls]
        if isinstance(type_, Vec):
            return [self._negated, *(self._arithmetic,) * 2, self._joined, self._splat, self._swizzle, self._column,
                    self._product, *calls]  # fmt: skip
        if isinstance(type_, Mat):
            return [self._negated, self._arithmetic, self._made, self._splat, self._product, *calls]
        if isinstance(type_, Enum):
            return [self._variant]
        return [self._made, self._splat] if isinstance(type_, Array) else [self._made]

    def _call(self, type_: Type, depth: int) -> ir.Expression:
        builtin, args = self._random.choice(EXACT_BY_RESULT[type_])
        return call(builtin, *(self.expression(t, depth) for t in args))

    def _not(self, type_: Type, depth: int) -> ir.Expression:
        return unary(UnaryOp.NOT, self.expression(type_, depth))

    def _negated(self, type_: Type, depth: int) -> ir.Expression:
        return unary(UnaryOp.NEG, self.expression(type_, depth))

    def _inverted(self, type_: Type, depth: int) -> ir.Expression:
        return unary(UnaryOp.INVERT, self.expression(type_, depth))

    def _two(self, type_: Type, ops: tuple[BinaryOp, ...], depth: int) -> ir.Expression:
        left, right = self.expression(type_, depth), self.expression(type_, depth)
        return binary(left, self._random.choice(ops), right)

    def _arithmetic(self, type_: Type, depth: int) -> ir.Expression:
        return self._two(type_, ARITHMETIC, depth)

    def _bits(self, type_: Type, depth: int) -> ir.Expression:
        return self._two(type_, BITWISE, depth)

    def _shift(self, type_: Type, depth: int) -> ir.Expression:
        return self._two(type_, SHIFTS, depth)

    def _compare(self, type_: Type, depth: int) -> ir.Expression:
        if self._random.random() < 0.5:
            return self._two(self._random.choice((INT, FLOAT)), ORDER, depth)
        left = self.expression(self.type(), depth)
        right = left if self._random.random() < 0.5 else self.expression(left.type, depth)
        return binary(left, self._random.choice((BinaryOp.EQ, BinaryOp.NE)), right)

    def _short_circuit(self, type_: Type, depth: int) -> ir.Expression:
        left, right = self.expression(BOOL, depth), self.expression(BOOL, depth)
        return ir.ShortCircuit(type=BOOL, op=self._random.choice(tuple(Logic)), left=left, right=right)

    def _tag(self, type_: Type, depth: int) -> ir.Expression:
        return ir.Tag(type=INT, operand=self.expression(SHAPE, depth))

    def _payload(self, type_: Type, depth: int) -> ir.Expression:
        """Of a value that is of that variant."""
        parts = (self.expression(FLOAT, depth), self.expression(BOOL, depth))
        disc = ir.MakeVariant(type=SHAPE, variant=1, parts=parts)
        return ir.Payload(type=type_, operand=disc, variant=1, index=0 if type_ is FLOAT else 1)

    def _variant(self, type_: Type, depth: int) -> ir.Expression:
        assert isinstance(type_, Enum)
        variant = self._random.randrange(len(type_.variants))
        parts = tuple(self.expression(f.type, depth) for f in type_.variants[variant].fields)
        return ir.MakeVariant(type=type_, variant=variant, parts=parts)

    def _swizzle(self, type_: Type, depth: int) -> ir.Expression:
        operand = self.expression(self._random.choice(VECTORS), depth)
        assert isinstance(operand.type, Vec)
        count = type_.size if isinstance(type_, Vec) else 1
        components = tuple(self._random.randrange(operand.type.size) for _ in range(count))
        return ir.Swizzle(type=type_, operand=operand, components=components)

    def _component(self, type_: Type, depth: int) -> ir.Expression:
        operand = self.expression(self._random.choice(VECTORS), depth)
        return ir.Index(type=FLOAT, operand=operand, index=self.expression(INT, depth))

    def _column(self, type_: Type, depth: int) -> ir.Expression:
        assert isinstance(type_, Vec)
        operand = self.expression(Mat(type_.size), depth)
        return ir.Index(type=type_, operand=operand, index=self.expression(INT, depth))

    def _joined(self, type_: Type, depth: int) -> ir.Expression:
        assert isinstance(type_, Vec)
        kinds: list[Type] = [FLOAT] * type_.size
        if self._random.random() < 0.5:
            at = self._random.randrange(type_.size - 1)
            kinds[at : at + 2] = [Vec(2)]
        return ir.Make(type=type_, parts=tuple(self.expression(t, depth) for t in kinds))

    def _made(self, type_: Type, depth: int) -> ir.Expression:
        return ir.Make(type=type_, parts=tuple(self.expression(t, depth) for t in types.parts(type_)))

    def _splat(self, type_: Type, depth: int) -> ir.Expression:
        operand = type_.element if isinstance(type_, Array) else FLOAT
        return ir.Splat(type=type_, operand=self.expression(operand, depth))

    def _product(self, type_: Type, depth: int) -> ir.Expression:
        assert isinstance(type_, Vec | Mat)
        left, right = self.expression(Mat(type_.size), depth), self.expression(type_, depth)
        return binary(left, BinaryOp.MATMUL, right)

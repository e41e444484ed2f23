"""The built-ins as terms: what each means over the reals and on wrapping Ints.

The composite built-ins are not here: `expand_prelude` has turned them into functions.  `normalize` is, so that a zero
vector is named as such.  What has no value for some arguments says so by `Steps.require`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Protocol, TypeAlias

from kcheck.checker import floats
from kcheck.checker.builtins import Builtin
from kcheck.checker.law.problem import Undefined
from kcheck.checker.law.terms import Op, Sort, Term, Terms, number

Leaves: TypeAlias = tuple[Term, ...]


class Steps(Protocol):
    """Where terms are made, and who is told of steps without a value."""

    @property
    def terms(self) -> Terms: ...

    def require(self, condition: Term, kind: Undefined) -> None:
        """The step has a value only where `condition` holds."""
        ...

    def block(self, reason: str) -> None:
        """Raises: this cannot be said in terms."""
        ...


Meaning: TypeAlias = Callable[[Steps, Sequence[Leaves]], Leaves]
"""The leaves of the result from those of the arguments."""

_MAX_POWER = 16
"""The highest whole exponent of `pow` that is written out as a product."""


def _each(meaning: Callable[..., Term]) -> Meaning:
    """A meaning of scalars, for each component alone."""

    def leaves(steps: Steps, args: Sequence[Leaves]) -> Leaves:
        return tuple(meaning(steps, *components) for components in zip(*args, strict=True))

    return leaves


def _op(op: Op) -> Meaning:
    return _each(lambda steps, *args: steps.terms.apply(op, *args))


def _function(name: str, sort: Sort) -> Meaning:
    """A function of which only equal results for equal arguments are known."""
    return _each(lambda steps, *args: steps.terms.function(name, args, sort))


def is_not_zero(terms: Terms, x: Term) -> Term:
    """That a Real is not 0, or that none of its factors is: what is easier to see."""
    factors: dict[Term, None] = {}
    pending = [x]
    while pending:
        factor = pending.pop()
        if factor.op is Op.MUL or factor.op is Op.DIV:
            pending.extend(arg for arg in dict.fromkeys(factor.args) if arg not in factors)
        factors[factor] = None
    zero = terms.real(0)
    products = (Op.MUL, Op.DIV)
    plain = [terms.not_(terms.eq(factor, zero)) for factor in factors if factor.op not in products]
    return terms.or_(terms.not_(terms.eq(x, zero)), terms.all(plain))


# ---------------------------------------------------------------- rounding and signs


def _sign(steps: Steps, x: Term) -> Term:
    terms = steps.terms
    zero = terms.zero(x.sort)
    one, minus_one = terms.const(1, x.sort), terms.const(-1, x.sort)
    return terms.if_(terms.lt(zero, x), one, terms.if_(terms.lt(x, zero), minus_one, zero))


def floor(terms: Terms, x: Term) -> Term:
    return terms.apply(Op.FLOOR, x)


def ceil(terms: Terms, x: Term) -> Term:
    return terms.neg(floor(terms, terms.neg(x)))


def _trunc(steps: Steps, x: Term) -> Term:
    terms = steps.terms
    return terms.if_(terms.lt(x, terms.real(0)), ceil(terms, x), floor(terms, x))


def _round(steps: Steps, x: Term) -> Term:
    """The nearest whole number; halves go up, and down again where that is odd."""
    terms = steps.terms
    shifted = terms.add(x, terms.real(Fraction(1, 2)))
    up = floor(terms, shifted)
    half = terms.mul(up, terms.real(Fraction(1, 2)))
    odd = terms.not_(terms.eq(floor(terms, half), half))
    return terms.if_(terms.and_(terms.eq(shifted, up), odd), terms.sub(up, terms.real(1)), up)


# ---------------------------------------------------------------- roots, exponentials and powers


def _sqrt(steps: Steps, x: Term) -> Term:
    steps.require(steps.terms.le(steps.terms.real(0), x), Undefined.SQRT)
    return steps.terms.apply(Op.SQRT, x)


def _inversesqrt(steps: Steps, x: Term) -> Term:
    terms = steps.terms
    steps.require(terms.lt(terms.real(0), x), Undefined.INVERSESQRT)
    return terms.apply(Op.DIV, terms.real(1), terms.apply(Op.SQRT, x))


def _exp(steps: Steps, x: Term) -> Term:
    return steps.terms.apply(Op.EXP, x)


def _log(steps: Steps, x: Term) -> Term:
    steps.require(steps.terms.lt(steps.terms.real(0), x), Undefined.LOG)
    return steps.terms.apply(Op.LOG, x)


def _log_of_two(terms: Terms) -> Term:
    return terms.apply(Op.LOG, terms.real(2))


def _exp2(steps: Steps, x: Term) -> Term:
    return _exp(steps, steps.terms.mul(x, _log_of_two(steps.terms)))


def _log2(steps: Steps, x: Term) -> Term:
    return steps.terms.apply(Op.DIV, _log(steps, x), _log_of_two(steps.terms))


def _sinh(steps: Steps, x: Term) -> Term:
    terms = steps.terms
    difference = terms.sub(_exp(steps, x), _exp(steps, terms.neg(x)))
    return terms.mul(difference, terms.real(Fraction(1, 2)))


def _cosh(steps: Steps, x: Term) -> Term:
    terms = steps.terms
    return terms.mul(terms.add(_exp(steps, x), _exp(steps, terms.neg(x))), terms.real(Fraction(1, 2)))


def _tanh(steps: Steps, x: Term) -> Term:
    """(e^2x - 1) / (e^2x + 1), so written that it is seen to be within -1 and 1."""
    terms = steps.terms
    power = _exp(steps, terms.mul(x, terms.real(2)))
    rest = terms.apply(Op.DIV, terms.real(2), terms.add(power, terms.real(1)))
    return terms.sub(terms.real(1), rest)


def _pow(steps: Steps, x: Term, y: Term) -> Term:
    if y.is_const:
        exponent = Fraction(number(y))
        if exponent.denominator == 1 and abs(exponent) <= _MAX_POWER:
            return _whole_power(steps, x, int(exponent))
    terms = steps.terms
    zero, one = terms.real(0), terms.real(1)
    positive, at_zero = terms.lt(zero, x), terms.eq(x, zero)
    negative_base = terms.and_(terms.lt(x, zero), terms.eq(floor(terms, y), y))
    zero_base = terms.and_(at_zero, terms.le(zero, y))
    steps.require(terms.any((positive, zero_base, negative_base)), Undefined.POW)
    base = terms.if_(positive, x, one)  # so that the logarithm has a value whatever branch is looked at
    by_exponential = terms.apply(Op.EXP, terms.mul(y, terms.apply(Op.LOG, base)))
    of_zero = terms.if_(terms.eq(y, zero), one, zero)
    other = terms.if_(at_zero, of_zero, terms.function("pow", (x, y), Sort.REAL))
    return terms.if_(positive, by_exponential, other)


def _whole_power(steps: Steps, x: Term, exponent: int) -> Term:
    terms = steps.terms
    product = terms.real(1)
    for _ in range(abs(exponent)):
        product = terms.mul(product, x) if not product.is_const else x
    if exponent >= 0:
        return product
    steps.require(terms.not_(terms.eq(x, terms.real(0))), Undefined.POW)
    return terms.apply(Op.DIV, terms.real(1), product)


# ---------------------------------------------------------------- angles


def _tan(steps: Steps, x: Term) -> Term:
    terms = steps.terms
    cosine = terms.function("cos", (x,), Sort.REAL)
    steps.require(terms.not_(terms.eq(cosine, terms.real(0))), Undefined.TAN)
    return terms.apply(Op.DIV, terms.function("sin", (x,), Sort.REAL), cosine)


def _arc(name: str) -> Meaning:
    def meaning(steps: Steps, x: Term) -> Term:
        terms = steps.terms
        within = terms.and_(terms.le(terms.real(-1), x), terms.le(x, terms.real(1)))
        steps.require(within, Undefined.ARC)
        return terms.function(name, (x,), Sort.REAL)

    return _each(meaning)


# ---------------------------------------------------------------- conversions


def _to_int(steps: Steps, x: Term) -> Term:
    terms = steps.terms
    if x.sort is Sort.BOOL:
        return terms.if_(x, terms.integer(1), terms.integer(0))
    return terms.to_int(x) if x.sort is Sort.REAL else x


def _to_float(steps: Steps, x: Term) -> Term:
    terms = steps.terms
    if x.sort is Sort.BOOL:
        return terms.if_(x, terms.real(1), terms.real(0))
    return terms.to_real(x) if x.sort is Sort.INT else x


_BITS_OF, _FROM_BITS = "bitcast_int", "bitcast_float"


def _bitcast_int(steps: Steps, x: Term) -> Term:
    if x.op is Op.FUNCTION and x.value == _FROM_BITS:
        return x.args[0]
    return steps.terms.function(_BITS_OF, (x,), Sort.INT)


def _bitcast_float(steps: Steps, x: Term) -> Term:
    """The number; the patterns of infinities and NaN have none."""
    terms = steps.terms
    if x.is_const:
        return float_constant(steps, int(number(x)))
    if x.op is Op.FUNCTION and x.value == _BITS_OF:
        return x.args[0]
    exponent = terms.apply(Op.BIT_AND, terms.apply(Op.SHR, x, terms.integer(23)), terms.integer(255))
    steps.require(terms.not_(terms.eq(exponent, terms.integer(255))), Undefined.NOT_REAL)
    return terms.function(_FROM_BITS, (x,), Sort.REAL)


def float_constant(steps: Steps, bits: int) -> Term:
    """The real number that a Float of these bits is."""
    pattern = bits & 0xFFFFFFFF
    if pattern & floats.INFINITY == floats.INFINITY:
        steps.block("an infinity or NaN is no real number")
    return steps.terms.real(Fraction(floats.to_float(pattern)))


# ---------------------------------------------------------------- vectors, matrices, choice


def _normalize(steps: Steps, args: Sequence[Leaves]) -> Leaves:
    terms = steps.terms
    [vector] = args
    square = terms.mul(vector[0], vector[0])
    for component in vector[1:]:
        square = terms.add(square, terms.mul(component, component))
    steps.require(terms.lt(terms.real(0), square), Undefined.NORMALIZE)
    length = terms.apply(Op.SQRT, square)
    return tuple(terms.apply(Op.DIV, component, length) for component in vector)


def _transpose(_: Steps, args: Sequence[Leaves]) -> Leaves:
    [matrix] = args
    size = {4: 2, 9: 3, 16: 4}[len(matrix)]
    return tuple(matrix[row * size + column] for column in range(size) for row in range(size))


def _select(steps: Steps, args: Sequence[Leaves]) -> Leaves:
    [condition], then, otherwise = args
    return tuple(steps.terms.if_(condition, a, b) for a, b in zip(then, otherwise, strict=True))


def _never(steps: Steps, args: Sequence[Leaves]) -> Leaves:
    return (steps.terms.false,)


MEANINGS: Mapping[Builtin, Meaning] = {
    Builtin.ABS: _op(Op.ABS),
    Builtin.SIGN: _each(_sign),
    Builtin.MIN: _op(Op.MIN),
    Builtin.MAX: _op(Op.MAX),
    Builtin.FLOOR: _op(Op.FLOOR),
    Builtin.CEIL: _each(lambda steps, x: ceil(steps.terms, x)),
    Builtin.ROUND: _each(_round),
    Builtin.TRUNC: _each(_trunc),
    Builtin.SQRT: _each(_sqrt),
    Builtin.INVERSESQRT: _each(_inversesqrt),
    Builtin.EXP: _each(_exp),
    Builtin.EXP2: _each(_exp2),
    Builtin.LOG: _each(_log),
    Builtin.LOG2: _each(_log2),
    Builtin.POW: _each(_pow),
    Builtin.SIN: _function("sin", Sort.REAL),
    Builtin.COS: _function("cos", Sort.REAL),
    Builtin.TAN: _each(_tan),
    Builtin.ASIN: _arc("asin"),
    Builtin.ACOS: _arc("acos"),
    Builtin.ATAN: _function("atan", Sort.REAL),
    Builtin.ATAN2: _function("atan2", Sort.REAL),
    Builtin.SINH: _each(_sinh),
    Builtin.COSH: _each(_cosh),
    Builtin.TANH: _each(_tanh),
    Builtin.ISNAN: _never,
    Builtin.ISINF: _never,
    Builtin.NORMALIZE: _normalize,
    Builtin.TRANSPOSE: _transpose,
    Builtin.POPCOUNT: _op(Op.POPCOUNT),
    Builtin.CLZ: _op(Op.CLZ),
    Builtin.CTZ: _op(Op.CTZ),
    Builtin.REVERSE_BITS: _op(Op.REVERSE_BITS),
    Builtin.UDIV: _op(Op.UDIV),
    Builtin.UREM: _op(Op.UREM),
    Builtin.ULT: _each(lambda steps, a, b: steps.terms.ult(a, b)),
    Builtin.BITCAST_INT: _each(_bitcast_int),
    Builtin.BITCAST_FLOAT: _each(_bitcast_float),
    Builtin.TO_INT: _each(_to_int),
    Builtin.TO_FLOAT: _each(_to_float),
    Builtin.SELECT: _select,
}
"""Every built-in that `expand_prelude` leaves in a program when it is given `EXPANDED`."""

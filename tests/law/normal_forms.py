"""Normal forms read back as numbers, by what each kind of atom is documented to be."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath

from kcheck.checker.law.algebra.atoms import Atom, Atoms, Kind
from kcheck.checker.law.algebra.facts import ABOVE, NEGATIVE, NULL
from kcheck.checker.law.algebra.normal import Value
from kcheck.checker.law.algebra.polynomial import Key, Monomial, Polynomial
from kcheck.checker.law.algebra.reals import Ratio
from kcheck.checker.law.terms import Op, Sort, Term, Terms
from tests.law.reference import evaluate

TWO_TO_32 = 1 << 32
NEAR = Fraction(1, 10**40)
"""Numbers with irrational parts that differ by less are equal."""


def signed(value: int) -> int:
    return (value + (1 << 31)) % TWO_TO_32 - (1 << 31)


def sign_of(value: Any) -> int:
    if not isinstance(value, int | Fraction) and abs(value) < NEAR:
        return NULL
    return NULL if value == 0 else ABOVE if value > 0 else NEGATIVE


class NoValue(Exception):
    """A step that has no value here; the path is one that evaluation does not take."""


class Reading:
    """What normal forms are where the variables have these values; with mpmath's numbers where roots occur."""

    def __init__(self, atoms: Atoms, values: Mapping[Term, Any]) -> None:
        self._atoms = atoms
        self._values = values
        self._known: dict[int, Any] = {}

    def of(self, value: Value) -> Any:
        if isinstance(value, bool):
            return value
        return self.ratio(value) if isinstance(value, Ratio) else signed(self.polynomial(value))

    def ratio(self, x: Ratio) -> Any:
        result = self.polynomial(x.numerator)
        for number, exponent in x.denominator:
            result = _quotient(result, _power(self.polynomial(self._atoms.factors[number]), exponent))
        return result

    def polynomial(self, p: Polynomial) -> Any:
        return _sum(_product(c, self.monomial(m)) for m, c in p.items())

    def monomial(self, m: Monomial) -> Any:
        result: Any = 1
        for atom, exponent in m:
            result = _product(result, _power(self.atom(atom), exponent))
        return result

    def atom(self, number: int) -> Any:
        if number not in self._known:
            self._known[number] = self._of(self._atoms[number])
        return self._known[number]

    def _key(self, key: Any) -> Any:
        """Of a polynomial's key, or a fraction's."""
        if isinstance(key, tuple):
            return self.ratio(Ratio(dict(key[0]), key[1]))
        return self.polynomial(dict(key))

    def _of(self, atom: Atom) -> Any:
        key: Any = atom.key
        match atom.kind:
            case Kind.VARIABLE:
                return self._values[key]
            case Kind.TRUTH:
                return int(self._values[key])
            case Kind.EXP:
                return mpmath.exp(_mpf(self.ratio(Ratio({key[0]: 1}, key[1]))))
            case Kind.LOG:
                return mpmath.log(_mpf(self._key(key)))
            case Kind.COSINE:
                return mpmath.cos(_mpf(self._key(key)))
            case Kind.SINE:
                return mpmath.sin(_mpf(self._key(key)))
            case Kind.SQRT:
                return mpmath.sqrt(_mpf(self._key(key)))
            case Kind.ABS:
                return abs(self._key(key))
            case Kind.FLOOR:
                return math.floor(self._key(key))
            case Kind.EXTREME:
                return max(min(self._key(leaf) for leaf in least) for least in key)
            case Kind.SIGNED:
                return signed(self._key(key))
            case Kind.UNSIGNED:
                return self._key(key) % TWO_TO_32
            case Kind.CARRY:
                return self._key(key) // TWO_TO_32
            case Kind.BITS if isinstance(key, frozenset):
                result = 0
                for operands, mask in key:
                    result ^= self._conjunction(operands, mask)
                return signed(result)
            case Kind.BITS:
                return signed(self._conjunction(*key))
            case Kind.MODULO:
                return self._key(key[1]) % key[0]
            case Kind.REST:
                return self._key(key[1]) % self.atom(key[0])
            case Kind.DIVISOR:
                return signed(math.gcd(*(self._key(each) for each in key)))
            case Kind.OTHER:
                return self._other(*key)

    def _conjunction(self, operands: frozenset[Key], mask: int) -> int:
        result = mask
        for operand in operands:
            result &= self._key(operand)
        return result

    def _other(self, name: str, *keys: Any) -> Any:
        if name == "atan2":
            return mpmath.atan2(*(_mpf(self._key(key)) for key in keys[1:]))
        terms = Terms()
        if all(isinstance(key, frozenset) for key in keys):
            arguments = [terms.integer(self._key(key)) for key in keys]
            return evaluate([terms.apply(Op(name), *arguments)], {})[0]
        values = [terms.real(Fraction(self._key(key))) for key in keys]
        if name == "int":
            return evaluate([terms.to_int(values[0])], {})[0]
        if name == "floor":
            values = values[:1]
        [value] = evaluate([terms.apply(Op(name), *values)], {})
        if value is None:
            raise NoValue
        return value


def real_value(term: Term, values: Mapping[Term, Any]) -> Any:
    """A term with exponentials, logarithms and roots in many digits; None where it has no value."""
    if term.op is Op.VAR:
        return values[term]
    if term.op is Op.IF:
        condition = real_value(term.args[0], values)
        return None if condition is None else real_value(term.args[1 if condition else 2], values)
    arguments = [real_value(argument, values) for argument in term.args]
    if any(argument is None for argument in arguments):
        return None
    if term.op in _FUNCTIONS:
        x = _mpf(arguments[0])
        if (term.op is Op.LOG and x <= 0) or (term.op is Op.SQRT and x < 0) or abs(x) > 60:
            return None
        return _FUNCTIONS[term.op](x)
    if term.sort is Sort.REAL and term.args and term.op is not Op.TO_REAL:
        return _arithmetic(term.op, arguments)
    return evaluate([term], dict(zip(term.args, arguments, strict=True)))[0]


_FUNCTIONS = {Op.EXP: mpmath.exp, Op.LOG: mpmath.log, Op.SQRT: mpmath.sqrt}


def _arithmetic(op: Op, x: list[Any]) -> Any:
    match op:
        case Op.ADD:
            return _sum(x)
        case Op.SUB:
            return _sum([x[0], _product(-1, x[1])])
        case Op.MUL:
            return _product(*x)
        case Op.DIV:
            return None if sign_of(x[1]) == NULL else _quotient(*x)
        case Op.NEG:
            return _product(-1, x[0])
        case Op.MIN:
            return min(x)
        case Op.MAX:
            return max(x)
        case Op.ABS:
            return abs(x[0])
        case _:
            raise AssertionError(op)


def _mpf(value: Any) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, int | Fraction) else value


def _sum(parts: Any) -> Any:
    result: Any = 0
    for part in parts:
        both = isinstance(result, int | Fraction) and isinstance(part, int | Fraction)
        result = result + part if both else _mpf(result) + _mpf(part)
    return result


def _product(x: Any, y: Any) -> Any:
    return x * y if isinstance(x, int | Fraction) and isinstance(y, int | Fraction) else _mpf(x) * _mpf(y)


def _quotient(x: Any, y: Any) -> Any:
    both = isinstance(x, int | Fraction) and isinstance(y, int | Fraction)
    return Fraction(x) / y if both else _mpf(x) / _mpf(y)


def _power(x: Any, exponent: Any) -> Any:
    if isinstance(exponent, Fraction):
        return mpmath.power(_mpf(x), _mpf(exponent))
    if isinstance(x, int | Fraction):
        return x**exponent if exponent >= 0 else 1 / Fraction(x) ** -exponent
    return x**exponent

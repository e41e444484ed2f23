"""Terms: the mathematics of a merge, as the prover's stages see it.

A term is a Bool, an Int (32 bits, wrapping, signed) or a Real.  The Floats of the language are read as real numbers
(language.md, section 7), so a term holds no NaN, no infinity and no rounding; what has no real value, such as a
division by zero, is an `Obligation` of the `problem`, never a value here.  Where one fails a term means nothing.

Equal terms of one `Terms` are one object: terms are compared with `is` and may be keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from functools import partial, reduce
from typing import TypeAlias

from kcheck.checker import arithmetic


class Sort(Enum):
    BOOL = "Bool"
    INT = "Int"
    REAL = "Real"

    __hash__ = object.__hash__  # that of Enum hashes the name anew each time


class Op(Enum):
    """The operations; the comment gives the sorts."""

    __hash__ = object.__hash__

    CONST = "const"
    """`value` is a bool, an int in the range of Int, or a Fraction."""
    VAR = "var"
    """`value` is its name."""

    NOT = "not"
    AND = "and"
    OR = "or"
    """Bool, two arguments each."""
    IF = "if"
    """Bool, T, T: the second where the first holds, else the third."""
    EQ = "="
    """T, T: Bool."""
    LT = "<"
    LE = "<="
    """Int, Int or Real, Real: Bool."""
    ULT = "u<"
    """Int, Int: Bool, read as unsigned."""

    ADD = "+"
    SUB = "-"
    MUL = "*"
    NEG = "neg"
    MIN = "min"
    MAX = "max"
    ABS = "abs"
    """Int (wrapping) or Real."""
    DIV = "/"
    REM = "%"
    """Int with the language's rules for 0 and MIN; Real, whose divisor an obligation holds to be not 0.
    The remainder of Reals is a - b * truncate(a / b)."""

    BIT_AND = "&"
    BIT_OR = "|"
    BIT_XOR = "^"
    BIT_NOT = "~"
    SHL = "<<"
    SHR = ">>"
    USHR = ">>>"
    """Int; counts are taken modulo 32."""
    UDIV = "udiv"
    UREM = "urem"
    POPCOUNT = "popcount"
    CLZ = "clz"
    CTZ = "ctz"
    REVERSE_BITS = "reverse_bits"
    """Int."""

    TO_REAL = "real"
    """Int to Real, exactly."""
    TO_INT = "int"
    """Real to Int: truncated, then saturated."""
    FLOOR = "floor"
    EXP = "exp"
    LOG = "log"
    SQRT = "sqrt"
    """Real to Real; LOG of what an obligation holds to be > 0, SQRT of what one holds to be >= 0."""
    FUNCTION = "function"
    """Any other function of its arguments, to the term's sort; `value` is its name.  Nothing else is known of it."""


Value: TypeAlias = "bool | int | Fraction"


class Term:
    """One node; made by `Terms` only.  `number` counts up: arguments have smaller numbers than the term itself."""

    __slots__ = ("args", "number", "op", "sort", "value")

    op: Op
    args: tuple[Term, ...]
    sort: Sort
    value: Value | str | None
    number: int

    def __init__(self, op: Op, args: tuple[Term, ...], sort: Sort, value: Value | str | None, number: int) -> None:
        self.op = op
        self.args = args
        self.sort = sort
        self.value = value
        self.number = number

    @property
    def is_const(self) -> bool:
        return self.op is Op.CONST

    def __repr__(self) -> str:
        if self.op is Op.CONST or self.op is Op.VAR:
            return str(self.value)
        name = self.value if self.op is Op.FUNCTION else self.op.value
        return f"({name} {' '.join(map(repr, self.args))})"


_MOST_JOINED = 8
"""How many words a test for 0 is taken apart into."""
MAX_BITS = 1 << 14
"""The longest numbers: far beyond all Floats, and what grows further would soon take all time."""


class TooLarge(Exception):
    """More terms than the limit of their `Terms`, or a constant longer than `MAX_BITS`."""


class Terms:
    """Makes terms, each once.  The methods simplify only what is equal for all values of the variables.

    Raises `TooLarge` beyond `limit` terms and for long constants, so that no merge takes all memory or time.
    """

    def __init__(self, limit: int = 200_000) -> None:
        self._known: dict[tuple[object, ...], Term] = {}
        self._limit = limit
        self.true = self._make(Op.CONST, (), Sort.BOOL, True)
        self.false = self._make(Op.CONST, (), Sort.BOOL, False)

    def __len__(self) -> int:
        return len(self._known)

    # ------------------------------------------------------------ leaves

    def truth(self, value: bool) -> Term:
        return self.true if value else self.false

    def integer(self, value: int) -> Term:
        """An Int constant; the value is wrapped."""
        return self._make(Op.CONST, (), Sort.INT, arithmetic.wrap(value))

    def real(self, value: Fraction | int) -> Term:
        return self._make(Op.CONST, (), Sort.REAL, Fraction(value))

    def const(self, value: Value, sort: Sort) -> Term:
        if sort is Sort.BOOL:
            return self.truth(bool(value))
        return self.integer(int(value)) if sort is Sort.INT else self.real(Fraction(value))

    def var(self, name: str, sort: Sort) -> Term:
        return self._make(Op.VAR, (), sort, name)

    def zero(self, sort: Sort) -> Term:
        return self.const(0, sort)

    # ------------------------------------------------------------ Bool

    def not_(self, a: Term) -> Term:
        if a.is_const:
            return self.truth(not a.value)
        return a.args[0] if a.op is Op.NOT else self._make(Op.NOT, (a,), Sort.BOOL)

    def and_(self, a: Term, b: Term) -> Term:
        if a is self.false or b is self.false or a is self.not_(b):
            return self.false
        if a is self.true or a is b:
            return b
        return a if b is self.true else self._make(Op.AND, (a, b), Sort.BOOL)

    def or_(self, a: Term, b: Term) -> Term:
        if a is self.true or b is self.true or a is self.not_(b):
            return self.true
        if a is self.false or a is b:
            return b
        return a if b is self.false else self._make(Op.OR, (a, b), Sort.BOOL)

    def xor(self, a: Term, b: Term) -> Term:
        return self.not_(self.eq(a, b))

    def all(self, terms: Iterable[Term]) -> Term:
        result = self.true
        for term in terms:
            result = self.and_(result, term)
        return result

    def any(self, terms: Iterable[Term]) -> Term:
        result = self.false
        for term in terms:
            result = self.or_(result, term)
        return result

    def if_(self, condition: Term, a: Term, b: Term) -> Term:
        if a is b or condition is self.true:
            return a
        if condition is self.false:
            return b
        if condition.op is Op.NOT:
            return self.if_(condition.args[0], b, a)
        if a.op is Op.IF and a.args[0] is condition:
            a = a.args[1]
        if b.op is Op.IF and b.args[0] is condition:
            b = b.args[2]
        if a.sort is Sort.BOOL:
            return self._if_bool(condition, a, b)
        return a if a is b else self._make(Op.IF, (condition, a, b), a.sort)

    def _if_bool(self, condition: Term, a: Term, b: Term) -> Term:
        if a is b:
            return a
        if a.is_const:
            return self.or_(condition, b) if a.value else self.and_(self.not_(condition), b)
        if b.is_const:
            return self.or_(self.not_(condition), a) if b.value else self.and_(condition, a)
        return self._make(Op.IF, (condition, a, b), Sort.BOOL)

    # ------------------------------------------------------------ comparisons

    def eq(self, a: Term, b: Term) -> Term:
        if a is b:
            return self.true
        if a.is_const and b.is_const:
            return self.truth(a.value == b.value)
        if a.sort is Sort.BOOL and (a.is_const or b.is_const):
            known, other = (a, b) if a.is_const else (b, a)
            return other if known.value else self.not_(other)
        if a.value == 0 or b.value == 0:
            word = b if a.value == 0 else a
            if word.op in (Op.BIT_OR, Op.BIT_AND) and _is_of_few_joined(word):
                return self._is_clear((word,))
        return self._equation(a, b)

    def _equation(self, a: Term, b: Term) -> Term:
        if a.number > b.number:  # one order, so that a = b and b = a are one term
            a, b = b, a
        return self._make(Op.EQ, (a, b), Sort.BOOL)

    def _is_clear(self, factors: Sequence[Term]) -> Term:
        """That no bit is set in all of these words: of what `|` joins, that none is in either part."""
        split = next((f for f in factors if f.op in _SPLIT), None)
        if split is None:
            words = sorted(set(factors), key=lambda f: f.number)
            met = reduce(partial(self.apply, Op.BIT_AND), words)
            return self.truth(met.value == 0) if met.is_const else self._equation(met, self.integer(0))
        rest = [f for f in factors if f is not split]
        if split.op is Op.BIT_AND:
            return self._is_clear((*rest, *split.args))
        x, y = (self._is_clear((*rest, part)) for part in split.args[-2:])
        return self.and_(x, y) if split.op is Op.BIT_OR else self.if_(split.args[0], x, y)

    def lt(self, a: Term, b: Term) -> Term:
        return self._compare(Op.LT, a, b, lambda x, y: x < y)

    def le(self, a: Term, b: Term) -> Term:
        return self._compare(Op.LE, a, b, lambda x, y: x <= y)

    def ult(self, a: Term, b: Term) -> Term:
        return self._compare(Op.ULT, a, b, lambda x, y: arithmetic.unsigned(int(x)) < arithmetic.unsigned(int(y)))

    def _compare(self, op: Op, a: Term, b: Term, holds: Callable[[Value, Value], bool]) -> Term:
        if a is b:
            return self.truth(op is Op.LE)
        if a.is_const and b.is_const:
            return self.truth(holds(number(a), number(b)))
        return self._make(op, (a, b), Sort.BOOL)

    # ------------------------------------------------------------ numbers

    def apply(self, op: Op, *args: Term) -> Term:
        """Any operation of Ints or Reals to one of the sort of its first argument; constants are computed."""
        fold = _FOLD_INT if args[0].sort is Sort.INT else _FOLD_REAL
        if op in fold and all(arg.is_const for arg in args):
            folded = fold[op](*(number(arg) for arg in args))
            if folded is not None:
                if max(folded.numerator.bit_length(), folded.denominator.bit_length()) > MAX_BITS:
                    raise TooLarge
                return self.const(folded, args[0].sort)
        unit = _RIGHT_UNIT.get(op)
        if unit is not None and args[1].is_const and args[1].value == unit:
            return args[0]
        if op in _COMMUTATIVE and args[0].number > args[1].number:
            args = (args[1], args[0])
        return self._make(op, args, args[0].sort)

    def add(self, a: Term, b: Term) -> Term:
        return self.apply(Op.ADD, a, b)

    def sub(self, a: Term, b: Term) -> Term:
        return self.apply(Op.SUB, a, b)

    def mul(self, a: Term, b: Term) -> Term:
        return self.apply(Op.MUL, a, b)

    def neg(self, a: Term) -> Term:
        return self.apply(Op.NEG, a)

    def to_real(self, a: Term) -> Term:
        return self.real(Fraction(number(a))) if a.is_const else self._make(Op.TO_REAL, (a,), Sort.REAL)

    def to_int(self, a: Term) -> Term:
        if a.is_const:
            return self.integer(saturated(Fraction(number(a))))
        return self._make(Op.TO_INT, (a,), Sort.INT)

    def function(self, name: str, args: Sequence[Term], sort: Sort) -> Term:
        return self._make(Op.FUNCTION, tuple(args), sort, name)

    # ------------------------------------------------------------ substitution

    def rebuild(self, term: Term, args: Sequence[Term]) -> Term:
        """The term with other arguments of the same sorts, simplified again."""
        if tuple(args) == term.args:
            return term
        match term.op:
            case Op.NOT:
                return self.not_(args[0])
            case Op.AND:
                return self.and_(args[0], args[1])
            case Op.OR:
                return self.or_(args[0], args[1])
            case Op.IF:
                return self.if_(args[0], args[1], args[2])
            case Op.EQ:
                return self.eq(args[0], args[1])
            case Op.LT:
                return self.lt(args[0], args[1])
            case Op.LE:
                return self.le(args[0], args[1])
            case Op.ULT:
                return self.ult(args[0], args[1])
            case Op.TO_REAL:
                return self.to_real(args[0])
            case Op.TO_INT:
                return self.to_int(args[0])
            case Op.FUNCTION:
                return self.function(str(term.value), args, term.sort)
            case _:
                return self.apply(term.op, *args)

    def substitute(self, terms: Sequence[Term], by: Mapping[Term, Term]) -> tuple[Term, ...]:
        """The terms with some of their subterms (variables, mostly) replaced."""
        done: dict[Term, Term] = dict(by)
        for term in postorder(terms):
            if term not in done:
                done[term] = self.rebuild(term, [done[arg] for arg in term.args]) if term.args else term
        return tuple(done[term] for term in terms)

    def _make(self, op: Op, args: tuple[Term, ...], sort: Sort, value: Value | str | None = None) -> Term:
        key = (op, sort, value, *[arg.number for arg in args])
        known = self._known.get(key)
        if known is None:
            if len(self._known) >= self._limit:
                raise TooLarge
            known = self._known[key] = Term(op, args, sort, value, len(self._known))
        return known


_SPLIT = frozenset({Op.BIT_OR, Op.BIT_AND, Op.IF})


def _is_of_few_joined(word: Term) -> bool:
    """Whether `|` joins words in it, and `&` and choices make no more than a few words of them."""
    joins, count = False, 0
    pending: list[tuple[Term, ...]] = [(word,)]
    while pending:
        factors = pending.pop()
        split = next((f for f in factors if f.op in _SPLIT), None)
        if split is None:
            count += 1
        else:
            joins = joins or split.op is Op.BIT_OR
            rest = tuple(f for f in factors if f is not split)
            parts = [split.args] if split.op is Op.BIT_AND else [(part,) for part in split.args[-2:]]
            pending += [(*rest, *more) for more in parts]
        if count + len(pending) > _MOST_JOINED or len(factors) > _MOST_JOINED:
            return False
    return joins


def number(term: Term) -> Value:
    """The value of a constant."""
    assert term.op is Op.CONST
    assert not isinstance(term.value, str)
    assert term.value is not None
    return term.value


def postorder(terms: Sequence[Term]) -> Iterator[Term]:
    """Every term below these and they themselves, once each, arguments first; without recursion."""
    seen: set[Term] = set()
    pending = list(reversed(terms))
    while pending:
        term = pending[-1]
        if term not in seen:
            height = len(pending)
            for arg in reversed(term.args):
                if arg not in seen:
                    pending.append(arg)
            if len(pending) > height:
                continue
            seen.add(term)
            yield term
        pending.pop()


def choices(term: Term) -> frozenset[Term]:
    """The terms that a tree of `if` may give; a term that is no `if` gives itself."""
    found: set[Term] = set()
    seen: set[Term] = set()
    pending = [term]
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        if current.op is Op.IF:
            pending.extend(current.args[1:])
        else:
            found.add(current)
    return frozenset(found)


def variables(terms: Sequence[Term]) -> list[Term]:
    """The variables of these terms, in the order of their numbers."""
    return sorted((t for t in postorder(terms) if t.op is Op.VAR), key=lambda t: t.number)


def saturated(value: Fraction) -> int:
    """The Int that `int(f)` gives."""
    return max(arithmetic.INT_MIN, min(int(value), arithmetic.INT_MAX))


def remainder(a: Fraction, b: Fraction) -> Fraction:
    """C's `fmod` on real numbers; b is not 0."""
    return a - b * int(a / b)


def _exact_root(value: Fraction) -> Fraction | None:
    if value < 0:
        return None
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return root if root * root == value else None


_COMMUTATIVE = frozenset({Op.ADD, Op.MUL, Op.MIN, Op.MAX, Op.BIT_AND, Op.BIT_OR, Op.BIT_XOR})

_RIGHT_UNIT = {Op.SUB: 0, Op.DIV: 1, Op.SHL: 0, Op.SHR: 0, Op.USHR: 0, Op.UDIV: 1}

_FOLD_INT: Mapping[Op, Callable[..., int | None]] = {
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
    Op.POPCOUNT: lambda a: arithmetic.unsigned(a).bit_count(),
    Op.CLZ: arithmetic.count_leading_zeros,
    Op.CTZ: arithmetic.count_trailing_zeros,
    Op.REVERSE_BITS: arithmetic.reverse_bits,
}
"""What each operation gives for Int constants; `Terms.const` wraps it."""

_FOLD_REAL: Mapping[Op, Callable[..., Fraction | None]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.NEG: lambda a: -a,
    Op.MIN: min,
    Op.MAX: max,
    Op.ABS: abs,
    Op.DIV: lambda a, b: a / b if b else None,
    Op.REM: lambda a, b: remainder(a, b) if b else None,
    Op.FLOOR: lambda a: Fraction(a.numerator // a.denominator),
    Op.EXP: lambda a: Fraction(1) if a == 0 else None,
    Op.LOG: lambda a: Fraction(0) if a == 1 else None,
    Op.SQRT: _exact_root,
}
"""The same for Real constants; None where the result has no value or is not rational."""

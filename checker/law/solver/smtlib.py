"""Terms as SMT-LIB 2 text, in one of several encodings.

A text says that assumptions hold and a goal fails; where it has no model, the goal is proved.  So an encoding may
allow more than the terms mean, never less: what it cannot express is a function of which only the range is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from enum import Enum
from fractions import Fraction

from kcheck.checker import arithmetic
from kcheck.checker.law import work
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.solver import bits
from kcheck.checker.law.solver.intervals import fits_int, ranges, unwrapped
from kcheck.checker.law.terms import Op, Sort, Term, number, postorder


class Encoding(Enum):
    """How Ints and products are read."""

    BITS = "bit-vectors"
    """Exact for every operation."""
    INTEGERS = "integers"
    """Mathematical integers that are wrapped where they may leave the range of Int; bit operations without an
    arithmetic form are unknown functions."""
    RELAXED = "integers as reals"
    """The same without saying that they are whole, which suits nonlinear reasoning about Reals."""
    LINEAR = "unknown products"
    """Integers, and of products and quotients is known that equal factors give equal ones, and 0 a product of 0, and
    little more."""


_INT_SORTS = {
    Encoding.BITS: "(_ BitVec 32)",
    Encoding.INTEGERS: "Int",
    Encoding.RELAXED: "Real",
    Encoding.LINEAR: "Int",
}
_INLINE = 40
"""The longest text that stands where a term occurs; longer ones get a name."""
_TURN = 1 << 32
_TERM = 5e-6
"""The work of writing a term."""
_SIMPLE = re.compile(r"[A-Za-z_.][A-Za-z0-9_.]*\Z")


def symbol(name: str) -> str:
    return name if _SIMPLE.match(name) else f"|{name}|"


def integer(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def rational(value: int | Fraction) -> str:
    value = Fraction(value)
    size = f"{abs(value.numerator)}.0"
    if value.denominator != 1:
        size = f"(/ {size} {value.denominator}.0)"
    return f"(- {size})" if value < 0 else size


class Writer:
    """Turns terms into text: `lines` declare and define what the texts of the `roots` speak of.

    `known` bounds variables and is stated of those that are not bit-vectors.  It decides where Ints cannot wrap.
    The Reals in `whole` are whole numbers.
    """

    def __init__(
        self,
        encoding: Encoding,
        roots: Sequence[Term],
        known: Mapping[Term, Interval],
        whole: Set[Term] = frozenset(),
    ) -> None:
        self.lines: list[str] = []
        self.exact = True
        """Whether a model of the text is one of the terms."""
        self._encoding = encoding
        self._ranges = ranges(roots, known)
        self._whole = whole
        self._texts: dict[Term, str] = {}
        self._wholes: dict[Term, str] = {}
        """The texts of Reals that are surely whole, as integers."""
        self._declared: set[str] = set()
        for term in postorder(roots):
            if encoding in (Encoding.INTEGERS, Encoding.LINEAR) and term.sort is Sort.REAL:
                self._find_whole(term)
            text = self._text(term)
            work.count(_TERM)
            self._texts[term] = text if len(text) <= _INLINE else self._named(f"${term.number}", term.sort, text)

    def __getitem__(self, term: Term) -> str:
        """The text of one of the roots."""
        return self._texts[term]

    def _named(self, name: str, sort: Sort, text: str) -> str:
        self.lines.append(f"(define-fun {name} () {self._sort(sort)} {text})")
        return name

    def _sort(self, sort: Sort) -> str:
        return _INT_SORTS[self._encoding] if sort is Sort.INT else sort.value

    def _find_whole(self, term: Term) -> None:
        """Keep a text of a Real that is surely whole as an integer."""
        text: str | None = None
        wholes = [self._wholes.get(arg, "") for arg in term.args if arg.sort is Sort.REAL]
        match term.op:
            case Op.CONST if Fraction(number(term)).denominator == 1:
                text = integer(int(number(term)))
            case Op.VAR if term in self._whole:
                text = f"${term.number}.w"
                self.lines.append(f"(declare-const {text} Int)")
                self._bound(f"(to_real {text})", term)
            case Op.TO_REAL:
                text = self._texts[term.args[0]]
            case Op.FLOOR:
                text = wholes[0] or f"(to_int {self._texts[term.args[0]]})"
            case Op.IF if all(wholes):
                text = _call("ite", (self._texts[term.args[0]], *wholes))
            case Op.MIN | Op.MAX if all(wholes):
                text = _extreme(term.op, *wholes)
            case Op.NEG if all(wholes):
                text = f"(- {wholes[0]})"
            case Op.ABS if all(wholes):
                text = f"(ite (<= 0 {wholes[0]}) {wholes[0]} (- {wholes[0]}))"
            case Op.ADD | Op.SUB if all(wholes):
                text = _call(term.op.value, wholes)
            case Op.MUL if all(wholes) and (self._encoding is Encoding.INTEGERS or _is_linear(term)):
                text = _call("*", wholes)
        if text is not None:
            short = len(text) <= _INLINE
            self._wholes[term] = text if short else self._named(f"${term.number}.w", Sort.INT, text)

    def _text(self, term: Term) -> str:
        args = [self._texts[arg] for arg in term.args]
        if term in self._wholes and not term.is_const:
            return f"(to_real {self._wholes[term]})"
        match term.op:
            case Op.CONST:
                return self._constant(term)
            case Op.EQ | Op.LT | Op.LE if all(arg in self._wholes for arg in term.args):
                return _call(term.op.value, [self._wholes[arg] for arg in term.args])
            case Op.VAR:
                return self._variable(term)
            case Op.FUNCTION:
                return self._unknown(term, str(term.value), args)
            case Op.EXP | Op.LOG | Op.SQRT:
                return self._unknown(term, term.op.name.lower(), args)
            case Op.IF:
                return _call("ite", args)
            case Op.EQ | Op.NOT | Op.AND | Op.OR:
                return _call(term.op.value, args)
            case Op.TO_INT:
                return self._to_int(term, args[0])
            case _ if term.args[0].sort is Sort.REAL:
                return self._real(term, args)
            case _ if self._encoding is Encoding.BITS:
                return bits.operation(term.op, args)
            case _:
                return self._integer(term, args)

    # ------------------------------------------------------------ leaves

    def _constant(self, term: Term) -> str:
        value = number(term)
        if term.sort is Sort.BOOL:
            return "true" if value else "false"
        if term.sort is Sort.REAL:
            return rational(value)
        return bits.constant(int(value)) if self._encoding is Encoding.BITS else self._number(value)

    def _number(self, value: int | Fraction) -> str:
        """A whole number among Ints that are not bit-vectors."""
        return rational(value) if self._encoding is Encoding.RELAXED else integer(int(value))

    def _variable(self, term: Term) -> str:
        name = symbol(str(term.value))
        self.lines.append(f"(declare-const {name} {self._sort(term.sort)})")
        self._bound(name, term)
        return name

    def _bound(self, text: str, term: Term) -> None:
        """Say that a variable or an unknown result lies within its interval."""
        if term.sort is Sort.BOOL or (term.sort is Sort.INT and self._encoding is Encoding.BITS):
            return
        interval = self._ranges[term]
        write = self._number if term.sort is Sort.INT else rational
        if interval.low is not None:
            self.lines.append(f"(assert (<= {write(interval.low)} {text}))")
        if interval.high is not None:
            self.lines.append(f"(assert (<= {text} {write(interval.high)}))")

    def _unknown(self, term: Term, name: str, args: Sequence[str]) -> str:
        """A function of which only the range is known."""
        self.exact = False
        sorts = [self._sort(arg.sort) for arg in term.args]
        name = symbol(f"{name}.{'.'.join(arg.sort.value for arg in term.args)}.{term.sort.value}")
        if name not in self._declared:
            self._declared.add(name)
            self.lines.append(f"(declare-fun {name} ({' '.join(sorts)}) {self._sort(term.sort)})")
        text = self._named(f"${term.number}", term.sort, _call(name, args) if args else name)
        self._bound(text, term)
        if term.op is Op.MUL and args[0] != args[1]:
            self.lines.append(f"(assert (= {text} {_call(name, args[::-1])}))")
        return text

    # ------------------------------------------------------------ Real

    def _real(self, term: Term, args: Sequence[str]) -> str:
        a = args[0]
        match term.op:
            case Op.ABS:
                return f"(ite (<= 0.0 {a}) {a} (- {a}))"
            case Op.MIN | Op.MAX:
                return _extreme(term.op, a, args[1])
            case Op.FLOOR:
                return f"(to_real (to_int {a}))"
            case Op.REM:
                return f"(- {a} (* {args[1]} (to_real {_truncated(f'(/ {a} {args[1]})')})))"
            case Op.NEG:
                return f"(- {a})"
            case Op.MUL if self._encoding is Encoding.LINEAR and not _is_linear(term):
                return self._product(term, args)
            case Op.DIV if self._encoding is Encoding.LINEAR and not _is_linear(term):
                return self._unknown(term, "div", args)
            case Op.ADD | Op.SUB | Op.MUL | Op.DIV | Op.LT | Op.LE:
                return _call(term.op.value, args)
            case _:
                raise AssertionError(term.op)

    def _product(self, term: Term, args: Sequence[str]) -> str:
        """An unknown product that is 0 where a factor is."""
        result = self._unknown(term, "mul", args)
        self.lines.append(f"(assert (=> (or (= {args[0]} 0.0) (= {args[1]} 0.0)) (= {result} 0.0)))")
        return result

    def _to_int(self, term: Term, a: str) -> str:
        if self._encoding is Encoding.RELAXED:
            return self._unknown(term, "int", [a])
        if term.args[0] in self._wholes and self._encoding is not Encoding.BITS:
            return self._saturated(term)
        low, high = rational(arithmetic.INT_MIN), rational(arithmetic.INT_MAX)
        inside = self._named(
            f"${term.number}.in", Sort.REAL, f"(ite (<= {a} {low}) {low} (ite (<= {high} {a}) {high} {a}))"
        )
        whole = _truncated(inside)
        return f"((_ int2bv 32) {whole})" if self._encoding is Encoding.BITS else whole

    def _saturated(self, term: Term) -> str:
        """The Int next to a whole Real."""
        whole, low, high = self._wholes[term.args[0]], integer(arithmetic.INT_MIN), integer(arithmetic.INT_MAX)
        return f"(ite (<= {whole} {low}) {low} (ite (<= {high} {whole}) {high} {whole}))"

    # ------------------------------------------------------------ Int as integers

    def _integer(self, term: Term, args: Sequence[str]) -> str:
        a = args[0]
        match term.op:
            case Op.LT | Op.LE:
                return _call(term.op.value, args)
            case Op.ULT:
                return f"(< {self._unsigned(term.args[0])} {self._unsigned(term.args[1])})"
            case Op.MIN | Op.MAX:
                return _extreme(term.op, a, args[1])
            case Op.TO_REAL:
                return a if self._encoding is Encoding.RELAXED else f"(to_real {a})"
            case Op.BIT_NOT:
                return f"(- {self._number(-1)} {a})"
            case Op.ADD | Op.SUB:
                return self._wrapped_once(term, _call(term.op.value, args))
            case Op.NEG:
                return self._wrapped_once(term, f"(- {a})")
            case Op.ABS:
                return self._wrapped_once(term, f"(ite (<= {self._number(0)} {a}) {a} (- {a}))")
            case Op.MUL if self._has_product(term):
                return self._wrapped(term, _call("*", args))
            case _ if self._encoding is Encoding.RELAXED:
                return self._unknown(term, term.op.name.lower(), args)
            case _:
                return self._by_arithmetic(term, args)

    def _by_arithmetic(self, term: Term, args: Sequence[str]) -> str:
        """Operations that have an arithmetic form on integers, most by a constant only."""
        by = int(number(term.args[1])) if len(args) == 2 and term.args[1].is_const else None
        mask = next((int(number(arg)) for arg in term.args if arg.is_const), None)
        match term.op:
            case Op.SHL if by is not None:
                return _wrap(f"(* {args[0]} {1 << (by & 31)})")
            case Op.SHR if by is not None:
                return f"(div {args[0]} {1 << (by & 31)})"
            case Op.USHR if by is not None and by & 31:
                return f"(div {self._unsigned(term.args[0])} {1 << (by & 31)})"
            case Op.BIT_AND if mask is not None and mask > 0 and mask & (mask + 1) == 0:
                other = args[1] if term.args[0].is_const else args[0]
                return f"(mod {other} {mask + 1})"
            case Op.UDIV | Op.UREM if by is None or by != 0:
                return self._unsigned_division(term, args)
            case Op.DIV | Op.REM if by is None:
                return self._signed_division(term, args)
            case Op.DIV | Op.REM if by is not None and by > 0:
                quotient = f"(ite (<= 0 {args[0]}) (div {args[0]} {by}) (- (div (- {args[0]}) {by})))"
                return quotient if term.op is Op.DIV else f"(- {args[0]} (* {by} {quotient}))"
            case _:
                return self._unknown(term, term.op.name.lower(), args)

    def _unsigned_division(self, term: Term, args: Sequence[str]) -> str:
        a, b = (self._unsigned(arg) for arg in term.args)
        if term.args[1].is_const:
            exact = f"({'div' if term.op is Op.UDIV else 'mod'} {a} {b})"
            result = self._named(f"${term.number}.u", Sort.INT, exact)
        else:
            result = self._division_by_variable(term, a, b)
        signed = f"(ite (< {arithmetic.INT_MAX} {result}) (- {result} {_TURN}) {result})"
        return f"(ite (= {args[1]} 0) {args[0] if term.op is Op.UDIV else '0'} {signed})"

    def _signed_division(self, term: Term, args: Sequence[str]) -> str:
        a, b = args
        sizes = [f"(ite (< {arg} 0) (- {arg}) {arg})" for arg in args]
        size = self._division_by_variable(term, *sizes)
        if term.op is Op.REM:
            return f"(ite (= {b} 0) 0 (ite (< {a} 0) (- {size}) {size}))"
        signed = f"(ite (= (< {a} 0) (< {b} 0)) {size} (- {size}))"
        # MIN / -1 is the only quotient outside the range of Int.
        return f"(ite (= {b} 0) {a} (ite (and (= {a} {integer(arithmetic.INT_MIN)}) (= {b} (- 1))) {a} {signed}))"

    def _division_by_variable(self, term: Term, a: str, b: str) -> str:
        """The quotient or the rest of natural numbers, given by its properties; linear ones up to a quotient of 1."""
        quotient, rest = f"${term.number}.q", f"${term.number}.r"
        self.lines += [f"(declare-const {name} Int)" for name in (quotient, rest)]
        self.lines += [
            f"(assert (and (<= 0 {quotient}) (<= {quotient} {a}) (<= 0 {rest})))",
            f"(assert (=> (< 0 {b}) (< {rest} {b})))",
            f"(assert (=> (< {a} {b}) (and (= {quotient} 0) (= {rest} {a}))))",
            f"(assert (=> (and (<= {b} {a}) (< {a} (* 2 {b}))) (and (= {quotient} 1) (= {rest} (- {a} {b})))))",
        ]
        if self._encoding is Encoding.LINEAR:
            self.exact = False
        else:
            self.lines.append(f"(assert (=> (< 0 {b}) (= {a} (+ (* {quotient} {b}) {rest}))))")
        return quotient if term.op in (Op.UDIV, Op.DIV) else rest

    def _unsigned(self, term: Term) -> str:
        text, low = self._texts[term], self._ranges[term].low
        if low is not None and low >= 0:
            return text
        return f"(ite (< {text} {self._number(0)}) (+ {text} {self._number(_TURN)}) {text})"

    def _has_product(self, term: Term) -> bool:
        if self._encoding is Encoding.LINEAR and not _is_linear(term):
            return False
        return self._encoding is not Encoding.RELAXED or self._cannot_wrap(term)

    def _cannot_wrap(self, term: Term) -> bool:
        exact = unwrapped(term, self._ranges)
        return exact is not None and fits_int(exact)

    def _wrapped_once(self, term: Term, exact: str) -> str:
        """An exact result that lies at most one turn outside the range of Int."""
        if self._cannot_wrap(term):
            return exact
        name = self._named(f"${term.number}.x", Sort.INT, exact)
        low, high, turn = (self._number(n) for n in (arithmetic.INT_MIN, arithmetic.INT_MAX, _TURN))
        return f"(ite (< {high} {name}) (- {name} {turn}) (ite (< {name} {low}) (+ {name} {turn}) {name}))"

    def _wrapped(self, term: Term, exact: str) -> str:
        return exact if self._cannot_wrap(term) else _wrap(exact)


def _is_linear(term: Term) -> bool:
    return term.args[1].is_const or (term.op is Op.MUL and term.args[0].is_const)


def _wrap(exact: str) -> str:
    """The Int that equals an integer modulo 2^32."""
    half = _TURN // 2
    return f"(- (mod (+ {exact} {half}) {_TURN}) {half})"


def _call(name: str, args: Iterable[str]) -> str:
    return f"({name} {' '.join(args)})"


def _extreme(op: Op, a: str, b: str) -> str:
    return f"(ite (<= {a} {b}) {a} {b})" if op is Op.MIN else f"(ite (<= {a} {b}) {b} {a})"


def _truncated(a: str) -> str:
    """The integer next to a Real towards 0."""
    return f"(ite (<= 0.0 {a}) (to_int {a}) (- (to_int (- {a}))))"

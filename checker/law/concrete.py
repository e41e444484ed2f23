"""Terms as straight-line Python, quick enough to try thousands of values.

Ints are exact and wrap; Reals are doubles, so what is found with them has yet to be confirmed by `exact`.  All
branches are evaluated: no operation fails, and one without a value gives NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from kcheck.checker import arithmetic, floats
from kcheck.checker.law.euclid import GCD, gcd_of_ints
from kcheck.checker.law.evaluate import Leaves, Number
from kcheck.checker.law.problem import SORTS, Obligation, Problem, Symbolic
from kcheck.checker.law.terms import Op, Sort, Term, number, postorder
from kcheck.checker.types import leaves

Result: TypeAlias = "tuple[Leaves, int | None]"
"""The leaves, and which obligation does not hold: the first, or None."""

Compiled: TypeAlias = Callable[..., Result]

MAX_TERMS = 40_000
"""Compiling more takes longer than trying values is worth."""


class Unsupported(Exception):
    """The terms hold a function whose values are not known."""


@dataclass(frozen=True)
class Concrete:
    """A problem's compute and merge as Python functions."""

    problem: Problem

    @cached_property
    def merge(self) -> Callable[[Leaves, Leaves, Leaves], Result]:
        """`merge(left, right, params)`."""
        problem = self.problem
        return compiled(problem.merge, (problem.left, problem.right, param_variables(problem)))

    @cached_property
    def compute(self) -> Callable[[Leaves, Leaves], Result]:
        """`compute(inputs, params)`, the inputs in the order of `problem.inputs`."""
        problem = self.problem
        variables = tuple(read.variable for read in problem.inputs)
        return compiled(problem.compute, (variables, param_variables(problem)))

    @cached_property
    def allowed(self) -> Callable[[Leaves], Result]:
        """`allowed(params)`: one Bool for each of the problem's assumptions."""
        symbolic = Symbolic(self.problem.assumptions, ())
        return compiled(symbolic, (param_variables(self.problem),))


def param_variables(problem: Problem) -> tuple[Term, ...]:
    """The variables of the params, leaf by leaf in the order of the program's params."""
    return tuple(
        problem.terms.var(f"param {param.name}.{i}", SORTS[leaf.scalar])
        for param in problem.program.params
        for i, leaf in enumerate(leaves(param.type))
    )


def compiled(symbolic: Symbolic, arguments: Sequence[Sequence[Term]]) -> Compiled:
    """A function of tuples, each the values of those variables; raises `Unsupported`."""
    writer = _Writer()
    names = [f"v{i}" for i in range(len(arguments))]
    for name, variables in zip(names, arguments, strict=True):
        writer.unpack(name, variables)
    roots = [*symbolic.leaves, *(term for o in symbolic.obligations for term in (o.guard, o.condition))]
    writer.write(roots)
    returned = ", ".join(map(writer.name, symbolic.leaves))
    writer.lines.append(f"return ({returned}{',' if symbolic.leaves else ''}), {writer.failing(symbolic.obligations)}")
    source = f"def function({', '.join(names)}):\n" + "".join(f"    {line}\n" for line in writer.lines)
    module: dict[str, object] = {**_HELPERS, "__builtins__": {"min": min, "max": max, "abs": abs, "float": float}}
    exec(source, module)
    function = module["function"]
    assert callable(function)
    return function


class _Writer:
    """Writes one assignment a term; variables and constants stand for themselves."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[Term, str] = {}

    def unpack(self, name: str, variables: Sequence[Term]) -> None:
        for variable in variables:
            self._names[variable] = f"x{len(self._names)}"
        if variables:
            self.lines.append(f"{', '.join(map(self.name, variables))}, = {name}")

    def name(self, term: Term) -> str:
        return self._names[term]

    def write(self, roots: Sequence[Term]) -> None:
        for count, term in enumerate(postorder(roots)):
            if count > MAX_TERMS:
                raise Unsupported("too many terms")
            if term in self._names:
                continue
            if term.op is Op.CONST:
                self._names[term] = _constant(term)
                continue
            if term.op is Op.VAR:
                raise Unsupported(f"the variable {term.value}")
            self._names[term] = f"t{term.number}"
            self.lines.append(f"t{term.number} = {_expression(term, [self._names[arg] for arg in term.args])}")

    def failing(self, obligations: Sequence[Obligation]) -> str:
        """An expression for the position of the first obligation that does not hold."""
        tests = [
            f"{i} if {self._names[o.guard]} and not {self._names[o.condition]} else " for i, o in enumerate(obligations)
        ]
        return "".join(tests) + "None"


def _constant(term: Term) -> str:
    value = number(term)
    if term.sort is not Sort.REAL:
        return f"({value})"
    try:
        return f"({float(value)!r})"
    except OverflowError:
        return "INFINITY" if value > 0 else "(-INFINITY)"


def _expression(term: Term, args: Sequence[str]) -> str:
    template = _INT_FORMS.get(term.op) if term.args[0].sort is Sort.INT else _REAL_FORMS.get(term.op)
    template = _FORMS.get(term.op) or template
    if term.op is Op.FUNCTION:
        if term.value not in _FUNCTIONS:
            raise Unsupported(f"the function {term.value}")
        return f"{term.value}({', '.join(args)})"
    assert template is not None, term.op
    return template.format(*args)


# ---------------------------------------------------------------- what each operation is in Python

_FORMS: Mapping[Op, str] = {
    Op.NOT: "not {0}",
    Op.AND: "{0} and {1}",
    Op.OR: "{0} or {1}",
    Op.IF: "{1} if {0} else {2}",
    Op.EQ: "{0} == {1}",
    Op.LT: "{0} < {1}",
    Op.LE: "{0} <= {1}",
    Op.ULT: "({0} & 0xffffffff) < ({1} & 0xffffffff)",
    Op.TO_REAL: "float({0})",
    Op.TO_INT: "to_int({0})",
    Op.MIN: "{0} if {0} < {1} else {1}",
    Op.MAX: "{1} if {0} < {1} else {0}",
}

_WRAPPED = "(({} + 0x80000000) & 0xffffffff) - 0x80000000"

_INT_FORMS: Mapping[Op, str] = {
    Op.ADD: _WRAPPED.format("{0} + {1}"),
    Op.SUB: _WRAPPED.format("{0} - {1}"),
    Op.MUL: _WRAPPED.format("{0} * {1}"),
    Op.NEG: _WRAPPED.format("-{0}"),
    Op.ABS: _WRAPPED.format("abs({0})"),
    Op.DIV: "divide_ints({0}, {1})",
    Op.REM: "remainder_ints({0}, {1})",
    Op.BIT_AND: "{0} & {1}",
    Op.BIT_OR: "{0} | {1}",
    Op.BIT_XOR: "{0} ^ {1}",
    Op.BIT_NOT: "~{0}",
    Op.SHL: _WRAPPED.format("({0} << ({1} & 31))"),
    Op.SHR: "{0} >> ({1} & 31)",
    Op.USHR: _WRAPPED.format("(({0} & 0xffffffff) >> ({1} & 31))"),
    Op.UDIV: "divide_unsigned({0}, {1})",
    Op.UREM: "remainder_unsigned({0}, {1})",
    Op.POPCOUNT: "({0} & 0xffffffff).bit_count()",
    Op.CLZ: "32 - ({0} & 0xffffffff).bit_length()",
    Op.CTZ: "count_trailing_zeros({0})",
    Op.REVERSE_BITS: "reverse_bits({0})",
}

_REAL_FORMS: Mapping[Op, str] = {
    Op.ADD: "{0} + {1}",
    Op.SUB: "{0} - {1}",
    Op.MUL: "{0} * {1}",
    Op.NEG: "-{0}",
    Op.ABS: "abs({0})",
    Op.DIV: "divide({0}, {1})",
    Op.REM: "remainder({0}, {1})",
    Op.FLOOR: "floor({0})",
    Op.EXP: "exp({0})",
    Op.LOG: "log({0})",
    Op.SQRT: "sqrt({0})",
}


def _total(function: Callable[..., float]) -> Callable[..., float]:
    """The function, with NaN where it has no value and infinity where that is too large."""

    def call(*args: float) -> float:
        try:
            return function(*args)
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    return call


def _divide(a: float, b: float) -> float:
    return a / b if b else math.nan


def _floor(a: float) -> float:
    return float(math.floor(a)) if math.isfinite(a) else a


def _power(a: float, b: float) -> float:
    """Of a negative base to a whole number; `pow` with other arguments is written with `exp` and `log`."""
    return math.pow(a, b) if a or b > 0 else math.nan


def _bits_of(a: float) -> int:
    return arithmetic.wrap(floats.from_float(a))


def _from_bits(a: int) -> float:
    return floats.to_float(arithmetic.unsigned(a))


_FUNCTIONS: Mapping[str, Callable[..., Number]] = {
    "bitcast_int": _bits_of,
    "bitcast_float": _from_bits,
    "sin": _total(math.sin),
    "cos": _total(math.cos),
    "asin": _total(math.asin),
    "acos": _total(math.acos),
    "atan": _total(math.atan),
    "atan2": _total(math.atan2),
    "pow": _total(_power),
    GCD: gcd_of_ints,
}
"""The functions of which the other stages know nothing."""

_HELPERS: Mapping[str, object] = {
    **_FUNCTIONS,
    "INFINITY": math.inf,
    "to_int": arithmetic.int_from,
    "divide_ints": arithmetic.divide_ints,
    "remainder_ints": arithmetic.remainder_ints,
    "divide_unsigned": arithmetic.divide_unsigned,
    "remainder_unsigned": arithmetic.remainder_unsigned,
    "count_trailing_zeros": arithmetic.count_trailing_zeros,
    "reverse_bits": arithmetic.reverse_bits,
    "divide": _divide,
    "remainder": _total(math.fmod),
    "floor": _floor,
    "exp": _total(math.exp),
    "log": _total(math.log),
    "sqrt": _total(math.sqrt),
}

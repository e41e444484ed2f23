"""Invariants and their texts, in the words of the kernel: `count >= 1`, `lo <= hi`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from kcheck.checker.law.concrete import param_variables
from kcheck.checker.law.problem import Invariant, Problem
from kcheck.checker.law.terms import Op, Sort, Term, number

_SIGNS = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/", Op.NEG: "-"}
_SUMS = (Op.ADD, Op.SUB, Op.NEG)
_LOOSE: Mapping[Op, tuple[Sequence[Op], Sequence[Op]]] = {
    Op.ADD: ((), ()),
    Op.SUB: ((), _SUMS),
    Op.MUL: (_SUMS, (*_SUMS, Op.DIV)),
    Op.DIV: (_SUMS, (*_SUMS, Op.MUL, Op.DIV)),
}
"""Which operations stand in brackets on the left and on the right of each."""
_LONGEST = 120
"""The most characters of a formula that anyone reads."""


def leaf_text(problem: Problem, index: int) -> str:
    return problem.names[index] or "value"


def number_text(value: int | Fraction) -> str:
    """A Real as the shortest decimal that shows which number was written."""
    return str(value) if value == int(value) else f"{float(value):.7g}"


def param_text(variable: Term) -> str:
    name, _, leaf = str(variable.value).removeprefix("param ").rpartition(".")
    return name if leaf == "0" else f"{name}.{leaf}"


def formula_text(problem: Problem, term: Term) -> str | None:
    """Sums, products and quotients of leaves of state `h` and params, as the kernel may write them; None for others."""
    names = {leaf: leaf_text(problem, i) for i, leaf in enumerate(problem.state("h"))}
    names |= {variable: param_text(variable) for variable in param_variables(problem)}
    text = _formula(names, term)
    return text if text is None or len(text) <= _LONGEST else None


def _formula(names: Mapping[Term, str], term: Term) -> str | None:
    if term.is_const and term.sort is not Sort.BOOL:
        return number_text(number(term))
    if term.op not in _SIGNS:
        return names.get(term)
    parts = [_formula(names, arg) for arg in term.args]
    shown = [part for part in parts if part is not None]
    if len(shown) < len(parts):
        return None
    if term.op is Op.NEG:
        return f"-{_bracketed(term.args[0], shown[0], _SUMS)}"
    if term.op is Op.MUL and term.args[0] is term.args[1]:
        return f"{_bracketed(term.args[0], shown[0], tuple(_SIGNS))}^2"
    first, second = _LOOSE[term.op]
    left, right = _bracketed(term.args[0], shown[0], first), _bracketed(term.args[1], shown[1], second)
    return f"{left} {_SIGNS[term.op]} {right}"


def _bracketed(term: Term, text: str, loose: Sequence[Op]) -> str:
    """The text of an operand, in brackets where its own operation is one of these, or it begins with a minus."""
    return f"({text})" if term.op in loose or text.startswith("-") else text


def constant(problem: Problem, index: int, value: int | Fraction) -> Term:
    """`value` in the sort of leaf `index`."""
    return problem.terms.const(value, problem.sorts[index])


def at_least(problem: Problem, index: int, value: int | Fraction) -> Invariant:
    return _bound(problem, index, ">=", value)


def at_most(problem: Problem, index: int, value: int | Fraction) -> Invariant:
    return _bound(problem, index, "<=", value)


def above(problem: Problem, index: int, value: int | Fraction) -> Invariant:
    return _bound(problem, index, ">", value)


def below(problem: Problem, index: int, value: int | Fraction) -> Invariant:
    return _bound(problem, index, "<", value)


def _bound(problem: Problem, index: int, order: str, value: int | Fraction) -> Invariant:
    terms, leaf, end = problem.terms, problem.state("h")[index], constant(problem, index, value)
    low, high = (leaf, end) if order[0] == "<" else (end, leaf)
    holds = terms.le(low, high) if order.endswith("=") else terms.lt(low, high)
    return Invariant(f"{leaf_text(problem, index)} {order} {number_text(value)}", holds)

"""Folds a flat chain `a + b * c` into the tree that the operators' precedence gives."""

from __future__ import annotations

from kcheck.grammar import syntax
from kcheck.grammar.problems import COMPARISON_CHAIN, Problem, Repair, UnreadableError
from kcheck.grammar.spans import Span

_LEVELS = ("||", "&&", "== != < <= > >=", "|", "^", "&", "<< >> >>>", "+ -", "* / %")
LEVEL = {operator: level for level, row in enumerate(_LEVELS) for operator in row.split()}
COMPARISON = LEVEL["=="]


def fold(text: str, operands: list[syntax.Expr], operators: list[tuple[str, int]]) -> syntax.Expr:
    """The tree of `operands[0] operators[0] operands[1] …`, each operator with its place; all group to the left.

    `text` is the item's text, for the advice on a chain of comparisons.
    """
    values = [operands[0]]
    waiting: list[tuple[str, int]] = []
    for operator, operand in zip(operators, operands[1:], strict=True):
        level = LEVEL[operator[0]]
        while waiting and LEVEL[waiting[-1][0]] >= level:
            if LEVEL[waiting[-1][0]] == level == COMPARISON:
                raise UnreadableError(_chain(text, waiting[-1][0], values[-1], operator))
            _reduce(values, *waiting.pop())
        waiting.append(operator)
        values.append(operand)
    while waiting:
        _reduce(values, *waiting.pop())
    return values[0]


def _reduce(values: list[syntax.Expr], operator: str, place: int) -> None:
    right = values.pop()
    left = values.pop()
    span = Span(left.span.start, right.span.end)
    values.append(syntax.Binary(span, operator, Span(place, place + len(operator)), left, right))


def _chain(text: str, first: str, middle: syntax.Expr, operator: tuple[str, int]) -> Problem:
    second, place = operator
    repeated = text[middle.span.start : middle.span.end]
    return Problem(
        COMPARISON_CHAIN,
        f"comparisons do not chain: `{first}` gives a Bool, which `{second}` would compare again",
        Span(place, place + len(second)),
        "a second comparison",
        ("join two comparisons by `&&`, or put one of them in parentheses",),
        (Repair(f"Compare `{repeated}` once more, after `&&`", Span(place, place), f"&& {repeated} "),),
    )

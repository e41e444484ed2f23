"""Folds a flat chain `a + b * c` into the tree that the operators' precedence gives."""

from __future__ import annotations

from kcheck.grammar import syntax
from kcheck.grammar.problems import COMPARISON_CHAIN, Problem, Repair, UnreadableError
from kcheck.grammar.spans import Span

_LEVELS = ("||", "&&", "== != < <= > >=", "|", "^", "&", "<< >> >>>", "+ -", "* / %")
LEVEL = {operator: level for level, row in enumerate(_LEVELS) for operator in row.split()}
COMPARISON = LEVEL["=="]


def fold(text: str, operands: list[syntax.Expr], operators: list[syntax.Name]) -> syntax.Expr:
    """The tree of `operands[0] operators[0] operands[1] …`; all operators group to the left.

    `text` is the item's text, for the advice on a chain of comparisons.
    """
    values = [operands[0]]
    waiting: list[syntax.Name] = []
    for operator, operand in zip(operators, operands[1:], strict=True):
        while waiting and LEVEL[waiting[-1].text] >= LEVEL[operator.text]:
            if LEVEL[operator.text] == LEVEL[waiting[-1].text] == COMPARISON:
                raise UnreadableError(_chain(text, waiting[-1], values[-1], operator))
            _reduce(values, waiting.pop())
        waiting.append(operator)
        values.append(operand)
    while waiting:
        _reduce(values, waiting.pop())
    return values[0]


def _reduce(values: list[syntax.Expr], operator: syntax.Name) -> None:
    right = values.pop()
    left = values.pop()
    span = left.span.to(right.span)
    values.append(syntax.Binary(span=span, op=operator.text, op_span=operator.span, left=left, right=right))


def _chain(text: str, first: syntax.Name, middle: syntax.Expr, second: syntax.Name) -> Problem:
    repeated = text[middle.span.start : middle.span.end]
    at_second = Span(second.span.start, second.span.start)
    return Problem(
        COMPARISON_CHAIN,
        f"comparisons do not chain: `{first.text}` gives a Bool, which `{second.text}` would compare again",
        second.span,
        "a second comparison",
        ("join two comparisons by `&&`, or put one of them in parentheses",),
        (Repair(f"Compare `{repeated}` once more, after `&&`", at_second, f"&& {repeated} "),),
    )

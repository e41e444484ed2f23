"""What the text of a literal means."""

from __future__ import annotations

import re

from kcheck.grammar import syntax
from kcheck.grammar.problems import SYNTAX, Problem, UnreadableError
from kcheck.grammar.spans import Span

# Far more than any type holds, and few enough for `int()`, which refuses thousands of digits.
_MOST_DIGITS = 1000
_BASES = {"0x": 16, "0X": 16, "0b": 2, "0B": 2}
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t"}


def number(text: str, span: Span) -> syntax.IntLiteral | syntax.FloatLiteral:
    if text.isdecimal() and len(text) < _MOST_DIGITS:
        return syntax.IntLiteral(span, int(text))
    digits = text.replace("_", "")
    _refuse_endless(digits, span)
    if base := _BASES.get(digits[:2]):
        return syntax.IntLiteral(span=span, value=int(digits[2:], base), pattern=True)
    if digits.isdecimal():
        return syntax.IntLiteral(span=span, value=int(digits))
    return syntax.FloatLiteral(span=span, text=digits)


def pattern_number(text: str, span: Span) -> syntax.LiteralPattern:
    literal = number(text.lstrip("- \t\r\n"), span)
    assert isinstance(literal, syntax.IntLiteral)
    value = -literal.value if text.startswith("-") else literal.value
    return syntax.LiteralPattern(span=span, value=value, pattern=literal.pattern)


def string(text: str, span: Span) -> str:
    def replaced(match: re.Match[str]) -> str:
        if match[1] in _ESCAPES:
            return _ESCAPES[match[1]]
        start = span.start + len('"') + match.start()
        raise UnreadableError(
            Problem(
                SYNTAX,
                f"unknown escape `{match[0]}` in a string",
                Span(start, start + 2),
                notes=('write `\\\\` for a backslash; `\\"`, `\\n` and `\\t` are the other escapes',),
            )
        )

    return _ESCAPE.sub(replaced, text[1:-1])


def _refuse_endless(digits: str, span: Span) -> None:
    if len(digits) > _MOST_DIGITS:
        raise UnreadableError(Problem(SYNTAX, f"a number of {len(digits)} digits: no type holds it", span))

"""What an expression may begin with, and whether it may match nothing.

`first` tells where trying an expression is useless: if the next character is not in it, the expression reads
nothing and fails right there (or, if it may match nothing, does just that). So what a predicate looks at belongs
to it, as trying that can fail further on, which a message shows. It may hold too much, never too little.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from kcheck.grammar.generator.patterns import first_characters, kind_of, may_match_nothing
from kcheck.grammar.generator.shapes import (
    Assign,
    Call,
    Choice,
    Expression,
    Literal,
    Look,
    Maybe,
    Regex,
    Repeat,
    Rule,
    Sequence,
    parts_of,
)

_NOTHING: frozenset[str] = frozenset()
_NO_RULES: frozenset[Rule] = frozenset()


class Firsts:
    """The answers for the expressions of some rules. Rules are recursive: what is known of them grows."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._empty: dict[Rule, bool] = dict.fromkeys(rules, False)
        self._first: dict[Rule, frozenset[str]] = dict.fromkeys(self._empty, _NOTHING)
        while self._learn_empty():
            pass
        while self._learn_first():
            pass

    def _learn_empty(self) -> bool:
        before = dict(self._empty)
        self._empty = {rule: self.may_be_empty(rule.body) for rule in before}
        return self._empty != before

    def _learn_first(self) -> bool:
        before = dict(self._first)
        self._first = {rule: self.first(rule.body) for rule in before}
        return self._first != before

    def may_be_empty(self, expression: Expression) -> bool:
        match expression:
            case Literal(text):
                return not text
            case Regex(pattern, flags):
                return _regex_may_be_empty(pattern, flags)
            case Call(rule):
                return self._empty[rule]
            case Assign(value=value):
                return self.may_be_empty(value)
            case Sequence(parts):
                return all(map(self.may_be_empty, parts))
            case Choice(ways):
                return any(map(self.may_be_empty, ways))
            case Repeat(body, needed):
                return not needed or self.may_be_empty(body)
            case Maybe() | Look():
                return True

    def first(self, expression: Expression) -> frozenset[str]:
        match expression:
            case Literal(text):
                return frozenset(map(kind_of, text[:1]))
            case Regex(pattern, flags):
                return _regex_first(pattern, flags)
            case Call(rule):
                return self._first[rule]
            case Assign(value=body) | Maybe(body) | Repeat(body) | Look(body):
                return self.first(body)
            case Choice(ways):
                return _NOTHING.union(*map(self.first, ways))
            case Sequence(parts):
                return _NOTHING.union(*map(self.first, self._leading(parts)))

    def _leading(self, parts: Iterable[Expression]) -> Iterable[Expression]:
        """The parts up to the first that cannot be empty."""
        for part in parts:
            yield part
            if not self.may_be_empty(part):
                return

    def beginnings(self, expression: Expression) -> frozenset[Rule]:
        """The rules that an expression may call before it has read anything."""
        match expression:
            case Call(rule):
                return frozenset({rule})
            case Sequence(parts):
                return _NO_RULES.union(*map(self.beginnings, self._leading(parts)))
            case _:
                return _NO_RULES.union(*map(self.beginnings, parts_of(expression)))


_regex_may_be_empty = cache(may_match_nothing)
_regex_first = cache(first_characters)

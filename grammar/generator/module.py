"""The source of a generated parser: a module that needs nothing but `re`.

Its one function for others is `read`. It parses twice where a text has an error: the fast parser only finds that
there is one and how far it got, the tracking parser then says what was expected.
"""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any

from kcheck.grammar.generator import frame
from kcheck.grammar.generator.checks import check
from kcheck.grammar.generator.code import Lines, indent
from kcheck.grammar.generator.firsts import Firsts
from kcheck.grammar.generator.names import Names
from kcheck.grammar.generator.reader import read_grammar
from kcheck.grammar.generator.rules import RuleWriter
from kcheck.grammar.generator.shapes import Call, Expression, Grammar, Kind, Literal, Look, Rule, Terminal, parts_of


def generate(metamodel: Any, text: str, lists: frozenset[str] = frozenset()) -> str:
    """The source of the parser for the grammar `text`, from which textX made `metamodel`.

    `lists` are the attributes (`Rule.attribute`) of which a failure tells in which elements it happened.
    Raises `Unsupported` if the parser would not be the same as textX.
    """
    grammar = read_grammar(metamodel, text)
    firsts = Firsts(grammar.rules)
    check(grammar, firsts)
    return _Module(grammar, firsts, lists).source()


class _Module:
    def __init__(self, grammar: Grammar, firsts: Firsts, lists: frozenset[str]) -> None:
        self.grammar = grammar
        self.names = Names(grammar.rules)
        self.fast = RuleWriter(self.names, firsts, tracking=False)
        self.tracking = RuleWriter(self.names, firsts, tracking=True, lists=lists)

    def source(self) -> str:
        # The functions first: they tell which constants are needed.
        parsers = [*self._fast_parser(), "", *self._tracking_parser()]
        parts = [
            [frame.HEAD.format(version=version("textX"))],
            *(self._class(rule) for rule in self.grammar.rules if rule.kind is Kind.COMMON),
            ["", *self._skips(), *self.names.definitions(), ""],
            parsers,
            [frame.TAIL],
        ]
        return "\n".join(line.rstrip() for part in parts for line in part)

    def _class(self, rule: Rule) -> Lines:
        name = self.names.rule(rule)
        slots = tuple(attribute.name for attribute in rule.attributes)
        renamed = [] if name == rule.name else ["", f"{name}.__name__ = {rule.name!r}"]
        return ["", f"class {name}(Node):", f"    __slots__ = {slots}", *renamed, ""]

    def _fast_parser(self) -> Lines:
        run = frame.FAST_RUN.format(top=self.names.function(self.grammar.top))
        functions = self.fast.functions(self.grammar.rules)
        return [*frame.FAST_HEAD.split("\n"), *indent(functions), *indent(run.split("\n"))]

    def _tracking_parser(self) -> Lines:
        far, expected = self._first_miss()
        top = self.names.function(self.grammar.top)
        run = frame.TRACKING_RUN.format(top=top, first_far=far, first_expected=expected)
        functions = self.tracking.functions(self.grammar.rules)
        return [*frame.TRACKING_HEAD.split("\n"), *indent(functions), *indent(run.split("\n"))]

    def _skips(self) -> Lines:
        """What matches all between two tokens; and up to where the first of several kinds of comments is missing."""
        blanks, comments = self.grammar.blanks, self.grammar.comments
        skips = [f"skip = {_matcher(_gap(blanks, comments))}"]
        return [*skips, f"skip_first = {_matcher(_gap(blanks, comments[:1]))}"] if comments else skips

    def _first_miss(self) -> tuple[str, str]:
        """Where textX, before the first token, misses its first kind of comment, and what it notes then."""
        if not self.grammar.comments:
            return "-1", "set()"
        name = "Not" if _begins_in_not(self.grammar.top) else self.grammar.comments[0].name
        return "skip_first(text, 0).end()", repr({name})


def _matcher(pattern: str) -> str:
    return f"re.compile({pattern!r}, re.MULTILINE).match"


def _gap(blanks: str, comments: tuple[Terminal, ...]) -> str:
    """A pattern for as many blanks and comments as there are."""
    blank = f"[{re.escape(blanks)}]*" if blanks else ""
    ways = "|".join(map(_pattern, comments))
    return f"{blank}(?:(?:{ways}){blank})*" if comments else blank


def _pattern(terminal: Terminal) -> str:
    match terminal:
        case Literal(text, word):
            return re.escape(text) + r"\b" * word
        case _:
            return f"(?:{terminal.pattern})"


def _begins_in_not(top: Rule) -> bool:
    """Whether the terminal that is tried first of all stands in a `!`."""
    expression: Expression | None = top.body
    inside = False
    while expression is not None:
        inside |= isinstance(expression, Look) and not expression.wanted
        parts = (expression.rule.body,) if isinstance(expression, Call) else parts_of(expression)
        expression = parts[0] if parts else None
    return inside

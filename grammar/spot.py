"""The place where reading stopped, with the tokens around it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

from kcheck.grammar.engine import Failure
from kcheck.grammar.lexis import Kind, Token, tokens
from kcheck.grammar.precedence import LEVEL
from kcheck.grammar.spans import Span

CLOSER = {"(": ")", "[": "]", "{": "}"}
# After a `}` these go on with the value that it closed.
_GO_ON = frozenset(LEVEL) | {".", ",", ")", "]"}
_NO_TOKEN = Token(Kind.PUNCTUATION, 0, 0, "")


@dataclass(frozen=True)
class Spot:
    """`found` is the first token that does not fit; `expected` are the names that `engine` gave.

    Tokens that are not there are empty, so that rules can ask for texts without asking whether there is one.
    """

    text: str
    failure: Failure
    is_cut_short: bool = False
    """Whether the line before should not have ended yet: `found` begins something else."""

    @property
    def expected(self) -> frozenset[str]:
        return self.failure.expected

    @cached_property
    def tokens(self) -> list[Token]:
        return list(tokens(self.text))

    @cached_property
    def index(self) -> int:
        """The index of `found`."""
        for index, token in enumerate(self.tokens):
            if token.end > self.failure.offset:
                return index
        return len(self.tokens)

    @property
    def found(self) -> Token:
        return self.token(0)

    @property
    def previous(self) -> Token:
        return self.token(-1)

    def token(self, distance: int) -> Token:
        """The token so many after `found`."""
        index = self.index + distance
        return self.tokens[index] if 0 <= index < len(self.tokens) else _NO_TOKEN

    @property
    def at_end(self) -> bool:
        return self.index >= len(self.tokens)

    @property
    def found_text(self) -> str:
        if self.at_end or self.is_cut_short:
            return f"the end of the {'item' if self.at_end else 'line'}"
        return f"`{self.found.text}`"

    @property
    def here(self) -> Span:
        """The place of `found`; where nothing is left of the item or line, the end of the last token."""
        return self.after_previous if self.at_end or self.is_cut_short else Span(self.found.start, self.found.end)

    @property
    def after_previous(self) -> Span:
        """The empty place just after the token before `found`."""
        return Span(self.previous.end, self.previous.end)

    @property
    def on_new_line(self) -> bool:
        return "\n" in self.text[self.previous.end : self.found.start]

    @property
    def adjacent(self) -> bool:
        """Whether nothing stands between the token before and `found`."""
        return not self.at_end and self.previous.end == self.found.start

    @cached_property
    def braces(self) -> int:
        """How many braces are open at the end of the text, or, if negative, how many close nothing."""
        signs = [token.text for token in self.tokens]
        return signs.count("{") - signs.count("}")

    @cached_property
    def open_brackets(self) -> tuple[Token, ...]:
        """The brackets before `found` that are open there, the outermost first."""
        stack: list[Token] = []
        for token in self.tokens[: self.index]:
            if token.text in CLOSER:
                stack.append(token)
            elif stack and token.text == CLOSER[stack[-1].text]:
                stack.pop()
        return tuple(stack)

    def before_bracket(self, distance: int) -> Token:
        """The token so many before the innermost open bracket."""
        if not self.open_brackets:
            return _NO_TOKEN
        bracket = bisect_left(self.tokens, self.open_brackets[-1].start, key=lambda token: token.start)
        return self.token(bracket - distance - self.index)

    @property
    def in_type(self) -> bool:
        """Whether the innermost bracket is that of a `struct`, or of an `enum`'s variant."""
        words = (token.text for token in self.tokens[: self.index])
        return self.before_bracket(2).text == "struct" or next(words, "") == "enum"

    @property
    def ends_value(self) -> bool:
        """Whether a line ends with what may be the value of a block."""
        return self.on_new_line and "AssignOperator" in self.expected

    @property
    def is_in_branch(self) -> bool:
        """Whether the innermost bracket seems to be that of an `if` or `else`."""
        bracket = self.open_brackets[-1] if self.open_brackets else _NO_TOKEN
        line = self.text.rfind("\n", 0, bracket.start) + 1
        return any(line <= token.start < bracket.start and token.text in ("if", "else") for token in self.tokens)

    @property
    def is_arm_in_block(self) -> bool:
        """Whether `found` stands in an arm of a `match`, where a statement of another arm's block should."""
        kinds = [kind for kind, _ in self.failure.elements]
        if self.braces <= 0 or "Match.arms" not in kinds or kinds[-1] != "Block.statements":
            return False
        rest = self.text[self.found.start : self.text.find("\n", self.found.start)]
        on_its_line = "\n" not in self.text[self.first.start : self.found.start]
        return "=>" in rest.partition("{")[0] and (on_its_line or self.ends_value)

    @cached_property
    def statement(self) -> tuple[Token, ...]:
        """The tokens from the start of the statement, member or arm that holds `found` up to it."""
        start = self.index
        while start > 0 and not self._ends_statement(start - 1):
            start = self._group_start(start - 1)
        return tuple(self.tokens[start : self.index])

    def _ends_statement(self, index: int) -> bool:
        """Whether the token there ends what stands before `found`; `}` does, unless a value goes on after it."""
        token = self.tokens[index]
        if token.text != "}":
            return token.text in (";", "{", "=>")
        after = self.tokens[index + 1] if index + 1 < self.index else None
        return after is not None and after.text != "else" and after.text not in _GO_ON

    def _group_start(self, index: int) -> int:
        """The index of the bracket that the one at `index` closes; `index` itself for other tokens."""
        closed = int(self.tokens[index].text in CLOSER.values())
        while closed:
            index -= 1
            closed += (self.tokens[index].text in CLOSER.values()) - (self.tokens[index].text in CLOSER)
        return index

    @property
    def first(self) -> Token:
        """The first token of the statement, `found` itself if none stands before it."""
        return self.statement[0] if self.statement else self.found

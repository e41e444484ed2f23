"""Reads an item's tokens in order, each with the comments around it.

The tree says what stands there; the cursor gives the tokens for it and makes sure that no comment is lost: the
documents that it hands out hold every comment of the text once, in order.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from kcheck.grammar.formatter.document import NOTHING, Comment, Document, Fresh, Gap, Piece, together
from kcheck.grammar.lexis import Kind, Token, tokens
from kcheck.grammar.spans import Span

_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_LINE_BREAK = re.compile(r"\r\n?|\n")
_DOC = re.compile(r"///(?!/)")
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
# Where people write comments that end a line.
_BEFORE_COMMENTS = frozenset({";", ",", "{", "}", "(", "["})


@dataclass(frozen=True, slots=True)
class _Remark:
    """A comment, and how many line breaks part it from what stands before it."""

    text: str
    start: int
    end: int
    breaks: int

    @property
    def to_line_end(self) -> bool:
        return self.text.startswith("//")

    @property
    def is_doc(self) -> bool:
        return _DOC.match(self.text) is not None

    @property
    def is_inline(self) -> bool:
        """Whether code may follow on its line."""
        return self.breaks == 0 and not self.to_line_end


class Cursor:
    """A place between two tokens of a text without syntax errors; an empty token ends it.

    Spans of nodes count from `base`, the start of the item that is read. A text `is_odd` if comments stand where
    few people write them: not before, behind or between statements, members and elements.
    """

    def __init__(self, text: str) -> None:
        self.base = 0
        self.is_odd = False
        self._text = text
        self._done = 0  # up to here everything is handed out
        self._tokens = [*tokens(text), Token(Kind.PUNCTUATION, len(text), len(text), "")]
        self._closers = _closers(self._tokens)
        self._index = 0

    # ------------------------------------------------------------ looking ahead

    def peek(self) -> str:
        """The next token's text, empty at the end."""
        return self._tokens[self._index].text

    def breaks(self) -> int:
        """The line breaks between what was taken last and what comes, comments included."""
        remarks = self._remarks()
        return self._line_breaks(self._done, remarks[0].start if remarks else self._next.start)

    def adjoins(self) -> bool:
        """Whether neither a comment nor a line break stands before the next token."""
        return not self._text[self._done : self._next.start].strip(" \t")

    def is_parenthesised(self, span: Span) -> bool:
        """Whether the next token is a parenthesis around all of a node that starts here."""
        closer = self._closers.get(self._index)
        return self.peek() == "(" and closer is not None and self._tokens[closer].end == self.base + span.end

    def parentheses(self, span: Span) -> int:
        """How many pairs of parentheses stand around a node that starts here."""
        if not self.is_parenthesised(span):
            return 0
        first = index = self._index
        closer = self._closers[index]
        while self._tokens[index].text == "(" and self._closers[index] == closer - (index - first):
            index += 1
        return index - first

    def is_one_line(self) -> bool:
        """Whether the bracket that comes next closes on the line that it opens."""
        opener, closer = self._pair()
        return not self._line_breaks(opener.start, closer.end)

    def is_empty(self) -> bool:
        """Whether nothing, not even a comment, stands in the bracket that comes next."""
        opener, closer = self._pair()
        return not self._text[opener.end : closer.start].strip(" \t\r\n")

    # ------------------------------------------------------------ taking

    def take(self, text: str = "") -> Document:
        """The next token with the comments before it and those that end its line.

        Where `text` is only the start of the token, as in the `>>` that closes two brackets, the rest stays.
        """
        token = self._next
        assert token.text.startswith(text), f"{text!r} expected at {token.start}, not {token.text!r}"
        before = self.leading()
        if text and text != token.text:
            self._done = token.start + len(text)
            self._tokens[self._index] = Token(token.kind, self._done, token.end, token.text[len(text) :])
            return together(before, text)
        return together(before, token.text, self._advance())

    def leading(self, *, blank: bool = False) -> Document:
        """The comments before the next token, and the line break that parts them from it; `blank` lines stay."""
        remarks = self._remarks()
        if not remarks:
            return NOTHING
        comments = self._given(remarks, blank=blank)
        self.is_odd |= not blank
        breaks = self._line_breaks(self._done, self._next.start)
        return (comments, Fresh(blank=blank and breaks > 1)) if breaks else comments

    def words(self, text: str) -> Document:
        """The tokens that together are `text`, as those of a dotted name."""
        parts: list[Document] = []
        while text:
            text = text[len(self.peek()) :]
            parts.append(self.take())
        return together(*parts)

    def separator(self, written: str, shown: Document) -> Document:
        """`shown` in the place of a separator of `written` that may stand here.

        Comments on lines of their own before it come after it.
        """
        if not self.peek() or self.peek() not in written:
            return shown
        remarks = self._remarks()
        self.is_odd |= bool(remarks)
        near = next((i for i, remark in enumerate(remarks) if not remark.is_inline), len(remarks))
        return together(self._given(remarks[:near]), shown, self._given(remarks[near:]), self._advance())

    def comments(self) -> Document:
        """The comments before a closing bracket, or at the end."""
        return self._given(self._remarks(), blank=True)

    def piece(self, build: Callable[[], Document]) -> Document:
        """What `build` takes, with the stray semicolons behind it, marked as one piece."""
        remarks = self._remarks()
        start = remarks[0].start if remarks else self._next.start
        contents = together(self.leading(blank=True), build(), self.strays())
        return Piece(contents, start, self._done)

    def strays(self) -> Document:
        """The comments around semicolons that mean nothing."""
        parts: list[Document] = []
        while self.peek() == ";":
            parts.append(self.separator(";", NOTHING))
        return together(*parts)

    # ------------------------------------------------------------ tokens and comments

    @property
    def _next(self) -> Token:
        return self._tokens[self._index]

    def _pair(self) -> tuple[Token, Token]:
        return self._next, self._tokens[self._closers[self._index]]

    def _line_breaks(self, start: int, end: int) -> int:
        return len(_LINE_BREAK.findall(self._text, start, end))

    def _remarks(self) -> list[_Remark]:
        """The comments before the next token that were not handed out yet."""
        found: list[_Remark] = []
        before = self._done
        if self._text.find("/", before, self._next.start) < 0:
            return found
        for match in _COMMENT.finditer(self._text, before, self._next.start):
            text = match.group().rstrip()
            found.append(_Remark(text, match.start(), match.end(), self._line_breaks(before, match.start())))
            before = match.end()
        return found

    def _advance(self) -> Document:
        """Go behind the next token; the comments there that end its line."""
        token = self._next
        self._index += 1
        self._done = token.end
        remarks = self._remarks()
        count = next((i for i, remark in enumerate(remarks) if remark.breaks or remark.is_doc), len(remarks))
        if not count or not self._ends_line(remarks, count):
            return NOTHING
        self.is_odd |= token.text not in _BEFORE_COMMENTS
        return self._given(remarks[:count])

    def _ends_line(self, remarks: list[_Remark], count: int) -> bool:
        """Whether a line break follows the first `count` remarks."""
        if count < len(remarks):
            return remarks[count].breaks > 0
        return self._next.text == "" or self._line_breaks(remarks[-1].end, self._next.start) > 0

    def _given(self, remarks: list[_Remark], *, blank: bool = False) -> Document:
        """The documents of remarks, which count as handed out; `blank` lines between them stay."""
        if not remarks:
            return NOTHING
        self._done = remarks[-1].end
        return tuple(self._comment(remark, blank) for remark in remarks)

    def _comment(self, remark: _Remark, blank: bool) -> Document:
        column = remark.start - self._line_start(remark.start)
        if remark.breaks or remark.is_doc:
            return (Fresh(blank=blank and remark.breaks > 1), Comment(remark.text, column))
        if remark.to_line_end:
            return Comment(remark.text, column, trailing=True)
        return (Gap(), Comment(remark.text, column))

    def _line_start(self, position: int) -> int:
        return max(self._text.rfind("\n", 0, position), self._text.rfind("\r", 0, position)) + 1


def _closers(found: list[Token]) -> dict[int, int]:
    """The index of the bracket that closes each."""
    pairs: dict[int, int] = {}
    waiting: list[int] = []
    for index, token in enumerate(found):
        if token.text in _CLOSERS:
            waiting.append(index)
        elif waiting and token.text == _CLOSERS[found[waiting[-1]].text]:
            pairs[waiting.pop()] = index
    return pairs

"""The lines of a new text while they are written, with the comments behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, groupby

from kcheck.grammar.formatter.document import Comment

WIDTH = 100
_BEFORE_COMMENT = "  "
_OPENERS = ("{", "(", "[")
# These need no space between a comment and themselves.
_CLOSE_FOLLOWERS = " ,;:)]."
_LINE_BREAK = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Mark:
    """A place on a page: before the first text of a row where `column` is -1, behind its comment where it is None."""

    row: int
    column: int | None


@dataclass(frozen=True, slots=True)
class Row:
    """A finished line: its code and the comment behind it, which stood in `column` of the source."""

    code: str
    comment: str = ""
    column: int = 0

    @property
    def text(self) -> str:
        return f"{self.code}{self.comment}"


class Page:
    """Takes text piece by piece; wherever a line may have to end, `indent` is where the next one starts."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._parts: list[str] = []  # of the last line, its indentation first
        self._column = 0
        self._indent = 0
        self._waiting: list[Comment] = []  # for the end of the line
        self._after_comment = False
        self._full = False  # by a comment that runs to the line's end

    @property
    def room(self) -> int:
        """The columns left on the line."""
        return WIDTH - (self._column if self._parts else self._indent)

    def text(self, text: str, indent: int) -> None:
        if not text or (text.isspace() and (self._full or not self._parts)):
            return
        if self._full:
            self.end_line(indent)
        if self._after_comment and text[0] not in _CLOSE_FOLLOWERS:
            self._put(" ")
        self._put(text)
        self._after_comment = False

    def gap(self) -> None:
        """A space, unless one or an opening bracket stands before it."""
        if self._parts and self._parts[-1][-1:] not in (" ", *_OPENERS):
            self._put(" ")

    def comment(self, comment: Comment, indent: int) -> None:
        """Comments keep their order, so none passes one that waits."""
        if comment.trailing and self._parts and not self._full:
            self._waiting.append(comment)
            return
        if self._waiting or self._full:
            self.end_line(indent)
        first, *more = _shifted(comment, self._column if self._parts else self._indent)
        self._put(first)
        for line in more:
            self.end_line(indent)
            self._parts, self._column = [line], len(line)
        self._after_comment = True
        self._full = comment.text.startswith("//")

    def fresh_line(self, indent: int, *, blank: bool) -> None:
        """End the line if anything stands on it; `blank` asks for a blank line above, save at the start of a block."""
        if self._parts:
            self.end_line(indent)
        self._indent = indent
        if blank and self.rows and self.rows[-1].text and not self.rows[-1].code.endswith(_OPENERS):
            self.rows.append(Row(""))

    def end_line(self, indent: int) -> None:
        code = "".join(self._parts).rstrip(" ")
        comment, *others = self._waiting or [Comment("", 0)]
        self.rows.append(Row(code, _BEFORE_COMMENT * bool(comment.text) + comment.text, comment.column))
        self.rows += (Row(" " * indent + other.text) for other in others)
        self._parts, self._column, self._indent, self._waiting = [], 0, indent, []
        self._after_comment = self._full = False

    def finish(self) -> None:
        if self._parts:
            self.end_line(0)

    def start(self) -> Mark:
        """Where the next text will start."""
        return Mark(len(self.rows), self._column if self._parts else -1)

    def end(self) -> Mark:
        """Where the text so far ends, with the comments that wait."""
        if self._waiting:
            return Mark(len(self.rows) + len(self._waiting) - 1, None)
        return Mark(len(self.rows), self._column)

    def _put(self, text: str) -> None:
        if not self._parts:
            self._parts.append(" " * self._indent)
            self._column = self._indent
        self._parts.append(text)
        self._column += len(text)


def aligned(rows: list[Row]) -> Iterator[Row]:
    """The rows, with those comments in one column that stood in one column of neighbouring lines."""
    for column, run in groupby(rows, lambda row: row.column if row.comment else None):
        lines = list(run)
        longest = max(len(line.code) for line in lines)
        if column is None or longest + max(len(line.comment) for line in lines) > WIDTH:
            yield from lines
        else:
            yield from (replace(line, code=line.code.ljust(longest)) for line in lines)


class Offsets:
    """Where the rows of a page start in its text."""

    def __init__(self, rows: list[Row], newline: str) -> None:
        self._texts = [row.text for row in rows]
        self._starts = list(accumulate((len(text) + len(newline) for text in self._texts), initial=0))

    def offset(self, mark: Mark) -> int:
        text = self._texts[mark.row]
        columns = {-1: len(text) - len(text.lstrip()), None: len(text)}
        return self._starts[mark.row] + columns.get(mark.column, mark.column or 0)


def _shifted(comment: Comment, column: int) -> list[str]:
    """The lines of a comment that now starts in `column`: those after the first move as far as the first."""
    first, *more = (line.rstrip() for line in _LINE_BREAK.split(comment.text))
    if column >= comment.column:
        return [first, *(" " * (column - comment.column) * bool(line) + line for line in more)]
    surplus = re.compile(f"[ \t]{{0,{comment.column - column}}}")
    return [first, *(surplus.sub("", line, count=1) for line in more)]

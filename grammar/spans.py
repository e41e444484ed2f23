"""Positions in source text.

Everything below the edges of the tool counts in *characters* (Python string
offsets).  `LineIndex` turns them into what people and editors use: lines,
columns in UTF-16 units (the Language Server Protocol) and bytes.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from kcheck.grammar.nodes import ordered


@ordered
class Span:
    """A half-open range `start..end` of characters."""

    start: int
    end: int

    def shifted(self, offset: int) -> Span:
        return Span(self.start + offset, self.end + offset)

    def to(self, other: Span) -> Span:
        """The smallest span that holds both."""
        return Span(min(self.start, other.start), max(self.end, other.end))


@ordered
class Origin:
    """Where a piece of a program comes from, independent of what surrounds its item.

    `item` is the key of a file item (`"kernel stats.luma@1"`; empty for the file as a whole), `span` counts from
    the item's first character: an edit above the item changes nothing here.
    """

    path: str
    item: str
    span: Span


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A zero-based line and a zero-based column in UTF-16 units."""

    line: int
    character: int


_LINE_BREAK = re.compile(r"\r\n?|\n")
"""What ends a line in the Language Server Protocol, and so in editors."""


class LineIndex:
    """Line starts of one text, for conversions from character offsets."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(found.end() for found in _LINE_BREAK.finditer(text))]

    def line(self, offset: int) -> int:
        """The zero-based line that holds the character at `offset`."""
        return bisect_right(self._starts, offset) - 1

    def line_start(self, line: int) -> int:
        return self._starts[line]

    def line_text(self, line: int) -> str:
        """The text of a line without its line break."""
        end = self._starts[line + 1] if line + 1 < len(self._starts) else len(self._text)
        return self._text[self._starts[line] : end].rstrip("\r\n")

    def position(self, offset: int) -> Position:
        offset = max(0, min(offset, len(self._text)))
        line = self.line(offset)
        before = self._text[self._starts[line] : offset]
        return Position(line, utf16_length(before))

    def offset(self, position: Position) -> int:
        """The character offset of a position; positions past the end of a line or of the text clamp to it."""
        if position.line >= len(self._starts):
            return len(self._text)
        line = position.line
        units = 0
        offset = self._starts[line]
        for character in self.line_text(line):
            if units >= position.character:
                break
            units += utf16_length(character)
            offset += 1
        return offset

    def byte_offset(self, offset: int) -> int:
        """The offset in bytes of the UTF-8 text."""
        return len(self._text[:offset].encode("utf-8"))


def utf16_length(text: str) -> int:
    """The length of `text` in UTF-16 code units."""
    return len(text) if text.isascii() else len(text) + sum(1 for c in text if ord(c) > 0xFFFF)

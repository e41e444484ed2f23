"""Cuts a file into its items, also where a brace is missing or something strange stands between them.

Only comments, strings, brackets and the words that begin items are looked at, so a wrong item never hides
those after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kcheck.grammar.lexis import ITEM_WORDS, Mark, Trivia, marks, trimmed

_BYTE_ORDER_MARK = "\ufeff"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CLOSERS = re.compile(r"[)\]}](?:[ \t\r\n;]*[)\]}])*")
_HEADER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*[ \t]+[A-Za-z_]")

# These end at their `;`, all others at their closing brace.
_WITHOUT_BODY = frozenset({"use", "const"})
# These begin no member of a kernel, however the file is indented.
_NEVER_MEMBER = frozenset({"use", "kernel", "scene"})


def split(text: str) -> list[tuple[int, int]]:
    """The ranges of the items of `text`, with the doc comments before them, in order."""
    return list(_Splitter(text).ranges())


class _Splitter:
    def __init__(self, text: str) -> None:
        self.text = text
        self.trivia = Trivia(text)
        # Before this place a kernel lacks a brace: an item's word at a line's start is no member of it.
        self.distrusted = 0

    def ranges(self) -> Iterator[tuple[int, int]]:
        start, first = self._next(len(_BYTE_ORDER_MARK) if self.text.startswith(_BYTE_ORDER_MARK) else 0)
        while first < len(self.text):
            end = self._item_end(first) if self._starts_item(first) else self._strange_end(first)
            yield start, end
            start, first = self._next(end)

    def _next(self, position: int) -> tuple[int, int]:
        """Where the docs of the next item start, and its first token; semicolons between items are nothing."""
        while True:
            start = self.trivia.skip_to_doc(position)
            first = self.trivia.skip(start)
            if not self.text.startswith(";", first):
                return start, first
            position = first + 1

    def _starts_item(self, first: int) -> bool:
        word = _WORD.match(self.text, first)
        return word is not None and word.group() in ITEM_WORDS

    def _strange_end(self, first: int) -> int:
        """The end of what is no item; pieces that do not even look like one are taken together."""
        end = self._piece_end(first)
        while True:
            first = self._next(end)[1]
            if first >= len(self.text) or self._starts_item(first) or self._resembles_item(first):
                return end
            end = self._piece_end(first)

    def _resembles_item(self, first: int) -> bool:
        return self.text[first - 1] in "\r\n" and _HEADER.match(self.text, first) is not None

    def _piece_end(self, first: int) -> int:
        closers = _CLOSERS.match(self.text, first)
        return closers.end() if closers else self._item_end(first)

    def _item_end(self, first: int) -> int:
        """Where the item that starts at `first` ends: at its `}` or `;`, or before the next item's word."""
        word = _WORD.match(self.text, first)
        keyword = word.group() if word else ""
        braces = brackets = 0
        seen = word.end() if word else first
        member: tuple[int, int] | None = None
        for mark in marks(self.trivia, seen):
            match mark.text:
                case "{":
                    braces += 1
                case "}" if braces == 0:
                    return trimmed(self.text, seen, mark.start)
                case "}":
                    braces -= 1
                    if braces == 0 and brackets <= 0 and keyword not in _WITHOUT_BODY:
                        return mark.end
                case "(" | "[" if braces == 0:
                    brackets += 1
                case ")" | "]" if braces == 0:
                    brackets -= 1
                case ";" if braces == 0 and brackets <= 0:
                    return mark.end
                case _ if mark.text in ITEM_WORDS and self._begins_item(mark, braces):
                    if not self._may_be_member(mark, keyword, braces):
                        return self._cut(member, (seen, mark.start))
                    member = member or (seen, mark.start)
            seen = mark.end
        return self._cut(member, (seen, len(self.text)))

    def _begins_item(self, mark: Mark, braces: int) -> bool:
        """Whether an item's word looks like the start of one, not like a name used by mistake."""
        indent = self.text[self.text.rfind("\n", 0, mark.start) + 1 : mark.start]
        if not indent:
            return True
        named = _HEADER.match(self.text, mark.start) is not None
        return named and (braces == 0 or (not indent.strip() and mark.text in _NEVER_MEMBER))

    def _may_be_member(self, mark: Mark, keyword: str, braces: int) -> bool:
        inside = keyword == "kernel" and braces > 0
        return inside and mark.text not in _NEVER_MEMBER and mark.start >= self.distrusted

    def _cut(self, member: tuple[int, int] | None, boundary: tuple[int, int]) -> int:
        """The end of an item that nothing before `boundary` closes.

        What could have been its first unindented member then is an item. Both are given as a gap: from the
        last mark before it to its start.
        """
        if member is not None:
            self.distrusted = boundary[1]
        return trimmed(self.text, *(member or boundary))

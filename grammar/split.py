"""Cuts a file into its items, also where a brace is missing or something strange stands between them.

Only comments, strings, brackets and the words that begin items are looked at, so a wrong item never hides
those after it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kcheck.grammar.lexis import ITEM_WORDS, Kind, Mark, Trivia, marks, marks_in_braces, trimmed

_BYTE_ORDER_MARK = "\ufeff"
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_CLOSERS = re.compile(r"[)\]}](?:[ \t\r\n;]*[)\]}])*")
_INDENT = re.compile(r"[ \t]*")
# A pattern that begins with one character is found much faster than one that begins with `^`.
_AT_MARGIN = re.compile(r"\n(?:use|const|struct|enum|fn|kernel|scene)(?![A-Za-z0-9_])")
_HEADER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*[ \t]+[A-Za-z_]")

# About what a workspace that is open in an editor holds.
_PARTS_KEPT = 4096

# These end at their `;`, all others at their closing brace.
_WITHOUT_BODY = frozenset({"use", "const"})
# These begin no member of a kernel, however the file is indented.
_NEVER_MEMBER = frozenset({"use", "kernel", "scene"})


def split(text: str) -> list[tuple[int, int]]:
    """The ranges of the items of `text`, with the doc comments before them, in order.

    A text falls into parts, which begin at the margin with an item's word; one whose braces balance is cut on its
    own, and most are known from before. Where that is not so, the text is cut from there on until a part begins anew.
    """
    ends = [match.start() + 1 for match in _AT_MARGIN.finditer(text)] + [len(text)]
    found: list[tuple[int, int]] = []
    begin, docs = 0, None
    for end in ends:
        if end <= begin:
            continue
        part = _part(text[begin:end])
        if part is not None:
            ranges = [(begin + start, begin + stop) for start, stop in part.ranges]
            begin, next_docs = end, None if part.docs is None else begin + part.docs
        else:
            ranges, begin, next_docs = _up_to_part(text, begin, ends)
        if docs is not None and ranges:
            ranges[0] = (docs, ranges[0][1])
        if ranges or docs is None:
            docs = next_docs
        found += ranges
    return found


def _up_to_part(text: str, begin: int, ends: list[int]) -> tuple[list[tuple[int, int]], int, int | None]:
    """The items from `begin` on up to the first that begins a part; where it begins, and its docs."""
    splitter = _Splitter(text)
    ranges = []
    for found in splitter.ranges(begin):
        ranges.append(found)
        docs, first = splitter.next_item(found[1])
        if splitter.distrusted <= first and ends[bisect_left(ends, first)] == first:
            return ranges, first, docs if docs < first else None
    return ranges, len(text), None


@dataclass(frozen=True, slots=True)
class _Part:
    """A text that stands for itself: its items, and where the docs of an item after it begin."""

    ranges: tuple[tuple[int, int], ...]
    docs: int | None


@lru_cache(maxsize=_PARTS_KEPT)
def _part(text: str) -> _Part | None:
    splitter = _Splitter(text)
    ranges = tuple(splitter.ranges())
    if not splitter.is_balanced:
        return None
    docs, _ = splitter.next_item(ranges[-1][1] if ranges else 0)
    return _Part(ranges, docs if docs < len(text) else None)


# ---------------------------------------------------------------- item by item


class _Splitter:
    def __init__(self, text: str) -> None:
        self.text = text
        self.trivia = Trivia(text)
        # Before this place a kernel lacks a brace: an item's word at a line's start is no member of it.
        self.distrusted = 0
        # Whether so far no brace or comment is open that nothing closes, nor a brace closes nothing.
        self.is_balanced = True

    def ranges(self, position: int = 0) -> Iterator[tuple[int, int]]:
        """The items from `position` on, where none has begun."""
        if position == 0 and self.text.startswith(_BYTE_ORDER_MARK):
            position = len(_BYTE_ORDER_MARK)
        start, first = self.next_item(position)
        while first < len(self.text):
            end = self._item_end(first) if self._starts_item(first) else self._strange_end(first)
            yield start, end
            start, first = self.next_item(end)

    def next_item(self, position: int) -> tuple[int, int]:
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
            first = self.next_item(end)[1]
            if first >= len(self.text) or self._starts_item(first) or self._resembles_item(first):
                return end
            end = self._piece_end(first)

    def _resembles_item(self, first: int) -> bool:
        return self.text[first - 1] in "\r\n" and _HEADER.match(self.text, first) is not None

    def _piece_end(self, first: int) -> int:
        closers = _CLOSERS.match(self.text, first)
        if closers is None:
            return self._item_end(first)
        self.is_balanced = False
        return closers.end()

    def _item_end(self, first: int) -> int:
        """Where the item that starts at `first` ends: at its `}` or `;`, or before the next item's word."""
        word = _WORD.match(self.text, first)
        keyword = word.group() if word else ""
        braces = brackets = 0
        seen = word.end() if word else first
        member: tuple[int, int] | None = None
        for mark in self._outline(seen):
            match mark.text:
                case "{":
                    braces += 1
                case "}" if braces == 0:
                    self.is_balanced = False
                    return trimmed(self.text, seen, mark.start)
                case "}":
                    braces -= 1
                    if braces == 0 and brackets <= 0 and keyword not in _WITHOUT_BODY:
                        return self._own_closer(first, mark) or mark.end
                case "(" | "[" if braces == 0:
                    brackets += 1
                case ")" | "]" if braces == 0:
                    brackets -= 1
                case ";" if braces == 0 and brackets <= 0:
                    own = None if keyword in _WITHOUT_BODY or not keyword else self._own_closer(first, mark)
                    return own or mark.end
                case _ if mark.text in ITEM_WORDS and self._begins_item(mark, braces):
                    if not self._may_be_member(mark, keyword, braces):
                        self.is_balanced &= braces == 0
                        return self._cut(member, (seen, mark.start))
                    member = member or (seen, mark.start)
                case _ if mark.kind is Kind.OPEN_COMMENT:
                    self.is_balanced = False
            seen = mark.end
        self.is_balanced &= braces == 0
        return self._cut(member, (seen, len(self.text)))

    def _outline(self, position: int) -> Iterator[Mark]:
        """The marks from `position` on, which is in no braces; in braces only what tells where these end."""
        depth = 0
        while True:
            for mark in (marks_in_braces if depth > 0 else marks)(self.trivia, position):
                yield mark
                was_inside = depth > 0
                depth += (mark.text == "{") - (mark.text == "}")
                if was_inside != (depth > 0):
                    position = mark.end
                    break
            else:
                return

    def _own_closer(self, first: int, closer: Mark) -> int | None:
        """The end of an item that seems to end too early: at a `closer` further right than the item begins.

        That is the next `}` that stands where the item's own should, if it comes before another item.
        """
        margin = self._margin(first)
        if self._margin(closer.start) <= margin:
            return None
        following = self.next_item(closer.end)[1]
        if following >= len(self.text) or (self._margin(following) <= margin and self.text[following] != "}"):
            return None
        for mark in marks(self.trivia, closer.end):
            if mark.text in ITEM_WORDS and self._margin(mark.start) <= margin and self._begins_item(mark, 1):
                return None
            if mark.text == "}" and self._margin(mark.start) <= margin:
                self.is_balanced = False
                return mark.end
        return None

    def _margin(self, position: int) -> int:
        """How far the line that holds `position` is indented."""
        line = self.text.rfind("\n", 0, position) + 1
        found = _INDENT.match(self.text, line)
        return 0 if found is None else found.end() - line

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

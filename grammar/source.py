"""A parsed file: its text and its items, each with a position-independent syntax tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from kcheck.grammar import syntax
from kcheck.grammar.nodes import Value, node
from kcheck.grammar.spans import LineIndex, Origin, Span


@node(kw_only=False)
class ParsedItem(Value):
    """One item of a file.

    `key` names the item within its file and survives edits elsewhere (`"kernel stats.luma@1"`, a second one
    of the same name `"kernel stats.luma@1#2"`); `offset` is where its text starts in the file.
    An item that `is_whole` has no syntax error. In those of its spans that are `quiet` what was written was read as
    something else or not at all, so what the checker finds there is no news.
    """

    key: str
    offset: int
    text: str
    node: syntax.Item
    is_whole: bool = True
    quiet: tuple[Span, ...] = ()


@dataclass(frozen=True)
class SourceFile:
    path: str
    text: str
    items: tuple[ParsedItem, ...]

    @cached_property
    def lines(self) -> LineIndex:
        return LineIndex(self.text)

    @cached_property
    def _offsets(self) -> dict[str, int]:
        return {item.key: item.offset for item in self.items}

    def absolute(self, origin: Origin) -> Span:
        """The span of `origin` counted from the start of this file."""
        return origin.span.shifted(self._offsets.get(origin.item, 0))

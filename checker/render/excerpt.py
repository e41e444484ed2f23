"""Source lines with carets under a span."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kcheck.checker.render.cells import cells, shown
from kcheck.grammar.spans import LineIndex, Span

MOST_LINES = 4
"""Spans over more lines show their first two and their last."""

CUT = "…"


@dataclass(frozen=True, slots=True)
class Row:
    """A source line, or the place of lines left out (no `number`); `pad` columns stand before the carets."""

    number: int | None
    text: str
    pad: int = 0
    carets: int = 0


def excerpt(lines: LineIndex, span: Span, room: int) -> tuple[Row, ...]:
    """The lines of `span`, numbered from 1, each cut to at most `room` columns around the span."""
    first = lines.line(span.start)
    last = lines.line(max(span.start, span.end - 1))
    return tuple(
        Row(None, "...") if number is None else _row(lines, number, span, room) for number in _chosen(first, last)
    )


def _chosen(first: int, last: int) -> Iterator[int | None]:
    if last - first < MOST_LINES:
        yield from range(first, last + 1)
    else:
        yield from (first, first + 1, None, last)


def _row(lines: LineIndex, number: int, span: Span, room: int) -> Row:
    text, at = lines.line_text(number), lines.line_start(number)
    indent = len(text) - len(text.lstrip())
    start = span.start - at if span.start >= at else indent
    start = min(start, len(text))
    end = max(start, min(span.end - at, len(text)))
    low, high = _window(text, start, end, room)
    before, after = CUT if low else "", CUT if high < len(text) else ""
    return Row(
        number + 1,
        before + shown(text[low:high]) + after,
        len(before) + cells(text[low:start]),
        max(1, cells(text[start : min(end, high)])),
    )


def _window(text: str, start: int, end: int, room: int) -> tuple[int, int]:
    """The part of a line to show: all of it where it fits, else what stands around the span."""
    if len(text) <= room and cells(text) <= room:
        return 0, len(text)
    room -= 2 * len(CUT)
    marked = cells(text[start : min(end, start + room)])
    low = _back(text, start, max(room // 4, (room - marked) // 2))
    return low, _forward(text, low, room)


def _back(text: str, at: int, room: int) -> int:
    while at > 0 and (room := room - cells(text[at - 1])) >= 0:
        at -= 1
    return at


def _forward(text: str, at: int, room: int) -> int:
    while at < len(text) and (room := room - cells(text[at])) >= 0:
        at += 1
    return at

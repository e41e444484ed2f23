"""Layouts of what stands in brackets, parted by commas or semicolons.

Where the author broke lines they stay broken; what stood on one line stays there if it fits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import pairwise
from typing import TypeAlias, TypeVar

from kcheck.grammar import syntax
from kcheck.grammar.formatter.cursor import Cursor
from kcheck.grammar.formatter.document import (
    BROKEN,
    LINE_OR_NOTHING,
    NOTHING,
    SPACE_OR_LINE,
    Document,
    Fresh,
    Group,
    IfBroken,
    Indent,
    Line,
    together,
)

N = TypeVar("N")
Build: TypeAlias = Callable[[Cursor, N], Document]


class Rows(Enum):
    """How the elements of a list stand on lines, where they do not stand on one."""

    SINGLE = "one a line"
    KEPT = "as the author broke them; where he did not, one a line"
    FILLED = "as the author broke them; where he did not, as many a line as fit"


@dataclass(frozen=True, slots=True)
class Shape:
    """How a list is laid out.

    `pad` stands inside the brackets. Any line break of the author's keeps the list broken or, where `by_first` is
    set, only one before its first element.
    """

    rows: Rows
    pad: Line = LINE_OR_NOTHING
    by_first: bool = False


ARGUMENTS = Shape(Rows.KEPT, by_first=True)
PARAMETERS = Shape(Rows.SINGLE, by_first=True)
ARRAY = Shape(Rows.KEPT)
TABLE = Shape(Rows.FILLED)
FIELDS = Shape(Rows.SINGLE, pad=SPACE_OR_LINE)

BRACKETED = (
    syntax.StructValue,
    syntax.ArrayLiteral,
    syntax.ArrayRepeat,
    syntax.Call,
    syntax.Record,
    syntax.Tuple,
    syntax.Block,
    syntax.If,
    syntax.Match,
)
"""What can share its lines with brackets that hold nothing else."""


@dataclass(frozen=True, slots=True)
class _Element:
    """An element, the comma behind it, and how many line breaks stood before it."""

    document: Document
    comma: Document
    breaks: int


def braces(cursor: Cursor, nodes: Sequence[N], build: Build[N], *, one_line: bool = True) -> Document:
    """`{ … }` around pieces that end themselves, on one line only if they were and `one_line` allows it.

    The group that decides is the caller's, so that the branches of an `if` break together.
    """
    if cursor.is_empty():
        return (cursor.take("{"), cursor.take("}"))
    kept = NOTHING if one_line and cursor.is_one_line() else BROKEN
    opener = cursor.take("{")
    inside = (pieces(cursor, nodes, build), cursor.comments())
    return (kept, opener, Indent((SPACE_OR_LINE, inside)), SPACE_OR_LINE, cursor.take("}"))


def pieces(cursor: Cursor, nodes: Sequence[N], build: Build[N]) -> Document:
    """Each node on a line of its own, with the blank lines between them but never two."""
    parts = [cursor.strays()]
    for index, node in enumerate(nodes):
        if index:
            parts.append(Fresh(blank=True) if cursor.breaks() > 1 else SPACE_OR_LINE)
        parts.append(cursor.piece(partial(build, cursor, node)))
    return tuple(parts)


def listed(cursor: Cursor, nodes: Sequence[N], build: Build[N], shape: Shape) -> Document:
    """Brackets around nodes and the commas between them."""
    return Group(ungrouped(cursor, nodes, build, shape))


def ungrouped(cursor: Cursor, nodes: Sequence[N], build: Build[N], shape: Shape) -> Document:
    """As `listed`, but it breaks with the group around it."""
    if cursor.is_empty():
        return (cursor.take(), cursor.take())
    opener = cursor.take()
    if len(nodes) == 1 and isinstance(nodes[0], BRACKETED) and cursor.adjoins():
        only = build(cursor, nodes[0])
        return (opener, only, cursor.separator(",", NOTHING), cursor.comments(), cursor.take())
    found = list(_elements(cursor, nodes, build))
    broken = [element.breaks for element in found[: 1 if shape.by_first else None]]
    kept = any(broken) or (not shape.by_first and cursor.breaks() > 0)
    inside = (_rows(found, shape.rows, kept), cursor.comments())
    return (BROKEN if kept else NOTHING, opener, Indent((shape.pad, inside)), shape.pad, cursor.take())


def _elements(cursor: Cursor, nodes: Sequence[N], build: Build[N]) -> Iterator[_Element]:
    """Nodes with their commas; behind the last one stands one where it ends a line."""
    for index, node in enumerate(nodes, 1):
        breaks = cursor.breaks()
        document = together(cursor.leading(blank=True), build(cursor, node))
        comma = "," if index < len(nodes) else IfBroken(",")
        yield _Element(document, cursor.separator(",", comma), breaks)


def _rows(found: Sequence[_Element], rows: Rows, kept: bool) -> Document:
    if not found:
        return NOTHING
    if not kept:
        return (_row(found, rows), found[-1].comma)
    return tuple(
        (Fresh(blank=row[0].breaks > 1), Group(_row(row, rows)), row[-1].comma) for row in _as_broken(found, rows)
    )


def _as_broken(found: Sequence[_Element], rows: Rows) -> Iterator[Sequence[_Element]]:
    """The rows that the author wrote."""
    row: list[_Element] = []
    for element in found:
        if row and (element.breaks or rows is Rows.SINGLE):
            yield row
            row = []
        row.append(element)
    yield row


def _row(row: Sequence[_Element], rows: Rows) -> Document:
    """The elements with the commas between them."""
    parts = [row[0].document]
    for before, element in pairwise(row):
        next_ = (SPACE_OR_LINE, element.document)
        parts += (before.comma, Group(next_) if rows is Rows.FILLED else next_)
    return tuple(parts)

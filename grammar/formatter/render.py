"""From a document to lines of text: chooses which groups break."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kcheck.grammar.formatter.document import (
    Broken,
    Comment,
    Document,
    Fresh,
    Gap,
    Group,
    IfBroken,
    Indent,
    Line,
    Piece,
    is_one_line,
)
from kcheck.grammar.formatter.page import Mark, Offsets, Page, aligned

_INDENT = 2


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece, `start..end` in the source, and its place in the new text."""

    start: int
    end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class Rendered:
    """`pieces` has each piece behind those inside it."""

    text: str
    pieces: tuple[Placed, ...]


def render(document: Document, newline: str) -> Rendered:
    """The lines of `document`, each with a line break at its end."""
    writer = _Writer()
    writer.write(document)
    rows = list(aligned(writer.page.rows))
    offsets = Offsets(rows, newline)
    pieces = (
        Placed(piece.start, piece.end, offsets.offset(start), offsets.offset(end))
        for piece, start, end in writer.pieces
    )
    return Rendered("".join(f"{row.text}{newline}" for row in rows), tuple(pieces))


@dataclass(frozen=True, slots=True)
class _End:
    """The end of a piece whose contents were written from `start` on."""

    piece: Piece
    start: Mark


# Something to write, how far its lines are indented, and whether the group around it stands on one line.
_Task: TypeAlias = "tuple[Document | _End, int, bool]"


class _Writer:
    def __init__(self) -> None:
        self.page = Page()
        self.pieces: list[tuple[Piece, Mark, Mark]] = []
        self._tasks: list[_Task] = []  # the next one last

    def write(self, document: Document) -> None:
        self._tasks = [(document, 0, False)]
        while self._tasks:
            what, indent, flat = self._tasks.pop()
            match what:
                case str():
                    self.page.text(what, indent)
                case tuple():
                    self._tasks += [(part, indent, flat) for part in reversed(what)]
                case Group() | Indent() | Piece() | _End():
                    self._enter(what, indent, flat)
                case _:
                    self._put(what, indent, flat)
        self.page.finish()

    def _enter(self, what: Group | Indent | Piece | _End, indent: int, flat: bool) -> None:
        match what:
            case Group(contents, breaks=breaks):
                one_line = not breaks and (flat or self._fits(contents))
                self._tasks.append((contents, indent, one_line))
            case Indent(contents):
                self._tasks.append((contents, indent + _INDENT, flat))
            case Piece(contents):
                self._tasks += ((_End(what, self.page.start()), indent, flat), (contents, indent, flat))
            case _End(piece, start):
                self.pieces.append((piece, start, self.page.end()))

    def _put(self, what: Line | Fresh | Gap | Broken | Comment | IfBroken, indent: int, flat: bool) -> None:
        match what:
            case Line(text) if flat:
                self.page.text(text, indent)
            case Line():
                self.page.end_line(indent)
            case Fresh(blank):
                self.page.fresh_line(indent, blank=blank)
            case Gap():
                self.page.gap()
            case Comment():
                self.page.comment(what, indent)
            case IfBroken(text):
                self.page.text("" if flat else text, indent)
            case Broken():
                pass

    def _fits(self, contents: Document) -> bool:
        """Whether `contents` on one line, and what follows up to the next possible break, fit the width."""
        room = self.page.room
        waiting: list[tuple[Document | _End, bool]] = [(contents, True)]
        following = reversed(self._tasks)
        while room >= 0:
            if not waiting:
                task = next(following, None)
                if task is None:
                    return True
                waiting.append((task[0], task[2]))
            what, flat = waiting.pop()
            match what:
                case str():
                    room -= len(what)
                case tuple():
                    waiting += [(part, flat) for part in reversed(what)]
                case Indent(inside) | Group(inside) | Piece(inside):
                    waiting.append((inside, flat))
                case Line() | Fresh() if not flat:
                    return True
                case Comment(text, _, False) if not is_one_line(text):
                    return True
                case _:
                    room -= _width(what, flat)
        return False


def _width(what: Document | _End, flat: bool) -> int:
    """The columns that something takes which holds no other document."""
    match what:
        case Line(text):
            return len(text)
        case IfBroken(text):
            return 0 if flat else len(text)
        case Comment(text, _, trailing):
            return 0 if trailing else len(text) + len(" ")
        case Gap():
            return len(" ")
        case _:
            return 0

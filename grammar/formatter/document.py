"""A small algebra of layouts, after Wadler's "A prettier printer".

A document is text that leaves open where its lines break. A string is a document and has no line break in it; a
tuple is its parts one after another. `render` chooses: each group stands on one line if it fits, otherwise every
`Line` directly in it becomes a line break.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Line:
    """A line break where the group around it is broken, else `flat`."""

    flat: str


@dataclass(frozen=True, slots=True)
class Fresh:
    """A line break, unless nothing stands on the line yet; `blank` asks for a blank line above."""

    blank: bool = False


@dataclass(frozen=True, slots=True)
class Gap:
    """A space, unless a space, an opening bracket or nothing stands before it."""


@dataclass(frozen=True, slots=True)
class Broken:
    """No text; the groups around it break."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment as it was written, from which column on.

    One that is `trailing` waits for the end of its line and lets what follows there, such as a `;`, pass it.
    """

    text: str
    column: int
    trailing: bool = False


@dataclass(frozen=True, slots=True)
class IfBroken:
    """`text` where the group around it is broken."""

    text: str


@dataclass(frozen=True, slots=True)
class Indent:
    """Its line breaks start two columns farther right."""

    contents: Document


@dataclass(frozen=True, slots=True)
class Group:
    """On one line if that fits and nothing inside is sure to break."""

    contents: Document
    breaks: bool = field(init=False)
    """Whether a line break inside is sure."""
    waits: bool = field(init=False)
    """Whether it ends in a comment behind which the line should end."""

    def __post_init__(self) -> None:
        breaks, waits = _outlook(self.contents, False)
        object.__setattr__(self, "breaks", breaks)
        object.__setattr__(self, "waits", waits)


@dataclass(frozen=True, slots=True)
class Piece:
    """The layout of `start..end` in the source: a whole item, member, statement, field or arm."""

    contents: Document
    start: int
    end: int


Document: TypeAlias = (
    "str | tuple[Document, ...] | Line | Fresh | Gap | Broken | Comment | IfBroken | Indent | Group | Piece"
)

NOTHING: Document = ""
SPACE_OR_LINE = Line(" ")
LINE_OR_NOTHING = Line("")
BROKEN = Broken()


def joined(separator: Document, parts: Iterable[Document]) -> Document:
    """The parts with `separator` between each two."""
    result: list[Document] = []
    for part in parts:
        if result:
            result.append(separator)
        result.append(part)
    return tuple(result)


def together(*parts: Document) -> Document:
    """The parts one after another, without those that are nothing."""
    some = tuple(part for part in parts if part)
    return some[0] if len(some) == 1 else some


def is_one_line(text: str) -> bool:
    return "\n" not in text and "\r" not in text


def _outlook(document: Document, waits: bool) -> tuple[bool, bool]:
    """Whether a line break inside is sure, and whether the end waits for one.

    `waits` says that a comment stands before behind which the line should end: what follows breaks the group.
    """
    match document:
        case tuple(parts):
            breaks = False
            for part in parts:
                inside, waits = _outlook(part, waits)
                breaks |= inside
            return breaks, waits
        case Indent(contents) | Piece(contents):
            return _outlook(contents, waits)
        case Group(breaks=breaks, waits=behind):
            return breaks or waits, behind
        case "":
            return False, waits
        case Broken() | Fresh():
            return True, waits
        case Comment(text, _, trailing):
            return waits, trailing or text.startswith("//") or not is_one_line(text)
        case _:
            return waits, False

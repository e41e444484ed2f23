"""What reading can find wrong, before it is known where in which file the text stands."""

from __future__ import annotations

from dataclasses import dataclass, field

from kcheck.grammar.diagnostics import Diagnostic, Edit, Fix, Note, Severity
from kcheck.grammar.spans import Origin, Span

SYNTAX = "K101"
ENCODING = "K102"
TOO_DEEP = "K103"
UNCLOSED = "K104"
COMPARISON_CHAIN = "K105"
TOO_LARGE = "K106"


@dataclass(frozen=True, slots=True)
class Repair:
    """Replace `span` by `text`."""

    title: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Remark:
    """A note that points at a place of the same item."""

    message: str
    span: Span


@dataclass(frozen=True, slots=True)
class Problem:
    """A diagnostic of one item's text; `span` counts from the item's first character."""

    code: str
    message: str
    span: Span
    label: str = ""
    notes: tuple[str | Remark, ...] = field(default=())
    repairs: tuple[Repair, ...] = field(default=())

    def at(self, path: str, item: str) -> Diagnostic:
        """This problem as a diagnostic of the item named `item` in the file at `path`."""
        return Diagnostic(
            self.code,
            Severity.ERROR,
            self.message,
            Origin(path, item, self.span),
            self.label,
            tuple(_note(note, path, item) for note in self.notes),
            tuple(Fix(repair.title, (Edit(Origin(path, item, repair.span), repair.text),)) for repair in self.repairs),
        )


def _note(note: str | Remark, path: str, item: str) -> Note:
    if isinstance(note, Remark):
        return Note(note.message, Origin(path, item, note.span))
    return Note(note)


class UnreadableError(Exception):
    """Raised where reading an item must stop; it never leaves this package."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem

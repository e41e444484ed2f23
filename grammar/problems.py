"""What reading can find wrong, before it is known where in which file the text stands."""

from __future__ import annotations

from dataclasses import field

from kcheck.grammar.diagnostics import Diagnostic, Edit, Fix, Note, Severity
from kcheck.grammar.nodes import Value, node
from kcheck.grammar.spans import Origin, Span

SYNTAX = "K101"
ENCODING = "K102"
TOO_DEEP = "K103"
UNCLOSED = "K104"
COMPARISON_CHAIN = "K105"
TOO_LARGE = "K106"


@node(kw_only=False)
class Repair(Value):
    """Replace `span` by `text`."""

    title: str
    span: Span
    text: str


@node(kw_only=False)
class Remark(Value):
    """A note that points at a place of the same item."""

    message: str
    span: Span


@node(kw_only=False)
class Problem(Value):
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

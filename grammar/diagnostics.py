"""Diagnostics are values: made in one place, rendered in another."""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from kcheck.grammar.nodes import Value, node
from kcheck.grammar.spans import Origin


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


@node(kw_only=False)
class Note(Value):
    """A remark that helps to understand a diagnostic, at a place of its own or at none."""

    message: str
    origin: Origin | None = None


@node(kw_only=False)
class Edit(Value):
    """Replace the text at `origin` by `text`."""

    origin: Origin
    text: str


@node(kw_only=False)
class Fix(Value):
    """A change that the user may accept."""

    title: str
    edits: tuple[Edit, ...]


@node(kw_only=False)
class Diagnostic(Value):
    """What is wrong (`message`), where (`origin`), why and what to do (`notes`, `fixes`).

    `label` is a short text for the place itself, shown beside the carets.
    """

    code: str
    severity: Severity
    message: str
    origin: Origin
    label: str = ""
    notes: tuple[Note, ...] = field(default=())
    fixes: tuple[Fix, ...] = field(default=())

"""Diagnostics are values: made in one place, rendered in another."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from kcheck.grammar.spans import Origin


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that helps to understand a diagnostic, at a place of its own or at none."""

    message: str
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text at `origin` by `text`."""

    origin: Origin
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that the user may accept."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
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

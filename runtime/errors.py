"""What the runtime raises: run-time errors (K7) and files with errors, both with their diagnostics."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.grammar.diagnostics import Diagnostic


class RunError(Exception):
    """A run that cannot be: names the port, what it got and what it needs; nothing was changed."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        notes = "".join(f"\n  {note.message}" for note in diagnostic.notes)
        super().__init__(f"{diagnostic.code}: {diagnostic.message}{notes}")
        self.diagnostic = diagnostic

    @property
    def code(self) -> str:
        """The stable code, `"K704"`."""
        return self.diagnostic.code


class CheckError(ValueError):
    """A file that the checker refuses; its text is what `kcheck check` prints.

    `diagnostics` holds all that was found, remarks too.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], rendered: str) -> None:
        super().__init__(rendered)
        self.diagnostics = tuple(diagnostics)

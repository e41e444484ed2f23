"""The diagnostics found so far, each once."""

from __future__ import annotations

from collections.abc import Iterable

from kcheck.grammar.diagnostics import Diagnostic, Severity
from kcheck.grammar.spans import Origin


class Problems:
    """Collects diagnostics; a function that is lowered for several kernels reports each of its own once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Origin, str], Diagnostic] = {}
        self.errors = 0

    def add(self, diagnostic: Diagnostic) -> None:
        key = (diagnostic.code, diagnostic.origin, diagnostic.message)
        self._found.setdefault(key, diagnostic)
        self.errors += diagnostic.severity is Severity.ERROR

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def all(self) -> tuple[Diagnostic, ...]:
        return tuple(self._found.values())

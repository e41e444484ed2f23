"""The diagnostics found so far, each once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Diagnostic, Severity
from kcheck.grammar.lexis import Trivia, marks
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Origin

_SYNTAX, _MODES = "K1", "K3"
# What is said of the end of a block (a missing return, a missing value), and of what an item or example lacks.
_LACKING = ("K206", "K212", "K220", "K230", _MODES)
# What is said of things that nothing uses: what could not be read may use them.
_UNUSED = ("K208", "K224")


class Problems:
    """Collects diagnostics; a function that is lowered for several kernels reports each of its own once.

    `unread` are the items with syntax errors, by path and key: of them nothing is said that is only a consequence.
    """

    def __init__(self, unread: Mapping[tuple[str, str], ParsedItem]) -> None:
        self._found: dict[tuple[str, Origin, str], Diagnostic] = {}
        self._unread = unread
        self.errors = 0

    def add(self, diagnostic: Diagnostic) -> None:
        if self._is_follow_on(diagnostic):
            self.errors += diagnostic.severity is Severity.ERROR
            return
        key = (diagnostic.code, diagnostic.origin, diagnostic.message)
        self._found.setdefault(key, diagnostic)
        self.errors += diagnostic.severity is Severity.ERROR

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def _is_follow_on(self, diagnostic: Diagnostic) -> bool:
        origin = diagnostic.origin
        item = self._unread.get((origin.path, origin.item))
        if item is None or diagnostic.code.startswith(_SYNTAX):
            return False
        start = origin.span.start
        if diagnostic.code in _UNUSED:
            return True
        if diagnostic.code.startswith(_LACKING) and not _is_balanced(item.text):
            return True
        return any(span.start <= start < max(span.end, span.start + 1) for span in item.quiet) or (
            diagnostic.code.startswith(_MODES) and _lacks_members(item.node)
        )

    def all(self) -> tuple[Diagnostic, ...]:
        return tuple(self._found.values())


def _is_balanced(text: str) -> bool:
    """Whether there are as many braces that open as that close."""
    signs = [mark.text for mark in marks(Trivia(text))]
    return signs.count("{") == signs.count("}")


def _lacks_members(node: syntax.Item) -> bool:
    """Whether a kernel has a member that could not be read, so that nobody knows what its mode lacks."""
    return isinstance(node, syntax.Kernel) and any(isinstance(m, syntax.ErrorMember) for m in node.members)

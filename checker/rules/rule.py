"""What a rule is: a stable code, its reason, and an example of each side."""

from __future__ import annotations

from dataclasses import dataclass

from kcheck.grammar.diagnostics import Diagnostic, Fix, Note, Severity
from kcheck.grammar.spans import Origin


@dataclass(frozen=True, slots=True)
class Rule:
    """One entry of the catalogue.

    `explanation` is Markdown; `bad` is a program that this rule refuses or remarks on, and `good` one that
    it does not.  Both are None only where no program can show it: for run-time rules, where the explanation
    shows a call instead, and for files that are too large, too deep or no text.
    """

    code: str
    name: str
    severity: Severity
    title: str
    explanation: str
    bad: str | None = None
    good: str | None = None

    def report(
        self,
        origin: Origin,
        message: str,
        *,
        label: str = "",
        notes: tuple[Note, ...] = (),
        fixes: tuple[Fix, ...] = (),
    ) -> Diagnostic:
        return Diagnostic(self.code, self.severity, message, origin, label, notes, fixes)

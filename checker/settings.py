"""What a project decides about findings: which it does not want to see, which weigh more or less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from kcheck.checker.allow import without_allowed
from kcheck.checker.checked import Checked
from kcheck.grammar.diagnostics import Diagnostic, Severity


@dataclass(frozen=True, slots=True)
class Settings:
    """`severities` gives codes another weight, and None to those that are not shown; never to those of errors.

    `require_proof` makes a law that is not proved an error, `timeout` is the prover's time for a kernel in seconds
    (None: its own), `exclude` are patterns of files to leave out where a folder is walked.
    """

    severities: Mapping[str, Severity | None] = field(default_factory=lambda: MappingProxyType({}))
    require_proof: bool = False
    timeout: float | None = None
    exclude: tuple[str, ...] = ()


LAWS = "K4"
"""What the codes of the merge laws begin with."""


def settled(checked: Checked, settings: Settings = Settings(), *, laws: bool = True) -> Checked:
    """The result with comments and settings applied to its findings; `laws` tells whether the laws were judged."""
    left = without_allowed(checked.file, checked.diagnostics, lambda code: laws or not code.startswith(LAWS))
    weighed = [made for found in left if (made := _weighed(found, settings)) is not None]
    return replace(checked, diagnostics=tuple(sorted(weighed, key=lambda d: checked.file.absolute(d.origin))))


def _weighed(found: Diagnostic, settings: Settings) -> Diagnostic | None:
    if found.severity is Severity.ERROR or found.code not in settings.severities:
        return found
    severity = settings.severities[found.code]
    return None if severity is None else replace(found, severity=severity)

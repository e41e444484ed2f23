"""Findings grouped by file: the one order in which every renderer shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kcheck.checker.checked import Checked, LawVerdict
from kcheck.grammar.diagnostics import Diagnostic, Severity
from kcheck.grammar.source import SourceFile
from kcheck.grammar.spans import Origin, Span


@dataclass(frozen=True)
class Files:
    """Every source that an origin may point into."""

    sources: dict[str, SourceFile]

    def source(self, origin: Origin) -> SourceFile:
        return self.sources[origin.path]

    def span(self, origin: Origin) -> Span:
        return self.source(origin).absolute(origin)


@dataclass(frozen=True, slots=True)
class FileReport:
    """What is known of one file; `diagnostics` are in the order of their places."""

    path: str
    diagnostics: tuple[Diagnostic, ...]
    laws: tuple[LawVerdict, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """How much was found in all."""

    files: int
    severities: Counter[Severity]
    verdicts: Counter[str]


def files_of(results: Iterable[Checked]) -> Files:
    """The sources of all results; where several hold a file, what was checked itself wins."""
    sources: dict[str, SourceFile] = {}
    checked: dict[str, SourceFile] = {}
    for result in results:
        sources |= result.files
        checked[result.file.path] = result.file
    return Files(sources | checked)


def reports_of(results: Iterable[Checked], files: Files) -> tuple[FileReport, ...]:
    """A report for each checked file."""
    return tuple(FileReport(result.file.path, _in_order(result.diagnostics, files), result.laws) for result in results)


def _in_order(diagnostics: Iterable[Diagnostic], files: Files) -> tuple[Diagnostic, ...]:
    return tuple(sorted(diagnostics, key=lambda d: (files.span(d.origin), d.code)))


def counts_of(reports: Sequence[FileReport]) -> Counts:
    return Counts(
        len(reports),
        Counter(d.severity for report in reports for d in report.diagnostics),
        Counter(law.verdict for report in reports for law in report.laws),
    )

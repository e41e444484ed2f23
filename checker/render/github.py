"""Findings as GitHub workflow commands, which show up beside the lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck.checker.checked import Checked
from kcheck.checker.render.reports import Files, files_of, reports_of
from kcheck.grammar.diagnostics import Diagnostic, Severity

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
    Severity.HINT: "notice",
}


def render(results: Sequence[Checked]) -> str:
    """What `kcheck check --format github` prints: one command a finding."""
    files = files_of(results)
    return "".join(f"{_command(d, files)}\n" for report in reports_of(results, files) for d in report.diagnostics)


def _command(diagnostic: Diagnostic, files: Files) -> str:
    properties = ",".join(f"{name}={_property(value)}" for name, value in _properties(diagnostic, files))
    lines = [diagnostic.message, *(note.message for note in diagnostic.notes)]
    return f"::{_COMMANDS[diagnostic.severity]} {properties}::{_data(chr(10).join(lines))}"


def _properties(diagnostic: Diagnostic, files: Files) -> Iterator[tuple[str, str]]:
    span, lines = files.span(diagnostic.origin), files.source(diagnostic.origin).lines
    start, end = lines.position(span.start), lines.position(span.end)
    yield "file", diagnostic.origin.path
    yield "line", str(start.line + 1)
    yield "endLine", str(end.line + 1)
    if start.line == end.line:  # columns of a range over several lines are not understood
        yield "col", str(start.character + 1)
        yield "endColumn", str(end.character + 1)
    yield "title", diagnostic.code


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

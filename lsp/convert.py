"""Between our values and those of the protocol."""

from __future__ import annotations

from lsprotocol import types as lsp

from kcheck.grammar.diagnostics import Severity
from kcheck.grammar.spans import LineIndex, Position, Span

SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFO: lsp.DiagnosticSeverity.Information,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}


def position(lines: LineIndex, offset: int) -> lsp.Position:
    found = lines.position(offset)
    return lsp.Position(found.line, found.character)


def range_of(lines: LineIndex, span: Span) -> lsp.Range:
    return lsp.Range(position(lines, span.start), position(lines, span.end))


def offset_of(lines: LineIndex, place: lsp.Position) -> int:
    return lines.offset(Position(max(0, place.line), max(0, place.character)))

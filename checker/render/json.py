"""Findings as JSON, for scripts and editors: positions are zero-based, columns in UTF-16 units."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kcheck.checker.checked import Checked, LawVerdict
from kcheck.checker.law.documents import witness_document
from kcheck.checker.render.reports import Counts, FileReport, Files, counts_of, files_of, reports_of
from kcheck.grammar.diagnostics import Diagnostic, Edit, Fix, Note, Severity
from kcheck.grammar.spans import Origin, Position

VERSION = 1

Object = dict[str, object]


def render(results: Sequence[Checked]) -> str:
    """What `kcheck check --format json` prints."""
    files = files_of(results)
    reports = reports_of(results, files)
    whole = {
        "version": VERSION,
        "files": [_file(report, files) for report in reports],
        "summary": _summary(counts_of(reports)),
    }
    return json.dumps(whole, indent=2) + "\n"


def _file(report: FileReport, files: Files) -> Object:
    return {
        "path": report.path,
        "diagnostics": [diagnostic_object(d, files) for d in report.diagnostics],
        "laws": [_law(law) for law in report.laws],
    }


def diagnostic_object(diagnostic: Diagnostic, files: Files) -> Object:
    """One finding as a JSON object."""
    home = diagnostic.origin.path
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "range": _range(diagnostic.origin, files),
        "notes": [_note(note, home, files) for note in diagnostic.notes],
        "fixes": [_fix(fix, home, files) for fix in diagnostic.fixes],
    }


def _note(note: Note, home: str, files: Files) -> Object:
    if note.origin is None:
        return {"message": note.message, "range": None}
    return {"message": note.message, **_place(note.origin, home, files)}


def _fix(fix: Fix, home: str, files: Files) -> Object:
    return {"title": fix.title, "edits": [_edit(edit, home, files) for edit in fix.edits]}


def _edit(edit: Edit, home: str, files: Files) -> Object:
    return {**_place(edit.origin, home, files), "newText": edit.text}


def _place(origin: Origin, home: str, files: Files) -> Object:
    """The range of an origin; its path too where that is not the file of the finding itself."""
    place: Object = {"range": _range(origin, files)}
    return place if origin.path == home else {"path": origin.path, **place}


def _range(origin: Origin, files: Files) -> Object:
    span, lines = files.span(origin), files.source(origin).lines
    return {"start": _position(lines.position(span.start)), "end": _position(lines.position(span.end))}


def _position(position: Position) -> Object:
    return {"line": position.line, "character": position.character}


def _law(law: LawVerdict) -> Object:
    return {
        "kernel": law.kernel,
        "law": law.law,
        "verdict": law.verdict,
        "assuming": list(law.assuming),
        "seconds": round(law.seconds, 6),
        "reason": law.reason,
        "witness": None if law.witness is None else witness_document(law.witness),
    }


def _summary(counts: Counts) -> Object:
    return {
        "errors": counts.severities[Severity.ERROR],
        "warnings": counts.severities[Severity.WARNING],
        "laws": {verdict: counts.verdicts[verdict] for verdict in ("proved", "refuted", "unknown")},
    }

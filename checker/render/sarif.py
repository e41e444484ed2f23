"""Findings as SARIF 2.1.0, the exchange format of static analysers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import quote

from kcheck.checker.checked import Checked
from kcheck.checker.render.reports import Files, files_of, reports_of
from kcheck.checker.rules import CATALOGUE
from kcheck.checker.rules.rule import Rule
from kcheck.grammar.diagnostics import Diagnostic, Edit, Fix, Note, Severity
from kcheck.grammar.spans import Origin

Object = dict[str, object]

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note", Severity.HINT: "note"}


def render(results: Sequence[Checked], version: str) -> str:
    """What `kcheck check --format sarif` prints; `version` is the tool's."""
    files = files_of(results)
    found = [d for report in reports_of(results, files) for d in report.diagnostics]
    rules = [CATALOGUE[code] for code in sorted({d.code for d in found})]
    run = {
        "tool": {"driver": {"name": "kcheck", "version": version, "rules": [_rule(rule) for rule in rules]}},
        "columnKind": "utf16CodeUnits",
        "results": [_result(d, [rule.code for rule in rules], files) for d in found],
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(rule: Rule) -> Object:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.title},
        "help": {"text": rule.explanation, "markdown": rule.explanation},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(diagnostic: Diagnostic, codes: list[str], files: Files) -> Object:
    remarks = [note.message for note in diagnostic.notes if note.origin is None]
    result: Object = {
        "ruleId": diagnostic.code,
        "ruleIndex": codes.index(diagnostic.code),
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": "\n".join([diagnostic.message, *remarks])},
        "locations": [_location(diagnostic.origin, files)],
    }
    related = [_related(i, note, files) for i, note in enumerate(diagnostic.notes) if note.origin is not None]
    if related:
        result["relatedLocations"] = related
    if diagnostic.fixes:
        result["fixes"] = [_fix(fix, files) for fix in diagnostic.fixes]
    return result


def _related(number: int, note: Note, files: Files) -> Object:
    assert note.origin is not None
    return {"id": number, "message": {"text": note.message}, **_location(note.origin, files)}


def _location(origin: Origin, files: Files) -> Object:
    return {"physicalLocation": {"artifactLocation": _artifact(origin.path), "region": _region(origin, files)}}


def _artifact(path: str) -> Object:
    return {"uri": quote(PurePath(path).as_posix())}


def _region(origin: Origin, files: Files) -> Object:
    span, lines = files.span(origin), files.source(origin).lines
    start, end = lines.position(span.start), lines.position(span.end)
    return {
        "startLine": start.line + 1,
        "startColumn": start.character + 1,
        "endLine": end.line + 1,
        "endColumn": end.character + 1,
    }


def _fix(fix: Fix, files: Files) -> Object:
    changed = dict.fromkeys(edit.origin.path for edit in fix.edits)
    changes = [
        {
            "artifactLocation": _artifact(path),
            "replacements": [_replacement(edit, files) for edit in fix.edits if edit.origin.path == path],
        }
        for path in changed
    ]
    return {"description": {"text": fix.title}, "artifactChanges": changes}


def _replacement(edit: Edit, files: Files) -> Object:
    return {"deletedRegion": _region(edit.origin, files), "insertedContent": {"text": edit.text}}

"""Findings as the protocol has them."""

from __future__ import annotations

from lsprotocol import types as lsp

from kcheck.checker import rules
from kcheck.grammar.diagnostics import Diagnostic, Fix
from kcheck.lsp import convert
from kcheck.lsp.view import View

SOURCE = "kcheck"
_UNNECESSARY = frozenset({rules.UNUSED.code})


def diagnostics(view: View) -> list[lsp.Diagnostic]:
    """All that there is to say of a file."""
    return [diagnostic(view, found) for found in view.checked.diagnostics]


def diagnostic(view: View, found: Diagnostic) -> lsp.Diagnostic:
    span = view.file.absolute(found.origin)
    related = [
        lsp.DiagnosticRelatedInformation(location, note.message)
        for note in found.notes
        if note.origin is not None and (location := view.location(note.origin)) is not None
    ]
    # What stands at no place of its own, or cannot be shown there, goes into the message.
    shown = related and view.traits.related_information
    notes = [note.message for note in found.notes if note.origin is None or not shown]
    return lsp.Diagnostic(
        range=view.range(span),
        message="\n".join([found.message, *notes]),
        severity=convert.SEVERITIES[found.severity],
        code=found.code,
        source=SOURCE,
        tags=[lsp.DiagnosticTag.Unnecessary] if found.code in _UNNECESSARY else None,
        related_information=related if shown else None,
    )


def edit_of(view: View, fix: Fix) -> lsp.WorkspaceEdit:
    """The edits of a fix, in the files that they change; for a version of this one."""
    changes: dict[str, list[lsp.TextEdit]] = {}
    for edit in fix.edits:
        location = view.location(edit.origin)
        if location is not None:
            changes.setdefault(location.uri, []).append(lsp.TextEdit(location.range, edit.text))
    return workspace_edit(view, changes)


def workspace_edit(view: View, changes: dict[str, list[lsp.TextEdit]]) -> lsp.WorkspaceEdit:
    """Edits by URI; where the client can, they hold for the versions that were looked at alone."""
    if not view.traits.document_changes:
        return lsp.WorkspaceEdit(changes=changes)
    return lsp.WorkspaceEdit(
        document_changes=[
            lsp.TextDocumentEdit(lsp.OptionalVersionedTextDocumentIdentifier(uri, _version(view, uri)), list(edits))
            for uri, edits in changes.items()
        ]
    )


def _version(view: View, uri: str) -> int | None:
    if uri == view.uri:
        return view.version
    document = view.documents.get(uri)
    return None if document is None else document.version

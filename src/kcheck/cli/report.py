"""What `kcheck run` prints: the outputs, or why there are none; for people, or as JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kcheck.checker.checked import Checked
from kcheck.checker.ir import Program
from kcheck.checker.render import text
from kcheck.checker.render.json import diagnostic_object
from kcheck.checker.render.reports import files_of, reports_of
from kcheck.cli import terminal
from kcheck.grammar.diagnostics import Severity
from kcheck.runtime.errors import RunError
from kcheck.runtime.fields import Field
from kcheck.runtime.results import Result
from kcheck.runtime.values.plain import field_document
from kcheck.runtime.values.source import is_stream
from kcheck.runtime.views.characters import Look
from kcheck.runtime.views.describe import describe

VERSION = 1


class TextReport:
    """Outputs to standard output; findings and remarks to standard error."""

    def __init__(self, checked: Checked, *, quiet: bool) -> None:
        self._checked = checked
        self._quiet = quiet
        self._style = text.Style(color=terminal.wants_color(sys.stderr), width=terminal.width())

    def refused(self) -> None:
        """The checker found errors."""
        self._say(text.render([self._checked], self._style))

    def failed(self, error: RunError) -> None:
        """The run was refused, or ended in an error."""
        self._say(text.diagnostic(error.diagnostic, files_of([self._checked]), self._style))

    def done(self, program: Program, result: Result, written: Mapping[str, Path]) -> None:
        """The run gave a result; outputs that were `written` to files are not shown."""
        if not any(is_stream(path) for path in written.values()):  # else standard output is that one's alone
            self._outputs(result, written)
        if not self._quiet:
            self._remarks(program, result, written)

    def _outputs(self, result: Result, written: Mapping[str, Path]) -> None:
        look = _look()
        for name, field in {**result.fields, **result.memory_fields}.items():
            if name not in written:
                print("\n".join(describe(name, field, look)))

    def _remarks(self, program: Program, result: Result, written: Mapping[str, Path]) -> None:
        """The warnings of the kernel that ran, what was written, and who ran it for how long."""
        files = files_of([self._checked])
        for found in self._checked.diagnostics:
            if found.severity is Severity.WARNING and found.origin.item == program.origin.item:
                self._say(text.diagnostic(found, files, self._style))
        for name, path in written.items():
            self._say(f"{name}: written to {path}\n")
        self._say(f"{result.backend}, {result.seconds:.3g} s\n")

    def _say(self, words: str) -> None:
        sys.stdout.flush()
        print(words, end="", file=sys.stderr)


def _look() -> Look:
    """What standard output can show."""
    return Look(
        width=terminal.width(),
        color=terminal.wants_color(sys.stdout),
        true_color=os.environ.get("COLORTERM") in ("truecolor", "24bit"),
        encoding=sys.stdout.encoding or "ascii",
    )


class JsonReport:
    """One JSON document to standard output."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked

    def refused(self) -> None:
        files = files_of([self._checked])
        reports = reports_of([self._checked], files)
        diagnostics = [d for report in reports for d in report.diagnostics]
        first = next(d for d in diagnostics if d.severity is Severity.ERROR)
        found = [diagnostic_object(d, files) for d in diagnostics]
        _print({"version": VERSION, "error": diagnostic_object(first, files), "diagnostics": found})

    def failed(self, error: RunError) -> None:
        files = files_of([self._checked])
        _print({"version": VERSION, "error": diagnostic_object(error.diagnostic, files)})

    def done(self, _: Program, result: Result, written: Mapping[str, Path]) -> None:
        _print(
            {
                "version": VERSION,
                "backend": result.backend,
                "reason": result.reason,
                "fallback": result.fallback,
                "seconds": {"compile": result.compile_seconds, "run": result.run_seconds},
                "outputs": {name: _port(name, field, written) for name, field in result.fields.items()},
                "memories": {name: _port(name, f, written) for name, f in result.memory_fields.items()},
            }
        )


def _port(name: str, field: Field, written: Mapping[str, Path]) -> dict[str, Any]:
    if name not in written:
        return field_document(field)
    return {"type": str(field.type), "shape": list(field.shape), "file": str(written[name])}


def _print(document: dict[str, Any]) -> None:
    print(json.dumps(document, allow_nan=False))

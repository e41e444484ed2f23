"""Findings for people: what is wrong, the source with carets, notes and help."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kcheck.checker.checked import Checked
from kcheck.checker.render.cells import shown
from kcheck.checker.render.excerpt import Row, excerpt
from kcheck.checker.render.reports import Counts, FileReport, Files, counts_of, files_of, reports_of
from kcheck.grammar.diagnostics import Diagnostic, Note, Severity
from kcheck.grammar.spans import Origin


@dataclass(frozen=True, slots=True)
class Style:
    """How to write: with ANSI colours or without, for how many columns."""

    color: bool = False
    width: int = 100

    def paint(self, text: str, ansi: str) -> str:
        return f"\x1b[{ansi}m{text}\x1b[0m" if self.color and text else text


_BOLD = "1"
_FRAME = "34"
_COLORS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;34", Severity.HINT: "1;36"}
_NOTE, _HELP = "1;32", "1;36"

_MOST_CODES = 3


def render(results: Sequence[Checked], style: Style = Style(), *, summary: bool = True) -> str:
    """What `kcheck check` prints: the findings, file by file in the order of their places, and the totals."""
    files = files_of(results)
    reports = reports_of(results, files)
    found = [diagnostic(d, files, style) for report in reports for d in report.diagnostics]
    if summary:
        found.append(_summary(reports, style))
    return "\n".join(found)


def diagnostic(found: Diagnostic, files: Files, style: Style = Style()) -> str:
    """One finding, as lines that each end in a line break."""
    return "".join(f"{line}\n" for line in _diagnostic(found, files, style))


def _diagnostic(found: Diagnostic, files: Files, style: Style) -> Iterator[str]:
    color = _COLORS[found.severity]
    gutter = _gutter(found, files)
    yield _headline(f"{found.severity.value}[{found.code}]", found.message, color, style)
    yield from _excerpt(found.origin, found.label, color, gutter, files, style)
    for note in found.notes:
        yield from _note(note, gutter, files, style)
    for fix in found.fixes:
        yield _remark("help", fix.title, _HELP, gutter, style)


def _note(note: Note, gutter: int, files: Files, style: Style) -> Iterator[str]:
    if note.origin is None:
        yield _remark("note", note.message, _NOTE, gutter, style)
    else:
        yield _headline("note", note.message, _NOTE, style)
        yield from _excerpt(note.origin, "", _NOTE, gutter, files, style)


def _headline(kind: str, message: str, color: str, style: Style) -> str:
    return style.paint(kind, color) + style.paint(f": {_words(message, 4)}", _BOLD)


def _remark(kind: str, message: str, color: str, gutter: int, style: Style) -> str:
    frame = style.paint(f"{' ' * gutter} =", _FRAME)
    return f"{frame} {style.paint(kind, color)}: {_words(message, gutter + 3)}"


def _words(message: str, indent: int) -> str:
    return ("\n" + " " * indent).join(map(shown, message.split("\n")))


# ---------------------------------------------------------------- source


def _gutter(found: Diagnostic, files: Files) -> int:
    """The columns that the line numbers of a finding and its notes take."""
    origins = [found.origin, *(note.origin for note in found.notes if note.origin is not None)]
    return max(len(str(_last_line(origin, files))) for origin in origins)


def _last_line(origin: Origin, files: Files) -> int:
    span = files.span(origin)
    return files.source(origin).lines.line(max(span.start, span.end - 1)) + 1


def _excerpt(origin: Origin, label: str, color: str, gutter: int, files: Files, style: Style) -> Iterator[str]:
    lines, span = files.source(origin).lines, files.span(origin)
    line = lines.line(span.start)
    column = span.start - lines.line_start(line)
    arrow = style.paint(f"{' ' * gutter}-->", _FRAME)
    yield f"{arrow} {shown(origin.path)}:{line + 1}:{column + 1}"
    edge = style.paint(f"{' ' * gutter} |", _FRAME)
    yield edge
    rows = excerpt(lines, span, style.width - gutter - 3)
    for row in rows:
        yield from _row(row, label if row is rows[-1] else "", color, gutter, style)


def _row(row: Row, label: str, color: str, gutter: int, style: Style) -> Iterator[str]:
    if row.number is None:
        yield style.paint(row.text, _FRAME)
        return
    number = style.paint(f"{row.number:>{gutter}} |", _FRAME)
    yield f"{number} {row.text}".rstrip()
    edge = style.paint(f"{' ' * gutter} |", _FRAME)
    marks = style.paint("^" * row.carets + (f" {shown(label)}" if label else ""), color)
    yield f"{edge} {' ' * row.pad}{marks}"


# ---------------------------------------------------------------- summary


def _summary(reports: Sequence[FileReport], style: Style) -> str:
    counts = counts_of(reports)
    graver = (d for report in reports for d in report.diagnostics if d.severity is not Severity.HINT)
    codes = list(dict.fromkeys(d.code for d in graver))
    lines = [style.paint(_totals(counts), _BOLD), *_assumptions(reports)]
    if codes:
        lines.append(f"why: {', '.join(f'kcheck explain {code}' for code in codes[:_MOST_CODES])}")
    return "".join(f"{line}\n" for line in lines)


def _assumptions(reports: Sequence[FileReport]) -> Iterator[str]:
    """What proofs rest on: it is true of every value of a fold, and says what to keep true."""
    for report in reports:
        for law in report.laws:
            if law.assuming:
                yield f"{law.kernel}: {law.law}, since {' and '.join(law.assuming)}"


def _totals(counts: Counts) -> str:
    named = ((Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.HINT, "hint"))
    parts = [_counted(counts.severities[s], name) for s, name in named if counts.severities[s]]
    found = ", ".join(parts) or "no errors"
    return f"{found} in {_counted(counts.files, 'file')}{_verdicts(counts)}"


def _verdicts(counts: Counts) -> str:
    parts = [f"{counts.verdicts[v]} {v}" for v in ("proved", "refuted", "unknown") if counts.verdicts[v]]
    return f"; laws: {', '.join(parts)}" if parts else ""


def _counted(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"

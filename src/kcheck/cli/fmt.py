"""`kcheck fmt`: puts source files into the one style of the language."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kcheck.cli import terminal
from kcheck.cli.files import STDIN, SourceText, UsageError, chosen_files, read_source

if TYPE_CHECKING:
    from kcheck.grammar.diagnostics import Diagnostic

_DESCRIPTION = """\
Formats kernels: one style, the same meaning, every comment kept. Folders are walked for *.kernel; `-` reads
standard input and writes standard output. A file with syntax errors stays as it is.
"""

_EXAMPLES = """\
examples:
  kcheck fmt kernels/
  kcheck fmt --check kernels/
  kcheck fmt - < stats.kernel
"""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a file: its new bytes, or the syntax errors of the old text."""

    source: SourceText
    text: str
    data: bytes
    errors: tuple[Diagnostic, ...]

    @property
    def changed(self) -> bool:
        return not self.errors and self.data != self.source.data


def add_arguments(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser(
        "fmt",
        help="format files and folders",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or - for standard input")
    parser.add_argument("--check", action="store_true", help="change nothing; 1 if a file would change")
    parser.add_argument("-q", "--quiet", action="store_true", help="name no files, count none")


def run(args: argparse.Namespace) -> int:
    """Format what `args.paths` name; 1 where there are syntax errors or, to `check`, something would change."""
    outcomes = []
    for path in chosen_files(args.paths):
        outcome = _formatted(read_source(path))
        _show_errors(outcome)
        if not args.check and not outcome.errors:
            _write(path, outcome)
        if outcome.changed and not args.quiet and (args.check or path != STDIN):
            print(f"{'would change' if args.check else 'formatted'} {outcome.source.path}")
        outcomes.append(outcome)
    if not args.quiet and STDIN not in args.paths:
        print(_summary(outcomes, check=args.check))
    failed = any(outcome.errors or (args.check and outcome.changed) for outcome in outcomes)
    return int(failed)


def _formatted(source: SourceText) -> _Outcome:
    from kcheck.grammar.formatter import format_text
    from kcheck.grammar.parser import decode

    text, errors = decode(source.data, source.path)
    if errors:
        return _Outcome(source, text, source.data, errors)
    result = format_text(text, source.path)
    mark = _BYTE_ORDER_MARK if source.data.startswith(_BYTE_ORDER_MARK) else b""
    return _Outcome(source, text, mark + result.text.encode(), result.diagnostics)


def _write(path: str, outcome: _Outcome) -> None:
    if path == STDIN:
        sys.stdout.flush()
        sys.stdout.buffer.write(outcome.data)
    elif outcome.changed:
        _replace(Path(path).resolve(), outcome.data)


def _replace(path: Path, data: bytes) -> None:
    """Give a file new contents; the old ones stay until the new ones are whole."""
    part = path.with_name(f"{path.name}.part")
    try:
        try:
            part.write_bytes(data)
            shutil.copymode(path, part)
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from error


def _show_errors(outcome: _Outcome) -> None:
    if not outcome.errors:
        return
    from kcheck.checker.render import text
    from kcheck.checker.render.reports import Files
    from kcheck.grammar.parser import parse

    file, _ = parse(outcome.text, outcome.source.path)
    style = text.Style(color=terminal.wants_color(sys.stderr), width=terminal.width())
    shown = (text.diagnostic(error, Files({file.path: file}), style) for error in outcome.errors)
    print("\n".join(shown), end="", file=sys.stderr)


def _summary(outcomes: list[_Outcome], *, check: bool) -> str:
    changed = sum(outcome.changed for outcome in outcomes)
    broken = sum(bool(outcome.errors) for outcome in outcomes)
    counts = {
        "would change" if check else "formatted": changed,
        "in order": len(outcomes) - changed - broken,
        "with errors": broken,
    }
    return ", ".join(f"{count} {words}" for words, count in counts.items() if count)

"""`kcheck check`: all rules over files and folders."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kcheck.cli import terminal
from kcheck.cli.files import chosen_files, read_source

if TYPE_CHECKING:
    from kcheck.checker.checked import Checked

_DESCRIPTION = """\
Checks kernels: syntax, names and types, the rules of each mode, and the laws of every merge.
Folders are walked for *.kernel; `-` is standard input.
"""

_EXAMPLES = """\
examples:
  kcheck check stats.kernel
  kcheck check kernels/ --require-proof
  kcheck check --format json - < stats.kernel
"""


def add_arguments(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser(
        "check",
        help="check files and folders",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or - for standard input")
    parser.add_argument(
        "--format",
        choices=("text", "json", "sarif", "github"),
        default="text",
        help="how to print it (default: text)",
    )
    laws = parser.add_mutually_exclusive_group()
    laws.add_argument("--no-laws", action="store_true", help="leave the laws of merges unchecked")
    laws.add_argument("--require-proof", action="store_true", help="a law that is not proved is an error")
    parser.add_argument("-q", "--quiet", action="store_true", help="print findings only, no summary")


def run(args: argparse.Namespace) -> int:
    """Check what `args.paths` name; 1 where there are errors."""
    results = [_judged(path, args) for path in chosen_files(args.paths)]
    print(_rendered(results, args), end="")
    return int(any(result.has_errors for result in results))


def _judged(path: str, args: argparse.Namespace) -> Checked:
    from kcheck.checker import check_bytes

    source = read_source(path)
    checked = check_bytes(source.data, source.path, source.loader)
    if args.no_laws:
        return _without_laws(checked)
    return _with_proofs_required(checked) if args.require_proof else checked


def _without_laws(checked: Checked) -> Checked:
    from kcheck.checker.rules import LAW_UNKNOWN

    kept = tuple(d for d in checked.diagnostics if d.code != LAW_UNKNOWN.code)
    return replace(checked, diagnostics=kept, laws=())


def _with_proofs_required(checked: Checked) -> Checked:
    from kcheck.checker.rules import LAW_UNKNOWN
    from kcheck.grammar.diagnostics import Severity

    raised = tuple(
        replace(d, severity=Severity.ERROR) if d.code == LAW_UNKNOWN.code else d for d in checked.diagnostics
    )
    return replace(checked, diagnostics=raised)


def _rendered(results: Sequence[Checked], args: argparse.Namespace) -> str:
    from kcheck.checker.render import github, json, sarif, text
    from kcheck.cli.version import installed_version

    if args.format == "json":
        return json.render(results)
    if args.format == "sarif":
        return sarif.render(results, installed_version())
    if args.format == "github":
        return github.render(results)
    style = text.Style(color=terminal.wants_color(sys.stdout), width=terminal.width())
    return text.render(results, style, summary=not args.quiet)

"""`kcheck check`: all rules over files and folders."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from kcheck.cli import terminal
from kcheck.cli.files import kept_files

if TYPE_CHECKING:
    from kcheck.checker.checked import Checked

_DESCRIPTION = """\
Checks kernels: syntax, names and types, the rules of each mode, and the laws of every merge.
Folders are walked for *.kernel; `-` is standard input.
"""

_LONGEST = 24 * 3600
"""Seconds; more is taken for a mistake."""

_EXAMPLES = """\
examples:
  kcheck check stats.kernel
  kcheck check kernels/ --require-proof
  kcheck check --watch kernels/
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
    parser.add_argument("--timeout", metavar="S", type=_seconds, help="seconds for the laws of one merge (default: 10)")
    parser.add_argument("--watch", action="store_true", help="check again whenever a file changes, until Ctrl-C")
    parser.add_argument("-q", "--quiet", action="store_true", help="print findings only, no summary")


def _seconds(text: str) -> float:
    """A time; raises what argparse shows where it is none."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds <= _LONGEST:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Check what `args.paths` name; 1 where there are errors."""
    from kcheck.cli import progress, watch
    from kcheck.cli.checking import Wanted, check_files

    wanted = Wanted(laws=not args.no_laws, require_proof=args.require_proof or None, timeout=args.timeout)
    if args.watch:
        return watch.run(args.paths, wanted, lambda results: _rendered(results, args))
    paths = kept_files(args.paths)
    with progress.shown("checking", quiet=args.quiet) as tell:
        results = check_files(paths, wanted, tell)
    print(_rendered(results, args), end="")
    return int(any(result.has_errors for result in results))


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

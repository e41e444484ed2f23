"""`kcheck test`: runs the examples of kernels and holds them to what they expect."""

from __future__ import annotations

import argparse
from typing import Any

from kcheck.cli.files import chosen_files, read_source
from kcheck.cli.run import BACKENDS

_DESCRIPTION = """\
Runs every `example` of the kernels in files and folders. Those that say `expect` are compared: Ints and Bools
exactly, Floats to rounding; the others must only run.
"""

_EXAMPLES = """\
examples:
  kcheck test kernels/
  kcheck test stats.kernel --format junit > report.xml
"""


def add_arguments(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser(
        "test",
        help="run the examples of kernels",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or - for standard input")
    parser.add_argument("--backend", choices=BACKENDS, default="auto", help="what runs them (default: auto)")
    parser.add_argument(
        "--format", choices=("text", "json", "junit"), default="text", help="how to print (default: text)"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print failures only")


def run(args: argparse.Namespace) -> int:
    """Run the examples below `args.paths`; 1 where one fails or a file has errors."""
    from kcheck.checker import check_bytes
    from kcheck.cli import test_report
    from kcheck.runtime.examples import test_file
    from kcheck.runtime.laws import RUN_SECONDS, judged

    tested = []
    for path in chosen_files(args.paths):
        source = read_source(path)
        checked = check_bytes(source.data, source.path, source.loader)
        tested.append(test_file(judged(checked, RUN_SECONDS), args.backend))
    print(test_report.render(tested, args.format, quiet=args.quiet), end="")
    return int(any(file.failed for file in tested))

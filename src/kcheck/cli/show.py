"""`kcheck show`: what the tool made of a kernel."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from kcheck.cli import terminal
from kcheck.cli.files import UsageError, read_source

if TYPE_CHECKING:
    from kcheck.checker.checked import Checked

_EXAMPLES = """\
examples:
  kcheck show stats.kernel --kernel stats.total@1 --ir
"""


def add_arguments(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser(
        "show",
        help="show what was made of a kernel",
        description="Shows the form of a kernel that backends run. It is meant for reading and may change.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", help="a file, or - for standard input")
    parser.add_argument("--kernel", metavar="NAME", help="which kernel; the file's only one may stay unnamed")
    forms = parser.add_mutually_exclusive_group(required=True)
    forms.add_argument("--ir", action="store_true", help="the typed intermediate form")


def run(args: argparse.Namespace) -> int:
    """Print the intermediate form of one kernel; 1 where the checker refuses it."""
    from kcheck.checker import check_bytes
    from kcheck.checker.render import ir

    source = read_source(args.file)
    checked = check_bytes(source.data, source.path, source.loader)
    name = _kernel(checked, args.kernel)
    if name not in checked.programs:
        _refuse(checked)
        return 1
    print(ir.render(checked.programs[name]), end="")
    return 0


def _kernel(checked: Checked, asked: str | None) -> str:
    from kcheck.grammar import syntax

    names = [item.node.name.text for item in checked.file.items if isinstance(item.node, syntax.Kernel)]
    found = [name for name in names if asked in (None, name, name.rpartition("@")[0])]
    if len(found) == 1:
        return found[0]
    wrong = f"no kernel is called {asked}" if asked is not None and not found else "name a kernel with --kernel"
    raise UsageError(f"{wrong}; {checked.file.path} holds {', '.join(names) or 'none'}")


def _refuse(checked: Checked) -> None:
    from kcheck.checker.render import text

    style = text.Style(color=terminal.wants_color(sys.stderr), width=terminal.width())
    print(text.render([checked], style), end="", file=sys.stderr)

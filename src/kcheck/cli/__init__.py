"""The command line: `kcheck COMMAND …`.

Each command is a module that offers `add_arguments(subparsers)` and `run(args) -> exit code`.  Those modules
import nothing heavy at their top, so that `kcheck --help` answers at once.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from kcheck.cli import check, doctor, explain, fmt, lsp, new, run, show, terminal, test
from kcheck.cli.files import UsageError


class Command(Protocol):
    """What the module of a command offers."""

    def add_arguments(self, subparsers: argparse._SubParsersAction[Any]) -> None: ...

    def run(self, args: argparse.Namespace) -> int: ...


COMMANDS: dict[str, Command] = {
    "check": check,
    "run": run,
    "test": test,
    "fmt": fmt,
    "explain": explain,
    "show": show,
    "doctor": doctor,
    "lsp": lsp,
    "new": new,
}

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141
"""What a shell reports for a program that a closed pipe ended."""

_GLOBAL_OPTIONS = ("-h", "--help", "--version")

_EPILOG = """\
`kcheck FILE…` is short for `kcheck check FILE…`; `kcheck COMMAND --help` tells more about a command.

exit codes:
  0   no error
  1   errors found, or the run failed
  2   wrong usage, or a source file is missing
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` (by default the program's own arguments) names; returns the exit code."""
    terminal.never_fail_on_text()
    given = list(sys.argv[1:] if argv is None else argv)
    arguments = _with_command(given)
    try:
        return _flushed(lambda: _dispatch(arguments))
    except UsageError as error:
        print(f"kcheck: error: {error}{_meant(given)}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader left; nothing may be flushed to it at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_BROKEN_PIPE


def _with_command(arguments: list[str]) -> list[str]:
    if not arguments or arguments[0] in COMMANDS or arguments[0] in _GLOBAL_OPTIONS:
        return arguments
    return ["check", *arguments]


def _flushed(action: Callable[[], int]) -> int:
    code = action()
    sys.stdout.flush()
    return code


def _dispatch(arguments: list[str]) -> int:
    parser = _parser()
    try:
        args = parser.parse_args(arguments)
    except SystemExit as end:  # --help, --version or wrong usage; all is said
        return end.code if isinstance(end.code, int) else EXIT_USAGE
    if args.command is None:
        parser.print_help(sys.stderr)
        return EXIT_USAGE
    return COMMANDS[args.command].run(args)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kcheck",
        description="Checks, runs and explains kernels: small programs for GPUs and CPUs.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, help="show the version and exit")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for command in COMMANDS.values():
        command.add_arguments(subparsers)
    return parser


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from kcheck.cli.version import installed_version

        print(f"kcheck {installed_version()}")
        parser.exit()


def _meant(arguments: list[str]) -> str:
    """A hint for a misspelled command, which was taken for a file."""
    import difflib

    if arguments[0] in COMMANDS or os.path.exists(arguments[0]):
        return ""
    near = difflib.get_close_matches(arguments[0], COMMANDS, n=1)
    return f" (did you mean the command `{near[0]}`?)" if near else ""

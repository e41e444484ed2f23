"""`kcheck lsp`: the language server."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kcheck.checker.settings import Settings

_DESCRIPTION = """\
The language server, which editors start: it reads the Language Server Protocol from standard input and answers on
standard output. With --tcp it waits for one client on a port of this machine.
"""

_EXAMPLES = """\
examples:
  kcheck lsp                   what editors start
  kcheck lsp --log kcheck.log  the same, and what goes wrong is written down
"""


def add_arguments(subparsers: argparse._SubParsersAction[Any]) -> None:
    parser = subparsers.add_parser(
        "lsp",
        help="the language server, for editors",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--stdio", action="store_true", help="talk on standard input and output (the default)")
    parser.add_argument("--tcp", metavar="PORT", type=int, help="wait for a client on this port of this machine")
    parser.add_argument("--log", metavar="FILE", help="write what the server does into a file")


def run(args: argparse.Namespace) -> int:
    """Serve one client; 1 where it left without a word, 2 where what the server needs is not installed."""
    try:
        from kcheck.lsp.server import make_server
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        print(f"kcheck: {error.name} is not installed: `pip install 'kcheck[lsp]'`", file=sys.stderr)
        return 2
    try:
        _set_up_log(args.log)
    except OSError as error:
        print(f"kcheck: cannot write the log: {error}", file=sys.stderr)
        return 2
    server = make_server(_host())
    if args.tcp is None:
        # What anything else prints must not come between the messages.
        out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        server.start_io(stdout=out)
    else:
        try:
            server.start_tcp("127.0.0.1", args.tcp)
        except (OSError, OverflowError) as error:  # the port is taken, or there is no such port
            print(f"kcheck: cannot listen on port {args.tcp}: {error}", file=sys.stderr)
            return 2
    return 0 if server.was_shut_down else 1


def _host() -> Any:
    from kcheck.cli.version import installed_version
    from kcheck.lsp.host import Host
    from kcheck.workspace import STANDARD_PACKAGES, loader_for, places_for

    return Host(installed_version(), loader_for, places_for, _settings_for, STANDARD_PACKAGES)


def _settings_for(folder: Path) -> tuple[Settings, str]:
    from kcheck.checker.settings import Settings
    from kcheck.config import ConfigError, config_for

    try:
        return config_for(folder).settings, ""
    except ConfigError as error:
        return Settings(), str(error)


def _set_up_log(path: str | None) -> None:
    import logging

    if path is None:
        logging.getLogger().addHandler(logging.NullHandler())
    else:
        style = "%(asctime)s %(levelname)s %(name)s: %(message)s"
        logging.basicConfig(filename=path, level=logging.WARNING, format=style)
        logging.getLogger("kcheck").setLevel(logging.INFO)

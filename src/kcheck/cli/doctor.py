"""`kcheck doctor`: what is installed, what can run, and what is missing."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Any

from kcheck.cli import terminal

_PACKAGES = ("kcheck", "textX", "Arpeggio", "numpy", "pillow", "rich", "z3-solver")


def add_arguments(subparsers: argparse._SubParsersAction[Any]) -> None:
    subparsers.add_parser(
        "doctor",
        help="show what is installed and what can run",
        description="Shows versions, the backends that are there, and what the terminal can draw.",
    )


def run(args: argparse.Namespace) -> int:
    """Print the report; 1 where something that kcheck needs is missing."""
    rows = [*_versions(), *_backends(), *_terminal()]
    pad = max(len(name) for _, name, _ in rows)
    for good, name, text in rows:
        print(f"{'ok' if good else '--'}  {name.ljust(pad)}  {text}".rstrip())
    return int(not all(good for good, name, _ in rows if name in _PACKAGES))


def _versions() -> Iterator[tuple[bool, str, str]]:
    from importlib.metadata import PackageNotFoundError, version

    yield True, "python", f"{sys.version.split()[0]}  {sys.executable}"
    for package in _PACKAGES:
        try:
            yield True, package, version(package)
        except PackageNotFoundError:
            yield False, package, f"not installed; python -m pip install {package}"


def _backends() -> Iterator[tuple[bool, str, str]]:
    from kcheck.runtime.backend import Missing
    from kcheck.runtime.backends import AUTO, BACKENDS, best, no_device

    for name, make in BACKENDS.items():
        try:
            make()
        except Missing as reason:
            yield False, f"backend {name}", str(reason)
        else:
            yield True, f"backend {name}", "there"
    yield True, f"backend {AUTO}", best().name if no_device() else f"{best().name}, or gpu where that pays"
    yield from _devices()


def _devices() -> Iterator[tuple[bool, str, str]]:
    """The graphics devices, the one that is used first."""
    from kcheck.runtime.backend import Missing
    from kcheck.runtime.gpu.driver import described

    try:
        yield from ((True, "device", line) for line in described())
    except Missing:
        return  # the backend's own row says what is missing


def _terminal() -> Iterator[tuple[bool, str, str]]:
    encoding = sys.stdout.encoding or "unknown"
    kind = "a terminal" if sys.stdout.isatty() else "not a terminal"
    color = "colours" if terminal.wants_color(sys.stdout) else "no colours"
    yield True, "output", f"{kind}, {color}, {encoding}, {terminal.width()} columns"

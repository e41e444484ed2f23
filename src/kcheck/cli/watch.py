"""`kcheck check --watch`: checks again what a change may concern, until Ctrl-C."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from kcheck.checker.checked import Checked
from kcheck.checker.rules import UNKNOWN_PACKAGE
from kcheck.cli.checking import Wanted, check_files, forget_settings
from kcheck.cli.files import STDIN, UsageError, kept_files

PAUSE = 0.25
"""Seconds between two looks at the files."""

Stamp = tuple[int, int]
"""When a file was changed, in nanoseconds, and its size."""


def run(paths: Sequence[str], wanted: Wanted, render: Callable[[Sequence[Checked]], str]) -> int:
    """Print a report now and after each change; 0 when the user ends it."""
    if STDIN in paths:
        raise UsageError("--watch needs files or folders, not standard input")
    try:
        for results in reports(paths, wanted, _pauses()):
            _show(render(results))
    except KeyboardInterrupt:
        return 0
    return 0


def _pauses() -> Iterator[None]:
    while True:
        time.sleep(PAUSE)
        yield


def _show(text: str) -> None:
    if sys.stdout.isatty():
        print("\x1b[2J\x1b[H", end="")  # an empty screen
    print(text, end="")
    print(time.strftime("watching since %H:%M:%S; Ctrl-C ends it"), file=sys.stderr, flush=True)
    sys.stdout.flush()


def reports(paths: Sequence[str], wanted: Wanted, pauses: Iterable[None]) -> Iterator[list[Checked]]:
    """The results of all files, at first and after each of `pauses` in which something changed.

    Only changed files are checked again, and those that use them.
    """
    known: dict[str, Checked] = {}
    seen: dict[str, Stamp | None] = {}
    stale = files = kept_files(paths)
    while True:
        known |= zip(stale, check_files(stale, wanted, lambda _: None), strict=True)
        known = {path: known[path] for path in files}
        seen = _stamps(_watched(known))
        yield list(known.values())
        for _ in pauses:
            files, changed = _present(paths, files), _changed(seen)
            if not all(map(os.path.exists, files)):
                continue
            if changed or files != list(known):
                break
        else:
            return
        if any(path.endswith(".toml") for path in changed):
            forget_settings()
            files = stale = kept_files(paths)
        else:
            stale = [path for path in files if path not in known or _concerns(known[path], changed)]


def _present(paths: Sequence[str], before: list[str]) -> list[str]:
    """The files that are there now; those of before in the moment in which none is."""
    try:
        return kept_files([path for path in paths if os.path.exists(path)])
    except UsageError:
        return before


def _watched(known: Mapping[str, Checked]) -> set[str]:
    """The checked files, those that they use, and what could hold their settings."""
    sources = {path for checked in known.values() for path in checked.files}
    folders = {place for path in known for place in Path(path).resolve().parents}
    settings = {str(folder / name) for folder in folders for name in ("kcheck.toml", "pyproject.toml")}
    return sources | settings


def _stamps(paths: Iterable[str]) -> dict[str, Stamp | None]:
    return {path: _stamp(path) for path in paths}


def _stamp(path: str) -> Stamp | None:
    """None for a file that is not there."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _changed(seen: Mapping[str, Stamp | None]) -> set[str]:
    return {path for path, stamp in seen.items() if _stamp(path) != stamp}


def _concerns(checked: Checked, changed: set[str]) -> bool:
    """Whether a change may alter a result: of the file, of one that it uses, or of one that was not found."""
    waits = any(d.code == UNKNOWN_PACKAGE.code for d in checked.diagnostics)
    return waits or not changed.isdisjoint(checked.files)

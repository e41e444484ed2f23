"""Source files as the command line names them: files, folders and `-`."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from kcheck.workspace import SUFFIX, Loader, loader_for, shown

STDIN = "-"
STDIN_PATH = "<stdin>"


class UsageError(Exception):
    """What the user asked for cannot be done as asked: shown in one line, exit code 2."""


@dataclass(frozen=True, slots=True)
class SourceText:
    """A file that was read: `path` as messages show it, and how to find the packages it uses."""

    path: str
    data: bytes
    loader: Loader


def chosen_files(paths: Sequence[str]) -> list[str]:
    """The files that `paths` name; says which folders hold none, and refuses where there is no file at all."""
    if paths.count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    files, empty = find_files(paths)
    if not files:
        raise UsageError(f"no .kernel files in {', '.join(empty)}")
    for folder in empty:
        print(f"kcheck: no .kernel files in {folder}", file=sys.stderr)
    return files


def kept_files(paths: Sequence[str]) -> list[str]:
    """The files that `paths` name in the order of their paths, without those that settings exclude from folders."""
    from kcheck.cli.checking import config_of

    named = set(paths)
    files = chosen_files(paths)
    return sorted(f for f in files if f in named or not config_of(f).excludes(Path(f).resolve()))


def find_files(paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """The files that `paths` name, each once, and the folders among them that hold no kernel file.

    Folders are walked for `*.kernel`, except hidden ones below them.
    """
    files: dict[str, None] = {}
    empty = []
    for path in paths:
        found = list(_below(path))
        files |= dict.fromkeys(found)
        if not found:
            empty.append(path)
    return list(files), empty


def _below(path: str) -> Iterator[str]:
    if path == STDIN:
        yield STDIN
    elif os.path.isdir(path):
        yield from _walk(path)
    elif os.path.exists(path):
        yield shown(Path(path))
    else:
        raise UsageError(f"{path}: no such file or folder")


def _walk(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.endswith(SUFFIX):
                yield shown(Path(place, name))


def _refuse(error: OSError) -> NoReturn:
    raise UsageError(f"{error.filename}: {error.strerror}") from error


def read_source(path: str) -> SourceText:
    """The file at `path`, or what standard input holds."""
    if path == STDIN:
        return SourceText(STDIN_PATH, sys.stdin.buffer.read(), loader_for(Path.cwd()))
    if os.path.isdir(path):
        raise UsageError(f"{path}: a folder, where a file is needed")
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise UsageError(f"{path}: no such file") from None
    except OSError as error:
        _refuse(error)
    return SourceText(shown(Path(path)), data, loader_for(Path(path).parent))


def add_read_limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--read-limit",
        metavar="SIZE",
        default="4G",
        help="the most memory that one file may take once it is read, as 500M or 16G (default: 4G)",
    )


def read_limit(text: str) -> int:
    """Bytes: `500M`, `16G`, or a number of them."""
    found = re.fullmatch(r"(\d{1,15})([KMGT]?)", text.strip().upper())
    if found is None:
        raise UsageError(f"--read-limit {text}: needs a size such as 500M or 16G")
    return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[found[2]]

"""Where the files of a workspace are: its root, and the packages that `use` names."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

Loader: TypeAlias = Callable[[str], "tuple[str, bytes] | None"]
"""From a dotted package path (`signal.fft`) to the path and the bytes of its file, or None."""

ROOT_MARKS = ("kcheck.toml", ".git", "pyproject.toml")
"""A folder that holds one of these is the root of a workspace."""

SUFFIX = ".kernel"
STANDARD_PACKAGES = Path(__file__).resolve().parent / "packages"


def root_of(folder: Path) -> Path:
    """The nearest folder at or above `folder` that is a workspace's root, else `folder` itself."""
    here = folder.resolve()
    marked = (place for place in (here, *here.parents) if any(os.path.exists(place / mark) for mark in ROOT_MARKS))
    return next(marked, here)


def places_for(folder: Path) -> tuple[Path, ...]:
    """The folders below which files that stand in `folder` find packages; what the first one has counts."""
    root = root_of(folder)
    return root, folder.resolve(), root / "packages", STANDARD_PACKAGES


def loader_for(
    folder: Path, name: Callable[[Path], str] | None = None, read: Callable[[Path], bytes] = Path.read_bytes
) -> Loader:
    """A loader for files that stand in `folder`.

    `use a.b;` means `a/b.kernel` below the workspace's root, the folder itself, the root's `packages` or the
    packages that come with the tool, whichever has it first.  `name` is how messages write a path (`shown`), `read`
    how a file's contents are had.
    """
    named = shown if name is None else name
    places = places_for(folder)

    def load(package: str) -> tuple[str, bytes] | None:
        tail = Path(*package.split(".")).with_suffix(SUFFIX)
        found = next((place / tail for place in places if os.path.isfile(place / tail)), None)
        if found is None:
            return None
        try:
            return named(found), read(found)
        except OSError:  # gone meanwhile, or not ours to read
            return None

    return load


def shown(path: Path) -> str:
    """How messages write a path: relative to the current folder where it lies below it."""
    here = Path.cwd()
    absolute = Path(os.path.normpath(here / path))
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else absolute)

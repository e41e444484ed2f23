"""Machine code in the user's cache folder.

A file is named by a hash of all that decides what is in it: a program's meaning, the options, this package, LLVM and
the processor.  So it never has to be judged old.  Nothing here fails because of the folder: without one, or with what
is not whole in it, every process compiles anew.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path

from kcheck.grammar.cached_files import cache_folder, forget_old, read, sealed, unsealed, write
from kcheck.runtime.jit.engine import version


def load(name: str) -> bytes | None:
    """What lies there under a name, if it is whole and nobody else can have written it."""
    folder = _folder()
    return None if folder is None else unsealed(read(folder / name))


def keep(contents: Mapping[str, bytes]) -> None:
    """Put contents there under their names."""
    folder = _folder()
    if folder is not None:
        _tidy(folder)
        write(folder, {name: sealed(data) for name, data in contents.items()})


@cache
def _tidy(folder: Path) -> None:
    """Once a process, for it looks at every file."""
    forget_old(folder, "*")


def name_of(meaning: str) -> str:
    """The name for what is made from a text that says what it is made from, and with which options."""
    return sha256(f"{_made_by()}\0{meaning}".encode()).hexdigest()[:40]


def _folder() -> Path | None:
    folder = cache_folder()
    return None if folder is None else folder / "jit"


@cache
def _made_by() -> str:
    """What makes machine code: this package, LLVM and the processor.

    Sources count as Python's own compiled files have them: by size and time.  Reading them takes four times as long.
    """
    jit = os.path.dirname(__file__)
    sources = []
    for folder in (jit, os.path.join(jit, "schedules")):
        with os.scandir(folder) as entries:
            files = ((entry.name, entry.stat()) for entry in entries if entry.name.endswith((".py", ".json")))
            sources += [(name, status.st_size, status.st_mtime_ns) for name, status in files]
    return f"{version()} {sorted(sources)}"

"""Machine code in the user's cache folder.

A file is named by a hash of all that decides what is in it: a program's meaning, the options, this package, LLVM and
the processor.  So it never has to be judged old.  Nothing here fails because of the folder: without one, or with what
is not whole in it, every process compiles anew.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path

from kcheck.checker import prelude
from kcheck.grammar.cached_files import cache_folder
from kcheck.runtime.jit.engine import version

_DIGEST = sha256().digest_size
_OLD = 90 * 24 * 3600


def load(name: str) -> bytes | None:
    """What lies there under a name, if it is whole and nobody else can have written it."""
    folder = _folder()
    if folder is None:
        return None
    try:
        with open(folder / name, "rb", buffering=0) as file:
            data = file.read() if _is_ours(os.fstat(file.fileno())) else b""
    except OSError:
        return None
    return data[_DIGEST:] if sha256(data[_DIGEST:]).digest() == data[:_DIGEST] else None


def keep(contents: Mapping[str, bytes]) -> None:
    """Put contents there under their names so that others see all of each or nothing."""
    folder = _folder()
    if folder is None:
        return
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _forget_old(folder)
        for name, data in contents.items():
            _write(folder / name, sha256(data).digest() + data)


def name_of(meaning: str) -> str:
    """The name for what is made from a text that says what it is made from, and with which options."""
    return sha256(f"{_made_by()}\0{meaning}".encode()).hexdigest()[:40]


def _folder() -> Path | None:
    folder = cache_folder()
    return None if folder is None else folder / "jit"


@cache
def _made_by() -> str:
    """What makes machine code: this package, the prelude, LLVM and the processor.

    Sources count as Python's own compiled files have them: by size and time.  Reading them takes four times as long.
    """
    jit = os.path.dirname(__file__)
    sources = []
    for folder in (jit, os.path.join(jit, "schedules"), *prelude.__path__):
        with os.scandir(folder) as entries:
            files = ((entry.name, entry.stat()) for entry in entries if entry.name.endswith((".py", ".kernel")))
            sources += [(name, status.st_size, status.st_mtime_ns) for name, status in files]
    return f"{version()} {sorted(sources)}"


def _is_ours(status: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & 0o022


def _write(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise


def _forget_old(folder: Path) -> None:
    for path in folder.iterdir():
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - _OLD:
                path.unlink()

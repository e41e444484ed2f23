"""Machine code in the user's cache folder.

A file is named by a hash of all that decides what is in it: the program's meaning, the options, this package, LLVM and
the processor.  So it never has to be judged old.  Nothing here fails because of the folder: without one, or with what
is not whole in it, every process compiles anew.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from kcheck.checker import prelude
from kcheck.grammar.cached_files import cache_folder
from kcheck.runtime.jit.engine import version
from kcheck.runtime.jit.program import Facts

_DIGEST = sha256().digest_size
_OLD = 90 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of a program."""

    facts: Facts
    code: bytes


def load(name: str) -> Kept | None:
    """What lies there under a name, if it is whole and nobody else can have written it."""
    folder = _folder()
    if folder is None:
        return None
    try:
        with (folder / name).open("rb") as file:
            data = file.read() if _is_ours(os.fstat(file.fileno())) else b""
    except OSError:
        return None
    if sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
        return None
    head, code = data[_DIGEST:].split(b"\n", 1)
    facts = json.loads(head)
    return Kept(Facts(**{**facts, "drivers": tuple(facts["drivers"])}), code)


def keep(name: str, kept: Kept) -> None:
    """Put it there so that others see all of it or nothing."""
    folder = _folder()
    if folder is None:
        return
    data = json.dumps(asdict(kept.facts)).encode() + b"\n" + kept.code
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _forget_old(folder)
        _write(folder / name, sha256(data).digest() + data)


def name_of(meaning: str) -> str:
    """The name for what is made from a text that says what the program means, and with which options."""
    return sha256(f"{_made_by()}\0{meaning}".encode()).hexdigest()[:40]


def _folder() -> Path | None:
    folder = cache_folder()
    return None if folder is None else folder / "jit"


@cache
def _made_by() -> str:
    """What makes machine code: this package, the prelude, LLVM and the processor."""
    digest = sha256(version().encode())
    for path in _sources():
        with open(path, "rb", buffering=0) as file:
            digest.update(file.read())
    return digest.hexdigest()


def _sources() -> Iterator[str]:
    jit = os.path.dirname(__file__)
    for folder in (jit, os.path.join(jit, "schedules"), *prelude.__path__):
        # Not by `pathlib` or `importlib.resources`, which take three times as long.
        yield from sorted(entry.path for entry in os.scandir(folder) if entry.is_file())


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

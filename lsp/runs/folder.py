"""A private folder for whole arrays, beside what is sent; it goes with the server.

A server that ended without a word leaves its folder behind: the next one removes it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

_PREFIX = "kcheck-runs-"
_LOCK = "lock"
"""A file that a living server holds."""


class Folder:
    """Made empty, for this user alone."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock = _held(self.path / _LOCK)

    def remove(self) -> None:
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def sweep() -> None:
    """Remove the folders of this user whose servers are no more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            if not folder.is_symlink() and _is_own(folder) and _is_free(folder / _LOCK):
                shutil.rmtree(folder, ignore_errors=True)


def _held(path: Path) -> IO[bytes]:
    """A file that is open, and locked where there are locks, as long as this process lives."""
    try:
        import fcntl
    except ImportError:  # Windows, where no open file can be removed
        return path.open("wb")
    made = path.with_suffix(".new")
    file = made.open("wb")
    fcntl.flock(file, fcntl.LOCK_EX)
    made.rename(path)  # so that nobody sees it without its lock
    return file


def _is_own(folder: Path) -> bool:
    return not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid()


def _is_free(lock: Path) -> bool:
    """Whether nobody holds the lock; a folder without one is just being made."""
    try:
        import fcntl
    except ImportError:
        lock.unlink()  # raises an OSError where it is open
        return True
    with lock.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True

"""Files that we keep to be faster next time.

Others see all of a file or nothing of it, and what somebody else can have written is not read. Nothing may fail because
of the folder: who cannot read or write there goes on without.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

_DIGEST = sha256().digest_size
_OLD = 90 * 24 * 3600


def cache_folder() -> Path | None:
    """Where this user's programs keep what they can make again, or None if there is no such place."""
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if os.path.isabs(named):
        return Path(named, "kcheck")
    usual = {"win32": "AppData/Local", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
    try:
        return Path.home() / usual / "kcheck"
    except RuntimeError:
        return None


def read(path: Path) -> bytes | None:
    """What a file holds, if it is there and nobody else can have written it."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read() if _is_ours(os.fstat(file.fileno())) else None
    except OSError:
        return None


def write(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write files by their names, as far as that is possible."""
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, data in contents.items():
            _write(folder / name, data)


def forget_old(folder: Path, pattern: str) -> None:
    """Remove the files that are months old; one that is still in use is made again."""
    for path in folder.glob(pattern):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - _OLD:
                path.unlink()


def sealed(data: bytes) -> bytes:
    """The data with a digest before it."""
    return sha256(data).digest() + data


def unsealed(data: bytes | None) -> bytes | None:
    """What was sealed, if it is whole."""
    if data is None or sha256(data[_DIGEST:]).digest() != data[:_DIGEST]:
        return None
    return data[_DIGEST:]


def _is_ours(status: os.stat_result) -> bool:
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid in (os.geteuid(), 0) and not status.st_mode & 0o022


def _write(path: Path, data: bytes) -> None:
    import tempfile  # takes as long to load as the parser

    handle, name = tempfile.mkstemp(prefix=path.name, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise

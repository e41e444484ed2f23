"""Where the bytes of a value come from: a file, or standard input."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO

from kcheck.runtime.values.problems import Unreadable

STREAM = "-"
"""The stem of a path that stands for standard input or output: `-.wav` is a sound that comes from a pipe."""

DEFAULT_LIMIT = 4 << 30
"""Bytes that a file may take in memory once it is read, so that a small damaged or hostile one cannot take all."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file at `path`, or what standard input held."""

    path: Path
    piped: bytes | None = None
    limit: int = DEFAULT_LIMIT

    @property
    def name(self) -> str:
        return self.path.name if self.piped is None else "standard input"

    def open(self) -> IO[bytes]:
        return self.path.open("rb") if self.piped is None else BytesIO(self.piped)

    def read(self) -> bytes:
        return self.path.read_bytes() if self.piped is None else self.piped

    def check_limit(self, needed: int) -> None:
        """Refuses what would take more memory than the limit."""
        if needed > self.limit:
            sizes = (
                f"it takes {needed / 1e9:,.1f} GB once it is read, more than the limit of {self.limit / 1e9:,.1f} GB"
            )
            raise Unreadable(f"{sizes}; --read-limit raises that")


def is_stream(path: Path) -> bool:
    """Whether a path means standard input or output."""
    return path.stem == STREAM and path.parent == Path()

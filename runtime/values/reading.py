"""How files are read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from kcheck.runtime.values.source import DEFAULT_LIMIT


@dataclass(frozen=True, slots=True)
class Reading:
    """Paths are relative to `folder`; `srgb` takes pictures as they are stored.

    `piped` is what standard input held, for those who read it (`-.wav`); `limit` the bytes that one value may take.
    """

    folder: Path = Path()
    srgb: bool = False
    piped: bytes | None = None
    limit: int = DEFAULT_LIMIT

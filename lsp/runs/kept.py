"""What the process keeps from one run for the next: results, for the difference to the next one, and their files."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TypeAlias

import numpy as np

from kcheck.runtime.fields import Field

_MOST = 8
_MOST_RUNS = 8
"""The pictures of so many quick runs are kept; a client reads those of the last three or so."""

Key: TypeAlias = tuple[Path, str, str | None]
"""A source file, a kernel of it, and an example: results of the same key are held against each other."""


@dataclass(slots=True)
class _Kept:
    fields: Mapping[str, Field]
    files: list[Path] = field(default_factory=list)


class Results:
    """The last results by key: a few, of at most `room` bytes in all; `folder` takes their arrays, and those of a
    process before this one go."""

    def __init__(self, folder: Path, room: int) -> None:
        for left in folder.glob("*.npy"):
            left.unlink()
        self._folder, self._room = folder, room
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()

    def before(self, key: Key, name: str, got: Field) -> Field | None:
        """The field of this name in the last result, if it has the type and shape of `got`."""
        kept = self._kept.get(key)
        found = None if kept is None else kept.fields.get(name)
        return found if found is not None and (found.type, found.shape) == (got.type, got.shape) else None

    def keep(self, key: Key, number: int, fields: Mapping[str, Field]) -> dict[str, str]:
        """Put a result in the place of the last one; answers the URIs of its arrays, where they could be written."""
        self._remove(key)
        kept = self._kept[key] = _Kept(fields)
        while len(self._kept) > _MOST:
            self._remove(next(iter(self._kept)))
        self._make_room()
        uris = {}
        for name, one in fields.items():
            path = self._folder / f"{number}-{name}.npy"
            with suppress(OSError):
                kept.files.append(path)
                np.save(path, one.data, allow_pickle=False)
                uris[name] = path.as_uri()
        return uris

    def forget(self) -> None:
        """Let the fields go, for memory is short."""
        for kept in self._kept.values():
            kept.fields = {}

    def _make_room(self) -> None:
        """Let the fields of the oldest results go until the others fit."""
        total = sum(_size(kept) for kept in self._kept.values())
        for kept in self._kept.values():
            if total > self._room:
                total -= _size(kept)
                kept.fields = {}

    def _remove(self, key: Key) -> None:
        kept = self._kept.pop(key, None)
        for path in kept.files if kept else ():
            with suppress(OSError):
                path.unlink()


class Pictures:
    """The pictures of the last few quick runs, as files in `folder`; those of a process before this one go."""

    def __init__(self, folder: Path) -> None:
        for left in folder.glob("*.png"):
            left.unlink()
        self._folder = folder
        self._runs: deque[list[Path]] = deque([[]])
        self._count = count()

    def begin(self) -> None:
        """What is stored from now on belongs to another run."""
        self._runs.append([])
        if len(self._runs) > _MOST_RUNS:
            for path in self._runs.popleft():
                path.unlink(missing_ok=True)

    def store(self, picture: bytes) -> str | None:
        """The URI of a new file; None where it could not be written."""
        path = self._folder / f"{next(self._count)}.png"
        self._runs[-1].append(path)
        try:
            path.write_bytes(picture)
        except OSError:
            return None
        return path.as_uri()


def _size(kept: _Kept) -> int:
    return sum(one.data.nbytes for one in kept.fields.values())

"""Reading files by their endings; whatever is wrong with one becomes K709, naming the port and the file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from kcheck.checker import rules
from kcheck.checker.bindings import BoundValue
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.problems import Unreadable
from kcheck.runtime.values.slot import Slot


@dataclass(frozen=True, slots=True)
class Request:
    """One file to read for `slot`; `key` is what follows the last colon of `name.wav:0`, or None."""

    slot: Slot
    path: Path
    key: str | None
    srgb: bool


Found: TypeAlias = "AnyArray | BoundValue"
Reader: TypeAlias = Callable[[Request], Found]


def _pictures(request: Request) -> Found:
    from kcheck.runtime.values.pictures import read_picture

    return read_picture(request.path, request.slot, srgb=request.srgb)


def _sounds(request: Request) -> Found:
    from kcheck.runtime.values.sounds import read_sound

    return read_sound(request.path, request.slot, request.key)


def _npy(request: Request) -> Found:
    from kcheck.runtime.values.raw import read_npy

    return read_npy(request.path)


def _npz(request: Request) -> Found:
    from kcheck.runtime.values.raw import read_npz

    return read_npz(request.path, request.key)


def _bin(request: Request) -> Found:
    from kcheck.runtime.values.raw import read_bin

    return read_bin(request.path, request.key)


def _json(request: Request) -> Found:
    from kcheck.runtime.values.raw import read_json

    return read_json(request.path)


def _csv(request: Request) -> Found:
    from kcheck.runtime.values.tables import read_csv

    return read_csv(request.path, request.slot, request.key)


READERS: dict[str, Reader] = {
    "npy": _npy,
    "npz": _npz,
    "png": _pictures,
    "jpg": _pictures,
    "jpeg": _pictures,
    "bmp": _pictures,
    "gif": _pictures,
    "wav": _sounds,
    "csv": _csv,
    "json": _json,
    "bin": _bin,
}
"""By ending; each imports what it needs when it is first used."""

_TAKE_KEYS = frozenset({"npz", "wav", "csv", "bin"})

_WRITTEN = re.compile(r"(?P<path>.*\.(?P<ending>\w+))(:(?P<key>[^:/\\]*))?", re.DOTALL)


def names_file(written: str) -> bool:
    """Whether a text ends as the path of a file that can be read, with or without a `:key`."""
    found = _WRITTEN.fullmatch(written)
    return found is not None and found["ending"].lower() in READERS


def read(slot: Slot, written: str, folder: Path, *, srgb: bool) -> Found:
    """What the file `written` (`path` or `path:key`, relative to `folder`) holds: an array, or a literal."""
    found = _WRITTEN.fullmatch(written)
    reader = READERS.get(found["ending"].lower()) if found else None
    if found is None or reader is None:
        endings = ", ".join(f".{ending}" for ending in READERS)
        raise slot.error(
            rules.UNREADABLE_FILE, f"cannot tell from its ending how to read `{written}`; read are {endings}"
        )
    if found["key"] is not None and found["ending"].lower() not in _TAKE_KEYS:
        raise slot.error(rules.UNREADABLE_FILE, f"`{written}`: a .{found['ending']} file takes no `:{found['key']}`")
    try:
        return reader(Request(slot, folder / found["path"], found["key"], srgb))
    except Unreadable as problem:
        raise slot.error(rules.UNREADABLE_FILE, f"cannot read `{found['path']}`: {problem}") from problem
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise slot.error(
            rules.UNREADABLE_FILE, f"cannot read `{found['path']}`: {why[:1].lower()}{why[1:]}"
        ) from problem
    except MemoryError:
        raise slot.error(rules.FIELD_TOO_LARGE, f"`{found['path']}` holds more than there is memory for") from None

"""Reading files by their endings; whatever is wrong with one becomes K709, naming the port and the file."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np

from kcheck.checker import rules
from kcheck.checker.bindings import BoundValue
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.arrays import from_array
from kcheck.runtime.values.literals import from_literal
from kcheck.runtime.values.problems import Unreadable
from kcheck.runtime.values.reading import Reading
from kcheck.runtime.values.sizes import shape_text
from kcheck.runtime.values.slot import Slot
from kcheck.runtime.values.source import Source, is_stream


@dataclass(frozen=True, slots=True)
class Request:
    """One file to read for `slot`; `key` is what follows the path, `0` in `name.wav:0`, or None, and `size` what may
    follow that, `640x480` in `name.bin:uint8:640x480`."""

    slot: Slot
    source: Source
    key: str | None
    size: str | None
    srgb: bool


Found: TypeAlias = "AnyArray | BoundValue"
Reader: TypeAlias = Callable[[Request], Found]


def _pictures(request: Request) -> Found:
    from kcheck.runtime.values.pictures import read_picture

    return read_picture(request.source, request.slot, request.key, srgb=request.srgb)


def _tiff(request: Request) -> Found:
    from kcheck.runtime.values.tiffs import read_tiff

    return read_tiff(request.source, request.slot, request.key, srgb=request.srgb)


def _exr(request: Request) -> Found:
    from kcheck.runtime.values.light import read_exr

    return read_exr(request.source, request.slot, request.key)


def _sounds(request: Request) -> Found:
    from kcheck.runtime.values.sounds import read_sound

    return read_sound(request.source, request.slot, request.key)


def _npy(request: Request) -> Found:
    from kcheck.runtime.values.raw import read_npy

    return read_npy(request.source)


def _npz(request: Request) -> Found:
    from kcheck.runtime.values.raw import read_npz

    return read_npz(request.source, request.key)


def _bin(request: Request) -> Found:
    from kcheck.runtime.values.raw import read_bin

    return read_bin(request.source, request.slot, request.key, request.size)


def _json(request: Request) -> Found:
    from kcheck.runtime.values.raw import read_json

    return read_json(request.source)


def _csv(request: Request) -> Found:
    from kcheck.runtime.values.tables import read_csv

    return read_csv(request.source, request.slot, request.key)


def _parquet(request: Request) -> Found:
    from kcheck.runtime.values.columns import read_parquet

    return read_parquet(request.source, request.slot, request.key)


def _arrow(request: Request) -> Found:
    from kcheck.runtime.values.columns import read_arrow

    return read_arrow(request.source, request.slot, request.key)


READERS: dict[str, Reader] = {
    "npy": _npy,
    "npz": _npz,
    "png": _pictures,
    "jpg": _pictures,
    "jpeg": _pictures,
    "bmp": _pictures,
    "gif": _pictures,
    "webp": _pictures,
    "tif": _tiff,
    "tiff": _tiff,
    "exr": _exr,
    "wav": _sounds,
    "flac": _sounds,
    "ogg": _sounds,
    "csv": _csv,
    "parquet": _parquet,
    "arrow": _arrow,
    "feather": _arrow,
    "json": _json,
    "bin": _bin,
}
"""By ending; each imports what it needs when it is first used."""

_TAKE_NO_KEYS = frozenset({"npy", "json"})

_WRITTEN = re.compile(r"(?P<path>.*\.(?P<ending>\w+))(:(?P<key>[^:/\\]*?)(:(?P<size>\d+(x\d+){0,2}))?)?", re.DOTALL)

_PATTERN = re.compile(r"[*?]")
"""In a file's name: all files of such names, a layer of a volume each."""


def names_file(written: str) -> bool:
    """Whether a text ends as the path of a file that can be read, with or without a `:key`."""
    found = _WRITTEN.fullmatch(written)
    return found is not None and found["ending"].lower() in READERS


def read(slot: Slot, written: str, reading: Reading) -> Found:
    """What the file `written` (`path` or `path:key`) holds: an array, or a literal."""
    found = _WRITTEN.fullmatch(written)
    reader = READERS.get(found["ending"].lower()) if found else None
    if found is None or reader is None:
        endings = ", ".join(f".{ending}" for ending in READERS)
        raise slot.error(
            rules.UNREADABLE_FILE, f"cannot tell from its ending how to read `{written}`; read are {endings}"
        )
    if found["key"] is not None and found["ending"].lower() in _TAKE_NO_KEYS:
        raise slot.error(rules.UNREADABLE_FILE, f"`{written}`: a .{found['ending']} file takes no `:{found['key']}`")
    if found["size"] is not None and found["ending"].lower() != "bin":
        raise slot.error(rules.UNREADABLE_FILE, f"`{written}`: only .bin files take a size")
    path = Path(found["path"])
    request = partial(Request, key=found["key"], size=found["size"], srgb=reading.srgb)
    if is_stream(path) and reading.piped is not None:
        return _one(reader, request(slot, Source(path, reading.piped, reading.limit)))
    if _PATTERN.search(path.name):
        return _series(reader, slot, request, reading.folder / path, reading.limit)
    return _one(reader, request(slot, Source(reading.folder / path, limit=reading.limit)))


def _one(reader: Reader, request: Request) -> Found:
    """What one file holds; whatever is wrong with it is K709 that names it."""
    slot, source = request.slot, request.source
    named = f"`{source.name}`" if source.piped is None else source.name
    try:
        return reader(request)
    except Unreadable as problem:
        raise slot.error(rules.UNREADABLE_FILE, f"cannot read {named}: {problem}") from problem
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise slot.error(rules.UNREADABLE_FILE, f"cannot read {named}: {why[:1].lower()}{why[1:]}") from problem
    except MemoryError:
        raise slot.error(rules.FIELD_TOO_LARGE, f"{named} holds more than there is memory for") from None


def _series(
    reader: Reader, slot: Slot, request: Callable[[Slot, Source], Request], pattern: Path, limit: int
) -> AnyArray:
    """The files whose names fit a pattern, in the order of the numbers in them, as the layers of a volume."""
    paths = sorted(pattern.parent.glob(pattern.name), key=_natural)
    if not paths:
        raise slot.error(rules.UNREADABLE_FILE, f"no file is named like `{pattern.name}` in `{pattern.parent}`")
    if slot.rank != 3:
        problem = f"`{pattern.name}` names {len(paths)} files, and a series of files fits a Volume, a layer each"
        raise slot.error(rules.VALUE_DOES_NOT_FIT, problem)
    layer = replace(slot, rank=2)
    layers: list[AnyArray] = []
    for path in paths:
        found = _one(reader, request(layer, Source(path, limit=limit // len(paths))))
        layers.append(from_array(layer, found) if isinstance(found, np.ndarray) else from_literal(layer, found))
        if layers[-1].shape != layers[0].shape:
            here, first = (shape_text(array.shape[:2]) for array in (layers[-1], layers[0]))
            sizes = f"`{path.name}` is {here}, and `{paths[0].name}` {first}"
            raise slot.error(rules.SHAPE_MISMATCH, f"the files of a series need one size; {sizes}")
    return np.stack(layers)


def _natural(path: Path) -> list[tuple[int, str]]:
    """Digits count as numbers: frame 10 comes after frame 9."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", path.name)]

"""Fields to files, by the ending of the name.

What a file cannot hold is known from the types alone, so `check` refuses it (K710) before anything runs.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np

from kcheck.checker import rules, types
from kcheck.checker.types import BOOL, FLOAT, Vec, contains, contains_enum
from kcheck.runtime.fields import Field, field_of
from kcheck.runtime.values import tables
from kcheck.runtime.values.plain import to_plain
from kcheck.runtime.values.problems import Unreadable, Unwritable
from kcheck.runtime.values.slot import Slot
from kcheck.runtime.values.sounds import DEFAULT_RATE
from kcheck.runtime.values.source import is_stream


@dataclass(frozen=True, slots=True)
class Writing:
    """How to write: `srgb` takes the numbers of pictures as encoded already, `rate` is that of sounds."""

    srgb: bool = False
    rate: int = DEFAULT_RATE


Write: TypeAlias = Callable[[Field, IO[bytes], Writing], None]


@dataclass(frozen=True, slots=True)
class _Format:
    takes: str
    fits: Callable[[types.Field], bool]
    write: Write


def check(slot: Slot, path: Path) -> None:
    """K710 where no file with this ending can hold the slot's values, or its folder is missing."""
    form = _FORMATS.get(_ending(path))
    if form is None:
        endings = ", ".join(f".{ending}" for ending in _FORMATS)
        raise slot.error(
            rules.CANNOT_WRITE, f"cannot tell from its ending how to write `{path}`; written are {endings}"
        )
    if not isinstance(slot.type, types.Field) or not form.fits(_written_type(slot.type, path)):
        layers = ", and volumes of those, a layer each file" if is_series(path) else ""
        raise slot.error(
            rules.CANNOT_WRITE, f"does not fit `{path}`: a .{_ending(path)} file takes {form.takes}{layers}"
        )
    if not path.parent.is_dir():
        raise slot.error(rules.CANNOT_WRITE, f"cannot write `{path}`: there is no folder `{path.parent}`")


def is_series(path: Path) -> bool:
    """Whether a path has a place for the number of a layer, as `frame_%03d.png` has."""
    return _NUMBER.search(path.name) is not None


_NUMBER = re.compile(r"%0?\d*d")


def _written_type(type_: types.Field, path: Path) -> types.Field:
    """The type of what one file holds."""
    return replace(type_, rank=2) if is_series(path) and type_.rank == 3 else type_


def write(slot: Slot, field: Field, path: Path, writing: Writing) -> None:
    """Write a field; a file that stood there stays as it was until the new one is whole."""
    check(slot, path)
    form = _FORMATS[_ending(path)]
    try:
        if is_stream(path):
            form.write(field, sys.stdout.buffer, writing)
            sys.stdout.buffer.flush()
        elif is_series(path) and field.type.rank == 3:
            layer_type = _written_type(field.type, path)
            for i, data in enumerate(field.data):
                _replace(_numbered(path, i), form, field_of(layer_type, data), writing)
        else:
            _replace(path, form, field, writing)
    except (OSError, Unwritable, Unreadable) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise slot.error(rules.CANNOT_WRITE, f"cannot write `{path}`: {why}") from problem


def _numbered(path: Path, number: int) -> Path:
    """The path of one file of a series."""
    return path.with_name(_NUMBER.sub(lambda found: found[0] % number, path.name, count=1))


def _replace(path: Path, form: _Format, field: Field, writing: Writing) -> None:
    """Write one file, and put it in the place of an older one when it is whole."""
    # Devices and pipes are written in place: to replace one by a file would be a surprise.
    part = path.with_name(f"{path.name}.part") if path.is_file() or not path.exists() else path
    try:
        with part.open("wb") as file:
            form.write(field, file, writing)
        if part != path:
            os.replace(part, path)
    finally:
        if part != path:
            part.unlink(missing_ok=True)


def _ending(path: Path) -> str:
    return path.suffix[1:].lower()


def _write_npy(field: Field, file: IO[bytes], _: Writing) -> None:
    np.save(file, field.data, allow_pickle=False)


def _write_png(field: Field, file: IO[bytes], writing: Writing) -> None:
    from kcheck.runtime.values.pictures import write_png

    write_png(field.data, file, srgb=writing.srgb)


def _write_wav(field: Field, file: IO[bytes], writing: Writing) -> None:
    from kcheck.runtime.values.sounds import write_wav

    write_wav(field.data, file, writing.rate)


def _write_flac(field: Field, file: IO[bytes], writing: Writing) -> None:
    from kcheck.runtime.values.sounds import write_flac

    write_flac(field.data, file, writing.rate)


def _write_exr(field: Field, file: IO[bytes], _: Writing) -> None:
    from kcheck.runtime.values.light import write_exr

    write_exr(field.data, file)


def _write_parquet(field: Field, file: IO[bytes], _: Writing) -> None:
    from kcheck.runtime.values.columns import write_parquet

    write_parquet(field, file)


def _write_arrow(field: Field, file: IO[bytes], _: Writing) -> None:
    from kcheck.runtime.values.columns import write_arrow

    write_arrow(field, file)


def _write_npz(field: Field, file: IO[bytes], _: Writing) -> None:
    np.savez_compressed(file, values=field.data)


def _write_csv(field: Field, file: IO[bytes], _: Writing) -> None:
    tables.write_csv(field, file)


def _write_json(field: Field, file: IO[bytes], _: Writing) -> None:
    file.write(json.dumps(to_plain(field)).encode() + b"\n")


def _write_bin(field: Field, file: IO[bytes], _: Writing) -> None:
    file.write(np.ascontiguousarray(field.data, field.data.dtype.newbyteorder("<")).tobytes())


def _is_picture(type_: types.Field) -> bool:
    return type_.rank == 2 and type_.element in (FLOAT, Vec(3), Vec(4))


def _is_sound(type_: types.Field) -> bool:
    return type_.rank == 1 and type_.element in (FLOAT, Vec(2), Vec(3), Vec(4))


def _is_numbers(type_: types.Field) -> bool:
    plain = not isinstance(type_.element, types.Struct) and not contains_enum(type_.element)
    return plain and not contains(type_.element, BOOL)


_PICTURES = "Grid<Float>, Grid<Vec3> and Image (Grid<Vec4>)"
_SOUNDS = "Rows<Float> and rows of vectors, one part a channel"
_TABLES = "rows of anything but enums"

_FORMATS: dict[str, _Format] = {
    "npy": _Format("any field", lambda _: True, _write_npy),
    "npz": _Format("any field", lambda _: True, _write_npz),
    "png": _Format(_PICTURES, _is_picture, _write_png),
    "exr": _Format(_PICTURES, _is_picture, _write_exr),
    "wav": _Format(_SOUNDS, _is_sound, _write_wav),
    "flac": _Format(_SOUNDS, _is_sound, _write_flac),
    "csv": _Format(_TABLES, tables.fits, _write_csv),
    "parquet": _Format(_TABLES, tables.fits, _write_parquet),
    "arrow": _Format(_TABLES, tables.fits, _write_arrow),
    "json": _Format("any field", lambda _: True, _write_json),
    "bin": _Format("fields of Ints or of Floats", _is_numbers, _write_bin),
}

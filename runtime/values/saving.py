"""Fields to files, by the ending of the name.

What a file cannot hold is known from the types alone, so `check` refuses it (K710) before anything runs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias

import numpy as np

from kcheck.checker import rules, types
from kcheck.checker.types import BOOL, FLOAT, Vec, contains, contains_enum
from kcheck.runtime.fields import Field
from kcheck.runtime.values import tables
from kcheck.runtime.values.plain import to_plain
from kcheck.runtime.values.problems import Unwritable
from kcheck.runtime.values.slot import Slot
from kcheck.runtime.values.sounds import DEFAULT_RATE


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
    if not isinstance(slot.type, types.Field) or not form.fits(slot.type):
        raise slot.error(rules.CANNOT_WRITE, f"does not fit `{path}`: a .{_ending(path)} file takes {form.takes}")
    if not path.parent.is_dir():
        raise slot.error(rules.CANNOT_WRITE, f"cannot write `{path}`: there is no folder `{path.parent}`")


def write(slot: Slot, field: Field, path: Path, writing: Writing) -> None:
    """Write a field; a file that stood there stays as it was until the new one is whole."""
    check(slot, path)
    form = _FORMATS[_ending(path)]
    # Devices and pipes are written in place: to replace one by a file would be a surprise.
    part = path.with_name(f"{path.name}.part") if path.is_file() or not path.exists() else path
    try:
        try:
            with part.open("wb") as file:
                form.write(field, file, writing)
            if part != path:
                os.replace(part, path)
        finally:
            if part != path:
                part.unlink(missing_ok=True)
    except (OSError, Unwritable) as problem:
        why = getattr(problem, "strerror", None) or problem
        raise slot.error(rules.CANNOT_WRITE, f"cannot write `{path}`: {why}") from problem


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


_FORMATS: dict[str, _Format] = {
    "npy": _Format("any field", lambda _: True, _write_npy),
    "png": _Format("Grid<Float>, Grid<Vec3> and Image (Grid<Vec4>)", _is_picture, _write_png),
    "wav": _Format("Rows<Float> and rows of vectors, one part a channel", _is_sound, _write_wav),
    "csv": _Format("rows of anything but enums", tables.fits, _write_csv),
    "json": _Format("any field", lambda _: True, _write_json),
    "bin": _Format("fields of Ints or of Floats", _is_numbers, _write_bin),
}

"""Files that hold arrays as they are: .npy, .npz, .bin, and .json literals."""

from __future__ import annotations

import json
import math
import tokenize
import zipfile
import zlib
from typing import Any, cast

import numpy as np

from kcheck.checker.bindings import BoundValue
from kcheck.runtime.layout import AnyArray, inner_shape
from kcheck.runtime.values.problems import Unreadable
from kcheck.runtime.values.sizes import shape_of_size
from kcheck.runtime.values.slot import Slot
from kcheck.runtime.values.source import Source

BIN_DTYPES: dict[str, np.dtype[Any]] = {
    "int8": np.dtype("i1"),
    "uint8": np.dtype("u1"),
    "int32": np.dtype("<i4"),
    "float32": np.dtype("<f4"),
}
"""What the numbers of a .bin file may be; more than one byte is little-endian."""

_BROKEN = (ValueError, EOFError, TypeError, SyntaxError, tokenize.TokenError)
"""What NumPy raises on files that are damaged; their headers are Python's literals."""


def read_npy(source: Source) -> AnyArray:
    """An array of plain numbers or structs of them: files that would run code are refused."""
    with source.open() as file:
        if file.read(6) != b"\x93NUMPY":
            raise Unreadable("not a .npy file")
        file.seek(0)
        try:
            return cast(AnyArray, np.load(file, allow_pickle=False))
        except _BROKEN as problem:
            raise Unreadable(f"a damaged .npy file ({_first_line(problem)})") from problem


def read_npz(source: Source, key: str | None) -> AnyArray:
    """One array of an archive: the only one, or that named `key`."""
    with source.open() as file:
        try:
            with np.load(file, allow_pickle=False) as archive:
                if not isinstance(archive, np.lib.npyio.NpzFile):
                    raise Unreadable("not a .npz archive")
                return _member(source, archive, key)
        except (*_BROKEN, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError) as problem:
            raise Unreadable(f"a damaged .npz archive ({_first_line(problem)})") from problem


def _member(source: Source, archive: np.lib.npyio.NpzFile, key: str | None) -> AnyArray:
    if key is None and len(archive.files) == 1:
        key = archive.files[0]
    if key is None or key not in archive.files:
        raise Unreadable(f"it holds the arrays {', '.join(archive.files)}; name one as `file.npz:{archive.files[0]}`")
    assert archive.zip is not None  # as long as it is open
    source.check_limit(sum(i.file_size for i in archive.zip.infolist() if i.filename.removesuffix(".npy") == key))
    return archive[key]


def read_bin(source: Source, slot: Slot, kind: str | None, size: str | None) -> AnyArray:
    """Numbers without a header; `kind` says what they are, `size` (`640x480`, x first) how many lie along each axis.

    Without a size they are rows.
    """
    dtype = BIN_DTYPES.get(kind or "")
    if dtype is None:
        raise Unreadable(f"say what its numbers are, as in `{source.name}:uint8`; there are {', '.join(BIN_DTYPES)}")
    data = source.read()
    if len(data) % dtype.itemsize:
        raise Unreadable(f"{len(data)} bytes are not a whole number of {kind} of {dtype.itemsize} bytes")
    numbers = np.frombuffer(data, dtype)
    inner = inner_shape(slot.element)
    if size is None:
        return numbers.reshape(-1, *inner) if inner and len(numbers) % math.prod(inner) == 0 else numbers
    shape = (*shape_of_size(slot, [int(n) for n in size.split("x")]), *inner)
    if math.prod(shape) != len(numbers):
        raise Unreadable(f"it holds {len(numbers)} numbers, but {size} of {slot.element} are {math.prod(shape)}")
    return numbers.reshape(shape)


def read_json(source: Source) -> BoundValue:
    """A literal; `NaN`, `Infinity` and `-Infinity` are allowed beside what JSON has."""
    try:
        return cast(BoundValue, json.loads(source.read().decode("utf-8-sig")))
    except RecursionError as problem:
        raise Unreadable("it is nested too deeply") from problem
    except UnicodeDecodeError as problem:
        raise Unreadable(f"not UTF-8 at byte {problem.start}") from problem
    except ValueError as problem:
        raise Unreadable(f"not JSON ({_first_line(problem)})") from problem


def _first_line(problem: Exception) -> str:
    lines = str(problem).splitlines()
    return lines[0] if lines else type(problem).__name__

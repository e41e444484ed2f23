"""Damaged files of every format: a K7 error or a value, never another exception."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import soundfile
import tifffile
from PIL import Image
from pyarrow import feather, parquet

from kcheck.checker.bindings import FileValue
from kcheck.checker.types import FLOAT, Type, Vec
from kcheck.runtime.errors import RunError
from kcheck.runtime.values.files import READERS
from kcheck.runtime.values.incoming import take
from kcheck.runtime.values.light import write_exr
from kcheck.runtime.values.reading import Reading
from tests.runtime.slots import slot

NUMBERS = np.random.default_rng(1).random(300)
PIXELS = (np.random.default_rng(2).random((9, 7, 3)) * 255).astype(np.uint8)


def _exr(path: Path) -> None:
    with path.open("wb") as file:
        write_exr(PIXELS.astype(np.float32), file)


FILES: dict[str, Callable[[Path], Any]] = {
    "a.npy": lambda path: np.save(path, NUMBERS.astype(">f4")),
    "a.npz": lambda path: np.savez_compressed(path, a=NUMBERS),
    **{f"a.{e}": lambda path: Image.fromarray(PIXELS).save(path) for e in ("png", "jpg", "jpeg", "bmp", "gif", "webp")},
    "a.tif": lambda path: Image.fromarray(PIXELS).save(path),
    "deep.tif": lambda path: tifffile.imwrite(path, PIXELS.astype(np.uint16) * 256, photometric="rgb"),
    "floats.tiff": lambda path: tifffile.imwrite(path, PIXELS.astype(np.float64), photometric="rgb"),
    "a.exr": _exr,
    **{f"a.{e}": lambda path: soundfile.write(path, NUMBERS, 8000) for e in ("wav", "flac", "ogg")},
    "a.csv": lambda path: path.write_text("x\n1\n2\n"),
    "a.parquet": lambda path: parquet.write_table(pa.table({"x": NUMBERS}), path),
    "a.arrow": lambda path: feather.write_feather(pa.table({"x": NUMBERS}), str(path), compression="uncompressed"),
    "a.feather": lambda path: feather.write_feather(pa.table({"x": NUMBERS}), str(path)),
    "a.json": lambda path: path.write_text("[1, 2.5, NaN]"),
    "a.bin": lambda path: path.write_bytes(bytes(range(64))),
}
PICTURES = frozenset({"png", "jpg", "jpeg", "bmp", "gif", "webp", "tif", "tiff", "exr"})


def test_every_format_is_here() -> None:
    assert {name.partition(".")[2] for name in FILES} == set(READERS)


@pytest.mark.parametrize("name", FILES)
def test_damage(tmp_path: Path, name: str) -> None:
    FILES[name](tmp_path / name)
    whole = (tmp_path / name).read_bytes()
    ending = name.partition(".")[2]
    rank, element = (2, Vec(4)) if ending in PICTURES else (1, FLOAT)
    written = f"damaged.{ending}{':uint8' if ending == 'bin' else ''}"
    (tmp_path / f"damaged.{ending}").write_bytes(whole)
    assert _attempt(tmp_path, written, rank, element)
    source = random.Random(name)
    for _ in range(60):
        (tmp_path / f"damaged.{ending}").write_bytes(_damaged(whole, source))
        _attempt(tmp_path, written, rank, element)


def _attempt(folder: Path, written: str, rank: int, element: Type) -> bool:
    """Whether it can be read; fails on any error but a K7."""
    try:
        take(slot(rank, element), FileValue(written), Reading(folder, limit=50_000_000))
    except RunError as error:
        if error.code not in ("K703", "K704", "K709", "K713"):
            raise
        return False
    return True


def _damaged(whole: bytes, source: random.Random) -> bytes:
    """Cut, or with some bytes changed, most of them near the start, where headers are."""
    if source.random() < 0.4:
        return whole[: source.randrange(len(whole))]
    data = bytearray(whole)
    for _ in range(source.choice((1, 2, 5))):
        data[source.randrange(min(len(data), source.choice((40, 400, len(data)))))] = source.randrange(256)
    return bytes(data)


def test_deep_tiff_pictures_lose_nothing(tmp_path: Path) -> None:
    samples = np.array([[[0, 1, 2], [65535, 65534, 258]]], np.uint16)
    tifffile.imwrite(tmp_path / "a.tif", samples, photometric="rgb")
    found = take(slot(2, Vec(3)), FileValue("a.tif"), Reading(tmp_path, srgb=True))
    assert found.tolist() == (samples.astype(np.float32) / np.float32(65535)).tolist()


def test_tiff_pictures_of_floats_are_linear(tmp_path: Path) -> None:
    light = np.array([[[0.5, 7.0, -1.0]]])
    tifffile.imwrite(tmp_path / "a.tif", light, photometric="rgb")
    assert take(slot(2, Vec(4)), FileValue("a.tif"), Reading(tmp_path)).tolist() == [[[0.5, 7.0, -1.0, 1.0]]]
    tifffile.imwrite(tmp_path / "a.tif", np.array([[1e300]]))
    with pytest.raises(RunError, match="too large for a Float"):
        take(slot(2, FLOAT), FileValue("a.tif"), Reading(tmp_path))

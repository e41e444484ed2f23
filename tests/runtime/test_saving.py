"""Writing files: what each ending takes, and that nothing is half-written."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from kcheck.checker import types
from kcheck.checker.bindings import FileValue
from kcheck.checker.types import BOOL, FLOAT, INT, Mat, Type, Vec
from kcheck.runtime.errors import RunError
from kcheck.runtime.fields import Field, field_of
from kcheck.runtime.values import saving
from kcheck.runtime.values.incoming import take
from kcheck.runtime.values.literals import from_literal
from kcheck.runtime.values.reading import Reading
from tests.runtime.slots import PARTICLE, SHAPE, slot


def field(rank: int, element: Type, literal: Any) -> Field:
    return field_of(types.Field(rank, element), from_literal(slot(rank, element), literal))


def write(path: Path, rank: int, element: Type, literal: Any, writing: saving.Writing | None = None) -> None:
    saving.write(slot(rank, element), field(rank, element, literal), path, writing or saving.Writing())


@pytest.mark.parametrize(
    ("name", "rank", "element", "literal"),
    [
        ("a.npy", 2, FLOAT, [[1, 2]]),
        ("a.npy", 1, PARTICLE, [{"position": [1, 2], "mass": 3, "id": 4}]),
        ("a.npy", 1, SHAPE, ["Dot", {"Disc": {"r": 1, "filled": True}}]),
        ("a.json", 1, SHAPE, ["Dot", {"Disc": {"r": 1, "filled": True}}]),
        ("a.json", 1, FLOAT, [0.1, "NaN", "Infinity"]),
        ("a.csv", 1, INT, [1, -2]),
        ("a.csv", 1, BOOL, [True, False]),
        ("a.csv", 1, FLOAT, [0.1, "NaN", "-Infinity"]),
        ("a.csv", 1, PARTICLE, [{"position": [1, 2], "mass": 0.1, "id": 4}]),
        ("a.csv", 1, Mat(2), [[[1, 2], [3, 4]]]),
        ("a.wav", 1, FLOAT, [0, 0.5, -1]),
        ("a.wav", 1, Vec(2), [[0, 0.5]]),
        ("a.flac", 1, Vec(2), [[0, 0.5], [-1, 0.25]]),
        ("a.parquet", 1, FLOAT, [0.1, "NaN", "-Infinity"]),
        ("a.parquet", 1, PARTICLE, [{"position": [1, 2], "mass": 0.1, "id": 4}]),
        ("a.arrow", 1, BOOL, [True, False]),
        ("a.arrow", 1, Mat(2), [[[1, 2], [3, 4]]]),
        ("a.npz", 2, Vec(2), [[[1, 2], [3, 4]]]),
        ("a.exr", 2, FLOAT, [[0.1, -7e9]]),
        ("a.exr", 2, Vec(3), [[[0.1, 1, 300]]]),
        ("a.exr", 2, Vec(4), [[[0.5, 1, 300, 0.25], [0.1, 0.2, 0.3, 1]]]),
        ("a.png", 2, FLOAT, [[0, 1]]),
        ("a.png", 2, Vec(3), [[[0, 1, 0]]]),
        ("a.png", 2, Vec(4), [[[0, 1, 0, 0.2]]]),
    ],
)
def test_what_is_written_can_be_read(tmp_path: Path, name: str, rank: int, element: Type, literal: Any) -> None:
    write(tmp_path / name, rank, element, literal)
    again = take(slot(rank, element), tmp_path / name, Reading())
    assert again.tobytes() == field(rank, element, literal).data.tobytes()
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_bin(tmp_path: Path) -> None:
    write(tmp_path / "a.bin", 1, INT, [1, -1])
    assert (tmp_path / "a.bin").read_bytes() == b"\x01\x00\x00\x00\xff\xff\xff\xff"


def test_csv_text(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", 1, PARTICLE, [{"position": [1, 0.1], "mass": 3, "id": 4}])
    assert (tmp_path / "a.csv").read_text() == "position.x,position.y,mass,id\n1.0,0.1,3.0,4\n"


def test_json_text(tmp_path: Path) -> None:
    write(tmp_path / "a.json", 2, FLOAT, [[-0.0, 0.1]])
    assert json.loads((tmp_path / "a.json").read_text()) == [[0.0, 0.1]]
    assert "-0.0" in (tmp_path / "a.json").read_text()


def test_pictures_are_encoded_unless_they_are_already(tmp_path: Path) -> None:
    for srgb, stored in ((False, 188), (True, 128)):
        write(tmp_path / "a.png", 2, FLOAT, [[0.502]], saving.Writing(srgb=srgb))
        assert np.asarray(Image.open(tmp_path / "a.png")).tolist() == [[stored]]


@pytest.mark.parametrize(
    ("name", "rank", "element"),
    [
        ("a.png", 1, FLOAT),
        ("a.png", 2, INT),
        ("a.png", 2, Vec(2)),
        ("a.wav", 2, FLOAT),
        ("a.wav", 1, INT),
        ("a.csv", 2, FLOAT),
        ("a.csv", 1, SHAPE),
        ("a.bin", 1, PARTICLE),
        ("a.bin", 1, BOOL),
        ("a.jpg", 2, FLOAT),
        ("a.txt", 1, FLOAT),
        ("a", 1, FLOAT),
        ("none/a.npy", 1, FLOAT),
    ],
)
def test_what_no_file_can_hold(tmp_path: Path, name: str, rank: int, element: Type) -> None:
    with pytest.raises(RunError) as info:
        saving.check(slot(rank, element), tmp_path / name)
    assert info.value.code == "K710"


def test_the_old_file_stays_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(b"old")
    empty = field_of(types.Field(2, FLOAT), np.zeros((0, 0), np.float32))
    with pytest.raises(RunError) as info:
        saving.write(slot(2, FLOAT), empty, path, saving.Writing())
    assert info.value.code == "K710"
    assert path.read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_folder_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "a.npy").mkdir()
    with pytest.raises(RunError) as info:
        write(tmp_path / "a.npy", 1, FLOAT, [1])
    assert info.value.code == "K710"


def test_devices_are_written_in_place(tmp_path: Path) -> None:
    (tmp_path / "a.npy").symlink_to("/dev/null")
    write(tmp_path / "a.npy", 1, FLOAT, [1])
    assert (tmp_path / "a.npy").is_symlink()


def test_a_series_is_written_and_read_again(tmp_path: Path) -> None:
    layers = [[[i / 16, 1.0]] for i in range(12)]
    write(tmp_path / "frame_%d.exr", 3, FLOAT, layers)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(f"frame_{i}.exr" for i in range(12))
    again = take(slot(3, FLOAT), FileValue("frame_*.exr"), Reading(tmp_path))
    assert again.tolist() == layers


def test_a_series_takes_volumes_only(tmp_path: Path) -> None:
    for path, rank in (("frame_%03d.png", 1), ("frame.png", 3)):
        with pytest.raises(RunError) as info:
            saving.check(slot(rank, FLOAT), tmp_path / path)
        assert info.value.code == "K710"
    saving.check(slot(3, FLOAT), tmp_path / "frame_%03d.png")


def test_files_of_a_series_need_one_size(tmp_path: Path) -> None:
    write(tmp_path / "f1.png", 2, FLOAT, [[0, 1]])
    write(tmp_path / "f2.png", 2, FLOAT, [[0, 1, 1]])
    with pytest.raises(RunError, match=r"`f2\.png` is 3x1 .* and `f1\.png` 2x1") as info:
        take(slot(3, FLOAT), FileValue("f*.png"), Reading(tmp_path))
    assert info.value.code == "K704"


def test_a_series_of_no_files(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="no file is named like") as info:
        take(slot(3, FLOAT), FileValue("f*.png"), Reading(tmp_path))
    assert info.value.code == "K709"


def test_a_series_for_a_grid(tmp_path: Path) -> None:
    write(tmp_path / "f1.png", 2, FLOAT, [[0, 1]])
    with pytest.raises(RunError, match="fits a Volume"):
        take(slot(2, FLOAT), FileValue("f*.png"), Reading(tmp_path))

"""Arrays, numbers, literals and tables in files; and files that are not what they should be."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kcheck.checker.bindings import FileValue
from kcheck.checker.types import BOOL, FLOAT, INT, Type, Vec
from kcheck.runtime.errors import RunError
from kcheck.runtime.values.incoming import take
from kcheck.runtime.values.reading import Reading
from tests.runtime.slots import PARTICLE, SHAPE, Refusal, slot

Array = npt.NDArray[Any]


def read(folder: Path, written: str, element: Type = FLOAT, rank: int = 1) -> Array:
    return take(slot(rank, element), FileValue(written), Reading(folder))


def refused(folder: Path, written: str, element: Type = FLOAT, rank: int = 1) -> Refusal:
    with pytest.raises(RunError) as info:
        read(folder, written, element, rank)
    return Refusal(info)


def test_npy(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([[1, 2], [3, 4]], np.uint8))
    assert read(tmp_path, "a.npy", INT, 2).tolist() == [[1, 2], [3, 4]]


def test_npy_of_the_wrong_shape(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((2, 2)))
    assert refused(tmp_path, "a.npy").code == "K704"


def test_npy_with_nan_for_ints(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([1.0, np.nan]))
    assert refused(tmp_path, "a.npy", INT).code == "K703"


def test_npy_never_runs_code(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([{"a": 1}]), allow_pickle=True)
    (tmp_path / "b.npy").write_bytes(pickle.dumps([1.0]))
    for name in ("a.npy", "b.npy"):
        assert refused(tmp_path, name).code == "K709"


def test_every_cut_of_an_npy(tmp_path: Path) -> None:
    np.save(tmp_path / "whole.npy", np.arange(20.0))
    whole = (tmp_path / "whole.npy").read_bytes()
    for length in range(len(whole)):
        (tmp_path / "a.npy").write_bytes(whole[:length])
        assert refused(tmp_path, "a.npy").code == "K709"


def test_npy_that_claims_to_be_huge(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(20.0))
    damaged = (tmp_path / "a.npy").read_bytes().replace(b"(20,)", b"(20000000000000,)")
    (tmp_path / "a.npy").write_bytes(damaged)
    assert refused(tmp_path, "a.npy").code in ("K709", "K713")


def test_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "one.npz", only=np.array([1.0]))
    np.savez(tmp_path / "two.npz", a=np.array([1.0]), b=np.array([2.0]))
    assert read(tmp_path, "one.npz").tolist() == [1.0]
    assert read(tmp_path, "two.npz:b").tolist() == [2.0]
    assert "a, b" in refused(tmp_path, "two.npz").message
    assert refused(tmp_path, "two.npz:c").code == "K709"


def test_damaged_npz(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=np.arange(10.0))
    whole = (tmp_path / "a.npz").read_bytes()
    for contents in (b"", b"PK\x03\x04", b"hello there", whole[:50], whole[: len(whole) // 2]):
        (tmp_path / "a.npz").write_bytes(contents)
        assert refused(tmp_path, "a.npz").code == "K709"


@pytest.mark.parametrize(
    ("kind", "data", "expected"),
    [
        ("uint8", bytes([0, 255]), [0, 255]),
        ("int8", bytes([0, 255]), [0, -1]),
        ("int32", b"\x01\x00\x00\x00\xff\xff\xff\xff", [1, -1]),
    ],
)
def test_bin(tmp_path: Path, kind: str, data: bytes, expected: list[int]) -> None:
    (tmp_path / "a.bin").write_bytes(data)
    assert read(tmp_path, f"a.bin:{kind}", INT).tolist() == expected


def test_bin_of_floats(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(b"\x00\x00\x80\x3f")
    assert read(tmp_path, "a.bin:float32").tolist() == [1.0]
    assert refused(tmp_path, "a.bin:float32", INT).code == "K703"


@pytest.mark.parametrize("written", ["a.bin", "a.bin:", "a.bin:float64", "a.bin:int32"])
def test_bin_that_does_not_fit(tmp_path: Path, written: str) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(7))
    assert refused(tmp_path, written, INT).code == "K709"


def test_json(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"position": [1, 2], "mass": 0.5, "id": 3}]')
    assert read(tmp_path, "a.json", PARTICLE)["mass"].tolist() == [0.5]


def test_json_with_a_mark_and_nan(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"\xef\xbb\xbf[NaN, 1]")
    assert np.isnan(read(tmp_path, "a.json")[0])


@pytest.mark.parametrize("contents", [b"", b"[1", b"\xff\xfe", b"[" * 100_000, b"nothing"])
def test_damaged_json(tmp_path: Path, contents: bytes) -> None:
    (tmp_path / "a.json").write_bytes(contents)
    assert refused(tmp_path, "a.json").code == "K709"


def test_csv_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("time, height ,up\n0,1.5,true\n1,NaN,false\n")
    assert read(tmp_path, "a.csv:time", INT).tolist() == [0, 1]
    assert read(tmp_path, "a.csv:height")[0] == 1.5
    assert read(tmp_path, "a.csv:up", BOOL).tolist() == [True, False]


def test_csv_of_structs(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,position.x,position.y,mass\n7,1,2,3\n")
    rows = read(tmp_path, "a.csv", PARTICLE)
    assert rows["position"].tolist() == [[1.0, 2.0]]
    assert rows["id"].tolist() == [7]


@pytest.mark.parametrize(
    ("contents", "written", "element", "code"),
    [
        ("", "a.csv", FLOAT, "K709"),
        ("a,b\n1\n", "a.csv:a", FLOAT, "K709"),
        ("a,b\n1,2\n", "a.csv", FLOAT, "K709"),
        ("a,b\n1,2\n", "a.csv:c", FLOAT, "K709"),
        ("a\n1.5\n", "a.csv:a", INT, "K703"),
        ("a\nx\n", "a.csv:a", FLOAT, "K703"),
        ("a\n1e39\n", "a.csv:a", FLOAT, "K703"),
        ("a\n1\n", "a.csv", SHAPE, "K703"),
        ("x,y\n1,2\n", "a.csv:x", Vec(2), "K703"),
        ('a\n"1\n', "a.csv:a", FLOAT, "K709"),
    ],
)
def test_csv_that_does_not_fit(tmp_path: Path, contents: str, written: str, element: Type, code: str) -> None:
    (tmp_path / "a.csv").write_text(contents)
    refusal = refused(tmp_path, written, element)
    assert refusal.code == code
    assert "a.csv" in refusal.message


def test_csv_that_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"a\n\xff\xff\n")
    assert refused(tmp_path, "a.csv:a").code == "K709"


@pytest.mark.parametrize("ending", ["npy", "npz", "png", "wav", "csv", "json", "bin:uint8"])
def test_files_that_are_not_there(tmp_path: Path, ending: str) -> None:
    rank, element = (2, Vec(4)) if ending == "png" else (1, FLOAT)
    refusal = refused(tmp_path, f"none.{ending}", element, rank)
    assert refusal.code == "K709"
    assert "no such file" in refusal.message


@pytest.mark.parametrize("ending", ["npy", "png", "wav", "json"])
def test_folders(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"a.{ending}").mkdir()
    rank, element = (2, Vec(4)) if ending == "png" else (1, FLOAT)
    assert "is a directory" in refused(tmp_path, f"a.{ending}", element, rank).message


@pytest.mark.parametrize("written", ["a.txt", "a", "a.", ".png/", "a.npy:0", "a.json:1"])
def test_endings_that_are_not_known(tmp_path: Path, written: str) -> None:
    assert refused(tmp_path, written).code == "K709"


def test_bin_with_a_size(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(range(24)))
    assert read(tmp_path, "a.bin:uint8:4x6", INT, 2).tolist() == np.arange(24).reshape(6, 4).tolist()
    assert read(tmp_path, "a.bin:uint8:2x3x4", INT, 3).shape == (4, 3, 2)
    assert read(tmp_path, "a.bin:uint8:4x2", Vec(3), 2).shape == (2, 4, 3)
    assert read(tmp_path, "a.bin:uint8", Vec(4)).shape == (6, 4)


@pytest.mark.parametrize(
    ("written", "rank", "code"),
    [
        ("a.bin:uint8:5x5", 2, "K709"),
        ("a.bin:uint8:24", 2, "K704"),
        ("a.bin:uint8:4x6", 1, "K704"),
        ("a.bin:4x6", 2, "K709"),
        ("a.npz:a:4x6", 2, "K709"),
    ],
)
def test_sizes_that_do_not_fit(tmp_path: Path, written: str, rank: int, code: str) -> None:
    (tmp_path / "a.bin").write_bytes(bytes(24))
    (tmp_path / "a.npz").write_bytes(bytes(24))
    assert refused(tmp_path, written, INT, rank).code == code


def test_an_archive_that_swells(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros(10_000_000, np.float32))
    assert (tmp_path / "a.npz").stat().st_size < 100_000
    with pytest.raises(RunError, match="--read-limit") as info:
        take(slot(1, FLOAT), FileValue("a.npz"), Reading(tmp_path, limit=1_000_000))
    assert info.value.code == "K709"


@pytest.mark.parametrize("dtype", [">f4", ">f8", "<f2"])
def test_floats_of_any_kind_and_order(tmp_path: Path, dtype: str) -> None:
    whole = np.asfortranarray(np.arange(12.0).reshape(3, 4).astype(dtype))
    np.save(tmp_path / "a.npy", whole)
    found = read(tmp_path, "a.npy", FLOAT, 2)
    assert found.dtype == np.float32
    assert found.flags.c_contiguous
    assert found.tolist() == np.arange(12.0).reshape(3, 4).tolist()


def test_standard_input_takes_the_place_of_a_file() -> None:
    assert take(slot(1, INT), FileValue("-.json"), Reading(piped=b"[1, 2]")).tolist() == [1, 2]
    table = b"a,b\n1,2\n3,4\n"
    assert take(slot(1, INT), FileValue("-.csv:b"), Reading(piped=table)).tolist() == [2, 4]
    with pytest.raises(RunError, match=r"cannot read standard input: not a \.wav file"):
        take(slot(1, FLOAT), FileValue("-.wav"), Reading(piped=table))


def test_a_file_called_minus_is_a_file_where_nothing_is_piped(tmp_path: Path) -> None:
    (tmp_path / "-.json").write_text("[3]")
    assert read(tmp_path, "-.json", INT).tolist() == [3]

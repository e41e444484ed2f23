"""Sounds in and out; the files are packed by hand or by the standard library."""

import struct
import sys
import wave
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kcheck.checker.bindings import FileValue
from kcheck.checker.types import FLOAT, INT, Type, Vec
from kcheck.runtime.errors import RunError
from kcheck.runtime.values import sounds
from kcheck.runtime.values.incoming import take
from kcheck.runtime.values.reading import Reading
from kcheck.runtime.values.source import Source
from tests.runtime.slots import Refusal, slot

Array = npt.NDArray[Any]


def riff(kind: int, channels: int, bits: int, data: bytes, *, extensible: bool = False) -> bytes:
    frame = channels * bits // 8
    head = struct.pack("<HHIIHH", 0xFFFE if extensible else kind, channels, 8000, 8000 * frame, frame, bits)
    if extensible:
        head += struct.pack("<HHIH", 22, bits, 0, kind) + b"\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"
    body = b"WAVE" + part(b"fmt ", head) + part(b"LIST", b"odd") + part(b"data", data)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def part(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def read(path: Path, written: str, element: Type = FLOAT, rank: int = 1) -> Array:
    return take(slot(rank, element), FileValue(written), Reading(path))


def refused(path: Path, written: str, element: Type = FLOAT, rank: int = 1) -> Refusal:
    with pytest.raises(RunError) as info:
        read(path, written, element, rank)
    return Refusal(info)


@pytest.mark.parametrize("extensible", [False, True])
@pytest.mark.parametrize(
    ("kind", "bits", "data", "expected"),
    [
        (1, 8, bytes([0, 128, 192, 255]), [-1, 0, 0.5, 127 / 128]),
        (1, 16, struct.pack("<4h", -32768, 0, 16384, 32767), [-1, 0, 0.5, 32767 / 32768]),
        (1, 24, b"\x00\x00\x80\x00\x00\x00\x00\x00\x40\xff\xff\x7f", [-1, 0, 0.5, 1 - 2**-23]),
        (1, 32, struct.pack("<4i", -(2**31), 0, 2**30, 2**23), [-1, 0, 0.5, 2**-8]),
        (3, 32, struct.pack("<4f", -1, 0, 0.5, 2), [-1, 0, 0.5, 2]),
        (3, 64, struct.pack("<4d", -1, 0, 0.5, 2), [-1, 0, 0.5, 2]),
    ],
)
def test_encodings(
    tmp_path: Path, kind: int, bits: int, data: bytes, expected: list[float], *, extensible: bool
) -> None:
    (tmp_path / "a.wav").write_bytes(riff(kind, 1, bits, data, extensible=extensible))
    samples = read(tmp_path, "a.wav")
    assert samples.dtype == np.float32
    assert samples.tolist() == expected


def stereo(path: Path) -> None:
    path.write_bytes(riff(1, 2, 16, struct.pack("<4h", 16384, -16384, 8192, -8192)))


def test_channels(tmp_path: Path) -> None:
    stereo(tmp_path / "a.wav")
    assert read(tmp_path, "a.wav:0").tolist() == [0.5, 0.25]
    assert read(tmp_path, "a.wav:1").tolist() == [-0.5, -0.25]
    assert read(tmp_path, "a.wav", Vec(2)).tolist() == [[0.5, -0.5], [0.25, -0.25]]


def test_stereo_needs_a_channel(tmp_path: Path) -> None:
    stereo(tmp_path / "a.wav")
    refusal = refused(tmp_path, "a.wav")
    assert refusal.code == "K703"
    assert "a.wav:0" in refusal.notes[0]


@pytest.mark.parametrize("written", ["a.wav:2", "a.wav:-1", "a.wav:x", "a.wav:"])
def test_channels_that_are_not_there(tmp_path: Path, written: str) -> None:
    stereo(tmp_path / "a.wav")
    assert refused(tmp_path, written).code == "K709"


@pytest.mark.parametrize(("rank", "element"), [(1, INT), (2, INT), (1, Vec(3)), (0, FLOAT)])
def test_ports_that_take_no_sound(tmp_path: Path, rank: int, element: Type) -> None:
    stereo(tmp_path / "a.wav")
    assert refused(tmp_path, "a.wav:0", element, rank).code == "K703"


def test_every_cut_of_a_sound(tmp_path: Path) -> None:
    whole = riff(1, 2, 16, bytes(40))
    for length in range(len(whole)):
        (tmp_path / "a.wav").write_bytes(whole[:length])
        assert refused(tmp_path, "a.wav", Vec(2)).code == "K709"


@pytest.mark.parametrize(
    "contents",
    [
        b"",
        b"hello",
        bytes(range(256)),
        riff(1, 1, 12, bytes(24)),
        riff(2, 1, 4, bytes(24)),
        riff(1, 0, 16, bytes(24)),
        riff(1, 1, 16, bytes(3)),
    ],
)
def test_damaged_sounds(tmp_path: Path, contents: bytes) -> None:
    (tmp_path / "a.wav").write_bytes(contents)
    refusal = refused(tmp_path, "a.wav")
    assert refusal.code == "K709"
    assert "`a.wav`" in refusal.message


def test_silence_of_no_samples(tmp_path: Path) -> None:
    (tmp_path / "a.wav").write_bytes(riff(1, 1, 16, b""))
    assert read(tmp_path, "a.wav").shape == (0,)


def test_writes_16_bits() -> None:
    file = BytesIO()
    sounds.write_wav(np.array([0, 0.5, -1, 1, 7, np.nan, np.inf], np.float32), file, 8000)
    file.seek(0)
    with wave.open(file) as sound:
        assert sound.getparams()[:4] == (1, 2, 8000, 7)
        assert struct.unpack("<7h", sound.readframes(7)) == (0, 16384, -32768, 32767, 32767, 0, 32767)


def test_sixteen_bits_come_back(tmp_path: Path) -> None:
    samples = np.arange(-(2**15), 2**15).astype(np.float32) / np.float32(2**15)
    with (tmp_path / "a.wav").open("wb") as file:
        sounds.write_wav(samples, file, 44_100)
    assert read(tmp_path, "a.wav").tolist() == samples.tolist()
    assert sounds.load(Source(tmp_path / "a.wav")).rate == 44_100


def test_writes_channels_side_by_side(tmp_path: Path) -> None:
    pairs = np.array([[0.5, -0.5], [0.25, 0]], np.float32)
    with (tmp_path / "a.wav").open("wb") as file:
        sounds.write_wav(pairs, file, 8000)
    assert read(tmp_path, "a.wav", Vec(2)).tolist() == pairs.tolist()


def test_a_grid_takes_a_channel_each_row(tmp_path: Path) -> None:
    stereo(tmp_path / "a.wav")
    both = read(tmp_path, "a.wav", Vec(2))
    assert read(tmp_path, "a.wav", FLOAT, 2).tolist() == both.T.tolist()


@pytest.mark.parametrize("ending", ["flac", "ogg"])
def test_other_formats(tmp_path: Path, ending: str) -> None:
    soundfile = pytest.importorskip("soundfile")
    samples = np.sin(np.arange(4000) / 20)[:, np.newaxis] * [0.5, -0.25]
    soundfile.write(tmp_path / f"a.{ending}", samples, 8000)
    found = read(tmp_path, f"a.{ending}", Vec(2))
    np.testing.assert_allclose(found, samples, atol=2**-15 if ending == "flac" else 0.05)
    assert sounds.load(Source(tmp_path / f"a.{ending}")).rate == 8000
    (tmp_path / f"a.{ending}").write_bytes((tmp_path / f"a.{ending}").read_bytes()[:50])
    assert refused(tmp_path, f"a.{ending}", Vec(2)).code == "K709"


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.flac").write_bytes(b"fLaC")
    monkeypatch.setitem(sys.modules, "soundfile", None)
    assert "pip install 'kcheck[sound]'" in refused(tmp_path, "a.flac").message


def test_a_sound_beyond_the_limit(tmp_path: Path) -> None:
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(tmp_path / "a.flac", np.zeros(100_000), 8000)
    with pytest.raises(RunError, match="--read-limit"):
        take(slot(1, FLOAT), FileValue("a.flac"), Reading(tmp_path, limit=100_000))

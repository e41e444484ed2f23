"""Pictures in and out, against files that are made here and numbers from the sRGB standard."""

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from kcheck.checker.bindings import FileValue
from kcheck.checker.types import FLOAT, INT, Type, Vec
from kcheck.runtime.errors import RunError
from kcheck.runtime.values.incoming import take
from kcheck.runtime.values.pictures import to_bytes
from kcheck.runtime.values.reading import Reading
from tests.runtime.slots import Refusal, slot

Array = npt.NDArray[Any]

IMAGE = Vec(4)

KNOWN = {0: 0.0, 1: 0.000303527, 10: 0.00303527, 11: 0.00334654, 128: 0.2158605, 188: 0.5028865, 255: 1.0}
"""Stored samples and the light they stand for, to six digits (IEC 61966-2-1)."""


def read(path: Path, element: Type = IMAGE, rank: int = 2, *, srgb: bool = False) -> Array:
    return take(slot(rank, element), path, Reading(srgb=srgb))


def refused(path: Path, element: Type = IMAGE, rank: int = 2) -> Refusal:
    with pytest.raises(RunError) as info:
        read(path, element, rank)
    return Refusal(info)


def save(path: Path, mode: str, samples: list[Any], dtype: str = "u1", **options: Any) -> Path:
    Image.fromarray(np.array(samples, dtype), mode=None).convert(mode).save(path, **options)
    return path


def test_decodes_srgb(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", "RGB", [[[n, n, n] for n in KNOWN]])
    pixels = read(path)
    assert pixels.shape == (1, len(KNOWN), 4)
    assert pixels.dtype == np.float32
    np.testing.assert_allclose(pixels[0, :, 0], list(KNOWN.values()), rtol=2e-6)
    assert (pixels[..., 3] == 1.0).all()


def test_alpha_is_straight_and_linear(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", "RGBA", [[[255, 128, 0, 51]]])
    np.testing.assert_allclose(read(path)[0, 0], [1.0, 0.2158605, 0.0, 0.2], rtol=1e-6)


def test_raw_srgb(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", "RGBA", [[[255, 51, 0, 102]]])
    np.testing.assert_allclose(read(path, srgb=True)[0, 0], [1.0, 0.2, 0.0, 0.4], rtol=1e-6)


def test_rows_come_first(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", "RGB", [[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [0, 0, 0]], [[255] * 3] * 2])
    pixels = read(path, Vec(3))
    assert pixels.shape == (3, 2, 3)
    assert pixels[1, 0].tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("mode", ["1", "L", "P"])
def test_other_modes_are_colours(tmp_path: Path, mode: str) -> None:
    path = save(tmp_path / "a.png", mode, [[0, 255]])
    assert read(path)[0].tolist() == [[0, 0, 0, 1], [1, 1, 1, 1]]


def test_transparent_palette(tmp_path: Path) -> None:
    picture = Image.new("P", (1, 1))
    picture.putpalette([255, 0, 0])
    picture.save(tmp_path / "a.png", transparency=0)
    assert read(tmp_path / "a.png")[0, 0].tolist() == [1.0, 0.0, 0.0, 0.0]


def test_grey_pictures_fit_grids_of_floats(tmp_path: Path) -> None:
    assert read(save(tmp_path / "a.png", "L", [[0, 255]]), FLOAT).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize("ending", ["jpg", "bmp", "gif"])
def test_other_formats(tmp_path: Path, ending: str) -> None:
    path = save(tmp_path / f"a.{ending}", "RGB", [[[255] * 3] * 8] * 8)
    assert (read(path) == 1.0).all()


def test_orientation_of_photographs(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[274] = 6  # the camera was turned: the first row is the right edge
    save(tmp_path / "a.jpg", "RGB", [[[0] * 3] * 16] * 8, exif=exif)
    assert read(tmp_path / "a.jpg").shape == (16, 8, 4)


# ---------------------------------------------------------------- 16 bits


def png16(samples: Array) -> bytes:
    """A PNG of 16 bits a sample, `(h, w, channels)`, written by hand with each of the five filters in turn."""
    height, width, channels = samples.shape
    colour = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    pixel = channels * 2
    rows = samples.astype(">u2").tobytes()
    packed, above = bytearray(), bytes(width * pixel)
    for y in range(height):
        row = rows[y * width * pixel : (y + 1) * width * pixel]
        packed.append(y % 5)
        for i, byte in enumerate(row):
            left = row[i - pixel] if i >= pixel else 0
            corner = above[i - pixel] if i >= pixel else 0
            guess = (0, left, above[i], (left + above[i]) // 2, paeth(left, above[i], corner))[y % 5]
            packed.append((byte - guess) % 256)
        above = row
    head = struct.pack(">IIBBBBB", width, height, 16, colour, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(packed))), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(name, data) for name, data in parts)


def paeth(left: int, above: int, corner: int) -> int:
    guess = left + above - corner
    return min((left, above, corner), key=lambda n: abs(guess - n))


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_16_bits_lose_nothing(tmp_path: Path, channels: int) -> None:
    samples = np.random.default_rng(channels).integers(0, 65536, (7, 5, channels))
    (tmp_path / "a.png").write_bytes(png16(samples))
    pixels = read(tmp_path / "a.png", srgb=True)
    for c in range(4):
        expected = samples[..., min(c, channels - 1)] if c < max(3, channels) else np.full((7, 5), 65535)
        np.testing.assert_array_equal(np.rint(pixels[..., c].astype(np.float64) * 65535), expected)


def test_16_bits_are_decoded(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(png16(np.array([[[0, 32896, 65535]]])))  # 32896 is 128 of 255
    np.testing.assert_allclose(read(tmp_path / "a.png")[0, 0], [0.0, 0.2158605, 1.0, 1.0], rtol=1e-6)


# ---------------------------------------------------------------- what does not fit


@pytest.mark.parametrize(("rank", "element"), [(1, FLOAT), (2, INT), (2, Vec(2)), (3, FLOAT), (0, FLOAT)])
def test_ports_that_take_no_picture(tmp_path: Path, rank: int, element: Type) -> None:
    path = save(tmp_path / "a.png", "RGB", [[[0, 0, 0]]])
    assert refused(path, element, rank).code == "K703"


def test_colours_in_a_grid_of_floats(tmp_path: Path) -> None:
    refusal = refused(save(tmp_path / "a.png", "RGB", [[[0, 0, 0]]]), FLOAT)
    assert refusal.code == "K703"
    assert "luma" in refusal.notes[0]


def truncated(ending: str) -> bytes:
    buffer = io.BytesIO()
    noise = np.random.default_rng(0).integers(0, 256, (32, 32, 3)).astype(np.uint8)
    Image.fromarray(noise).save(buffer, {"png": "PNG", "jpg": "JPEG", "bmp": "BMP", "gif": "GIF"}[ending])
    return buffer.getvalue()[: len(buffer.getvalue()) // 2]


@pytest.mark.parametrize("ending", ["png", "jpg", "bmp", "gif"])
@pytest.mark.parametrize("damage", ["truncated", "empty", "garbage", "text"])
def test_damaged_pictures(tmp_path: Path, ending: str, damage: str) -> None:
    contents = {"truncated": truncated(ending), "empty": b"", "garbage": bytes(range(256)) * 4, "text": b"hello"}
    path = tmp_path / f"a.{ending}"
    path.write_bytes(contents[damage])
    refusal = refused(path)
    assert refusal.code == "K709"
    assert "`source`" in refusal.message
    assert f"a.{ending}" in refusal.message


def test_every_cut_of_a_png(tmp_path: Path) -> None:
    whole = png16(np.arange(60).reshape(4, 5, 3))
    path = tmp_path / "a.png"
    samples_end = whole.index(b"IEND") - 16  # check sums follow, which the pixels do not need
    for length in range(samples_end):
        path.write_bytes(whole[:length])
        assert refused(path).code == "K709"


def test_bombs(tmp_path: Path) -> None:
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 6, 0, 0, 0)
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b""))
    assert refused(tmp_path / "a.png").code == "K709"


# ---------------------------------------------------------------- out


def test_every_sample_comes_back(tmp_path: Path) -> None:
    path = save(tmp_path / "a.png", "RGB", [[[n, n, n] for n in range(256)]])
    assert to_bytes(read(path), srgb=False)[0, :, 0].tolist() == list(range(256))


def test_clamps_and_rounds() -> None:
    pixels = np.array([[-1.0, 2.0, np.nan, np.inf, 0.5 / 255, 0.499 / 255]], np.float32)
    assert to_bytes(pixels, srgb=True).tolist() == [[0, 255, 0, 255, 1, 0]]


def test_alpha_is_not_encoded() -> None:
    assert to_bytes(np.array([[[0.215861, 0, 1, 0.2]]], np.float32), srgb=False).tolist() == [[[128, 0, 255, 51]]]


def by_the_standard(light: Array) -> Array:
    """Samples of linear light, by the curve of IEC 61966-2-1 in doubles."""
    unit = np.clip(np.nan_to_num(light.astype(np.float64), nan=0.0), 0.0, 1.0)
    encoded = np.where(unit <= 0.0031308, 12.92 * unit, 1.055 * unit ** (1 / 2.4) - 0.055)
    return np.floor(255 * encoded + 0.5)


def test_encodes_any_float() -> None:
    rng = np.random.default_rng(5)
    light = np.concatenate(
        [
            rng.random(50_000, np.float32),
            np.exp(rng.uniform(-20, 1, 50_000)).astype(np.float32),
            np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, 1e-40, -3.0, 2.0], np.float32),
        ]
    )
    assert np.array_equal(to_bytes(light[np.newaxis], srgb=False)[0], by_the_standard(light))


def test_encodes_the_floats_around_each_change() -> None:
    changes = np.array([last_with(sample) for sample in range(255)], np.float32)
    for light in (changes, np.nextafter(changes, np.float32(2.0))):
        assert np.array_equal(to_bytes(light[:, np.newaxis], srgb=False)[:, 0], by_the_standard(light))


def last_with(sample: int) -> np.float32:
    """The greatest Float that is encoded so, found by halving."""
    low, high = 0, int(np.float32(1.0).view(np.uint32))
    while high - low > 1:
        middle = (low + high) // 2
        light = np.array([middle], np.uint32).view(np.float32)
        low, high = (middle, high) if by_the_standard(light)[0] <= sample else (low, middle)
    return np.array([low], np.uint32).view(np.float32)[0]


def animation(path: Path) -> Path:
    frames = [Image.fromarray(np.full((2, 3), level, np.uint8)) for level in (0, 255, 128)]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    return path


@pytest.mark.parametrize("ending", ["gif", "tif"])
def test_frames(tmp_path: Path, ending: str) -> None:
    path = animation(tmp_path / f"a.{ending}")
    layers = read(path, FLOAT if ending == "tif" else Vec(3), 3)
    assert layers.shape[:3] == (3, 2, 3)
    np.testing.assert_allclose(layers.reshape(3, -1)[:, 0], [0.0, 1.0, 0.2158605], rtol=2e-6)
    second = take(slot(2, IMAGE), FileValue(f"{path}:1"), Reading())
    assert second[0, 0].tolist() == [1.0, 1.0, 1.0, 1.0]
    refusal = refused(path)
    assert refusal.code == "K703"
    assert "3 frames" in refusal.message
    with pytest.raises(RunError, match="from 0 to 2"):
        take(slot(2, IMAGE), FileValue(f"{path}:3"), Reading())


def test_tiff_of_floats_is_light_already(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    Image.fromarray(np.array([[0.5, 7.0], [-1.0, 0.1]], np.float32)).save(path)
    assert read(path, FLOAT).tolist() == [[0.5, 7.0], [-1.0, np.float32(0.1)]]
    assert read(path)[0, 1].tolist() == [7.0, 7.0, 7.0, 1.0]


def test_cmyk_is_colours(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    Image.new("CMYK", (8, 8), (255, 0, 0, 0)).save(path, quality=100)
    np.testing.assert_allclose(read(path)[4, 4], [0.0, 1.0, 1.0, 1.0], atol=0.02)


def test_webp(tmp_path: Path) -> None:
    path = save(tmp_path / "a.webp", "RGB", [[[255, 0, 0]] * 8] * 8, lossless=True)
    assert read(path, Vec(3))[3, 3].tolist() == [1.0, 0.0, 0.0]


def test_a_picture_beyond_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.new("1", (4_000, 4_000)).save(path)
    assert path.stat().st_size < 10_000
    with pytest.raises(RunError, match=r"0\.3 GB .* limit of 0\.1 GB; --read-limit") as info:
        take(slot(2, IMAGE), path, Reading(limit=100_000_000))
    assert info.value.code == "K709"


def test_the_limit_can_be_raised_beyond_that_of_the_decoder(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.new("1", (100, 100)).save(path)
    most = Image.MAX_IMAGE_PIXELS
    Image.MAX_IMAGE_PIXELS = 100
    try:
        assert read(path).shape == (100, 100, 4)
        assert Image.MAX_IMAGE_PIXELS == 100
    finally:
        Image.MAX_IMAGE_PIXELS = most

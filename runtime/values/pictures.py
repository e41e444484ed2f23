"""Pictures: files of sRGB samples on one side, linear Floats in 0..1 on the other.

Colours are decoded and encoded by the curve of IEC 61966-2-1; alpha is straight (not multiplied in), linear.
"""

from __future__ import annotations

import struct
import warnings
import zlib
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from kcheck.checker import rules
from kcheck.checker.types import FLOAT, Vec
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.problems import Unreadable, Unwritable
from kcheck.runtime.values.slot import Slot

if TYPE_CHECKING:
    from PIL import Image

CHANNELS = {FLOAT: 1, Vec(3): 3, Vec(4): 4}
"""How many numbers of a pixel each element type that a picture fits takes."""

_DEEP = {"RGB;16B": ("RGB;16B", "RGB;16L"), "RGBA;16B": ("RGBA;16B", "RGBA;16L")}
"""Pillow keeps one byte of each 16-bit colour sample: these unpack the high byte, and then the low one."""

_BROKEN = (OSError, SyntaxError, ValueError, EOFError, IndexError, OverflowError, struct.error, zlib.error)
"""What Pillow's decoders raise on files that are damaged."""


def read_picture(path: Path, slot: Slot, *, srgb: bool) -> AnyArray:
    """The pixels as float32 in 0..1, decoded to linear unless `srgb`.

    `(h, w, 4)` for an Image, `(h, w, 3)` for a Grid<Vec3> (alpha is left out), `(h, w)` for a Grid<Float>,
    which takes pictures in grey only.
    """
    channels = CHANNELS.get(slot.element) if slot.rank == 2 else None
    if channels is None:
        raise slot.error(rules.VALUE_DOES_NOT_FIT, "a picture fits Image (Grid<Vec4>), Grid<Vec3> and Grid<Float>")
    samples, grey = _samples(path.read_bytes())
    if channels == 1 and not grey:
        raise slot.error(
            rules.VALUE_DOES_NOT_FIT,
            f"`{path.name}` is a picture in colour, which has more than one number a pixel",
            "declare the port as Image and take `luma(sample(…))`, or save the picture in grey",
        )
    pixels = _unit(samples)
    if not srgb:
        pixels[..., :3] = _decoding_table(samples.dtype)[samples[..., :3]]
    return pixels[..., 0] if channels == 1 else pixels[..., :channels]


def _samples(data: bytes) -> tuple[AnyArray, bool]:
    """RGBA samples `(h, w, 4)` as uint8 or uint16, and whether the picture is grey and opaque."""
    from PIL import Image, UnidentifiedImageError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow warns of large pictures and odd metadata; neither does harm
        try:
            picture = Image.open(BytesIO(data))
            grey = picture.mode in ("1", "L", "I", "I;16", "I;16B") and "transparency" not in picture.info
            return np.asarray(_deep(picture, data) if _is_deep(picture) else _shallow(picture)), grey
        except Image.DecompressionBombError as problem:
            raise Unreadable("more pixels than can be read safely") from problem
        except UnidentifiedImageError as problem:
            raise Unreadable("not a picture that is known here") from problem
        except _BROKEN as problem:
            raise Unreadable(f"a damaged picture ({problem})") from problem


def _is_deep(picture: Image.Image) -> bool:
    return picture.mode in ("I", "I;16", "I;16B") or _raw_mode(picture) in _DEEP


def _raw_mode(picture: Image.Image) -> str:
    """How the samples of a PNG lie in the file, "" for other formats."""
    tiles = getattr(picture, "tile", ())
    return str(tiles[0][3]) if picture.format == "PNG" and tiles else ""


def _deep(picture: Image.Image, data: bytes) -> AnyArray:
    """The samples of a picture of 16 bits a channel."""
    if (raw := _raw_mode(picture)) in _DEEP:
        high, low = (_unpacked(data, mode).astype(np.uint16) for mode in _DEEP[raw])
        colours = high << 8 | low
    else:
        grey = np.asarray(picture).clip(0, 0xFFFF).astype(np.uint16)
        colours = np.repeat(grey[..., np.newaxis], 3, axis=2)
    opaque = np.full((*colours.shape[:2], 1), 0xFFFF, np.uint16)
    return colours if colours.shape[2] == 4 else np.concatenate([colours, opaque], axis=2)


def _unpacked(data: bytes, raw: str) -> AnyArray:
    from PIL import Image

    picture: Any = Image.open(BytesIO(data))
    picture.tile = [(*tile[:3], raw) for tile in picture.tile]
    return np.asarray(picture)


def _shallow(picture: Image.Image) -> Image.Image:
    """An RGBA picture of 8 bits a channel, the right way up."""
    from PIL import ImageOps

    return ImageOps.exif_transpose(picture).convert("RGBA")


def _unit(samples: AnyArray) -> AnyArray:
    """Whole samples as Floats in 0..1."""
    return samples.astype(np.float32) / np.float32(np.iinfo(samples.dtype).max)


def _decoding_table(dtype: np.dtype[np.unsignedinteger]) -> AnyArray:
    """The linear Float of every stored sample."""
    top = np.iinfo(dtype).max
    return srgb_to_linear(np.arange(top + 1) / top).astype(np.float32)


def srgb_to_linear(encoded: AnyArray) -> AnyArray:
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def linear_to_srgb(linear: AnyArray) -> AnyArray:
    bright = 1.055 * np.power(linear, 1 / 2.4, where=linear > 0, out=np.zeros_like(linear)) - 0.055
    return np.where(linear <= 0.0031308, linear * 12.92, bright)


def to_bytes(pixels: AnyArray, *, srgb: bool) -> AnyArray:
    """Float pixels `(h, w)`, `(h, w, 3)` or `(h, w, 4)` as 8-bit samples.

    Clamped to 0..1 (NaN is 0), encoded as sRGB unless they are so already, rounded to the nearest.
    """
    unit = np.clip(np.nan_to_num(pixels.astype(np.float64), nan=0.0), 0.0, 1.0)
    colours = unit[..., :3] if unit.ndim == 3 else unit
    encoded = colours if srgb else linear_to_srgb(colours)
    if unit.ndim == 3 and unit.shape[2] == 4:
        encoded = np.concatenate([encoded, unit[..., 3:]], axis=2)
    return np.floor(encoded * 255.0 + 0.5).astype(np.uint8)


def write_png(pixels: AnyArray, file: IO[bytes], *, srgb: bool) -> None:
    from PIL import Image

    if not pixels.size:
        raise Unwritable("a picture has at least one pixel")
    Image.fromarray(to_bytes(pixels, srgb=srgb)).save(file, format="PNG")

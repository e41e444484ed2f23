"""Pictures: files of sRGB samples on one side, linear Floats in 0..1 on the other.

Colours are decoded and encoded by the curve of IEC 61966-2-1; alpha is straight (not multiplied in), linear.
"""

from __future__ import annotations

import struct
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from kcheck.checker import rules
from kcheck.checker.types import FLOAT, Vec
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.problems import Unreadable, Unwritable
from kcheck.runtime.values.slot import Slot
from kcheck.runtime.values.source import Source

if TYPE_CHECKING:
    from PIL import Image

CHANNELS = {FLOAT: 1, Vec(3): 3, Vec(4): 4}
"""How many numbers of a pixel each element type that a picture fits takes."""

_DEEP = {"RGB;16B": ("RGB;16B", "RGB;16L"), "RGBA;16B": ("RGBA;16B", "RGBA;16L")}
"""Pillow keeps one byte of each 16-bit colour sample: these unpack the high byte, and then the low one."""

_BROKEN = (
    *(OSError, SyntaxError, ValueError, TypeError, EOFError, LookupError, AttributeError),
    *(ArithmeticError, RuntimeError, struct.error, zlib.error),
)
"""What Pillow's decoders raise on files that are damaged."""


def read_picture(source: Source, slot: Slot, frame: str | None, *, srgb: bool) -> AnyArray:
    """The pixels as float32, decoded to linear unless `srgb`; whole samples become 0..1.

    `(h, w, 4)` for an Image, `(h, w, 3)` for a Grid<Vec3> (alpha is left out), `(h, w)` for a Grid<Float>,
    which takes pictures in grey only; for a volume with all frames of an animation or pages before them.
    """
    check_fits(slot)
    with opened(source) as picture:
        with decoder():
            count = getattr(picture, "n_frames", 1)
        chosen = chosen_frames(source, slot, count, frame)
        source.check_limit(picture.width * picture.height * len(chosen) * 16)
        layers, grey = [], True
        for i in chosen:
            samples, is_grey = _decoded(picture, i, source)
            layers.append(samples)
            grey = grey and is_grey
    return layers_of(source, slot, layers, grey=grey, srgb=srgb)


def check_fits(slot: Slot) -> None:
    if slot.rank not in (2, 3) or slot.element not in CHANNELS:
        fits = "a picture fits Image (Grid<Vec4>), Grid<Vec3> and Grid<Float>, or volumes of them, a frame each layer"
        raise slot.error(rules.VALUE_DOES_NOT_FIT, fits)


@contextmanager
def opened(source: Source) -> Iterator[Image.Image]:
    """The picture, not yet decoded."""
    from PIL import Image

    most = Image.MAX_IMAGE_PIXELS
    with source.open() as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Pillow warns of odd metadata, which does no harm
        Image.MAX_IMAGE_PIXELS = None  # the limit of `source` stands in for it
        try:
            with decoder():
                picture = Image.open(stream)
            with picture:
                yield picture
        finally:
            Image.MAX_IMAGE_PIXELS = most


@contextmanager
def decoder() -> Iterator[None]:
    """What a decoder raises becomes `Unreadable`."""
    from PIL import UnidentifiedImageError

    try:
        yield
    except UnidentifiedImageError as problem:
        raise Unreadable("not a picture that is known here") from problem
    except _BROKEN as problem:
        raise Unreadable(f"a damaged picture ({problem})") from problem


def chosen_frames(source: Source, slot: Slot, count: int, asked: str | None) -> Sequence[int]:
    """Which of `count` frames are read: the one asked for, all of them for a volume, or the only one."""
    if not count:
        raise Unreadable("it holds no picture")
    if asked is not None:
        if not asked.isdecimal() or int(asked) >= count:
            raise Unreadable(f"it has no frame `{asked}`; they count from 0 to {count - 1}")
        return [int(asked)]
    if slot.rank == 2 and count > 1:
        raise slot.error(
            rules.VALUE_DOES_NOT_FIT,
            f"`{source.name}` has {count} frames, and a grid takes one",
            f"pick one with `{source.path.name}:0`, or declare a Volume, which takes all of them",
        )
    return range(count)


def layers_of(source: Source, slot: Slot, frames: Sequence[AnyArray], *, grey: bool, srgb: bool) -> AnyArray:
    """RGBA frames of samples as the slot takes them: one, or all of them for a volume.

    Samples are uint8 or uint16, or Floats, which are linear already.
    """
    channels = CHANNELS[slot.element]
    if channels == 1 and not grey:
        raise slot.error(
            rules.VALUE_DOES_NOT_FIT,
            f"`{source.name}` is a picture in colour, which has more than one number a pixel",
            "declare the port as Image and take `luma(sample(…))`, or save the picture in grey",
        )
    if any(frame.shape != frames[0].shape for frame in frames):
        raise Unreadable("its frames differ in size")
    pixels = [frame if frame.dtype == np.float32 else _light(frame, srgb=srgb) for frame in frames]
    layers = [p[..., 0] if channels == 1 else p[..., :channels] for p in pixels]
    return np.stack(layers) if slot.rank == 3 else layers[0]


def _decoded(picture: Image.Image, frame: int, source: Source) -> tuple[AnyArray, bool]:
    with decoder():
        picture.seek(frame)
        return _samples(picture, source)


def _samples(picture: Image.Image, source: Source) -> tuple[AnyArray, bool]:
    """RGBA samples `(h, w, 4)` as uint8, uint16 or linear float32, and whether the picture is grey and opaque."""
    grey = picture.mode in ("1", "L", "I", "I;16", "I;16B", "F") and "transparency" not in picture.info
    if picture.mode == "F":
        return np.stack([*[np.asarray(picture)] * 3, np.ones((picture.height, picture.width), np.float32)], -1), grey
    return np.asarray(_deep(picture, source) if _is_deep(picture) else _shallow(picture)), grey


def _is_deep(picture: Image.Image) -> bool:
    return picture.mode in ("I", "I;16", "I;16B") or _raw_mode(picture) in _DEEP


def _raw_mode(picture: Image.Image) -> str:
    """How the samples of a PNG lie in the file, "" for other formats."""
    tiles = getattr(picture, "tile", ())
    return str(tiles[0][3]) if picture.format == "PNG" and tiles else ""


def _deep(picture: Image.Image, source: Source) -> AnyArray:
    """The samples of a picture of 16 bits a channel."""
    if (raw := _raw_mode(picture)) in _DEEP:
        high, low = (_unpacked(source, mode).astype(np.uint16) for mode in _DEEP[raw])
        colours = high << 8 | low
    else:
        grey = np.asarray(picture).clip(0, 0xFFFF).astype(np.uint16)
        colours = np.repeat(grey[..., np.newaxis], 3, axis=2)
    opaque = np.full((*colours.shape[:2], 1), 0xFFFF, np.uint16)
    return colours if colours.shape[2] == 4 else np.concatenate([colours, opaque], axis=2)


def _unpacked(source: Source, raw: str) -> AnyArray:
    from PIL import Image

    with source.open() as stream:
        picture: Any = Image.open(stream)
        picture.tile = [(*tile[:3], raw) for tile in picture.tile]
        return np.asarray(picture)


def _shallow(picture: Image.Image) -> Image.Image:
    """An RGBA picture of 8 bits a channel, the right way up."""
    from PIL import ImageOps

    return ImageOps.exif_transpose(picture).convert("RGBA")


def _light(samples: AnyArray, *, srgb: bool) -> AnyArray:
    """Whole RGBA samples as Floats in 0..1, the colours decoded to linear unless `srgb`."""
    top = np.iinfo(samples.dtype).max
    if srgb:
        return samples.astype(np.float32) / np.float32(top)
    table = _decoding_table(samples.dtype)
    pixels = np.empty(samples.shape, np.float32)
    for row in range(0, len(samples), _ROWS):  # some rows at a time stay in the caches
        block = slice(row, row + _ROWS)
        np.take(table, samples[block], out=pixels[block], mode="clip")  # without a check: each sample has its entry
        np.divide(samples[block, :, 3], np.float32(top), out=pixels[block, :, 3])
    return pixels


_ROWS = 64


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
    if pixels.dtype == np.float32 and not srgb:
        return _encoded(pixels)
    if pixels.ndim == 3 and pixels.shape[2] == 4:
        colours, alpha = pixels[..., :3], pixels[..., 3:]
        return np.concatenate([to_bytes(colours, srgb=srgb), _rounded(_unit(alpha))], axis=2)
    unit = _unit(pixels)
    return _rounded(unit if srgb else linear_to_srgb(unit))


def _unit(numbers: AnyArray) -> AnyArray:
    unit: AnyArray = np.clip(np.nan_to_num(numbers.astype(np.float64), nan=0.0), 0.0, 1.0)
    return unit


def _rounded(unit: AnyArray) -> AnyArray:
    return np.floor(unit * 255.0 + 0.5).astype(np.uint8)


def _encoded(pixels: AnyArray) -> AnyArray:
    """The same samples for linear float32, by tables."""
    samples = np.empty(pixels.shape, np.uint8)
    first, reached = _encoding_tables()
    rows = max(1, _BLOCK * len(pixels) // max(pixels.size, 1))
    for row in range(0, len(pixels), rows):
        block = slice(row, row + rows)
        unit = np.fmin(np.fmax(pixels[block], np.float32(0.0)), np.float32(1.0))
        least = first.take((unit * np.float32(_FINE)).astype(np.uint16), mode="clip")
        np.add(least, unit >= reached.take(least, mode="clip"), out=samples[block], casting="unsafe")
        if pixels.shape[2:] == (4,):
            samples[block, :, 3] = _rounded(unit[..., 3].astype(np.float64))
    return samples


_BLOCK = 1 << 15
"""Numbers that stay in the caches."""
_FINE = (1 << 16) - 1
"""Parts of 0..1 so short that the sample changes at most once in each."""


@cache
def _encoding_tables() -> tuple[AnyArray, AnyArray]:
    """The sample at the start of each part of 0..1, and by sample the least Float that has the next one."""
    ends = srgb_to_linear((np.arange(1, 256) - 0.5) / 255).astype(np.float32)
    for _ in range(4):  # one step of a Float after another, to where the sample really changes
        below = np.nextafter(ends, np.float32(0.0))
        ends = np.where(_rounded(linear_to_srgb(below.astype(np.float64))) >= np.arange(1, 256), below, ends)
    for _ in range(4):
        above = np.nextafter(ends, np.float32(1.0))
        ends = np.where(_rounded(linear_to_srgb(ends.astype(np.float64))) < np.arange(1, 256), above, ends)
    starts = (np.arange(_FINE + 1) - 0.01) / _FINE  # a little early, for products are rounded
    first = np.searchsorted(ends, starts, side="right").astype(np.uint8)
    return first, np.append(ends, np.float32(np.inf))


def write_png(pixels: AnyArray, file: IO[bytes], *, srgb: bool) -> None:
    from PIL import Image

    if not pixels.size:
        raise Unwritable("a picture has at least one pixel")
    Image.fromarray(to_bytes(pixels, srgb=srgb)).save(file, format="PNG")

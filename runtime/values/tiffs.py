"""TIFF pictures that Pillow does not read in full: 16 bits a channel in colour, and Floats but for plain grey."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.optional import needed
from kcheck.runtime.values.pictures import chosen_frames, decoder, layers_of, opened, read_picture
from kcheck.runtime.values.problems import Unreadable
from kcheck.runtime.values.slot import Slot
from kcheck.runtime.values.source import Source

_BITS, _CHANNELS = 258, 277
"""The tags BitsPerSample and SamplesPerPixel."""


def read_tiff(source: Source, slot: Slot, frame: str | None, *, srgb: bool) -> AnyArray:
    """As `pictures.read_picture`; Floats are linear already."""
    if not _needs_more(source):
        return read_picture(source, slot, frame, srgb=srgb)
    tifffile = needed("tifffile", "pictures", "TIFF pictures of 16 bits a channel or of Floats")
    with source.open() as stream:
        try:
            with tifffile.TiffFile(stream) as file:
                chosen = chosen_frames(source, slot, len(file.pages), frame)
                source.check_limit(sum(int(np.prod(file.pages[i].shape)) * 4 for i in chosen))
                pages = [_samples(file.pages[i].asarray()) for i in chosen]
        except _BROKEN as problem:
            raise Unreadable(f"a damaged picture ({problem})") from problem
    if any(page is None for page in pages):
        raise Unreadable("its pixels are neither grey nor RGB nor RGBA of 16 bits or Floats")
    grey = pages[0] is not None and pages[0].shape[-1] == 1
    return layers_of(source, slot, [_with_alpha(page) for page in pages if page is not None], grey=grey, srgb=srgb)


_BROKEN = (OSError, ValueError, TypeError, LookupError, RuntimeError, ArithmeticError, struct.error)
"""What the library raises on files that are damaged."""


def _needs_more(source: Source) -> bool:
    """Whether the samples are such as Pillow would cut, or does not know."""
    try:
        with opened(source) as picture, decoder():
            tags: Any = getattr(picture, "tag_v2", {})
            return bool(max(tags.get(_BITS, (1,))) > 8 and tags.get(_CHANNELS, 1) > 1)
    except Unreadable:
        with source.open() as stream:
            return stream.read(2) in (b"II", b"MM")


def _samples(page: AnyArray) -> AnyArray | None:
    """`(h, w, 1 | 3 | 4)` of uint16 or float32; None for what is no picture of ours."""
    planes = page[..., np.newaxis] if page.ndim == 2 else page
    if planes.ndim != 3 or planes.shape[2] not in (1, 3, 4):
        return None
    if planes.dtype.kind == "f":
        with np.errstate(over="ignore"):
            narrow = planes.astype(np.float32)
        if (np.isinf(narrow) & np.isfinite(planes)).any():
            raise Unreadable("it holds a number that is too large for a Float")
        return narrow
    return planes.astype(np.uint16) if planes.dtype == np.uint16 else None


def _with_alpha(planes: AnyArray) -> AnyArray:
    """RGBA samples `(h, w, 4)`."""
    colours = np.repeat(planes, 3, axis=2) if planes.shape[2] == 1 else planes
    if colours.shape[2] == 4:
        return colours
    top = 1.0 if colours.dtype == np.float32 else np.iinfo(np.uint16).max
    return np.concatenate([colours, np.full((*colours.shape[:2], 1), top, colours.dtype)], axis=2)

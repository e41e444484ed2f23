"""Pictures as PNG, fast: this writes what an editor shows for a moment, so it may be larger than it had to be."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from kcheck.runtime.layout import AnyArray

MIME = "image/png"

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_COLOUR_TYPES = {1: 0, 3: 2, 4: 6}
"""PNG's numbers for grey, RGB and RGBA, by their channels."""
_NO_FILTER, _SUBTRACT_LEFT = 0, 1


def png(samples: AnyArray, level: int) -> bytes:
    """The file for 8-bit samples `(h, w)`, `(h, w, 3)` or `(h, w, 4)` with at least one pixel.

    `level` is zlib's; 0 stores, which is many times as fast as anything that makes a picture with noise smaller.
    """
    height, width = samples.shape[:2]
    channels = samples.shape[2] if samples.ndim == 3 else 1
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    packed = zlib.compress(_rows(samples, channels, level).data, level)
    return b"".join([_SIGNATURE, *_chunk(b"IHDR", head), *_chunk(b"IDAT", packed), *_chunk(b"IEND", b"")])


def quick_png(samples: AnyArray) -> bytes:
    """The same, made and sent as fast as can be: stored, unless it is so smooth that to compress it takes no time."""
    channels = samples.shape[2] if samples.ndim == 3 else 1
    part = _rows(samples[:: -(-len(samples) // _SAMPLED_ROWS)], channels, _FASTEST)
    smooth = len(zlib.compress(part.data, _FASTEST)) < _SMOOTH * part.size
    return png(samples, _FASTEST if smooth else 0)


_FASTEST = 1
_SAMPLED_ROWS = 16
_SMOOTH = 0.25


def _rows(samples: AnyArray, channels: int, level: int) -> AnyArray:
    """Rows of bytes: PNG's filter, and the row with this filter."""
    height, width = samples.shape[:2]
    rows = np.empty((height, 1 + width * channels), np.uint8)
    rows[:, 0] = _SUBTRACT_LEFT if level else _NO_FILTER
    pixels = rows[:, 1:].reshape(height, width, channels)
    pixels[...] = samples.reshape(height, width, channels)
    if level:
        pixels[:, 1:] -= pixels[:, :-1].copy()
    return rows


def _chunk(kind: bytes, data: bytes) -> tuple[bytes, ...]:
    check = zlib.crc32(data, zlib.crc32(kind))
    return struct.pack(">I", len(data)), kind, data, struct.pack(">I", check)

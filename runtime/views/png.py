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


def png(samples: AnyArray, level: int, strategy: int = zlib.Z_DEFAULT_STRATEGY) -> bytes:
    """The file for 8-bit samples `(h, w)`, `(h, w, 3)` or `(h, w, 4)` with at least one pixel.

    `level` and `strategy` are zlib's; level 0 stores, which is many times as fast as all others.
    """
    height, width = samples.shape[:2]
    channels = samples.shape[2] if samples.ndim == 3 else 1
    head = struct.pack(">IIBBBBB", width, height, 8, _COLOUR_TYPES[channels], 0, 0, 0)
    packed = _packed(_rows(samples, channels, level), level, strategy)
    return b"".join([_SIGNATURE, *_chunk(b"IHDR", head), *_chunk(b"IDAT", packed), *_chunk(b"IEND", b"")])


def quick_png(samples: AnyArray) -> bytes:
    """The same, in the way that makes the least of some of its rows.

    What a picture costs on its way to an editor's window, where it may well be packed once more, grows with its size.
    """
    channels = samples.shape[2] if samples.ndim == 3 else 1
    some = samples[:: -(-len(samples) // _SAMPLED_ROWS)]
    level, strategy = min(_QUICK_WAYS, key=lambda way: len(_packed(_rows(some, channels, way[0]), *way)))
    return png(samples, level, strategy)


_SAMPLED_ROWS = 16
_QUICK_WAYS = ((0, zlib.Z_DEFAULT_STRATEGY), (1, zlib.Z_HUFFMAN_ONLY), (1, zlib.Z_DEFAULT_STRATEGY))
"""Levels and strategies.  The second one looks for no repetitions, of which pictures with noise have none."""


def _packed(rows: AnyArray, level: int, strategy: int) -> bytes:
    packer = zlib.compressobj(level, strategy=strategy)
    return packer.compress(rows.data) + packer.flush()


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

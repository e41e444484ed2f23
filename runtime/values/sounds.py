"""Sounds: files of samples on one side, Floats in -1..1 on the other.

.wav files are read here rather than by the standard library, whose reader knows neither float samples nor, before
Python 3.12, the extensible header that most programs write for 24 bits.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO

import numpy as np

from kcheck.checker import rules
from kcheck.checker.types import FLOAT, Vec
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.optional import needed
from kcheck.runtime.values.problems import Unreadable
from kcheck.runtime.values.slot import Slot
from kcheck.runtime.values.source import Source

DEFAULT_RATE = 44_100
"""Samples a second of a sound that is written when none was read."""

_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE


@dataclass(frozen=True, slots=True)
class Sound:
    """`samples` are floats `(n, channels)`; `rate` in samples a second."""

    samples: AnyArray
    rate: int


@dataclass(frozen=True, slots=True)
class _Format:
    kind: int
    channels: int
    rate: int
    bits: int


def read_sound(source: Source, slot: Slot, channel: str | None) -> AnyArray:
    """One channel for Rows<Float>; all of them for rows of vectors with as many parts, or for a Grid<Float>, a row
    of the grid each."""
    samples = load(source).samples
    count = samples.shape[1]
    if channel is not None:
        if not channel.isdecimal() or int(channel) >= count:
            raise Unreadable(f"it has no channel `{channel}`; they count from 0 to {count - 1}")
        samples, count = samples[:, int(channel)][:, np.newaxis], 1
    if slot.rank == 2 and slot.element is FLOAT:
        return samples.T
    if slot.rank == 1 and slot.element is FLOAT and count == 1:
        return samples[:, 0]
    if slot.rank == 1 and slot.element == Vec(count):
        return samples
    one = f"`{source.name}` has {count} channels" if count > 1 else "a sound of one channel fits Rows<Float>"
    raise slot.error(
        rules.VALUE_DOES_NOT_FIT,
        one,
        f"pick one channel with `{source.path.name}:0` for Rows<Float>; a Grid<Float> takes all, a row each",
    )


def load(source: Source) -> Sound:
    """A .wav file of 8, 16, 24 or 32 bit whole samples, or 32 or 64 bit floats; or any other sound that libsndfile
    reads, such as .flac and .ogg."""
    if source.path.suffix.lower() != ".wav":
        return _load_compressed(source)
    chunks = dict(_chunks(source.read()))
    if b"fmt " not in chunks or b"data" not in chunks:
        raise Unreadable("a .wav file without its format or its samples")
    form = _format(chunks[b"fmt "])
    data = chunks[b"data"]
    frame = form.channels * form.bits // 8
    if len(data) % frame:
        raise Unreadable(f"{len(data)} bytes of samples are not a whole number of frames of {frame} bytes")
    return Sound(_decoded(form, data).reshape(-1, form.channels), form.rate)


def _load_compressed(source: Source) -> Sound:
    soundfile = needed("soundfile", "sound", f"{source.path.suffix} files")
    try:
        with source.open() as stream, soundfile.SoundFile(stream) as file:
            source.check_limit(file.frames * file.channels * 4)
            samples = file.read(dtype="float32", always_2d=True)
            return Sound(samples, file.samplerate)
    except (soundfile.LibsndfileError, RuntimeError, TypeError) as problem:
        raise Unreadable(f"not a sound that is known here ({problem})") from problem


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The first chunk of each name, with its contents."""
    if data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise Unreadable("not a .wav file")
    at, seen = 12, set()
    while at + 8 <= len(data):
        name, (size,) = data[at : at + 4], struct.unpack_from("<I", data, at + 4)
        body = data[at + 8 : at + 8 + size]
        if len(body) < size and name in (b"fmt ", b"data"):
            raise Unreadable(f"it ends after {len(body)} of {size} bytes of its {name.decode().strip()} chunk")
        if name not in seen:
            seen.add(name)
            yield name, body
        at += 8 + size + size % 2


def _format(chunk: bytes) -> _Format:
    if len(chunk) < 16:
        raise Unreadable("its format chunk is too short")
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", chunk)
    if kind == _EXTENSIBLE and len(chunk) >= 26:
        (kind,) = struct.unpack_from("<H", chunk, 24)
    if not channels:
        raise Unreadable("it has no channels")
    if (kind, bits) not in _DECODERS:
        raise Unreadable(f"samples of {bits} bits in encoding {kind}; read are PCM of 8, 16, 24, 32 bits and floats")
    return _Format(kind, channels, rate, bits)


def _decoded(form: _Format, data: bytes) -> AnyArray:
    dtype, offset, scale = _DECODERS[form.kind, form.bits]
    if form.bits == 24:
        wide = np.zeros((len(data) // 3, 4), np.uint8)
        wide[:, 1:] = np.frombuffer(data, np.uint8).reshape(-1, 3)
        data = wide.tobytes()
    return (np.frombuffer(data, dtype) - offset) / scale


_DECODERS: dict[tuple[int, int], tuple[str, float, float]] = {
    (_PCM, 8): ("u1", 128.0, 2.0**7),
    (_PCM, 16): ("<i2", 0.0, 2.0**15),
    (_PCM, 24): ("<i4", 0.0, 2.0**31),  # widened by a zero byte below
    (_PCM, 32): ("<i4", 0.0, 2.0**31),
    (_FLOAT, 32): ("<f4", 0.0, 1.0),
    (_FLOAT, 64): ("<f8", 0.0, 1.0),
}
"""dtype, the sample that is silence, and the sample that is 1."""


def write_wav(samples: AnyArray, file: IO[bytes], rate: int) -> None:
    """16 bits a sample, from Floats `(n)` or `(n, channels)`: clamped to -1..1, NaN is silence."""
    import wave

    whole = _whole(samples)
    with wave.open(file, "wb") as out:
        out.setnchannels(1 if samples.ndim == 1 else samples.shape[1])
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(whole.tobytes())


def write_flac(samples: AnyArray, file: IO[bytes], rate: int) -> None:
    """The same samples without loss in fewer bytes."""
    soundfile = needed("soundfile", "sound", ".flac files")
    soundfile.write(file, _whole(samples), rate, format="FLAC", subtype="PCM_16")


def _whole(samples: AnyArray) -> AnyArray:
    scaled = np.nan_to_num(samples.astype(np.float64), nan=0.0, posinf=1.0, neginf=-1.0) * 2.0**15
    return np.clip(np.rint(scaled), -(2**15), 2**15 - 1).astype("<i2")

"""Runs the examples on real data and draws the pictures of docs/gallery.md: `python scripts/gallery.py [FOLDER]`.

Every result is held to NumPy, SciPy or a closed form before it is drawn.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw
from scipy import linalg, ndimage, signal

import kcheck

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples"
PHOTO = EXAMPLES / "data" / "cat.jpg"
PLUCK = EXAMPLES / "data" / "pluck.wav"
FOLDER = ROOT / "docs" / "gallery"

Array = NDArray[Any]

INK, FIRST, SECOND, PAPER = (60, 60, 60), (31, 119, 180), (214, 93, 14), (255, 255, 255)


def kernel(file: str, name: str) -> kcheck.Kernel:
    return kcheck.load(EXAMPLES / f"{file}.kernel")[name]


def close(name: str, got: Array, expected: Array, tolerance: float = 1e-5) -> None:
    """Stops where a result is not what another tool says."""
    worst = float(np.abs(np.asarray(got, np.float64) - expected).max())
    if not worst <= tolerance * max(1.0, float(np.abs(expected).max())):
        raise SystemExit(f"{name} is off by {worst}")


def linear(path: Path) -> Array:
    """A picture as linear RGB in 0..1, decoded without kcheck."""
    stored = np.asarray(Image.open(path).convert("RGB")) / 255.0
    return np.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4)


def stored(pixels: Array) -> Array:
    """Linear colours or grey as the bytes of an sRGB picture."""
    light = np.clip(pixels.astype(np.float64), 0.0, 1.0)
    encoded = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return np.floor(encoded * 255.0 + 0.5).astype(np.uint8)


def luma(pixels: Array) -> Array:
    return pixels @ np.array([0.2126, 0.7152, 0.0722])


def beside(*pictures: Array) -> Image.Image:
    """Pictures of one height, side by side."""
    colours = [p if p.ndim == 3 else np.repeat(p[..., np.newaxis], 3, axis=2) for p in pictures]
    gap = np.full((colours[0].shape[0], 8, 3), 255, np.uint8)
    return Image.fromarray(np.concatenate([part for c in colours for part in (gap, c)][1:], axis=1))


def large(grid: Array, scale: int) -> Array:
    return np.kron(grid, np.ones((scale, scale), grid.dtype))


def plot(curves: Sequence[Array], colours: Sequence[tuple[int, int, int]], *, bars: bool = False) -> Image.Image:
    """Curves over their index, or bars, in one frame."""
    width, height, margin = 560, 200, 8
    picture = Image.new("RGB", (width, height), PAPER)
    draw = ImageDraw.Draw(picture)
    low = min(0.0, *(float(c.min()) for c in curves))
    high = max(float(c.max()) for c in curves)

    def point(i: float, value: float, count: int) -> tuple[float, float]:
        x = margin + (width - 2 * margin) * i / count
        return x, height - margin - (height - 2 * margin) * (value - low) / (high - low)

    for curve, colour in zip(curves, colours, strict=True):
        if bars:
            for i, value in enumerate(curve):
                (left, top), (right, bottom) = point(i, float(value), len(curve)), point(i + 1, 0.0, len(curve))
                draw.rectangle((left, top, max(left, right - 1), bottom), fill=colour)
        else:
            draw.line([point(i, float(v), len(curve)) for i, v in enumerate(curve)], fill=colour)
    draw.line([point(0, 0.0, 1), point(1, 0.0, 1)], fill=INK)
    return picture


# ---------------------------------------------------------------- the pictures


def edges() -> Image.Image:
    """A map: Sobel's operator, held to SciPy's."""
    found = kernel("photo", "photo.edges")(source=PHOTO, domain=(240, 160)).result
    light = luma(linear(PHOTO))
    across, down = (ndimage.sobel(light, axis=axis, mode="nearest") for axis in (1, 0))
    close("edges", found, np.hypot(across, down) / 4)
    return beside(stored(linear(PHOTO)), stored(found))


def develop() -> Image.Image:
    """A map: a tone curve."""
    found = kernel("photo", "photo.develop")(source=PHOTO, exposure=4.0).result[..., :3]
    pixels = linear(PHOTO)
    light = luma(pixels)[..., np.newaxis] * 4.0
    gain = 4.0 * (1.0 + light / 16.0) / (1.0 + light)
    close("develop", found, np.clip(pixels * gain, 0.0, 1.0))
    return beside(stored(pixels), stored(found))


def histogram() -> Image.Image:
    """A scatter that counts, and a reduction: the luma of a photograph."""
    bins = 64
    counts = kernel("photo", "photo.histogram")(source=PHOTO, empty=np.zeros(bins, np.int32)).counts
    light = luma(linear(PHOTO))
    # Luma that falls on the edge between two bins may be rounded into either.
    close("histogram", np.cumsum(counts), np.cumsum(np.histogram(light, bins, (0.0, 1.0))[0]), 1e-4)
    tones = kernel("photo", "photo.tones")(source=PHOTO).result[0]
    close("mean luma", tones["total"] / tones["pixels"], light.mean())
    return plot([counts.astype(np.float64)], [FIRST], bars=True)


def smooth() -> Image.Image:
    """A scan: a plucked string through a low-pass, held to scipy.signal.lfilter."""
    keep = 0.9
    found = kernel("sound", "sound.smooth")(sound=Path(f"{PLUCK}:0"), keep=keep).result
    samples = np.frombuffer(PLUCK.read_bytes()[-3307 * 4 :], "<i2").reshape(-1, 2)[:, 0] / 2**15
    close("smooth", found, signal.lfilter([1.0 - keep], [1.0, -keep], samples))
    return plot([samples[:700], found[:700]], [(190, 200, 210), SECOND])


def stars() -> Image.Image:
    """A scatter that adds light: fifteen hundred stars."""
    made = kernel("stars", "stars.make")(domain=1_500)
    sky = kernel("stars", "stars.plot")(stars=made.fields["stars"], sky=np.zeros((120, 280, 3), np.float32)).result
    rows = made.stars
    places = np.floor(rows["position"].astype(np.float64) * (280, 120)).astype(int)
    expected = np.zeros((120, 280, 3))
    np.add.at(expected, (places[:, 1], places[:, 0]), rows["color"].astype(np.float64))
    close("stars", sky, expected)
    return Image.fromarray(stored(sky)).resize((560, 240), Image.Resampling.NEAREST)


def pack() -> Image.Image:
    """A prefix and a scatter: the bright pixels of a line, moved together."""
    line = luma(linear(PHOTO))[80]
    items = (line * 1000).astype(np.int32)
    keep = items > 150
    rank = kernel("lists", "lists.rank")(keep=keep).result
    packed = kernel("lists", "lists.pack")(items=items, keep=keep, rank=rank, room=np.zeros_like(items)).result
    close("pack", packed, np.concatenate([items[keep], np.zeros((~keep).sum(), int)]))
    return plot([items.astype(float), packed.astype(float)], [(190, 200, 210), SECOND], bars=True)


def walsh() -> Image.Image:
    """A group: butterflies by exchange, held to a Hadamard matrix."""
    rows = luma(linear(PHOTO)).astype(np.float32)[:, :240]
    found = kernel("walsh", "signal.walsh")(line=rows.reshape(-1)).result.reshape(rows.shape)
    close("walsh", found.reshape(-1, 8), rows.astype(np.float64).reshape(-1, 8) @ linalg.hadamard(8))
    sorted_by_pattern = np.abs(found).reshape(160, 30, 8).transpose(0, 2, 1).reshape(160, 240) / 8
    return beside(stored(rows), stored(sorted_by_pattern))


def life() -> Image.Image:
    """A map that is run again and again: two hundred generations of the R-pentomino."""
    cells = np.zeros((80, 140), np.bool_)
    cells[39:42, 69:72] = [[False, True, True], [True, True, False], [False, True, False]]
    step, expected = kernel("life", "life.step"), cells
    for _ in range(200):
        cells = step(cells=cells).result
        around = ndimage.convolve(expected.astype(int), [[1, 1, 1], [1, 0, 1], [1, 1, 1]], mode="wrap")
        expected = (around == 3) | (expected & (around == 2))
    close("life", cells, expected)
    return Image.fromarray(large(np.where(cells, 40, 250).astype(np.uint8), 4))


def machine() -> Image.Image:
    """A scan with memory: a machine that adds 3 for ever."""
    program = np.array([1, 8, 2, 9, 3, 8, 4, 0, 0, 3], np.int32)
    trace = kernel("machine", "machine.run")(ticks=np.zeros(400, np.int32), cells=program).trace
    close("machine", trace["value"][2::4], 3.0 * np.arange(1, 101))
    return plot([trace["value"].astype(float)], [FIRST])


PICTURES: dict[str, Callable[[], Image.Image]] = {
    f.__name__: f for f in (edges, develop, histogram, smooth, stars, pack, walsh, life, machine)
}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        draw().save(folder / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)

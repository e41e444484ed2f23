"""Fields as small pictures of characters: half blocks in colour, shades in plain text, and sparklines."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kcheck.checker.types import BOOL, FLOAT, INT, Type, Vec
from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray

WIDEST = 72
"""The columns of a picture; a character is about twice as high as it is wide."""
HIGHEST = 36
"""The most pairs of rows."""
_FINEST = 1024
"""About the most pixels along an axis that a picture is made from."""

_SHADES = " .:-=+*#%@"
_BARS = "▁▂▃▄▅▆▇█"
_UPPER_HALF = "▀"
_REC_709 = np.array([0.2126, 0.7152, 0.0722])


@dataclass(frozen=True, slots=True)
class Look:
    """How to draw: for how many columns, with ANSI colours or without, and the encoding that has to have a word for
    each character."""

    width: int
    color: bool = False
    true_color: bool = False
    encoding: str = "utf-8"


def can_draw(type_: Type) -> bool:
    """Whether a grid of this element type has a picture."""
    return type_ in (FLOAT, INT, BOOL, Vec(3), Vec(4))


def picture(field: Field, look: Look) -> list[str]:
    """The lines of a picture of a grid that is not empty."""
    levels = _shrunk(_levels(_thinned(field.data)), min(look.width, WIDEST))
    if look.color and _can_write(_UPPER_HALF, look):
        return _blocks(levels, true_color=look.true_color)
    return _shaded(levels)


def sparkline(values: AnyArray, columns: int, look: Look) -> str:
    """A line of bars over numbers `(n)`, n >= 1, from the least to the greatest; gaps where they are not finite."""
    count = min(columns, WIDEST, len(values))
    return _drawn_bars(_scaled(np.array([_finite_mean(part) for part in np.array_split(values, count)])), look)


def bars(counts: AnyArray, look: Look) -> str:
    """A bar for each count, from 0 to the greatest; a gap for none."""
    return _drawn_bars(np.where(counts > 0, counts / max(counts.max(), 1), np.nan), look)


def _drawn_bars(heights: AnyArray, look: Look) -> str:
    """Heights in 0..1; gaps for NaN."""
    marks = _BARS if _can_write(_BARS, look) else _SHADES[1:]
    return "".join(" " if np.isnan(height) else marks[round(height * (len(marks) - 1))] for height in heights)


def _finite_mean(part: AnyArray) -> float:
    finite = part[np.isfinite(part)]
    return float(finite.mean(dtype=np.float64)) if finite.size else math.nan


def _scaled(values: AnyArray) -> AnyArray:
    """Linearly to 0..1, what is not finite to NaN; all the same to a half."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return np.full(values.shape, np.nan)
    low, high = finite.min(), finite.max()
    scaled = (values - low) / (high - low) if high > low else np.full(values.shape, 0.5)
    return np.where(np.isfinite(values), scaled, np.nan)


def _thinned(data: AnyArray) -> AnyArray:
    """Every n-th pixel of a large grid: what is left is still many times finer than the picture."""
    step = max(1, max(data.shape[:2]) // _FINEST)
    return np.asarray(data[::step, ::step])


def _levels(data: AnyArray) -> AnyArray:
    """Linear colours `(h, w, 3)` in 0..1.  Numbers that do not lie in 0..1 are scaled from least to greatest."""
    numbers = data.astype(np.float64)
    if numbers.ndim == 3:
        return np.clip(np.nan_to_num(numbers[..., :3], nan=0.0), 0.0, 1.0)
    inside = np.isfinite(numbers).all() and numbers.min() >= 0.0 and numbers.max() <= 1.0
    grey = numbers if inside else np.nan_to_num(_scaled(numbers), nan=0.0)
    return np.repeat(grey[..., np.newaxis], 3, axis=2)


def _shrunk(levels: AnyArray, columns: int) -> AnyArray:
    """Means over boxes, so that `2 * HIGHEST` rows and `columns` columns are enough; an even number of rows."""
    height, width = levels.shape[:2]
    scale = min(1.0, columns / width, 2 * HIGHEST / height)
    rows, across = max(1, round(height * scale)), max(1, round(width * scale))
    smaller = _means(_means(levels, rows, 0), across, 1)
    return np.concatenate([smaller, np.zeros_like(smaller[:1])]) if rows % 2 else smaller


def _means(levels: AnyArray, count: int, axis: int) -> AnyArray:
    length = levels.shape[axis]
    starts = np.arange(count) * length // count
    sizes = np.diff([*starts, length])
    sums = np.add.reduceat(levels, starts, axis=axis)
    return sums / sizes.reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))


def _blocks(levels: AnyArray, *, true_color: bool) -> list[str]:
    """Two rows of pixels a line: the upper as foreground, the lower as background."""
    from kcheck.runtime.values.pictures import to_bytes

    pixels = to_bytes(levels, srgb=False)
    color = _true_color if true_color else _palette_color
    lines = []
    for upper, lower in zip(pixels[0::2].tolist(), pixels[1::2].tolist(), strict=True):
        cells = (
            f"\x1b[38;{color(top)};48;{color(bottom)}m{_UPPER_HALF}" for top, bottom in zip(upper, lower, strict=True)
        )
        lines.append("".join(cells) + "\x1b[0m")
    return lines


def _true_color(pixel: list[int]) -> str:
    return f"2;{pixel[0]};{pixel[1]};{pixel[2]}"


def _palette_color(pixel: list[int]) -> str:
    """The nearest of the 6x6x6 colours that every terminal of 256 colours has, or of its 24 greys."""
    if max(pixel) - min(pixel) < 12:
        return f"5;{232 + min(23, pixel[0] * 24 // 256)}"
    red, green, blue = (round(part / 255 * 5) for part in pixel)
    return f"5;{16 + 36 * red + 6 * green + blue}"


def _shaded(levels: AnyArray) -> list[str]:
    """One character for two rows of pixels, by their perceived lightness from the least to the greatest."""
    from kcheck.runtime.values.pictures import linear_to_srgb

    light = _scaled(linear_to_srgb((levels[0::2] + levels[1::2]) / 2 @ _REC_709))
    return ["".join(_SHADES[round(v * (len(_SHADES) - 1))] for v in row).rstrip() for row in light.tolist()]


def _can_write(text: str, look: Look) -> bool:
    try:
        text.encode(look.encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True

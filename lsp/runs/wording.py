"""Fields in words for hovers, as Markdown: numbers in tables, small pictures, sparklines."""

from __future__ import annotations

import base64
from collections.abc import Iterator

import numpy as np

from kcheck.checker.types import Scalar
from kcheck.lsp.runs.results import Summary, Words
from kcheck.runtime.fields import Field, field_of
from kcheck.runtime.values.sizes import shape_text
from kcheck.runtime.views.characters import Look, bars, can_draw, picture, sparkline
from kcheck.runtime.views.describe import SMALL, describe, number_count
from kcheck.runtime.views.pixels import has_pixels, pixels_of
from kcheck.runtime.views.png import MIME, png

_LOOK = Look(width=60)
_BARS = 16
_SIDES = (256, 128, 64)
"""Pixels along the longer side of a picture: the first with which it is small enough."""
_MOST_CHARACTERS = 40_000
"""Of a picture: VS Code cuts hovers at 100,000."""
_SMALLEST_FILE = 9
_MEANS_UP_TO = 1 << 22
"""Numbers of a grid that is shrunk by means; larger ones are thinned."""


def words(name: str, field: Field, summaries: tuple[Summary, ...]) -> Words:
    """An output or memory in words."""
    if number_count(field) <= SMALL:
        return Words("\n".join(("```text", *describe(name, field, _LOOK), "```")))
    element, rank = field.type.element, field.type.rank
    lines = [f"`{name}`: `{field.type}`, {shape_text(field.shape)}", "", *_table(summaries)]
    if rank == 1 and isinstance(element, Scalar):
        lines += ["", f"`{sparkline(field.data, _LOOK.width, _LOOK)}`"]
    drawing = picture(_thinned(field), _LOOK) if rank == 2 and can_draw(element) else []
    return Words("\n".join(lines), _picture(field) if rank == 2 and has_pixels(element) else "", "\n".join(drawing))


def _thinned(field: Field) -> Field:
    """A grid that is still finer than its drawing."""
    step = -(-max(field.shape) // _SIDES[0])
    return field_of(field.type, field.data[::step, ::step])


def _table(summaries: tuple[Summary, ...]) -> Iterator[str]:
    yield "| | min | max | mean | histogram | not finite |"
    yield "|---|---|---|---|---|---|"
    for one in summaries:
        spread = f"`{bars(np.reshape(one.bins, (_BARS, -1)).sum(axis=1), _LOOK)}`" if one.bins else ""
        numbers = f"{one.low:.6g} | {one.high:.6g} | {one.mean:.6g}"
        yield f"| {one.name} | {numbers} | {spread} | {one.nans + one.infinite or ''} |"


def _picture(field: Field) -> str:
    """A data URI, or "" where there is none that is short enough."""
    for side in _SIDES:
        pixels = pixels_of(field.type.element, field.data, side, means=field.data.size <= _MEANS_UP_TO)
        data = base64.b64encode(png(pixels.samples, _SMALLEST_FILE)).decode("ascii")
        if len(data) <= _MOST_CHARACTERS:
            return f"data:{MIME};base64,{data}"
    return ""

"""Fields as text for people: small ones whole, large ones as a summary with a picture or a sparkline."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import numpy as np

from kcheck.checker.types import BOOL, Array, Scalar, Struct, Type, Vec, contains_enum, leaf_count
from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.leaves import leaf_names, leaf_views
from kcheck.runtime.values.plain import elements, to_plain
from kcheck.runtime.values.sizes import shape_text
from kcheck.runtime.views.characters import Look, bars, can_draw, picture, sparkline
from kcheck.runtime.views.statistics import statistics

SMALL = 128
"""Fields of so many numbers at most are shown whole."""

_BINS = 24
"""Bars of a histogram."""

_MOST_LEAVES = 16
"""A summary tells about so many parts of an element at most."""


def describe(name: str, field: Field, look: Look) -> Iterator[str]:
    """The lines that show one output or memory."""
    yield f"{name}: {field.type}, {shape_text(field.shape)}"
    if field.data.size and number_count(field) <= SMALL:
        yield from _whole(field, look)
    elif field.data.size:
        yield from _summary(field, look)


def number_count(field: Field) -> int:
    """How many numbers all elements have."""
    return leaf_count(field.type.element) * math.prod(field.shape)


# ---------------------------------------------------------------- small fields


def _whole(field: Field, look: Look) -> Iterator[str]:
    element, rank = field.type.element, field.type.rank
    if rank == 1 and isinstance(element, Struct) and _is_flat(element):
        names = [part.name for part in element.fields]
        yield from _table(["", *names], [[f"{i}", *map(_text, e.values())] for i, e in enumerate(elements(field))])
    elif rank == 2 and isinstance(element, Scalar):
        yield from _table(None, [[_text(value) for value in row] for row in to_plain(field)])
    elif rank == 1 and isinstance(element, Scalar):
        yield from _wrapped([_text(value) for value in elements(field)], look.width)
    else:
        for place, value in zip(np.ndindex(field.shape), elements(field), strict=True):
            yield f"  [{', '.join(map(str, place))}] {_text(value)}"


def _is_flat(type_: Struct) -> bool:
    """Whether a struct makes a table: its fields are short."""
    return all(isinstance(part.type, Scalar | Vec) for part in type_.fields)


def _text(value: object) -> str:
    """A plain value, with the names of floats and variants unquoted."""
    return value if isinstance(value, str) else json.dumps(value).replace('"', "")


def _table(header: list[str] | None, rows: list[list[str]]) -> Iterator[str]:
    lines = [header, *rows] if header else rows
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  " + "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))


def _wrapped(texts: list[str], width: int) -> Iterator[str]:
    line = "  [" + texts[0]
    for text in texts[1:]:
        if len(line) + len(text) + 3 > width:
            yield line + ","
            line = "   " + text
        else:
            line += f", {text}"
    yield line + "]"


# ---------------------------------------------------------------- large fields


def _summary(field: Field, look: Look) -> Iterator[str]:
    element, rank = field.type.element, field.type.rank
    views = list(zip(leaf_names(element), leaf_views(element, field.data, rank), strict=True))
    rows = [[name, *_statistics(values, look)] for name, (_, values) in views[:_MOST_LEAVES]]
    columns = ["", "min", "max", "mean", "histogram", "not finite"]
    shown = len(columns) if any(row[-1] for row in rows) else len(columns) - 1
    yield from _table(columns[:shown], [row[:shown] for row in rows])
    if len(views) > _MOST_LEAVES:
        yield f"  and {len(views) - _MOST_LEAVES} parts more"
    yield from _drawn(field, element, look)


def _statistics(values: AnyArray, look: Look) -> list[str]:
    """Least, greatest and mean of what is finite, how it is spread between them, and how much is not."""
    found = statistics(values, _BINS)
    lost = found.nans + found.infinite
    if not found.bins:
        return ["", "", "", "", str(lost)]
    spread = bars(np.array(found.bins), look)
    return [f"{found.low:.6g}", f"{found.high:.6g}", f"{found.mean:.6g}", spread, str(lost) if lost else ""]


def _drawn(field: Field, element: Type, look: Look) -> Iterator[str]:
    if field.type.rank == 2 and can_draw(element):
        yield from picture(field, look)
    elif field.type.rank == 1 and not isinstance(element, Array) and not contains_enum(element):
        leaves = list(zip(leaf_names(element), leaf_views(element, field.data, 1), strict=True))[:_MOST_LEAVES]
        pad = max(len(name) for name, _ in leaves)
        for name, (leaf, values) in leaves:
            if leaf.scalar is not BOOL:
                yield f"  {name.ljust(pad)} {sparkline(values, look.width - pad - 3, look)}".rstrip()

"""From fields to what an editor shows of them."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from kcheck.checker import types
from kcheck.checker.types import BOOL, FLOAT, INT, Leaf, Scalar, Struct, Type, Vec, leaves
from kcheck.lsp.runs.results import Change, Number, Output, Part, Plot, Preview, Summary
from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.leaves import leaf_name, leaf_variants, leaf_view
from kcheck.runtime.values.plain import to_plain
from kcheck.runtime.views.changes import changes
from kcheck.runtime.views.describe import number_count
from kcheck.runtime.views.pixels import has_pixels, pixels_of
from kcheck.runtime.views.plots import envelope
from kcheck.runtime.views.png import MIME, png, quick_png
from kcheck.runtime.views.statistics import finite_range, statistics

_BINS = 64
_LEVEL = 1
"""Of zlib, for pictures."""
_MOST_LEAVES = 16
"""So many parts of an element are drawn or summed up at most."""
_MOST_NUMBERS = 64
"""So many numbers of an element are named at most."""
_MOST_STRETCHES = 2048
_MOST_VALUES = 4096
_FEW_VALUES = 64
"""So many numbers are sent even after quick runs: the result of a reduction is nothing but numbers."""
_SMALL = 64
"""Fields of so many elements at most show their values better than a picture or plot of them."""
_MOST_HEX = 4096
_HEX_ROW = 16


@dataclass(frozen=True, slots=True)
class Detail:
    """How much to make of a field: pictures of at most `side` pixels, after quick runs as fast as can be.

    `store` takes the file of a picture and answers its URI; without it, or without an answer, pictures are part of
    the result.
    """

    side: int
    quick: bool
    store: Callable[[bytes], str | None] | None = None


FULL = Detail(1024, quick=False)
QUICK = Detail(512, quick=True)


def output(name: str, kind: str, field: Field, detail: Detail) -> Output:
    """What there is to show of an output or memory; without the file and the difference."""
    view = _view(kind, field)
    preview, plot = _drawn(field.type, field.data, detail) if field.data.size else (None, None)
    is_undrawn = preview is None and plot is None and field.data.size
    return Output(
        name=name,
        kind=kind,
        type=str(field.type),
        element=str(field.type.element),
        shape=field.shape,
        view=view,
        numbers=() if detail.quick else tuple(_numbers(field.type.element)),
        summaries=tuple(_summaries(field, quick=detail.quick)) if not (detail.quick and preview) else (),
        preview=preview,
        plot=plot,
        parts=tuple(_parts(field, detail)) if is_undrawn else (),
        values=to_plain(field) if _has_values(field, detail) else None,
        hex=hex_dump(field.data[:_MOST_HEX]) if view == "hex" and not detail.quick else None,
    )


def _has_values(field: Field, detail: Detail) -> bool:
    """Whether all elements are sent.  After quick runs they are to be read as rows of numbers, which enums are not."""
    if detail.quick:
        return number_count(field) <= _FEW_VALUES and not types.contains_enum(field.type.element)
    return number_count(field) <= _MOST_VALUES


def change(got: Field, before: Field, detail: Detail) -> Change:
    """The difference of a field to another of its type and shape."""
    found = changes(got, before)
    type_ = types.Field(got.type.rank, FLOAT)
    preview = _drawn(type_, found.apart, detail)[0] if found.changed else None
    return Change(found.changed, found.largest, preview)


def _view(kind: str, field: Field) -> str:
    """What suits a field best."""
    element, count = field.type.element, int(np.prod(field.shape))
    if kind == "memory" and field.type.rank == 1 and element is INT:
        return "hex"
    if count <= 1:
        return "value"
    if count <= _SMALL or types.contains_enum(element):
        return "table"
    if field.type.rank > 1:
        return "picture"
    return "plot" if element in (FLOAT, INT, BOOL) or isinstance(element, Vec) else "table"


# ---------------------------------------------------------------- pictures and plots


def _drawn(type_: types.Field, data: AnyArray, detail: Detail) -> tuple[Preview | None, Plot | None]:
    """The picture of a grid or of the middle of a volume, or the plot of rows of scalars, where there is one."""
    if type_.rank == 1:
        return None, _plot(data) if isinstance(type_.element, Scalar) else None
    if not has_pixels(type_.element):
        return None, None
    layer = len(data) // 2 if type_.rank == 3 else None
    return _preview(type_.element, data if layer is None else data[layer], detail, layer), None


def _preview(element: Type, data: AnyArray, detail: Detail, layer: int | None) -> Preview:
    pixels = pixels_of(element, data, detail.side, means=not detail.quick)
    file = quick_png(pixels.samples) if detail.quick else png(pixels.samples, _LEVEL)
    uri = detail.store(file) if detail.store is not None else None
    height, width = pixels.samples.shape[:2]
    return Preview(
        mime=MIME,
        data=base64.b64encode(file).decode("ascii") if uri is None else "",
        file=uri,
        width=width,
        height=height,
        channels=1 if isinstance(element, Scalar) else pixels.channels,  # grey, even where NaN has a colour
        low=pixels.low,
        high=pixels.high,
        encoding="srgb" if pixels.is_srgb else "linear",
        step=pixels.step,
        layer=layer,
    )


def _plot(data: AnyArray) -> Plot:
    low, high = envelope(data, _MOST_STRETCHES)
    return Plot(tuple(low.tolist()), tuple(high.tolist()))


def _parts(field: Field, detail: Detail) -> Iterator[Part]:
    """The parts of elements that have no picture or plot as a whole, each drawn by itself."""
    rank = field.type.rank
    for name, path, type_ in _drawable(field.type.element, rank)[:_MOST_LEAVES]:
        preview, plot = _drawn(types.Field(rank, type_), leaf_view(field.data, path, rank), detail)
        yield Part(name, str(type_), preview, plot)


def _drawable(element: Type, rank: int) -> list[tuple[str, tuple[types.Step, ...], Type]]:
    """Name, path and type of the largest parts of an element that can be drawn."""
    return [(leaf_name(element, path), path, type_) for path, type_ in _below(element, rank)]


def _below(type_: Type, rank: int) -> Iterator[tuple[tuple[types.Step, ...], Type]]:
    match type_:
        case Scalar():
            yield (), type_
        case Vec() if rank > 1:
            yield (), type_
        case Struct(fields=fields):
            for part in fields:
                yield from (((part.name, *path), below) for path, below in _below(part.type, rank))
        case types.Enum():
            yield ("tag",), INT
        case _:
            for i, below in enumerate(types.parts(type_)[:_MOST_LEAVES]):
                yield from (((i, *path), last) for path, last in _below(below, rank))


# ---------------------------------------------------------------- numbers


def _numbers(element: Type) -> Iterator[Number]:
    for leaf in leaves(element)[:_MOST_NUMBERS]:
        yield Number(leaf_name(element, leaf.path), str(leaf.scalar), leaf_variants(element, leaf.path))


def _summaries(field: Field, *, quick: bool) -> Iterator[Summary]:
    element, rank = field.type.element, field.type.rank
    for leaf in leaves(element)[:_MOST_LEAVES]:
        name, values = leaf_name(element, leaf.path), leaf_view(field.data, leaf.path, rank)
        if quick:
            low, high = (_short(leaf, end) for end in finite_range(values))
            yield Summary(name, values.size, low, high)
        else:
            found = statistics(values, _BINS)
            low, high = _short(leaf, found.low), _short(leaf, found.high)
            bins = found.bins if values.size > _SMALL else ()
            yield Summary(name, found.count, low, high, found.mean, found.nans, found.infinite, bins)


def _short(leaf: Leaf, number: float) -> float:
    """A Float with the fewest digits that mean the same 32 bits."""
    return float(str(np.float32(number))) if leaf.scalar is FLOAT else number


def hex_dump(data: AnyArray) -> str:
    """Ints `(n)` in rows of 16 behind their address; as bytes where all fit one, else as words."""
    digits = 2 if data.size and data.min() >= 0 and data.max() <= 0xFF else 8
    words = [f"{word:0{digits}x}" for word in data.view(np.uint32).tolist()]
    starts = range(0, len(words), _HEX_ROW)
    return "\n".join(f"{start:08x}  {' '.join(words[start : start + _HEX_ROW])}" for start in starts)

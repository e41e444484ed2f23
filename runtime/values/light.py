"""OpenEXR pictures: linear Floats without bounds, as renderers and cameras give them.

The files hold colours with alpha multiplied in; ours are straight, so they are divided by it and multiplied again.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np

from kcheck.checker import rules
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.optional import needed
from kcheck.runtime.values.pictures import CHANNELS
from kcheck.runtime.values.problems import Unreadable, Unwritable
from kcheck.runtime.values.slot import Slot
from kcheck.runtime.values.source import Source

_GREY = "Y"

_BROKEN = (RuntimeError, ValueError, TypeError, LookupError)
"""What the library raises on files that are damaged."""


def read_exr(source: Source, slot: Slot, channel: str | None) -> AnyArray:
    """`(h, w, 4)`, `(h, w, 3)` or, from a channel of its own (`depth.exr:Z`) or a grey picture, `(h, w)`."""
    count = CHANNELS.get(slot.element) if slot.rank == 2 else None
    if count is None or (channel is not None and count != 1):
        fits = "an .exr picture fits Image (Grid<Vec4>) and Grid<Vec3>, and one channel of it Grid<Float>"
        raise slot.error(rules.VALUE_DOES_NOT_FIT, fits)
    planes = _planes(source)
    if count == 1:
        name = channel or (_GREY if _GREY in planes else next(iter(planes)) if len(planes) == 1 else None)
        if name not in planes:
            raise Unreadable(f"it has the channels {', '.join(planes)}; name one as `{source.path.name}:{min(planes)}`")
        return planes[name]
    if not set("RGB") <= set(planes) and _GREY not in planes:
        raise Unreadable(f"it has no colours, only the channels {', '.join(planes)}")
    colours = [planes[name if name in planes else _GREY] for name in "RGB"]
    alpha = planes.get("A", np.ones_like(colours[0]))
    with np.errstate(over="ignore"):  # next to no alpha makes a bright colour infinite
        straight = [np.divide(plane, alpha, out=np.array(plane), where=alpha != 0) for plane in colours]
    return np.stack([*straight, alpha][:count], axis=-1)


def _planes(source: Source) -> dict[str, AnyArray]:
    """The channels by name, each `(h, w)` of float32."""
    exr = needed("OpenEXR", "pictures", ".exr files")
    with TemporaryDirectory() as folder:
        path = source.path
        if source.piped is not None:  # the library reads files only
            path = Path(folder, "piped.exr")
            path.write_bytes(source.piped)
        _check_size(source, exr, path)
        try:
            with exr.File(str(path), separate_channels=True) as file:
                return {name: channel.pixels.astype(np.float32) for name, channel in file.channels().items()}
        except _BROKEN as problem:
            raise Unreadable("not an .exr picture, or a damaged one") from problem


def _check_size(source: Source, exr: Any, path: Path) -> None:
    with path.open("rb"):  # for the system's own words where there is no such file
        pass
    try:
        with exr.File(str(path), header_only=True) as file:
            (left, top), (right, bottom) = file.header()["dataWindow"]
            count = len(file.header()["channels"])
    except _BROKEN as problem:
        raise Unreadable("not an .exr picture, or a damaged one") from problem
    source.check_limit(int(right - left + 1) * int(bottom - top + 1) * count * 4)


def write_exr(pixels: AnyArray, file: IO[bytes]) -> None:
    """32-bit Floats as they are, `(h, w)`, `(h, w, 3)` or `(h, w, 4)`."""
    exr = needed("OpenEXR", "pictures", ".exr files")
    if not pixels.size:
        raise Unwritable("a picture has at least one pixel")
    header = {"compression": exr.ZIP_COMPRESSION, "type": exr.scanlineimage}
    planes = [np.ascontiguousarray(pixels[..., i]) for i in range(pixels.shape[2])] if pixels.ndim == 3 else [pixels]
    if len(planes) == 4:
        planes = [*[plane * planes[3] for plane in planes[:3]], planes[3]]
    names = "RGBA" if len(planes) > 1 else _GREY
    with TemporaryDirectory() as folder:
        path = Path(folder, "written.exr")
        with exr.File(header, dict(zip(names, planes, strict=False))) as made:
            made.write(str(path))
        file.write(path.read_bytes())

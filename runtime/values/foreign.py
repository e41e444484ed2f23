"""Arrays and tables of other libraries: whatever offers `__array__`, DLPack or the Arrow stream interface.

An xarray DataArray whose dimensions are named x, y and z is turned to our order, and evenly spaced coordinates become
the field's extent.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kcheck.checker import rules
from kcheck.runtime.fields import Box
from kcheck.runtime.layout import AnyArray
from kcheck.runtime.values.slot import Slot
from kcheck.runtime.values.source import Source


@dataclass(frozen=True, slots=True)
class Found:
    array: AnyArray
    extent: Box | None = None


def is_foreign(value: object) -> bool:
    """Whether a value is an array or table of another library."""
    return any(hasattr(value, name) for name in ("__array__", "__dlpack__", "__arrow_c_stream__"))


def from_foreign(slot: Slot, value: Any) -> Found:
    """The array that it holds, in the order of our axes, not yet held against the slot's type."""
    try:
        if hasattr(value, "__arrow_c_stream__") and hasattr(value, "columns"):
            return Found(_table(slot, value))
        if hasattr(value, "dims") and hasattr(value, "coords"):
            return _labelled(slot, value)
        return Found(_plain(value))
    except (TypeError, ValueError, RuntimeError, BufferError) as problem:
        name = f"{type(value).__module__}.{type(value).__name__}"
        raise slot.error(rules.VALUE_DOES_NOT_FIT, f"this {name} gives no array: {problem}") from problem


def _plain(value: Any) -> AnyArray:
    return np.asarray(value) if hasattr(value, "__array__") else np.from_dlpack(value)


def _table(slot: Slot, value: Any) -> AnyArray:
    from kcheck.runtime.values.columns import from_table
    from kcheck.runtime.values.optional import needed
    from kcheck.runtime.values.problems import Unreadable

    try:
        table = needed("pyarrow", "tables", "tables").table(value)
        return from_table(Source(Path("the table")), slot, table, None)
    except Unreadable as problem:
        raise slot.error(rules.VALUE_DOES_NOT_FIT, f"got a table, but {problem}") from problem


_AXES = ("z", "y", "x")


def _labelled(slot: Slot, value: Any) -> Found:
    """A DataArray: its own axes in our order, if they are named; others, those of elements, stay behind them."""
    axes = _AXES[-slot.rank :] if slot.rank else ()
    if not axes or not set(axes) <= set(value.dims):
        return Found(np.asarray(value))
    ordered = value.transpose(*axes, ...)
    spans = [_span(ordered, axis) for axis in reversed(axes)]
    if any(span is None for span in spans):
        return Found(np.asarray(ordered))
    known = [span for span in spans if span is not None]
    return Found(np.asarray(ordered), Box(tuple(low for low, _ in known), tuple(high for _, high in known)))


_EVEN = 1e-4
"""How far apart, in steps, evenly spaced coordinates may be from even."""


def _span(value: Any, axis: str) -> tuple[float, float] | None:
    """From the outer edge of the first cell to that of the last; None without evenly rising coordinates."""
    if axis not in value.coords:
        return None
    centres = np.asarray(value.coords[axis])
    if centres.ndim != 1 or len(centres) < 2 or centres.dtype.kind not in "iuf":
        return None
    step = (float(centres[-1]) - float(centres[0])) / (len(centres) - 1)
    even = float(centres[0]) + step * np.arange(len(centres))
    if not step > 0 or not np.allclose(centres, even, rtol=0, atol=_EVEN * step):
        return None
    return float(centres[0]) - step / 2, float(centres[-1]) + step / 2

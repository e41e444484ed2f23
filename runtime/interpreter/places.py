"""Where the lanes of a block stand in the domain."""

from __future__ import annotations

from typing import cast

import numpy as np

from kcheck.checker.ir import PlaceKind
from kcheck.runtime.interpreter.frames import Lanes
from kcheck.runtime.interpreter.values import a_float, an_int, concatenate
from kcheck.runtime.layout import AnyArray

_HALF = a_float(0.5)


def place(kind: PlaceKind, lanes: Lanes) -> AnyArray:
    """The value of `index()`, `coord()` and so on for these lanes."""
    known = lanes.cache.get(kind)
    if known is None:
        known = lanes.cache[kind] = _compute(kind, lanes)
    return cast(AnyArray, known)


def _compute(kind: PlaceKind, lanes: Lanes) -> AnyArray:
    domain = lanes.run.domain
    match kind:
        case PlaceKind.INDEX:
            return _index(lanes)
        case PlaceKind.COORD:
            return _index(lanes) if len(domain) == 1 else concatenate(_coordinates(lanes), len(domain))
        case PlaceKind.PLACE:
            return _normalised(lanes)
        case PlaceKind.DOMAIN:
            return address_value(domain)
        case PlaceKind.LANE:
            return _index(lanes) % an_int(lanes.run.group)
        case PlaceKind.GROUP:
            return _index(lanes) // an_int(lanes.run.group)


def _index(lanes: Lanes) -> AnyArray:
    if lanes.numbers is None and lanes.count == 1:
        return an_int(lanes.first)
    return lanes.elements().astype(np.int32)


def _coordinates(lanes: Lanes) -> list[AnyArray]:
    """The element's coordinates as Floats, x first; exact, as no axis has more than 2^24 elements."""
    rest = _index(lanes)
    parts: list[AnyArray] = []
    for size in lanes.run.domain[:-1]:
        parts.append((rest % an_int(size)).astype(np.float32))
        rest = rest // an_int(size)
    return [*parts, rest.astype(np.float32)]


def _normalised(lanes: Lanes) -> AnyArray:
    """`(coord + 0.5) / size`, in Floats throughout."""
    parts = [(part + _HALF) / a_float(size) for part, size in zip(_coordinates(lanes), lanes.run.domain, strict=True)]
    return parts[0] if len(parts) == 1 else concatenate(parts, len(parts))


def address_value(size: tuple[int, ...]) -> AnyArray:
    """A size or address, x first, as a uniform value: an Int on one axis, else a vector."""
    return an_int(size[0]) if len(size) == 1 else position_value(size)


def position_value(size: tuple[float, ...]) -> AnyArray:
    """A size in space, x first, as a uniform value: a Float on one axis, else a vector."""
    if len(size) == 1:
        return a_float(size[0])
    return np.array([size], np.float32)

"""Arrays that stay on the device: `resident` makes one, and inputs that are bound to it are brought there once."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field

import numpy as np

from kcheck.runtime.gpu.device import Buffer, Device
from kcheck.runtime.layout import AnyArray


@dataclass(frozen=True, slots=True)
class _Entry:
    """An array by a reference that keeps it no longer than others do, and where its words lie on a device."""

    array: weakref.ref[AnyArray]
    places: list[tuple[Device, Buffer]] = field(default_factory=list)


_entries: dict[int, _Entry] = {}
"""By the identity of the array."""


def resident(array: AnyArray) -> AnyArray:
    """A copy that cannot be written to, whose words stay on the device once they are there."""
    copy = np.array(array)
    copy.flags.writeable = False
    key = id(copy)
    _entries[key] = _Entry(weakref.ref(copy, lambda _: _entries.pop(key, None)))
    return copy


def buffer_of(device: Device, data: AnyArray) -> Buffer | None:
    """The buffer for data that is all of a resident array, None where it is not or is not there yet."""
    entry = _entry_of(data)
    places = [] if entry is None else entry.places
    return next((buffer for there, buffer in places if there is device), None)


def keep(device: Device, data: AnyArray, buffer: Buffer) -> None:
    """Remember where data lies, if it is all of a resident array."""
    entry = _entry_of(data)
    if entry is not None:
        entry.places[:] = [(device, buffer)]  # another one has failed


def _entry_of(data: AnyArray) -> _Entry | None:
    here: object = data
    while isinstance(here, np.ndarray):
        entry = _entries.get(id(here))
        if entry is not None and entry.array() is here:
            whole = here.nbytes == data.nbytes and here.ctypes.data == data.ctypes.data
            return entry if whole and data.flags.c_contiguous else None
        here = here.base
    return None

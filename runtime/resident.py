"""Arrays and fields whose elements stay on a device: they come here when somebody reads them, and only then."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from kcheck.checker import types
from kcheck.runtime.backend import Launch
from kcheck.runtime.fields import Box, Field, default_box
from kcheck.runtime.layout import AnyArray, base_dtype, inner_shape
from kcheck.runtime.values.arrays import from_array
from kcheck.runtime.values.slot import Slot


class Remote(Protocol):
    """Elements as they lie on a device."""

    def read(self) -> AnyArray:
        """A copy of them here; raises `RunError` where the device has failed."""
        ...

    def wait(self) -> None:
        """Return when they are there; raises `RunError` where the device has failed."""
        ...


class Held:
    """Elements that are here, on a device, or in both places; nobody writes to them."""

    __slots__ = ("_here", "remote")

    def __init__(self, here: AnyArray | None, remote: Remote | None = None) -> None:
        self._here = None if here is None else _locked(here)
        self.remote = remote
        """Where they lie on a device: what a backend has set, and knows again by its class."""

    def here(self) -> AnyArray:
        if self._here is None:
            assert self.remote is not None
            self._here = _locked(self.remote.read())
        return self._here


def _locked(array: AnyArray) -> AnyArray:
    view = array.view()
    view.flags.writeable = False
    return view


class ResidentField(Field):
    """A field whose elements are `held`; `shape` has the field's axes alone."""

    __slots__ = ("_shape", "held")

    def __init__(self, type_: types.Field, shape: tuple[int, ...], held: Held, extent: Box | None = None) -> None:
        object.__setattr__(self, "type", type_)
        object.__setattr__(self, "extent", extent or default_box(shape))
        object.__setattr__(self, "held", held)
        object.__setattr__(self, "_shape", shape)

    held: Held
    _shape: tuple[int, ...]

    @property
    def data(self) -> AnyArray:
        return self.held.here()

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape


class DeviceArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that stays on a device: kernels that run there take it in without a transfer.

    It is read like any array of NumPy and cannot be written to.  Whatever looks at elements copies them here, once;
    `shape` and `dtype` are known without.
    """

    __slots__ = ("_fields", "_held", "dtype", "shape")

    def __init__(self, held: Held, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self._held = held
        self._fields: dict[types.Field, Field] = {}
        self.shape = shape
        self.dtype = dtype

    def numpy(self) -> AnyArray:
        """The elements as an array of NumPy, which cannot be written to; always the same one."""
        return self._held.here()

    def wait(self) -> DeviceArray:
        """The array itself, when the work that makes it is done: to find out how long that takes."""
        if self._held.remote is not None:
            self._held.remote.wait()
        return self

    def fits(self, type_: types.Field, shape: tuple[int, ...]) -> None:
        """Note that the elements are those of a field of this type and shape already."""
        self._fields[type_] = ResidentField(type_, shape, self._held)

    def field(self, slot: Slot) -> Field:
        """The field that it makes for a port; converted once for each type, and then as resident as it is itself."""
        type_ = slot.type
        assert isinstance(type_, types.Field)
        known = self._fields.get(type_)
        if known is None:
            known = self._fields[type_] = self._field(slot, type_)
        return known

    def _field(self, slot: Slot, type_: types.Field) -> Field:
        inner = inner_shape(type_.element)
        fits = len(self.shape) == type_.rank + len(inner) and self.shape[type_.rank :] == inner
        if fits and self.dtype == base_dtype(type_.element) and not types.contains_enum(type_.element):
            return ResidentField(type_, self.shape[: type_.rank], self._held)
        return ResidentField(type_, self.shape[: type_.rank], Held(from_array(slot, self.numpy())))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<DeviceArray {self.shape} of {self.dtype}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return resident, (self.numpy(),)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> AnyArray:
        here = self.numpy()
        if dtype is None or here.dtype == dtype:
            return here.copy() if copy else here
        if copy is False:
            raise ValueError(f"an array of {here.dtype} is none of {dtype} without a copy")
        return here.astype(dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        here = [one.numpy() if isinstance(one, DeviceArray) else one for one in inputs]
        return getattr(ufunc, method)(*here, **options)

    def __getitem__(self, key: Any) -> Any:
        return self.numpy()[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.numpy())

    def __contains__(self, value: object) -> bool:
        return value in self.numpy()

    def __bool__(self) -> bool:
        return bool(self.numpy())

    def __int__(self) -> int:
        return int(self.numpy())

    def __float__(self) -> float:
        return float(self.numpy())

    def __getattr__(self, name: str) -> Any:
        """Whatever else arrays of NumPy have, but for a view of their memory, which has no names of fields."""
        if name in ("__array_interface__", "__array_struct__"):
            raise AttributeError(name)
        return getattr(self.numpy(), name)


def resident(array: Any) -> DeviceArray:
    """A copy of an array that stays on a device, once a run has brought it there."""
    if isinstance(array, DeviceArray):
        return array
    copy = np.array(array)
    if copy.dtype.hasobject:
        raise TypeError(f"an array of numbers stays on a device, not {type(array).__name__}")
    return DeviceArray(Held(copy), copy.shape, copy.dtype)


def array_of(field: Field) -> AnyArray | DeviceArray:
    """What Python gets of a field: its array, which stays on the device where the field does."""
    if not isinstance(field, ResidentField):
        return field.data
    element = field.type.element
    array = DeviceArray(field.held, field.shape + inner_shape(element), base_dtype(element))
    array.fits(field.type, field.shape)
    return array


def is_resident(launch: Launch) -> bool:
    """Whether something that a launch is bound to stays on a device; what it gives does so then."""
    return any(isinstance(bound, ResidentField) for bound in (*launch.inputs.values(), *launch.memories.values()))


def kept(field: Field) -> ResidentField:
    """The field as one that may stay on a device from its next run there on."""
    if isinstance(field, ResidentField):
        return field
    return ResidentField(field.type, field.shape, Held(field.data), field.extent)

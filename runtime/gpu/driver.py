"""wgpu itself: finding an adapter, opening a device, and the little that is not typed there."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from kcheck.runtime.backend import Missing

_LIMITS = (
    "max-buffer-size",
    "max-storage-buffer-binding-size",
    "max-storage-buffers-per-shader-stage",
    "max-compute-workgroup-storage-size",
    "max-compute-invocations-per-workgroup",
    "max-compute-workgroup-size-x",
)
"""What is asked for to the most that the adapter has; a device gives small limits otherwise."""

_FEATURES = ("subgroup", "subgroup-barrier", "timestamp-query", "shader-int64", "shader-int64-atomic-all-ops")

_INSTALL_WGPU = 'python -m pip install "kcheck[gpu]"'
_INSTALL_DRIVER = "on Debian or Ubuntu, `apt-get install mesa-vulkan-drivers` brings one that runs on the processor"


@dataclass(frozen=True, slots=True)
class Adapter:
    """A device that there is; `handle` is wgpu's object for it, `vendor` Vulkan's number of its maker.

    `version` is what the driver says of itself, if anything.
    """

    handle: Any
    name: str
    kind: str
    driver: str
    vendor: int = 0
    version: str = ""

    @property
    def is_software(self) -> bool:
        return self.kind == "CPU"

    @property
    def limits(self) -> dict[str, int]:
        return {name: int(self.handle.limits[name]) for name in _LIMITS}


@cache
def library() -> Any:
    """The module `wgpu`; raises `Missing` where it is not installed or does not load."""
    try:
        import wgpu
        from wgpu.backends.wgpu_native.extras import set_instance_extras
    except (ImportError, OSError, RuntimeError) as error:
        raise Missing(f"wgpu is not there ({error}); {_INSTALL_WGPU}") from None
    if sys.platform == "linux":
        set_instance_extras(backends=["Vulkan"])  # the other one, OpenGL, has no compute worth the name
    return wgpu


@dataclass(frozen=True, slots=True)
class Native:
    """wgpu's C library and what wgpu-py makes of its complaints."""

    lib: Any
    ffi: Any
    errors: Any
    error_types: dict[str, type[Exception]]


@cache
def native() -> Native:
    library()
    from wgpu.backends.wgpu_native import _api, _helpers, ffi, lib

    return Native(lib, ffi, _api.error_handler, _helpers.ERROR_TYPES)


def adapters() -> list[Adapter]:
    """The devices that there are, real ones first; raises `Missing` where wgpu is not there."""
    wgpu = library()
    with _runtime_folder():
        found = [_adapter(handle) for handle in wgpu.gpu.enumerate_adapters_sync()]
    return sorted(found, key=lambda adapter: adapter.is_software)


@contextmanager
def _runtime_folder() -> Iterator[None]:
    """Mesa looks for a display, and its library writes to stderr where nothing says where to look."""
    name = "XDG_RUNTIME_DIR"
    if sys.platform != "linux" or name in os.environ:
        yield
        return
    os.environ[name] = tempfile.gettempdir()
    try:
        yield
    finally:
        del os.environ[name]


def _adapter(handle: Any) -> Adapter:
    info = handle.info
    driver = " ".join(part for part in (info["backend_type"], info["description"]) if part)
    return Adapter(
        handle,
        str(info["device"]),
        str(info["adapter_type"]),
        driver,
        int(info["vendor_id"]),
        str(info["description"]),
    )


def best_adapter() -> Adapter:
    """The device to use; raises `Missing`, which says how to get one."""
    found = adapters()
    if not found:
        raise Missing(f"there is no device with a driver for Vulkan, Metal or Direct3D 12; {_INSTALL_DRIVER}")
    return found[0]


def open_device(adapter: Adapter) -> Any:
    """wgpu's device object, with all the limits that the adapter has, and those of `_FEATURES` that it has.

    Raises `Missing` where the driver refuses.
    """
    features = [name for name in _FEATURES if name in adapter.handle.features]
    try:
        return adapter.handle.request_device_sync(required_features=features, required_limits=adapter.limits)
    except RuntimeError as error:
        raise Missing(f"{adapter.name} cannot be opened: {error}") from error


def described() -> Iterator[str]:
    """A line for each adapter, for people."""
    for adapter in adapters():
        limits = adapter.limits
        sizes = f"{limits['max-storage-buffer-binding-size'] >> 20} MiB a field"
        lanes = f"{limits['max-compute-invocations-per-workgroup']} lanes a group"
        yield f"{adapter.name} ({adapter.driver}; {sizes}, {lanes})"

"""What was found out about drivers, kept in the user's cache folder: to try a driver takes up to some seconds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, fields
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from kcheck.grammar.cached_files import cache_folder, forget_old, read, sealed, unsealed, write
from kcheck.runtime.gpu.device import Device
from kcheck.runtime.gpu.wgsl.traits import Comparison, Guard, Traits


def traits_of(device: Device, find: Callable[[], Traits]) -> Traits:
    """What `find` finds, or what it has found before for the same driver, the same wgpu and the same code of ours."""
    folder = cache_folder()
    if folder is None or not device.adapter.version:
        return find()
    name = f"{_name(device)}.gpu"
    known = _decoded(unsealed(read(folder / name)))
    if known is None:
        known = find()
        forget_old(folder, "*.gpu")
        write(folder, {name: sealed(_encoded(known))})
    return known


def _name(device: Device) -> str:
    adapter = device.adapter
    limits, features = sorted(adapter.limits.items()), sorted(device.features)
    told = (adapter.name, adapter.driver, adapter.version, device.wgpu.version_info, limits, features, _own_code())
    return sha256(repr(told).encode()).hexdigest()[:32]


@cache
def _own_code() -> str:
    """A digest of all that may change what is found: the code that tries, and the code that writes shaders."""
    package = files("kcheck")
    digest = sha256()
    for place in ("runtime/gpu/wgsl", "runtime/gpu/probe.py", "checker/prelude"):
        for file in _files(package.joinpath(place)):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _files(place: Traversable) -> Iterator[Traversable]:
    if place.is_file():
        yield place
        return
    for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith((".py", ".kernel")):
            yield entry


def _encoded(traits: Traits) -> bytes:
    return json.dumps({**asdict(traits), "guard": traits.guard.value, "comparison": traits.comparison.value}).encode()


def _decoded(data: bytes | None) -> Traits | None:
    if data is None:
        return None
    told = json.loads(data)
    enums = {"guard": Guard(told["guard"]), "comparison": Comparison(told["comparison"])}
    return Traits(**{field.name: told[field.name] for field in fields(Traits)} | enums)

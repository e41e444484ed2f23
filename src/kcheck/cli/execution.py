"""Choosing a kernel of a file, running it on what the command line binds, and writing what it gives."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kcheck.checker import rules
from kcheck.checker.bindings import BoundValue, FileValue
from kcheck.checker.checked import Checked
from kcheck.checker.ir import Program
from kcheck.cli import progress
from kcheck.cli.files import UsageError
from kcheck.grammar import syntax
from kcheck.grammar.spans import Origin
from kcheck.runtime.backends import Options, execute
from kcheck.runtime.errors import RunError
from kcheck.runtime.results import Result
from kcheck.runtime.value_texts import parsed
from kcheck.runtime.values import saving, sounds
from kcheck.runtime.values.reading import Reading
from kcheck.runtime.values.slot import Slot, port_slot
from kcheck.runtime.values.source import Source, is_stream


@dataclass(frozen=True, slots=True)
class Request:
    """What the options of `kcheck run` ask for, not yet held against a kernel; values are as typed."""

    inputs: Mapping[str, str]
    params: Mapping[str, str]
    files: Mapping[str, Path]
    domain: tuple[int, ...] | None
    backend: str
    srgb: bool
    limit: int
    fast: bool
    quiet: bool


def chosen(checked: Checked, *, kernel: str | None, scene: str | None) -> Program:
    """The kernel that is named, or the file's only item that can run; a scene is refused with K715."""
    kernels, scenes = list(checked.programs), list(checked.scenes)
    if scene is not None:
        raise _scene_refused(checked, _one_of(checked, "scene", scene, scenes))
    if kernel is not None:
        return checked.programs[_one_of(checked, "kernel", kernel, kernels)]
    if len(kernels) + len(scenes) != 1:
        there = ", ".join([*kernels, *scenes])
        hint = f"{there}; name one with --kernel" if there else "no kernel"
        raise UsageError(f"{checked.file.path} holds {hint}")
    if scenes:
        raise _scene_refused(checked, scenes[0])
    return checked.programs[kernels[0]]


def _one_of(checked: Checked, kind: str, asked: str, names: Sequence[str]) -> str:
    found = [name for name in names if name == asked or name.rpartition("@")[0] == asked]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"--{kind} {asked}: say which version: {', '.join(found)}")
    raise UsageError(f"--{kind} {asked}: {checked.file.path} holds {', '.join(names) or f'no {kind}'}")


def _scene_refused(checked: Checked, name: str) -> RunError:
    items = ((item.key, item.node) for item in checked.file.items)
    key, scene = next((k, node) for k, node in items if isinstance(node, syntax.Scene) and node.name.text == name)
    origin = Origin(checked.file.path, key, scene.name.span)
    problem = f"scenes are not checked yet, so `{name}` cannot run; name a kernel with --kernel"
    return RunError(rules.SCENE_NOT_RUN.report(origin, problem))


def executed(program: Program, request: Request) -> Result:
    """Run, and write the outputs that go to files; raises `RunError`."""
    values = _values(program, request)
    slots = _written(program, request.files)
    for port, path in request.files.items():
        saving.check(slots[port], path)
    with progress.shown(program.name, quiet=request.quiet) as tell:
        reading = Reading(Path(), srgb=request.srgb, piped=_piped(values), limit=request.limit)
        result = execute(
            program, values, request.domain, Options(request.backend, reading, progress=tell, fast=request.fast)
        )
    writing = saving.Writing(srgb=request.srgb, rate=_rate(request, values, reading))
    fields = {**result.fields, **result.memory_fields}
    for port, path in request.files.items():
        saving.write(slots[port], fields[port], path, writing)
    return result


def _values(program: Program, request: Request) -> dict[str, BoundValue]:
    """All values by name; what stands under the wrong option is K701."""
    params = {param.name for param in program.params}
    ports = {port.name for port in (*program.inputs, *program.memories)}
    for name in request.inputs:
        if name in params - ports:
            raise _unknown(program, f"`{name}` is a param of {program.name}; set it with -p")
    for name in request.params:
        if name in ports - params:
            raise _unknown(program, f"`{name}` is no param of {program.name}; bind it with -i")
    return {name: parsed(program, name, text) for name, text in {**request.inputs, **request.params}.items()}


def _written(program: Program, files: Mapping[str, Path]) -> dict[str, Slot]:
    """The ports that may be written to files, by name; K701 where another is asked for."""
    slots = {port.name: port_slot("output", port) for port in program.outputs}
    slots |= {port.name: port_slot("memory", port) for port in program.memories}
    for name in files:
        if name not in slots:
            there = ", ".join(slots)
            raise _unknown(program, f"{program.name} has no output or memory `{name}`; it has {there}")
    return slots


def _unknown(program: Program, problem: str) -> RunError:
    return RunError(rules.UNKNOWN_PORT.report(program.origin, problem))


def _piped(values: Mapping[str, BoundValue]) -> bytes | None:
    """All of standard input, if a value comes from there."""
    if any(isinstance(value, FileValue) and is_stream(Path(value.path)) for value in values.values()):
        return sys.stdin.buffer.read()
    return None


_SOUND = re.compile(r"(.*\.(?:wav|flac|ogg))(:\d+)?", re.IGNORECASE)


def _rate(request: Request, values: Mapping[str, BoundValue], reading: Reading) -> int:
    """The samples a second of the sounds to write: those of the first sound that was read."""
    if not any(path.suffix.lower() in (".wav", ".flac") for path in request.files.values()):
        return sounds.DEFAULT_RATE
    read = (value.path for value in values.values() if isinstance(value, FileValue))
    found = next(filter(None, map(_SOUND.fullmatch, read)), None)
    if found is None:
        return sounds.DEFAULT_RATE
    path = Path(found[1])
    return sounds.load(Source(path, reading.piped if is_stream(path) else None)).rate

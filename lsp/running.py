"""The commands that run kernels: from what a client asks for to a run, and from its result to what is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kcheck.checker import ir
from kcheck.checker.bindings import BoundValue, ExampleSpec
from kcheck.grammar.spans import Origin
from kcheck.lsp.documents import is_file
from kcheck.lsp.features.kernels import kernel_named, plain_range
from kcheck.lsp.outcomes import Outcome, Outcomes
from kcheck.lsp.runs.messages import Limits, RunRequest
from kcheck.lsp.runs.results import Object
from kcheck.lsp.runs.runner import Runner, Superseded
from kcheck.lsp.view import View
from kcheck.runtime.backends import AUTO, BACKENDS

Progress = Callable[[float], None]


class Refused(Exception):
    """A request that cannot be followed; `data` tells a client what it could add."""

    def __init__(self, message: str, data: object = None) -> None:
        super().__init__(message)
        self.data = data


@dataclass(frozen=True, slots=True)
class Binding:
    """What a kernel was last run on, where that was no example."""

    texts: Mapping[str, str]
    params: Mapping[str, BoundValue]
    domain: tuple[int, ...] | None


class Running:
    """Runs kernels for a client; lives on the event loop.  New limits are for runs that begin when none goes on."""

    def __init__(self) -> None:
        self.outcomes = Outcomes()
        self.limits = Limits()
        self.backend = AUTO
        self._runner: Runner | None = None
        self._limits_of_runner = self.limits
        self._remembered: dict[tuple[str, str], Binding] = {}
        self._lock = asyncio.Lock()

    async def run(self, view: View, wanted: Mapping[str, Any], progress: Progress) -> Outcome:
        """Run a kernel of a file; raises `Refused`."""
        program = _program(view, wanted)
        request = self._request(view, program, wanted)
        try:
            result = await (await self._ready()).run(request, progress)
        except Superseded as newer:
            raise Refused("a newer run was asked for meanwhile", {"superseded": True}) from newer
        if request.quick:
            return Outcome(program, result.example, result, 0)
        return self.outcomes.put(view.path, program, result)

    async def compare(self, view: View, wanted: Mapping[str, Any]) -> Object:
        """Run a kernel on two backends; raises `Refused`."""
        program = _program(view, wanted)
        request = self._request(view, program, wanted)
        pair = _backends(wanted.get("backends"))
        comparison = await (await self._ready()).compare(request, pair)
        self.outcomes.put_comparison(view.path, program, comparison)
        return {"uri": view.uri, "version": view.version} | comparison.to_json(range_in(view))

    async def restart(self) -> None:
        """End the process; the next run starts another, with the limits as they are now."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await runner.close()

    async def _ready(self) -> Runner:
        async with self._lock:
            if self._limits_of_runner != self.limits and not (self._runner is not None and self._runner.is_busy):
                await self.restart()
            if self._runner is None:
                self._runner, self._limits_of_runner = Runner(self.limits), self.limits
            return self._runner

    # ------------------------------------------------------------ from a client's wishes to a request

    def _request(self, view: View, program: ir.Program, wanted: Mapping[str, Any]) -> RunRequest:
        binding = Binding(_texts(wanted), _object(wanted, "params"), _domain(wanted.get("domain")))
        asks = bool(wanted.get("ask") and _needed(program))
        example = _example(view, program, wanted.get("example"), has_values=asks or bool(binding.texts))
        key = view.path, program.name
        if example is None:
            if binding.texts or not _needed(program):
                self._remembered[key] = binding
            elif key in self._remembered and not asks:
                known = self._remembered[key]
                binding = Binding(known.texts, {**known.params, **binding.params}, binding.domain or known.domain)
        missing = [] if example is not None else [n for n in _needed(program) if n["name"] not in binding.texts]
        if missing:
            names = ", ".join(f"`{one['name']}`" for one in missing)
            raise Refused(f"{program.name} has no example, so it needs values for {names}", {"needs": missing})
        backend = str(wanted.get("backend") or self.backend)
        if backend != AUTO and backend not in BACKENDS:
            raise Refused(f"there is no backend `{backend}`; there are {AUTO}, {', '.join(BACKENDS)}")
        return RunRequest(
            path=Path(view.path) if is_file(view.path) else Path.cwd() / "untitled.kernel",
            program=program,
            example=example,
            texts=binding.texts,
            params=binding.params,
            domain=binding.domain,
            backend=backend,
            quick=bool(wanted.get("quick")),
            picture_files=bool(wanted.get("pictureFiles")),
        )


def result_object(view: View, outcome: Outcome) -> Object:
    """A result as `kcheck/result` has it."""
    head = {"uri": view.uri, "version": view.version, "run": outcome.number}
    return head | outcome.result.to_json(range_in(view))


def range_in(view: View) -> Callable[[Origin], object]:
    def range_of(origin: Origin) -> object:
        location = view.location(origin)
        return None if location is None else plain_range(location.range)

    return range_of


def _program(view: View, wanted: Mapping[str, Any]) -> ir.Program:
    name = wanted.get("kernel")
    if name is None and len(view.checked.programs) == 1:
        return next(iter(view.checked.programs.values()))
    kernel = kernel_named(view, str(name))
    if kernel is None:
        raise Refused(f"there is no kernel `{name}` in {view.path}")
    if kernel.program is None:
        raise Refused(f"{kernel.name} has errors: mend them, then it can run")
    return kernel.program


def _example(view: View, program: ir.Program, name: object, *, has_values: bool) -> ExampleSpec | None:
    """The example that is named; else the kernel's first, unless values of the user's own are given."""
    own = [example for example in view.checked.examples if example.kernel == program.name]
    if name is not None:
        found = next((example for example in own if example.name == name), None)
        if found is None:
            raise Refused(f"{program.name} has no example `{name}` without errors")
        return found
    return own[0] if own and not has_values else None


def _needed(program: ir.Program) -> list[dict[str, str]]:
    """What a run cannot do without."""
    ports = [("input", port) for port in program.inputs] + [("memory", port) for port in program.memories]
    needed = [{"name": port.name, "kind": kind, "type": str(port.type)} for kind, port in ports]
    params = [param for param in program.params if param.default is None]
    return needed + [{"name": param.name, "kind": "param", "type": str(param.type)} for param in params]


def _texts(wanted: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(text) for name, text in _object(wanted, "values").items()}


def _object(wanted: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = wanted.get(name) or {}
    if not isinstance(value, Mapping):
        raise Refused(f"`{name}` is an object, names with their values")
    return dict(value)


def _domain(given: object) -> tuple[int, ...] | None:
    if given is None:
        return None
    if isinstance(given, list) and 1 <= len(given) <= 3 and all(type(n) is int and n >= 0 for n in given):
        return tuple(given)
    raise Refused("a domain is a list of one to three whole numbers, x first")


def _backends(given: object) -> tuple[str, str]:
    if given is None:
        return "interpreter", "jit"
    if isinstance(given, list) and len(given) == 2 and all(str(name) in BACKENDS for name in given):
        return str(given[0]), str(given[1])
    raise Refused(f"to compare, name two of {', '.join(BACKENDS)}")

"""The one place where tests meet the tool: text to programs, programs and plain values to results."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

from kcheck.checker import check_text
from kcheck.checker.checked import Checked
from kcheck.checker.ir import Program
from kcheck.grammar.diagnostics import Diagnostic, Severity
from kcheck.runtime.backend import Backend, Missing
from kcheck.runtime.backends import BACKENDS
from kcheck.runtime.binding import bind
from tests.backends import absent
from tests.values import plain


@dataclass(frozen=True)
class Result:
    """What a run gave, as plain values by port."""

    outputs: Mapping[str, Any]
    memories: Mapping[str, Any] = field(default_factory=dict)


@lru_cache(maxsize=64)
def check(source: str) -> Checked:
    return check_text(source, "case.kernel")


def compile_kernel(source: str, name: str | None = None) -> tuple[Program | None, tuple[Diagnostic, ...]]:
    """The program of kernel `name` (or of the only one) and all diagnostics."""
    checked = check(source)
    if name is None and len(checked.programs) == 1:
        [name] = checked.programs
    return checked.programs.get(name or ""), checked.diagnostics


def codes(diagnostics: Sequence[Diagnostic], severity: Severity = Severity.ERROR) -> list[str]:
    """The codes of one severity, in the order of the text."""
    return [d.code for d in diagnostics if d.severity is severity]


def program_of(source: str, name: str | None = None) -> Program:
    """The program of a source that has to be without errors."""
    program, diagnostics = compile_kernel(source, name)
    errors = [f"{d.code} {d.message}" for d in diagnostics if d.severity is Severity.ERROR]
    assert not errors, f"{errors} in\n{source}"
    assert program is not None, f"no kernel {name} in\n{source}"
    return program


def run(
    program: Program,
    inputs: Mapping[str, Any],
    params: Mapping[str, Any] | None = None,
    domain: Sequence[int] | None = None,
    memories: Mapping[str, Any] | None = None,
    backend: str = "interpreter",
) -> Result:
    """Run a program on plain values; raises `RunError` as the tool does.  `domain` is x first."""
    machine = backend_named(backend)
    launch = bind(program, {**inputs, **(params or {}), **(memories or {})}, domain)
    outcome = machine.run(launch)
    return Result(
        {name: plain(f) for name, f in outcome.outputs.items()},
        {name: plain(f) for name, f in outcome.memories.items()},
    )


@cache
def backend_named(name: str) -> Backend:
    """The backend, or a skip (a failure where it is required) that says why it is not there."""
    if name not in BACKENDS:
        absent(name, "kcheck knows no such backend")
    try:
        return BACKENDS[name]()
    except Missing as reason:
        absent(name, str(reason))
        raise

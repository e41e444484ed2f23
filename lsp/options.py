"""What a client may set: the section `kcheck` of its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Options:
    """In JSON the names are written as there: `runTimeout`, with those of a group in an object of its own."""

    backend: str = "auto"
    run_timeout: float = 30.0
    """Seconds that a run may take."""
    run_memory: int = 2048
    """MiB that the process which runs kernels may have."""
    proof_timeout: float = 10.0
    """Seconds that the laws of one reduction may take."""
    proofs: bool = True
    hint_types: bool = True
    hint_parameters: bool = True
    hint_lanes: bool = True
    hint_domains: bool = True
    hint_results: bool = True
    send_results: bool = False
    """Whether the client wants `kcheck/result` notifications,"""
    send_status: bool = False
    """and whether `kcheck/status`."""
    pull_diagnostics: bool = False
    """Whether the client asks for diagnostics instead of being told."""


_NAMES = {
    "backend": "backend",
    "runTimeout": "run_timeout",
    "runMemory": "run_memory",
    "proofTimeout": "proof_timeout",
    "proofs": "proofs",
    "inlayHints.types": "hint_types",
    "inlayHints.parameters": "hint_parameters",
    "inlayHints.lanes": "hint_lanes",
    "inlayHints.domains": "hint_domains",
    "inlayHints.results": "hint_results",
    "notifications.results": "send_results",
    "notifications.status": "send_status",
    "pullDiagnostics": "pull_diagnostics",
}

_LEAST = {"run_memory": 256}
"""With less of it the process does not start, or has too little left to compile a small kernel."""


def read(given: object, before: Options = Options()) -> tuple[Options, list[str]]:
    """The options with what is given in place of what was, and what is wrong with it; unknown names are ignored."""
    values = {field.name: getattr(before, field.name) for field in fields(Options)}
    problems = []
    for name, value in _flat(given):
        field_name = _NAMES.get(name)
        if field_name is None or value is None:
            continue
        made = _fitting(values[field_name], value)
        least = _LEAST.get(field_name, 0)
        if made is None:
            problems.append(f"the setting kcheck.{name} cannot be {value!r}")
        elif least and made < least:
            problems.append(f"the setting kcheck.{name} cannot be {value!r}: at least {least} is needed")
        else:
            values[field_name] = made
    return Options(**values), problems


def _flat(given: object, prefix: str = "") -> list[tuple[str, object]]:
    if not isinstance(given, Mapping):
        return []
    found: list[tuple[str, object]] = []
    for name, value in given.items():
        if isinstance(value, Mapping):
            found += _flat(value, f"{prefix}{name}.")
        else:
            found.append((f"{prefix}{name}", value))
    return found


def _fitting(default: object, value: object) -> Any:
    """The value as the type of the default, or None where it is another one."""
    if isinstance(default, bool):
        return value if isinstance(value, bool) else None
    if isinstance(default, str):
        return value if isinstance(value, str) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
        return None
    return int(value) if isinstance(default, int) else float(value)

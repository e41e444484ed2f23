"""What every backend is: something that runs a launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kcheck.checker.ir import Program
from kcheck.runtime.fields import Field
from kcheck.runtime.layout import AnyArray


@dataclass(frozen=True, slots=True)
class Launch:
    """A program with everything it needs to run, already checked by `binding.bind`.

    `inputs` and `memories` fit their ports; `params` holds every param as an array of its type's `inner_shape`
    and `base_dtype`; `shape` is the domain (or the walked input) in NumPy order.  With `fast` a backend may use
    arithmetic of its own.
    """

    program: Program
    inputs: Mapping[str, Field]
    memories: Mapping[str, Field]
    params: Mapping[str, AnyArray]
    shape: tuple[int, ...]
    fast: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run gave; `memories` are the new contents, the bound fields are untouched.

    `fallback` says why another backend than the one that was asked ran, and `backend` which one that was;
    `compile_seconds` is what it took to get ready for the program.
    """

    outputs: Mapping[str, Field]
    memories: Mapping[str, Field]
    fallback: str | None = None
    backend: str | None = None
    compile_seconds: float = 0.0


Cancelled: TypeAlias = Callable[[], bool]
"""Asked now and then during a run; when it answers True the run ends with `Interrupted`."""

Progress: TypeAlias = Callable[[float], None]
"""Told now and then how much of the run is done, 0 to 1."""


class Interrupted(Exception):
    """The run was cancelled; nothing changed."""


class Missing(Exception):
    """The backend is not there on this machine; the text says what is missing and how to get it."""


class Unsupported(Exception):
    """The backend is there and cannot run this launch, which another one can; the text says why."""


def never() -> bool:
    return False


def silent(_: float) -> None:
    return None


class Backend(Protocol):
    @property
    def name(self) -> str: ...

    def run(self, launch: Launch, cancelled: Cancelled = never, progress: Progress = silent) -> Outcome:
        """Run the launch; raises `RunError` for what only shows at run time, and changes nothing then."""
        ...

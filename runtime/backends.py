"""The backends by name; each is imported when it is first asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kcheck.checker import rules
from kcheck.checker.ir import Program
from kcheck.runtime.backend import Backend, Cancelled, Progress, never, silent
from kcheck.runtime.binding import bind
from kcheck.runtime.errors import RunError
from kcheck.runtime.results import Result
from kcheck.runtime.values.incoming import Value
from kcheck.runtime.values.reading import Reading


def _interpreter() -> Backend:
    from kcheck.runtime.interpreter import Interpreter

    interpreter: Backend = Interpreter()
    return interpreter


AUTO = "auto"
"""The name that stands for the best backend there is."""

BACKENDS: dict[str, Callable[[], Backend]] = {"interpreter": _interpreter}


@dataclass(frozen=True, slots=True)
class Options:
    """How to run: the backend's name, how to read files, and whom to ask and tell during the run."""

    backend: str = AUTO
    reading: Reading = field(default_factory=Reading)
    cancelled: Cancelled = never
    progress: Progress = silent


def backend_for(program: Program, name: str) -> Backend:
    """The backend that runs `program`; K711 where there is none of that name."""
    make = BACKENDS.get("interpreter" if name == AUTO else name)
    if make is None:
        there = ", ".join((AUTO, *BACKENDS))
        problem = f"the backend `{name}` is not available; there are {there}"
        raise RunError(rules.BACKEND_MISSING.report(program.origin, problem))
    return make()


def execute(
    program: Program,
    values: Mapping[str, Value],
    domain: Sequence[int] | None = None,
    options: Options | None = None,
) -> Result:
    """Bind and run a program; raises `RunError`, and nothing has changed then."""
    options = options or Options()
    backend = backend_for(program, options.backend)
    launch = bind(program, values, domain, options.reading)
    start = time.perf_counter()
    try:
        outcome = backend.run(launch, options.cancelled, options.progress)
    except MemoryError:
        problem = f"{program.name} needs more memory than there is"
        raise RunError(rules.FIELD_TOO_LARGE.report(program.origin, problem)) from None
    seconds = time.perf_counter() - start
    return Result(
        outcome.outputs,
        outcome.memories,
        backend=backend.name,
        fallback=None,
        compile_seconds=0.0,
        run_seconds=seconds,
    )

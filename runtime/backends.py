"""The backends by name; each is imported when it is first asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache

from kcheck.checker import rules
from kcheck.checker.ir import Program
from kcheck.runtime.backend import Backend, Cancelled, Missing, Progress, never, silent
from kcheck.runtime.binding import bind
from kcheck.runtime.errors import RunError
from kcheck.runtime.fallback import WithFallback
from kcheck.runtime.results import Result
from kcheck.runtime.values.incoming import Value
from kcheck.runtime.values.reading import Reading


def _interpreter() -> Backend:
    from kcheck.runtime.interpreter import Interpreter

    interpreter: Backend = Interpreter()
    return interpreter


@cache
def _jit() -> Backend:
    try:
        from kcheck.runtime.jit import Jit
    except (ImportError, OSError) as problem:  # OSError: a library of LLVM that does not load
        raise Missing(f'it needs llvmlite, `python -m pip install "kcheck[jit]"` ({problem})') from problem
    jit: Backend = Jit()
    return jit


@cache
def _gpu() -> Backend:
    from kcheck.runtime.gpu import Gpu

    return WithFallback(Gpu(), best)


AUTO = "auto"
"""The name that stands for the best backend there is."""

BACKENDS: dict[str, Callable[[], Backend]] = {"interpreter": _interpreter, "jit": _jit, "gpu": _gpu}
"""What makes each backend; it raises `Missing` where the backend is not there."""

_BEST = ("jit", "interpreter")


def best() -> Backend:
    """The backend that `auto` stands for here."""
    for name in _BEST[:-1]:
        with suppress(Missing):
            return BACKENDS[name]()
    return BACKENDS[_BEST[-1]]()


@dataclass(frozen=True, slots=True)
class Options:
    """How to run: the backend's name, how to read files, whom to ask and tell during the run, and whether the
    backend's own arithmetic will do."""

    backend: str = AUTO
    reading: Reading = field(default_factory=Reading)
    cancelled: Cancelled = never
    progress: Progress = silent
    fast: bool = False


_USUAL = Options()


def backend_for(program: Program, name: str) -> Backend:
    """The backend that runs `program`; K711 where it is not there."""
    if name == AUTO:
        return best()
    if name not in BACKENDS:
        problem = f"the backend `{name}` is not available; there are {', '.join((AUTO, *BACKENDS))}"
        raise RunError(rules.BACKEND_MISSING.report(program.origin, problem))
    try:
        return BACKENDS[name]()
    except Missing as reason:
        problem = f"the backend `{name}` is not available: {reason}"
        raise RunError(rules.BACKEND_MISSING.report(program.origin, problem)) from None


def execute(
    program: Program,
    values: Mapping[str, Value],
    domain: Sequence[int] | None = None,
    options: Options | None = None,
) -> Result:
    """Bind and run a program; raises `RunError`, and nothing has changed then."""
    options = options or _USUAL
    backend = backend_for(program, options.backend)
    launch = bind(program, values, domain, options.reading, fast=options.fast)
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
        backend=outcome.backend or backend.name,
        fallback=outcome.fallback,
        compile_seconds=outcome.compile_seconds,
        run_seconds=seconds - outcome.compile_seconds,
    )

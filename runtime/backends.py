"""The backends by name; each is imported when it is first asked for."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache

from kcheck.checker import rules
from kcheck.checker.ir import Program
from kcheck.runtime.backend import Backend, Cancelled, Launch, Missing, Progress, never, silent
from kcheck.runtime.binding import bind
from kcheck.runtime.choice import for_device
from kcheck.runtime.errors import RunError
from kcheck.runtime.fallback import WithFallback
from kcheck.runtime.resident import is_resident, kept
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
"""The name that stands for the backend that suits a launch best."""

BACKENDS: dict[str, Callable[[], Backend]] = {"interpreter": _interpreter, "jit": _jit, "gpu": _gpu}
"""What makes each backend; it raises `Missing` where the backend is not there."""

_BEST = ("jit", "interpreter")


def best() -> Backend:
    """The best of the processor's backends, which `auto` takes for most launches."""
    for name in _BEST[:-1]:
        with suppress(Missing):
            return BACKENDS[name]()
    return BACKENDS[_BEST[-1]]()


@cache
def no_device() -> str | None:
    """Why `auto` takes no graphics device here; one that runs on the processor is no quicker than the JIT."""
    from kcheck.runtime.gpu.driver import best_adapter

    try:
        adapter = best_adapter()
    except Missing:
        return "there is no graphics device"
    return f"{adapter.name} runs on the processor" if adapter.is_software else None


def suited(launch: Launch) -> tuple[Backend, str]:
    """The backend that `auto` takes for a launch, and why."""
    wanted, reason = for_device(launch)
    if not wanted:
        return best(), reason
    problem = no_device()
    if problem is None:
        try:
            return BACKENDS["gpu"](), reason
        except Missing as missing:
            problem = str(missing)
    return best(), problem


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
    """The backend of that name, K711 where it is not there; for `auto`, the one for most launches."""
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
    named = None if options.backend == AUTO else backend_for(program, options.backend)
    launch = bind(program, values, domain, options.reading, fast=options.fast)
    backend, reason = (named, None) if named else suited(launch)
    start = time.perf_counter()
    try:
        outcome = backend.run(launch, options.cancelled, options.progress)
    except MemoryError:
        problem = f"{program.name} needs more memory than there is"
        raise RunError(rules.FIELD_TOO_LARGE.report(program.origin, problem)) from None
    seconds = time.perf_counter() - start
    outputs, memories = outcome.outputs, outcome.memories
    if is_resident(launch):
        outputs, memories = ({name: kept(made) for name, made in fields.items()} for fields in (outputs, memories))
    return Result(
        outputs,
        memories,
        backend=outcome.backend or backend.name,
        fallback=outcome.fallback,
        reason=reason,
        compile_seconds=outcome.compile_seconds,
        run_seconds=seconds - outcome.compile_seconds,
    )

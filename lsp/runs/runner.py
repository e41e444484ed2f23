"""The server's end of runs: asks the process that runs kernels, and ends it where a run does not end by itself."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from itertools import count
from typing import TypeAlias

from kcheck.checker import ir
from kcheck.grammar.diagnostics import Diagnostic
from kcheck.grammar.recursion import deep_recursion
from kcheck.lsp.child import Child, Gone
from kcheck.lsp.runs.failures import closed, ended, failed, not_started, out_of_time
from kcheck.lsp.runs.folder import Folder, sweep
from kcheck.lsp.runs.messages import Cancel, Done, Limits, Progressed, Run, RunRequest, Setup
from kcheck.lsp.runs.results import Comparison, RunResult

_MODULE = "kcheck.lsp.runs.worker"
_GRACE = 0.08
"""Seconds that a cancelled run has to end by itself, so that the process can be kept."""
_PATIENCE = 1.0
"""Seconds that a process has to end which said that it will say no more."""
_CLOSED = "runs were ended"
_START_SECONDS = 60.0
"""Seconds that the process may take to start; on a machine with much else to do it is slow."""

Progress: TypeAlias = Callable[[float], None]


class Superseded(Exception):
    """A quick run that was not begun, for there is a newer one."""


class Runner:
    """One process for all runs, which do not overlap; started by the first one, and anew after it ended.

    Cancelling the task that awaits a run ends the run.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._child = Child(_MODULE)
        self._folder: Folder | None = None
        self._turn = asyncio.Lock()
        self._numbers = count()
        self._is_closed = False
        self._newest_quick: RunRequest | None = None
        self._starting: asyncio.Task[str] | None = None
        self._ending: asyncio.Task[None] | None = None
        """Ends a run that was cancelled; the next one waits for it."""
        self._packed: tuple[ir.Program | None, bytes] = (None, b"")

    @property
    def pid(self) -> int | None:
        """The number of the process, if it runs."""
        return self._child.pid

    @property
    def is_busy(self) -> bool:
        """Whether a run goes on."""
        return self._turn.locked()

    async def run(self, request: RunRequest, progress: Progress = lambda _: None) -> RunResult:
        """The result of a run, or its error; raises `Superseded`."""
        result = await self._answer(request, None, progress)
        assert isinstance(result, RunResult)
        return result

    async def compare(
        self, request: RunRequest, backends: tuple[str, str], progress: Progress = lambda _: None
    ) -> Comparison:
        """What two backends give, held against each other."""
        result = await self._answer(request, backends, progress)
        assert isinstance(result, Comparison)
        return result

    async def close(self) -> None:
        """End the process, whatever it does, and remove what it wrote; no run begins after this."""
        self._is_closed = True
        await self._child.end()
        for task in (self._starting, self._ending):
            if task is not None:
                await task
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    # ------------------------------------------------------------ one run

    async def _answer(
        self, request: RunRequest, backends: tuple[str, str] | None, progress: Progress
    ) -> RunResult | Comparison:
        if request.quick:
            self._newest_quick = request
        async with self._turn:
            if self._ending is not None:
                await asyncio.shield(self._ending)
            if request.quick and self._newest_quick is not request:
                raise Superseded
            problem = await self._started(request.program)
            if problem is None:
                run = Run(next(self._numbers), self._pickled(request.program), request.task, backends)
                result = await self._run(run, request.program, progress)
                if not isinstance(result, Diagnostic):
                    return result
                problem = result
            return failed(request.program, request.task, backends, problem)

    async def _run(self, run: Run, program: ir.Program, progress: Progress) -> RunResult | Comparison | Diagnostic:
        """The result, or why there is none."""
        self._child.send(run)
        try:
            async with asyncio.timeout(self._limits.seconds):
                result = await self._result(run.number, progress)
        except TimeoutError:
            await self._child.end()
            return out_of_time(program, self._limits)
        except Gone:
            code = await self._child.end(_PATIENCE)
            return closed(program) if self._is_closed else ended(program, code)
        except asyncio.CancelledError:
            self._ending = asyncio.create_task(self._end_run(run.number))
            raise
        assert result is not None  # only what is cancelled has none
        return result

    async def _result(self, number: int, progress: Progress) -> RunResult | Comparison | None:
        while True:
            match await self._child.receive():
                case Progressed(number=known, done=done) if known == number:
                    progress(done)
                case Done(number=known, result=result) if known == number:
                    return result

    async def _end_run(self, number: int) -> None:
        """End a run that nobody waits for: by a word, or with the process."""
        self._child.send(Cancel(number))
        try:
            async with asyncio.timeout(_GRACE):
                await self._result(number, lambda _: None)
        except (TimeoutError, Gone):
            await self._child.end()

    # ------------------------------------------------------------ the process

    async def _started(self, program: ir.Program) -> Diagnostic | None:
        """Start the process unless it is there; answers why that could not be done."""
        if self._is_closed:
            return closed(program)
        if self._starting is None and not self._child.is_alive:
            self._starting = asyncio.create_task(self._start())
        if self._starting is not None:
            reason = await asyncio.shield(self._starting)  # it goes on for the next run when this one is cancelled
            self._starting = None
            return not_started(program, reason) if reason else None
        return None

    async def _start(self) -> str:
        """Start the process; answers why that could not be done, "" where it was."""
        try:
            if self._folder is None:
                sweep()
                self._folder = Folder()
            await self._child.start()
            if self._is_closed:
                await self._child.end()
                return _CLOSED
            self._child.send(Setup(self._limits.memory, self._folder.path))
            async with asyncio.timeout(_START_SECONDS):
                await self._child.receive()  # that it is ready
        except TimeoutError:
            await self._child.end()
            return "it takes too long"
        except (OSError, Gone) as error:
            code = await self._child.end(_PATIENCE)
            return str(error) or f"exit code {code}"
        return ""

    def _pickled(self, program: ir.Program) -> bytes:
        """The program as it is sent; runs of one program follow each other."""
        known, packed = self._packed
        if known is not program:
            with deep_recursion():
                packed = pickle.dumps(program)
            self._packed = program, packed
        return packed

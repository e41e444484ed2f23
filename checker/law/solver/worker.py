"""The prover's end of the solver's process: starts it, asks it, and ends it where it does not answer in time."""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Set
from contextlib import suppress
from itertools import count
from types import TracebackType
from typing import IO

from kcheck.checker import ir
from kcheck.checker.law.problem import Law
from kcheck.checker.law.solver.messages import Answer, GaveUp, Heard, Message, Skip, Suspect, Task
from kcheck.checker.law.solver.process import receive, send

STOPPED = "the solver's process stopped by itself"
TIMED_OUT = "the time is up"
_GRACE = 0.1
"""How many seconds beyond its own the process may take to say that it is done."""
_POLL = 0.05
"""How long a wait may be in which an interrupt from the keyboard is not seen on every system."""

_MODULE = "kcheck.checker.law.solver.process"


class Worker:
    """One process, kept for many reductions; `close` it, or use it in a `with`."""

    def __init__(self) -> None:
        self._process: _Process | None = None
        self._numbers = count()

    def start(self) -> None:
        """Start the process before it is needed; raises `OSError` where that cannot be done."""
        if self._process is not None and not self._process.is_alive:
            self.close()
        if self._process is None:
            self._process = _Process()

    def decide(self, program: ir.Program, wanted: Set[Law], deadline: float) -> Iterator[Message]:
        """What is found out about a reduction, message by message, up to the deadline.

        `wanted` are the laws to settle; the caller takes out what is settled meanwhile, and no more is tried for it.
        """
        laws = tuple(law for law in Law if law in wanted)
        task = Task(next(self._numbers), program, laws, max(0.0, deadline - time.monotonic()))
        try:
            self.start()
            assert self._process is not None
            self._process.send(task)
        except OSError as error:
            self.close()
            yield GaveUp(None, f"the solver's process cannot be asked: {error}")
            return
        yield from self._answers(self._process, task, wanted)

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._process is not None:
            self._process.end()
            self._process = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _answers(self, process: _Process, task: Task, wanted: Set[Law]) -> Iterator[Message]:
        done = False
        told: set[Law] = set()
        try:
            for message in process.answers(task.number, time.monotonic() + task.seconds + _GRACE):
                yield message
                for law in set(task.laws) - wanted - told:
                    told.add(law)
                    process.send(Skip(task.number, law))
                if isinstance(message, Suspect):
                    process.send(Heard(task.number))
            done = True
        except EOFError:
            yield GaveUp(None, STOPPED)
        except TimeoutError:
            yield GaveUp(None, TIMED_OUT)
        except GeneratorExit:
            done = process.has_stopped(task.number)
            raise
        finally:
            if not done:
                self.close()


class _Process:
    """The running process, and a thread that reads its answers."""

    def __init__(self) -> None:
        # Not multiprocessing: that would run the user's own script once more.
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            start_new_session=True,  # an interrupt from the keyboard is for us
        )
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._input: IO[bytes] = self._popen.stdin
        self._queue: queue.Queue[Answer | None] = queue.Queue()
        threading.Thread(target=self._read, args=(self._popen.stdout,), daemon=True).start()

    @property
    def is_alive(self) -> bool:
        return self._popen.poll() is None

    def send(self, message: Task | Skip | Heard) -> None:
        send(self._input, message)

    def answers(self, number: int, deadline: float) -> Iterator[Message]:
        """The messages about a task until it is done; raises `TimeoutError`, and `EOFError` if the process ends."""
        while True:
            try:
                answer = self._queue.get(timeout=_POLL)
            except queue.Empty:
                if time.monotonic() > deadline:
                    raise TimeoutError from None
                continue
            if answer is None:
                raise EOFError
            if answer.number == number:
                if answer.message is None:
                    return
                yield answer.message

    def has_stopped(self, number: int) -> bool:
        """Ask it to leave the task; whether it does so soon."""
        try:
            self.send(Skip(number, None))
            for _ in self.answers(number, time.monotonic() + _GRACE):
                pass
        except (OSError, EOFError, TimeoutError):
            return False
        return True

    def end(self) -> None:
        self._popen.kill()
        self._popen.wait()
        with suppress(OSError):
            self._input.close()

    def _read(self, output: IO[bytes]) -> None:
        with output:
            try:
                while True:
                    self._queue.put(receive(output))
            except (EOFError, OSError):
                pass
            finally:
                self._queue.put(None)

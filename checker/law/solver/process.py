"""The solver's process: reads tasks from its input, writes what it finds to its output.

z3 keeps no promise about time and memory, so it runs here, where it can be ended.  Started by `worker`.
"""

from __future__ import annotations

import os
import pickle
import queue
import struct
import sys
import threading
from contextlib import suppress
from functools import partial
from typing import IO, Any

from kcheck.checker.law import work
from kcheck.checker.law.problem import Law
from kcheck.checker.law.solver.messages import Answer, GaveUp, Heard, Skip, Suspect, Task
from kcheck.checker.law.solver.session import Interrupted, Session
from kcheck.checker.law.solver.stages import settle
from kcheck.checker.law.symbolic import Blocked
from kcheck.checker.law.terms import TooLarge
from kcheck.grammar.recursion import deep_recursion

MEMORY_BYTES = 1 << 30
"""More than this the process may not have, on systems that can hold it to that."""

_LENGTH = struct.Struct("<I")


def send(stream: IO[bytes], message: object) -> None:
    """Write one message; raises `OSError` when nobody is there to read it."""
    with deep_recursion():
        data = pickle.dumps(message)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next message; raises `EOFError` when there will be no more."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    [length] = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    with deep_recursion():
        return pickle.loads(data)


class _Service:
    """Works on one task at a time; what is to be skipped arrives meanwhile."""

    def __init__(self, tasks: IO[bytes], answers: IO[bytes]) -> None:
        self._input = tasks
        self._output = answers
        self._tasks: queue.Queue[Task] = queue.Queue()
        self._skipped: set[tuple[int, Law | None]] = set()
        self._heard: queue.Queue[int] = queue.Queue()
        """The numbers of the tasks with which to go on."""
        self._session: Session | None = None

    def run(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()
        while True:
            self._work(self._tasks.get())

    def _read(self) -> None:
        """Ends the process with its input, then the one who started it is gone, and at what it does not understand."""
        try:
            while True:
                message = receive(self._input)
                if isinstance(message, Heard):
                    self._heard.put(message.number)
                elif isinstance(message, Skip):
                    self._skip(message)
                else:
                    self._tasks.put(message)
        except EOFError:
            os._exit(0)
        finally:
            os._exit(1)

    def _skip(self, message: Skip) -> None:
        self._skipped.add((message.number, message.law))
        if message.law is None:
            self._heard.put(message.number)
            session = self._session
            if session is not None:
                session.interrupt()

    def _work(self, task: Task) -> None:
        try:
            with deep_recursion(), work.ending(task.seconds), suppress(Interrupted):
                self._settle(task)
        except ImportError:
            self._give_up(task, "z3 is not installed: `pip install z3-solver`")
        except (Blocked, TooLarge) as error:
            self._give_up(task, str(error) or "the merge is too large once it is merged with itself")
        except MemoryError:
            self._give_up(task, "the solver ran out of memory")
        except _solver_error() as error:
            self._give_up(task, f"the solver failed: {error}")
        self._session = None
        send(self._output, Answer(task.number, None))

    def _settle(self, task: Task) -> None:
        """Work on a task.

        What is suspected may settle a law, and what is found out about the other law must not turn on how soon that is
        known: so it is waited for.
        """
        self._session = Session()
        deadline = work.clock() + task.seconds
        skipped = partial(self._is_skipped, task)
        for message in settle(task.program, task.laws, deadline, self._session, skipped):
            send(self._output, Answer(task.number, message))
            while isinstance(message, Suspect) and self._heard.get() != task.number:
                pass

    def _is_skipped(self, task: Task, law: Law | None) -> bool:
        return (task.number, law) in self._skipped

    def _give_up(self, task: Task, reason: str) -> None:
        send(self._output, Answer(task.number, GaveUp(None, reason)))


def _solver_error() -> type[Exception]:
    """What z3 raises; any other error ends the process, which the worker reports."""
    import z3

    error: type[Exception] = z3.Z3Exception
    return error


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    except (OSError, ValueError):  # not on this system, or already lower
        return


def main() -> None:
    _limit_memory()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What z3 prints goes nowhere.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    _Service(sys.stdin.buffer, answers).run()


if __name__ == "__main__":
    main()

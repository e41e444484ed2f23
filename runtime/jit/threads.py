"""Running the chunks of a driver on all cores, while the caller's thread listens.

Chunks are the same whatever the number of threads, so results are too.  The caller's thread asks every few hundredths
of a second whether the run is to end; compiled code looks at a flag wherever it may run for long.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kcheck.runtime.backend import Cancelled, Interrupted, Progress

_PATIENCE = 0.03
"""Seconds between two questions whether the run is to end."""
_USUAL_STACK = 16 << 20
"""The bytes of a worker's stack beside what functions are known to take; only what is used becomes memory."""
_stack_size_lock = threading.Lock()
"""The size of stacks is a setting of the whole process."""


@dataclass(frozen=True, slots=True)
class Work:
    """A driver's chunks: those of `size` numbers each that 0 to `count` has.

    `arguments` and `own_bytes` are what the driver wants (see `schedules.driver`), the former for each worker or for
    all of them; `keep` holds what they point to.
    """

    entrance: Callable[[int, int, int, int], None]
    arguments: Sequence[int]
    own_bytes: int
    stack_bytes: int
    count: int
    size: int
    stop: ctypes.c_int32
    keep: object

    @property
    def chunks(self) -> int:
        return -(-self.count // self.size)

    def worker(self, number: int) -> Callable[[int], int]:
        """What runs a chunk on one thread; it answers the site of an error, or -1."""
        own, arguments = self.own_memory(), self.arguments[number % len(self.arguments)]
        place = ctypes.addressof(own)

        def run(chunk: int) -> int:
            own[0] = -1
            begin = chunk * self.size
            self.entrance(arguments, place, begin, min(begin + self.size, self.count))
            return own[0]

        return run

    def own_memory(self) -> ctypes.Array[ctypes.c_int32]:
        return (ctypes.c_int32 * -(-self.own_bytes // 4))()


def run_here(work: Work, cancelled: Cancelled, tell: Progress) -> int:
    """Run all chunks on this thread, which asks and tells between them; answers the site of the first error, or -1."""
    run, asked = work.worker(0), time.monotonic()
    for chunk in range(work.chunks):
        site = run(chunk)
        if site >= 0:
            return site
        if time.monotonic() - asked > _PATIENCE:
            if cancelled():
                raise Interrupted
            tell((chunk + 1) / work.chunks)
            asked = time.monotonic()
    return -1


def run_on_threads(work: Work, threads: int, cancelled: Cancelled, tell: Progress) -> int:
    """Run all chunks on up to so many threads; answers the site of the first chunk's error, or -1.

    Raises `Interrupted` when the caller cancels, and what a thread raised; no thread is left running.
    """
    crew = _Crew(work)
    started = crew.start(min(threads, work.chunks))
    try:
        while started and not crew.finished.wait(_PATIENCE):
            if cancelled():
                raise Interrupted
            tell(crew.done / work.chunks)
    except BaseException:
        work.stop.value = 1
        raise
    finally:
        crew.leave()
    if not started:
        # The system has no thread left to give.
        return run_here(work, cancelled, tell)
    if crew.raised:
        raise crew.raised[0]
    return min(crew.errors)[1] if crew.errors else -1


@dataclass(slots=True)
class _Crew:
    """The threads of one run, and what they have in common."""

    work: Work
    finished: threading.Event = field(default_factory=threading.Event)
    done: int = 0
    errors: list[tuple[int, int]] = field(default_factory=list)
    """Chunks with the sites of their errors."""
    raised: list[BaseException] = field(default_factory=list)
    _next: itertools.count[int] = field(default_factory=itertools.count)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _threads: list[threading.Thread] = field(default_factory=list)
    _left: int = 0
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def start(self, threads: int) -> int:
        """Start threads; answers how many the system gave."""
        self._left = threads
        with _stack_size_lock:
            before = threading.stack_size(_USUAL_STACK + self.work.stack_bytes // 4096 * 4096)
            try:
                for _ in range(threads):
                    thread = threading.Thread(target=self._run, daemon=True)
                    thread.start()
                    self._threads.append(thread)
            except RuntimeError:
                for _ in range(threads - len(self._threads)):
                    self._leave_one()
            finally:
                threading.stack_size(before)
        return len(self._threads)

    def leave(self) -> None:
        """Take no more chunks, and wait for the threads to end."""
        for thread in self._threads:
            thread.join()

    def _run(self) -> None:
        try:
            self._run_chunks()
        except BaseException as problem:  # handed to the caller's thread
            self.raised.append(problem)
        finally:
            self._leave_one()

    def _run_chunks(self) -> None:
        work, run = self.work, self.work.worker(next(self._numbers))
        for chunk in self._next:
            # Chunks are taken in order, so those before one with an error have been taken too.
            if chunk >= work.chunks or work.stop.value or self.errors or self.raised:
                return
            site = run(chunk)
            self.done += 1
            if site >= 0:
                self.errors.append((chunk, site))

    def _leave_one(self) -> None:
        with self._guard:
            self._left -= 1
            if self._left <= 0:
                self.finished.set()


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

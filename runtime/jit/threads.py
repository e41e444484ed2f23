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
from contextlib import suppress
from dataclasses import dataclass

from kcheck.runtime.backend import Cancelled, Interrupted, Progress

_PATIENCE = 0.03
"""Seconds between two questions whether the run is to end."""
_USUAL_STACK = 16 << 20
"""The bytes of a worker's stack beside what functions are known to take; only what is used becomes memory."""
_stack_size_lock = threading.Lock()
"""The size of stacks is a setting of the whole process."""
_ALL = (1 << 63) - 1


class Queue(ctypes.Structure):
    """The chunks of a run, which workers take in order: `size` numbers each of those from 0 to `count`.

    `next` is the first chunk that nobody has taken, and `failed` says whether one had an error.
    """

    _fields_ = (
        ("next", ctypes.c_int64),
        ("size", ctypes.c_int64),
        ("count", ctypes.c_int64),
        ("failed", ctypes.c_int32),
    )
    next: int
    failed: int


class Report(ctypes.Structure):
    """What a worker met: the site of an error, or -1, and the chunk that had it."""

    _fields_ = (("site", ctypes.c_int32), ("chunk", ctypes.c_int64))
    site: int
    chunk: int


_NOTHING = bytes(Report(-1, 0))


@dataclass(slots=True)
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

    def own_memory(self) -> ctypes.Array[ctypes.c_char]:
        """A worker's memory, with a report of nothing."""
        return ctypes.create_string_buffer(_NOTHING, self.own_bytes)


def run_chunks(work: Work, threads: int, cancelled: Cancelled, tell: Progress, *, here: bool) -> int:
    """Run all chunks on up to so many threads; answers the site of the first chunk's error, or -1.

    With `here` the caller's thread is one of them; then no chunk may take long.  Raises `Interrupted` when the caller
    cancels, and what a thread raised; no thread is left running.
    """
    crew = _Crew(work, cancelled, tell)
    try:
        started = crew.start(min(threads, work.chunks) - here)
        if here or not started:  # the system may have no thread left to give
            crew.take_part()
        crew.wait()
    except BaseException:
        work.stop.value = 1
        raise
    finally:
        crew.leave()
    if crew.raised:
        raise crew.raised[0]
    return min(crew.errors)[1] if crew.errors else -1


class _Crew:
    """The threads of one run, and what they have in common."""

    def __init__(self, work: Work, cancelled: Cancelled, tell: Progress) -> None:
        self._work, self._cancelled, self._tell = work, cancelled, tell
        self._queue = Queue(0, work.size, work.count, 0)
        self.errors: list[tuple[int, int]] = []
        """Chunks with the sites of their errors."""
        self.raised: list[BaseException] = []
        self._numbers = itertools.count()
        self._threads: list[threading.Thread] = []

    def start(self, threads: int) -> int:
        """Start threads; answers how many the system gave."""
        if threads <= 0:
            return 0
        with _stack_size_lock:
            before = threading.stack_size(_USUAL_STACK + self._work.stack_bytes // 4096 * 4096)
            try:
                with suppress(RuntimeError):  # where the system gives no more, those that are there do it all
                    for _ in range(threads):
                        thread = threading.Thread(target=self._run, daemon=True)
                        thread.start()
                        self._threads.append(thread)
            finally:
                threading.stack_size(before)
        return len(self._threads)

    def take_part(self) -> None:
        """Run chunks on this thread, which asks and tells between them."""
        run, asked = self._worker(), time.monotonic()
        while run(1):
            if time.monotonic() - asked > _PATIENCE:
                self._ask()
                asked = time.monotonic()

    def wait(self) -> None:
        """Wait for the threads to end, and ask and tell meanwhile."""
        for thread in self._threads:
            thread.join(_PATIENCE)
            while thread.is_alive():
                self._ask()
                thread.join(_PATIENCE)

    def leave(self) -> None:
        """Wait for the threads to end, whatever comes."""
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        if self._cancelled():
            raise Interrupted
        self._tell(min(1.0, self._queue.next / self._work.chunks))

    def _run(self) -> None:
        try:
            self._worker()(_ALL)
        except BaseException as problem:  # handed to the caller's thread
            self.raised.append(problem)
            self._queue.failed = 1

    def _worker(self) -> Callable[[int], bool]:
        """What runs up to so many chunks; it answers whether there is more to do."""
        work, queue, chunks = self._work, self._queue, self._work.chunks
        own, arguments = work.own_memory(), work.arguments[next(self._numbers) % len(work.arguments)]
        places = arguments, ctypes.addressof(own), ctypes.addressof(queue)

        def run(most: int) -> bool:
            work.entrance(*places, most)
            if queue.failed:
                report = Report.from_buffer(own)
                if report.site >= 0:
                    self.errors.append((report.chunk, report.site))
                return False
            return queue.next < chunks

        return run


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

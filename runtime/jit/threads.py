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
from queue import Empty, SimpleQueue
from typing import TypeAlias

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


NOTHING = bytes(Report(-1, 0))
"""The report of a worker that met nothing."""


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

    def own_memory(self) -> bytearray:
        """A worker's memory, with a report of nothing."""
        own = bytearray(self.own_bytes)
        own[: len(NOTHING)] = NOTHING
        return own


def address_of(memory: bytearray | memoryview) -> int:
    """Where bytes lie that may be written; there is at least one."""
    return ctypes.addressof(_char.from_buffer(memory))


_char = ctypes.c_char


def run_chunks(work: Work, threads: int, cancelled: Cancelled, tell: Progress, *, here: bool) -> int:
    """Run all chunks on up to so many threads; answers the site of the first chunk's error, or -1.

    With `here` the caller's thread is one of them; then no chunk may take long.  Raises `Interrupted` when the caller
    cancels, and what a thread raised; no thread is left at work.
    """
    threads = min(threads, work.chunks)
    if here and threads == 1 == work.chunks:
        return _run_one(work)
    crew = _Crew(work, cancelled, tell)
    try:
        started = crew.start(threads - here)
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


def _run_one(work: Work) -> int:
    """Run the only chunk, which is short, on this thread."""
    own, queue = work.own_memory(), Queue(0, work.size, work.count, 0)
    work.entrance(work.arguments[0], address_of(own), ctypes.addressof(queue), 1)
    return -1 if own.startswith(NOTHING[:4]) else Report.from_buffer(own).site


class _Finished:
    """How many threads are not at work any more."""

    def __init__(self) -> None:
        self._threads: list[None] = []
        self._told: SimpleQueue[None] = SimpleQueue()

    def add(self) -> None:
        self._threads.append(None)
        self._told.put(None)

    def are(self, count: int) -> bool:
        """Whether there are so many by now, or a short time later."""
        if len(self._threads) < count:
            # The queue only wakes: what is taken from it is gone where Ctrl-C comes before anybody has counted it.
            with suppress(Empty):
                self._told.get(timeout=_PATIENCE)
        return len(self._threads) >= count


class _Crew:
    """The threads of one run, and what they have in common."""

    def __init__(self, work: Work, cancelled: Cancelled, tell: Progress) -> None:
        self._work, self._cancelled, self._tell = work, cancelled, tell
        self._queue = Queue(0, work.size, work.count, 0)
        self.errors: list[tuple[int, int]] = []
        """Chunks with the sites of their errors."""
        self.raised: list[BaseException] = []
        self._numbers = itertools.count()
        self._started = 0
        self._finished = _Finished()

    def start(self, threads: int) -> int:
        """Set threads to work; answers how many the system gave."""
        with suppress(RuntimeError):  # where the system gives no more, those that are there do it all
            for _ in range(threads):
                _occupy(self._run, self._finished, self._work.stack_bytes)
                self._started += 1
        return self._started

    def take_part(self) -> None:
        """Run chunks on this thread, which asks and tells between them."""
        run, chunks = self._worker(), 1
        asked = start = time.monotonic()
        while run(chunks):
            now = time.monotonic()
            if now - asked > _PATIENCE:
                self._ask()
                asked = now
            # As many at a time as take a part of that, for what Python does in between costs as much as a small chunk.
            chunks = chunks * 2 if now - start < _PATIENCE / 8 else max(1, chunks // 2)
            start = now

    def wait(self) -> None:
        """Wait for the threads to finish, and ask and tell meanwhile."""
        while not self._finished.are(self._started):
            self._ask()

    def leave(self) -> None:
        """Wait for the threads to finish, whatever comes."""
        while not self._finished.are(self._started):
            pass

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
        places = arguments, address_of(own), ctypes.addressof(queue)

        def run(most: int) -> bool:
            work.entrance(*places, most)
            if queue.failed:
                report = Report.from_buffer(own)
                if report.site >= 0:
                    self.errors.append((report.chunk, report.site))
                return False
            return queue.next < chunks

        return run


# ---------------------------------------------------------------- threads that wait for work

_Task: TypeAlias = "tuple[Callable[[], None], _Finished]"
"""What a thread is to do, and where it then says that it has done it."""

_idle: list[SimpleQueue[_Task]] = []
"""The threads that wait: each by the queue from which it takes its next task.

A thread that is there already gets its turn sooner than a new one, above all where cores have other work too."""


def _occupy(do: Callable[[], None], finished: _Finished, stack_bytes: int) -> None:
    """Have `do`, which raises nothing and takes so much of its stack, done by a thread that waits, or else by a new
    one; raises `RuntimeError` where there can be none."""
    if stack_bytes > _USUAL_STACK // 2:
        _new_thread(stack_bytes, only_once=True).put((do, finished))
        return
    try:
        tasks = _idle.pop()
    except IndexError:
        tasks = _new_thread(0, only_once=False)
    tasks.put((do, finished))


def _new_thread(stack_bytes: int, *, only_once: bool) -> SimpleQueue[_Task]:
    """A thread that does what is put in the queue."""
    tasks: SimpleQueue[_Task] = SimpleQueue()
    with _stack_size_lock:
        before = threading.stack_size(_USUAL_STACK + stack_bytes // 4096 * 4096)
        try:
            threading.Thread(target=_attend, args=(tasks, only_once), daemon=True).start()
        finally:
            threading.stack_size(before)
    return tasks


def _attend(tasks: SimpleQueue[_Task], only_once: bool) -> None:
    """Do one task after the other, unless enough other threads wait for the next one already."""
    leaves = False
    while not leaves:
        do, finished = tasks.get()
        do()
        del do  # what a run holds is not kept until the next one
        leaves = only_once or len(_idle) >= cores()
        if not leaves:
            _idle.append(tasks)
        finished.add()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # threads stay behind in the parent
    # No other thread is there in the child to let go of it.
    _release = _stack_size_lock.release
    os.register_at_fork(before=_stack_size_lock.acquire, after_in_parent=_release, after_in_child=_release)


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

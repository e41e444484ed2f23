"""Time as work that was done: each kind of it counts for about the seconds that it takes on an idle machine.

Limits of the stages are set in this time, so that what they find does not depend on how fast or busy a machine is.
What takes most of a stage's time says here that it was done.  Deadlines of the algebra and of the solver are moments of
this clock; the time that a person gives is real, and once it is up the clock stands beyond all of them.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class _Done(threading.local):
    seconds = 0.0
    end = math.inf


_done = _Done()


def count(seconds: float) -> None:
    """Work worth so many seconds was done."""
    _done.seconds += seconds


def clock() -> float:
    """What this thread has done so far, in seconds; endless when its real time is up."""
    done = _done
    return done.seconds if done.end == math.inf or time.monotonic() < done.end else math.inf


def really_left() -> float:
    """How many seconds of real time this thread has left."""
    return _done.end - time.monotonic()


@contextmanager
def ending(seconds: float) -> Iterator[None]:
    """For so many seconds of real time; then this thread's time is up, as long as it stays inside."""
    _done.end = time.monotonic() + seconds
    try:
        yield
    finally:
        _done.end = math.inf

"""Time as work that was done: each kind of it counts for about the seconds that it takes on an idle machine.

Limits of the stages are set in this time, so that what they find does not depend on how fast or busy a machine is.
What takes most of the algebra's time says here that it was done.
"""

from __future__ import annotations

import threading


class _Done(threading.local):
    seconds = 0.0


_done = _Done()


def count(seconds: float) -> None:
    """Work worth so many seconds was done."""
    _done.seconds += seconds


def clock() -> float:
    """What this thread has done so far, in seconds."""
    return _done.seconds

"""How deep programs may nest, and the room that this takes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

DEEPEST = 256
"""The most levels of brackets, operators and blocks that a program may nest."""

# textX takes up to some 60 Python frames a level, and these hold no C stack.
_FRAMES = 40_000


class _Guard:
    """Counts who needs room, so that two threads do not take it from each other."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.users = 0
        self.before = 0


_guard = _Guard()


@contextmanager
def deep_recursion() -> Iterator[None]:
    """Lets code recurse over the deepest program that the parser accepts."""
    with _guard.lock:
        if _guard.users == 0:
            _guard.before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_guard.before, _FRAMES))
        _guard.users += 1
    try:
        yield
    finally:
        with _guard.lock:
            _guard.users -= 1
            if _guard.users == 0:
                sys.setrecursionlimit(_guard.before)

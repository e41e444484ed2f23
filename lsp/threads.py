"""Threads with room for the deepest programs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

_STACK_BYTES = 256 * 1024 * 1024
"""Address space; what is not used costs no memory."""

Answer = TypeVar("Answer")

_pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="slow")


@contextmanager
def deep_stacks() -> Iterator[None]:
    """Threads that are started inside can check whatever the parser accepts."""
    before = threading.stack_size(_STACK_BYTES)
    try:
        yield
    finally:
        threading.stack_size(before)


async def apart(work: Callable[[Callable[[], bool]], Answer]) -> Answer:
    """Do work in a thread; it is given what tells whether anybody still waits for it."""
    is_over = threading.Event()
    with deep_stacks():
        future = _pool.submit(work, is_over.is_set)
    try:
        return await asyncio.wrap_future(future)
    finally:
        is_over.set()

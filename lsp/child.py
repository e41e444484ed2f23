"""A process of our own that works for the server: asked with messages, and ended where it does not answer.

The child runs a module that calls `serve`.  It ends with its input, so it never outlives the server.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import queue
import struct
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import IO, Any

from kcheck.grammar.recursion import deep_recursion

_LENGTH = struct.Struct("<Q")
_READ_AHEAD = 1 << 20
"""Bytes; with less a long message takes many turns of the event loop."""


class Gone(Exception):
    """The process ended before it answered."""


def environment() -> dict[str, str]:
    """Variables with which another Python finds the modules that this one does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


class Child:
    """The server's end of a process that runs `module`; lives on the event loop."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: asyncio.subprocess.Process | None = None
        self._length: int | None = None
        """Bytes of the message that comes next, where they are known already."""

    @property
    def is_alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def pid(self) -> int | None:
        """The number of the process, if it runs."""
        return self._process.pid if self._process is not None and self.is_alive else None

    async def start(self) -> None:
        """Start the process unless it runs already; raises `OSError` where that cannot be done."""
        if not self.is_alive:
            self._length = None
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-P",
                "-m",
                self._module,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_READ_AHEAD,
                env=environment(),
                start_new_session=True,  # an interrupt from the keyboard is for the server
            )

    def send(self, message: object) -> None:
        """Send a message; where nobody is there to read it, `receive` will tell."""
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError, RuntimeError):
                self._process.stdin.write(_packed(message))

    async def receive(self) -> Any:
        """The next message; raises `Gone` when there will be no more.  Cancelled, it loses none."""
        if self._process is None or self._process.stdout is None:
            raise Gone
        try:
            if self._length is None:
                [self._length] = _LENGTH.unpack(await self._process.stdout.readexactly(_LENGTH.size))
            data = await self._process.stdout.readexactly(self._length)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Gone from error
        self._length = None
        return _unpacked(data)

    async def end(self, patience: float = 0.0) -> int:
        """End the process, whatever it does, unless it ends by itself within so many seconds; answers its exit code,
        0 where there was none.
        """
        process, self._process = self._process, None
        if process is None:
            return 0
        if patience:
            with suppress(TimeoutError):
                return await asyncio.wait_for(process.wait(), patience)
        with suppress(ProcessLookupError):
            process.kill()
        return await process.wait()


def serve(
    answer: Callable[[Any, Callable[[object], None]], None], heard: Callable[[Any], bool] = lambda _: False
) -> None:
    """Answer the messages on standard input one by one, until it ends; `answer` gets a message and a way to reply.

    `heard` hears each message as soon as it is there, on another thread; what it takes (True) is not answered.
    The process ends with its input even while it works on an answer.
    """
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What libraries print goes nowhere.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    lock = threading.Lock()

    def reply(message: object) -> None:
        with lock:
            replies.write(_packed(message))
            replies.flush()

    for message in _messages(sys.stdin.buffer, heard):
        answer(message, reply)


def _messages(stream: IO[bytes], heard: Callable[[Any], bool]) -> Iterator[Any]:
    """The messages as they are asked for, read ahead by a thread that ends the process with its input."""
    waiting: queue.Queue[Any] = queue.Queue()

    def read() -> None:
        try:
            while True:
                [length] = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
                message = _unpacked(_exactly(stream, length))
                if not heard(message):
                    waiting.put(message)
        except EOFError:
            os._exit(0)
        finally:
            os._exit(1)

    threading.Thread(target=read, daemon=True).start()
    while True:
        yield waiting.get()


def _exactly(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


def _packed(message: object) -> bytes:
    with deep_recursion():
        data = pickle.dumps(message)
    return _LENGTH.pack(len(data)) + data


def _unpacked(data: bytes) -> Any:
    with deep_recursion():
        return pickle.loads(data)

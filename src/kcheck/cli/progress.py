"""A bar on standard error for runs that take more than a moment; only on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from kcheck.runtime.backend import Progress

PATIENCE = 1.0
"""Seconds before a bar appears."""


@contextmanager
def shown(label: str, *, quiet: bool) -> Iterator[Progress]:
    """Gives what a backend tells its progress to."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    late = _LateBar(label)
    try:
        yield late.tell
    finally:
        late.close()


class _LateBar:
    """Imports and draws nothing until `PATIENCE` is over."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._start = time.monotonic()
        self._bar: Bar | None = None

    def tell(self, done: float) -> None:
        if self._bar is None:
            if time.monotonic() - self._start < PATIENCE:
                return
            self._bar = self._opened()
        self._bar.update(self._bar.task_ids[0], completed=done)

    def _opened(self) -> Bar:
        from rich.console import Console
        from rich.progress import Progress

        bar = Progress(console=Console(stderr=True), transient=True)
        bar.add_task(self._label, total=1.0)
        bar.start()
        return bar

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()

"""Progress that a client shows while it waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

if TYPE_CHECKING:
    from kcheck.lsp.server import KernelServer


@contextmanager
def reporting(server: KernelServer, token: lsp.ProgressToken | None, title: str) -> Iterator[Callable[[float], None]]:
    """Tell the client how much is done, 0 to 1, if it gave a token to tell it by."""
    if token is None:
        yield lambda _: None
        return
    shown = server.work_done_progress
    shown.begin(token, lsp.WorkDoneProgressBegin(title, cancellable=True, percentage=0))
    last = 0

    def report(done: float) -> None:
        nonlocal last
        percentage = int(done * 100)
        if percentage > last:
            last = percentage
            shown.report(token, lsp.WorkDoneProgressReport(percentage=percentage))

    try:
        yield report
    finally:
        shown.end(token, lsp.WorkDoneProgressEnd())
        shown.tokens.pop(token, None)  # which `end` keeps for good

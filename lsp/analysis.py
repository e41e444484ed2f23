"""Checking files in a thread of its own, so that no request waits for it; the latest text wins."""

from __future__ import annotations

import heapq
import logging
import os
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import count
from pathlib import Path

from kcheck.checker import ir
from kcheck.checker.check import Loader, check_bytes, check_text
from kcheck.checker.checked import Checked
from kcheck.checker.memo import Cancelled, Memo
from kcheck.checker.settings import Settings
from kcheck.lsp.documents import Documents, is_file
from kcheck.lsp.host import Host
from kcheck.lsp.proofs import Reduction
from kcheck.lsp.threads import deep_stacks

_SWITCH_SECONDS = 0.0005
"""How long the analyst may hold the interpreter while a request waits."""

log = logging.getLogger(__name__)


class Urgency(IntEnum):
    """What is analysed first."""

    TYPED = 0
    DEPENDENT = 1
    BACKGROUND = 2


@dataclass(frozen=True)
class Analysis:
    """What checking one version of a text gave; `version` is None for a file that is not open.

    `problem` is what is wrong with the project's settings, if anything.
    """

    path: str
    version: int | None
    text: str
    checked: Checked
    settings: Settings
    problem: str
    reductions: tuple[Reduction, ...]


class Analyst:
    """Checks the files it is asked for, most urgent first, and hands what it finds to `done`, in its own thread.

    `failed` hears of files that a fault of ours kept from being checked.
    """

    def __init__(
        self,
        documents: Documents,
        host: Host,
        done: Callable[[Analysis], None],
        failed: Callable[[str, Exception], None],
    ) -> None:
        self._documents = documents
        self._host = host
        self._done = done
        self._failed = failed
        self._memos: dict[str, Memo] = {}
        self._reductions: dict[str, tuple[Reduction, ...]] = {}
        self._wanted: dict[str, Urgency] = {}
        self._heap: list[tuple[Urgency, int, str]] = []
        self._order = count()
        self._busy: str | None = None
        self._is_closed = False
        self._changed = threading.Condition()
        sys.setswitchinterval(_SWITCH_SECONDS)

    def start(self) -> None:
        with deep_stacks():
            threading.Thread(target=self._work, name="analyst", daemon=True).start()

    def request(self, path: str, urgency: Urgency) -> None:
        """Analyse the file as it will stand when its turn comes."""
        with self._changed:
            if urgency < self._wanted.get(path, len(Urgency)):
                self._wanted[path] = urgency
                heapq.heappush(self._heap, (urgency, next(self._order), path))
                self._changed.notify()

    def forget(self, path: str) -> None:
        """Nothing more is wanted of a file."""
        with self._changed:
            self._wanted.pop(path, None)
            self._memos.pop(path, None)
            self._reductions.pop(path, None)

    @property
    def is_idle(self) -> bool:
        with self._changed:
            return not self._wanted and self._busy is None

    def close(self) -> None:
        """Stop at the next item."""
        with self._changed:
            self._is_closed = True
            self._changed.notify()

    def loader(self, path: str) -> Loader:
        """What finds the packages that a file uses, as they stand in the editor."""
        return self._host.loader_for(_folder(path), str, self._documents.read)

    def places(self, path: str) -> Sequence[Path]:
        """The folders below which it looks for them."""
        return self._host.places_for(_folder(path))

    def memo(self, path: str) -> Memo:
        """What is kept of the checks of a file, for a check somewhere else."""
        memo = self._memos.get(path)
        return Memo() if memo is None else memo.copy()

    # ------------------------------------------------------------ in the thread

    def _work(self) -> None:
        while (path := self._next()) is not None:
            try:
                analysis = self._analysed(path)
            except Cancelled:
                continue
            except Exception as error:
                # A fault of ours in one file must not end the analysis of all others.
                log.exception("the analysis of %s failed", path)
                self._memos.pop(path, None)
                self._failed(path, error)
                continue
            if analysis is not None:
                self._done(analysis)

    def _next(self) -> str | None:
        """The most urgent file; waits for one.  None once the analyst is closed."""
        with self._changed:
            self._busy = None
            while not self._is_closed:
                while self._heap:
                    urgency, _, path = heapq.heappop(self._heap)
                    if self._wanted.get(path) == urgency:
                        del self._wanted[path]
                        self._busy = path
                        return path
                self._changed.wait()
        return None

    def _is_overtaken(self) -> bool:
        """Whether the file has changed again, or one that is more urgent waits, while it is analysed."""
        return self._is_closed or (self._busy is not None and self._wanted.get(self._busy) is Urgency.TYPED)

    def _analysed(self, path: str) -> Analysis | None:
        """None where there is no such file (any more)."""
        document = self._documents.at(path)
        loader = self.loader(path)
        memo = self._memos.setdefault(path, Memo())
        if document is not None:
            checked = check_text(document.text, path, loader, memo=memo, cancelled=self._is_overtaken)
            version: int | None = document.version
        else:
            found = self._from_disk(path, loader, memo)
            if found is None:
                return None
            checked, version = found, None
        settings, problem = self._host.settings_for(_folder(path))
        reductions = self._reductions[path] = _reductions(checked, self._reductions.get(path, ()))
        return Analysis(path, version, checked.file.text, checked, settings, problem, reductions)

    def _from_disk(self, path: str, loader: Loader, memo: Memo) -> Checked | None:
        if not os.path.isfile(path):  # reading from a pipe would never end
            return None
        try:
            data = Path(path).read_bytes()
        except OSError:
            return None
        return check_bytes(data, path, loader, memo=memo, cancelled=self._is_overtaken)


def _folder(path: str) -> Path:
    return Path(path).parent if is_file(path) else Path.cwd()


def _reductions(checked: Checked, before: Sequence[Reduction]) -> tuple[Reduction, ...]:
    """The reductions of a file; those that are as they were before are the same objects, with their hashes."""
    texts = {item.key: item.text for item in checked.file.items}
    known = {id(reduction.program): reduction for reduction in before}
    made = []
    for program in checked.programs.values():
        if isinstance(program.schedule, ir.Fold):
            text = texts[program.origin.item]
            old = known.get(id(program))
            reduction = old if old is not None and old.text == text else Reduction(checked.file.path, program, text)
            _ = reduction.key  # here, not on the event loop
            made.append(reduction)
    return tuple(made)

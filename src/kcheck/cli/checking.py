"""Checking files one by one: here, or in worker processes for many."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from kcheck.checker import rules
from kcheck.checker.check import check_bytes
from kcheck.checker.checked import Checked
from kcheck.checker.settings import Settings, settled
from kcheck.cli.files import STDIN, SourceText, UsageError, read_source
from kcheck.config import Config, ConfigError, config_for
from kcheck.grammar.diagnostics import Severity
from kcheck.grammar.source import ParsedItem, SourceFile
from kcheck.grammar.spans import Span
from kcheck.grammar.syntax import BrokenItem
from kcheck.runtime.laws import CHECK_SECONDS, judged

FEW = 24
"""Up to so many files are checked at once faster than workers start."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for; None leaves it to the settings."""

    laws: bool = True
    require_proof: bool | None = None
    timeout: float | None = None


def check_file(path: str, wanted: Wanted) -> Checked:
    """All there is to say of the file at `path`."""
    return check_source(read_source(path), config_of(path), wanted)


def check_source(source: SourceText, config: Config, wanted: Wanted) -> Checked:
    checked = check_bytes(source.data, source.path, source.loader)
    settings = config.settings
    if wanted.laws:
        checked = judged(checked, _seconds(wanted, settings))
        if settings.require_proof if wanted.require_proof is None else wanted.require_proof:
            checked = _with_proofs_required(checked)
    return settled(checked, settings, laws=wanted.laws)


def config_of(path: str) -> Config:
    """The settings for a file, or for standard input those of the current folder."""
    return _config_in(Path.cwd() if path == STDIN else Path(path).parent.resolve())


@cache
def _config_in(folder: Path) -> Config:
    try:
        return config_for(folder)
    except ConfigError as error:
        raise UsageError(str(error)) from error


def forget_settings() -> None:
    """Read the settings anew at the next file."""
    _config_in.cache_clear()


def _seconds(wanted: Wanted, settings: Settings) -> float:
    """How long the laws of one reduction may take."""
    return next((s for s in (wanted.timeout, settings.timeout) if s is not None), CHECK_SECONDS)


def _with_proofs_required(checked: Checked) -> Checked:
    raised = tuple(
        replace(d, severity=Severity.ERROR) if d.code == rules.LAW_UNKNOWN.code else d for d in checked.diagnostics
    )
    return replace(checked, diagnostics=raised)


# ---------------------------------------------------------------- many files


def check_files(paths: Sequence[str], wanted: Wanted, tell: Callable[[float], object]) -> list[Checked]:
    """The results for `paths`, in their order; `tell` hears how much is done."""
    results = []
    for result in _results(paths, wanted):
        results.append(result)
        tell(len(results) / len(paths))
    return results


def _results(paths: Sequence[str], wanted: Wanted) -> Iterator[Checked]:
    jobs = min(_cores(), len(paths) // FEW + 1)
    if jobs == 1:
        yield from (check_file(path, wanted) for path in paths)
        return
    # The parent alone reads standard input.  Workers are started afresh: a copy of a process with threads may hang.
    own = {path: check_file(path, wanted) for path in paths if path == STDIN}
    others = [path for path in paths if path not in own]
    executor = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _listen)
    try:
        with _deaf_children():
            found = executor.map(_check_in_worker, others, [wanted] * len(others), chunksize=4)
        yield from (own[path] if path in own else next(found) for path in paths)
    except KeyboardInterrupt:
        for process in multiprocessing.active_children():
            process.terminate()
        raise
    finally:
        executor.shutdown(cancel_futures=True)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes started inside never hear of Ctrl-C: their parent ends them, and it alone has something to say."""
    if threading.current_thread() is not threading.main_thread():  # only there signals can be set
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class _Stop:
    """What SIGTERM does to a worker: it ends checks, but lets a result be sent.

    Of one that is cut off the parent would wait for the rest.
    """

    def __init__(self) -> None:
        self._is_asked = False
        self._is_checking = False

    def hear(self, *_: object) -> None:
        self._is_asked = True
        if self._is_checking:
            raise KeyboardInterrupt

    @contextmanager
    def ends_this(self) -> Iterator[None]:
        self._is_checking = True
        try:
            if self._is_asked:
                raise KeyboardInterrupt
            yield
        finally:
            self._is_checking = False


_stop = _Stop()


def _listen() -> None:
    """Begin a worker.  A function, not a method, so that it is about the worker's own `_stop`."""
    signal.signal(signal.SIGTERM, _stop.hear)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A worker whose parent was killed would wait for files for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _check_in_worker(path: str, wanted: Wanted) -> Checked:
    """As `check_file`, with what a report needs and no more: all of it has to be sent."""
    with _stop.ends_this():
        checked = check_file(path, wanted)
    files = {path: _without_trees(file) for path, file in checked.files.items()}
    return replace(checked, file=files[checked.file.path], files=files, programs={}, examples=())


def _without_trees(file: SourceFile) -> SourceFile:
    """A file that can tell where things stand in its text, and nothing else."""
    nothing = BrokenItem(span=Span(0, 0), keyword=None, name=None)
    return SourceFile(file.path, file.text, tuple(ParsedItem(i.key, i.offset, "", nothing) for i in file.items))

"""The backend: programs compiled when they are first run, and kept."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate, pairwise

from kcheck.checker.ir import content_hash
from kcheck.runtime.backend import Cancelled, Launch, Outcome, Progress, never, silent
from kcheck.runtime.jit import cache
from kcheck.runtime.jit.engine import Loaded, machine_code
from kcheck.runtime.jit.program import Facts, write_module
from kcheck.runtime.jit.runs import Compiled, run
from kcheck.runtime.jit.short import ShortMap, is_short
from kcheck.runtime.jit.threads import cores


class Jit:
    """Runs programs as machine code, on so many threads.

    In strict arithmetic results have the interpreter's bits, but for those of NaNs.  Compiled programs are kept, the
    last few of them here and all of them in the user's cache folder.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or cores()
        self._ready: dict[tuple[int, frozenset[str], bool], _Ready] = {}

    @property
    def name(self) -> str:
        return "jit"

    def run(self, launch: Launch, cancelled: Cancelled = never, progress: Progress = silent) -> Outcome:
        """Run the launch; raises `RunError` for what only shows at run time, and changes nothing then."""
        start = time.perf_counter()
        ready = self._compile(launch)
        seconds = time.perf_counter() - start
        short = ready.short_map(launch)
        if short is None:
            return run(ready.compiled, launch, cancelled, progress, seconds)
        outcome = short.run(launch, seconds)
        progress(1.0)
        return outcome

    def _compile(self, launch: Launch) -> _Ready:
        # Code for fields with elements asks nowhere whether they have any.
        bound = (launch.inputs, launch.memories)
        empty = frozenset([name for fields in bound for name, field in fields.items() if not field.data.size])
        key = (id(launch.program), empty, launch.fast)
        with _lock:
            known = self._ready.get(key)
            count = math.prod(launch.shape)
            if known is None or not known.compiled.facts.suits(count):
                while len(self._ready) >= _KEPT:
                    self._ready.pop(next(iter(self._ready)))
                known = self._ready[key] = _Ready(_compiled(launch, empty, self._threads, count))
            return known


_KEPT = 64


@dataclass(slots=True)
class _Ready:
    """A program that has been compiled, and its last short map."""

    compiled: Compiled
    last: ShortMap | None = None

    def short_map(self, launch: Launch) -> ShortMap | None:
        """For a launch of the program, if it is short."""
        last = self.last
        if last is not None and last.fits(launch):
            return last
        if not is_short(self.compiled, launch):
            return None
        made = self.last = ShortMap(self.compiled, launch)
        return made


_lock = threading.RLock()
"""Held while something is compiled; a fork waits for the end of that, or nothing could be compiled in the child."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def _compiled(launch: Launch, empty: frozenset[str], threads: int, count: int) -> Compiled:
    """The program of a launch of so many elements as machine code, from the cache folder or made now."""
    program = launch.program
    text = f"{content_hash(program)} {sorted(empty)} {launch.fast}"
    for name in map(cache.name_of, (text, f"{text} many")):
        kept = cache.load(name)
        if kept is None:
            module = write_module(program, empty, fast=launch.fast, count=count)
            facts = module.facts
            codes = [machine_code(module.text, briefly=facts.for_few), *module.linked]
            cache.keep({name: _written(facts, codes)})
            break
        facts, codes = _read(kept)
        if facts.suits(count):
            break
    return Compiled(program, facts, Loaded(codes, facts.drivers), threads)


def _written(facts: Facts, codes: Sequence[bytes]) -> bytes:
    """What is kept of a program: a line with its facts and the sizes of its codes, then these."""
    head = json.dumps([asdict(facts), [len(code) for code in codes]])
    return b"".join([head.encode(), b"\n", *codes])


def _read(data: bytes) -> tuple[Facts, list[bytes]]:
    head, rest = data.split(b"\n", 1)
    facts, sizes = json.loads(head)
    ends = list(accumulate(sizes, initial=0))
    codes = [rest[start:end] for start, end in pairwise(ends)]
    return Facts(**{**facts, "drivers": tuple(facts["drivers"])}), codes

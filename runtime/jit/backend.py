"""The backend: programs compiled when they are first run, and kept."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Sequence
from dataclasses import asdict
from itertools import accumulate, pairwise

from kcheck.checker.ir import Program, content_hash
from kcheck.runtime.backend import Cancelled, Launch, Outcome, Progress, never, silent
from kcheck.runtime.jit import cache
from kcheck.runtime.jit.engine import Loaded, machine_code
from kcheck.runtime.jit.program import Facts, write_module
from kcheck.runtime.jit.runs import Compiled, run
from kcheck.runtime.jit.threads import cores


class Jit:
    """Runs programs as machine code, on so many threads.

    In strict arithmetic results have the interpreter's bits, but for those of NaNs.  Compiled programs are kept, the
    last few of them here and all of them in the user's cache folder.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._threads = threads or cores()
        self._compiled: dict[tuple[int, frozenset[str], bool], Compiled] = {}

    @property
    def name(self) -> str:
        return "jit"

    def run(self, launch: Launch, cancelled: Cancelled = never, progress: Progress = silent) -> Outcome:
        """Run the launch; raises `RunError` for what only shows at run time, and changes nothing then."""
        start = time.perf_counter()
        compiled = self._compile(launch)
        seconds = time.perf_counter() - start
        return run(compiled, launch, cancelled, progress, seconds)

    def _compile(self, launch: Launch) -> Compiled:
        # Code for fields with elements asks nowhere whether they have any.
        bound = (launch.inputs, launch.memories)
        empty = frozenset([name for fields in bound for name, field in fields.items() if not field.data.size])
        key = (id(launch.program), empty, launch.fast)
        with _lock:
            known = self._compiled.get(key)
            if known is None:
                while len(self._compiled) >= _KEPT:
                    self._compiled.pop(next(iter(self._compiled)))
                known = self._compiled[key] = _compiled(launch.program, empty, launch.fast, self._threads)
            return known


_KEPT = 64

_lock = threading.RLock()
"""Held while something is compiled; a fork waits for the end of that, or nothing could be compiled in the child."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)


def _compiled(program: Program, empty: frozenset[str], fast: bool, threads: int) -> Compiled:
    """The program as machine code, from the cache folder or made now."""
    name = cache.name_of(f"{content_hash(program)} {sorted(empty)} {fast}")
    kept = cache.load(name)
    if kept is not None:
        facts, codes = _read(kept)
    else:
        module = write_module(program, empty, fast=fast)
        facts, codes = module.facts, [machine_code(module.text), *module.linked]
        cache.keep({name: _written(facts, codes)})
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

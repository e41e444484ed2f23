"""The merge laws of what is open: one state for each reduction, which all that is shown of it comes from.

While somebody types nothing is proved.  Then one reduction after another is asked of a process that can be ended: it
is, when the reduction that it works on is changed, and another stands ready.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any

from kcheck.checker import ir
from kcheck.checker.law.problem import Law
from kcheck.checker.law.verdict import PROVED, REFUTED, UNKNOWN, Judgement, LawFinding
from kcheck.lsp.child import Child, Gone
from kcheck.lsp.questions import GetReady, Question, Ready

log = logging.getLogger(__name__)

IDLE_SECONDS = 0.3
"""How long nobody types before proofs begin."""
_KEPT = 1000
"""So many judgements are remembered."""
_START_SECONDS = 60.0
"""The process may take so long to start; on a machine with much else to do it is slow."""
_GRACE_SECONDS = 3.0
"""How much longer than it was given the process may take before it is ended."""


class State(Enum):
    """What is known of a law; while work is queued or going on nothing is called proved."""

    QUEUED = "queued"
    WORKING = "working"
    STALE = "stale"
    """Judged for what the reduction was before; this one is queued."""
    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"

    @property
    def is_settled(self) -> bool:
        return self in (State.PROVED, State.REFUTED, State.UNKNOWN)


@dataclass(frozen=True, slots=True)
class LawState:
    law: Law
    state: State
    finding: LawFinding | None = None
    """What the state rests on; for `STALE` what was found before."""


@dataclass(frozen=True, eq=False)
class Reduction:
    """A reduction of an open file, as its last analysis gave it; `text` is that of its item."""

    path: str
    program: ir.Program
    text: str

    @cached_property
    def key(self) -> tuple[str, str]:
        """Equal keys have equal judgements, with the same places."""
        return self.meaning, self.text

    @cached_property
    def meaning(self) -> str:
        return ir.content_hash(self.program)

    @property
    def name(self) -> str:
        return self.program.name


_STATES = {PROVED: State.PROVED, REFUTED: State.REFUTED, UNKNOWN: State.UNKNOWN}


@dataclass
class _Work:
    """The question that the process has."""

    reduction: Reduction
    findings: dict[Law, LawFinding] = field(default_factory=dict)


class Proofs:
    """Lives on the event loop; `changed` is told of each path whose states have changed."""

    def __init__(self, changed: Callable[[str], None], failed: Callable[[str], None]) -> None:
        self.seconds = 10.0
        self.is_on = True
        self._changed = changed
        self._failed = failed
        self._wanted: dict[str, list[Reduction]] = {}
        self._judgements: dict[tuple[str, str], Judgement] = {}
        self._by_meaning: dict[str, Judgement] = {}
        self._before: dict[tuple[str, str], Judgement] = {}
        """The last judgement on a kernel of a file, whatever it was then."""
        self._work: _Work | None = None
        self._wake = asyncio.Event()
        self._typed_at = 0.0
        self._child: Child | None = None
        self._spare: asyncio.Task[Child] | None = None
        self._asked_again: set[tuple[str, str]] = set()
        """The questions over which a process ended once."""
        self._task: asyncio.Task[None] | None = None
        self._background: set[asyncio.Task[object]] = set()

    # ------------------------------------------------------------ what is wanted and known

    def set_up(self, is_on: bool, seconds: float) -> None:
        """Whether there are proofs, and how long those of one reduction may take."""
        if seconds != self.seconds:
            self._forget(lambda judgement: any(found.verdict == UNKNOWN for found in judgement.laws))
        self.is_on, self.seconds = is_on, seconds
        self._begin()

    def want(self, path: str, reductions: Iterable[Reduction]) -> None:
        """These are the reductions of a file now."""
        self._wanted[path] = list(reductions)
        self._begin()

    def forget(self, path: str) -> None:
        self._wanted.pop(path, None)
        self._drop_overtaken()

    def typed(self) -> None:
        """Somebody is typing."""
        self._typed_at = asyncio.get_running_loop().time()

    def states(self, reduction: Reduction) -> tuple[LawState, ...]:
        """What is known of both laws of a reduction; nothing where proofs are off."""
        return tuple(self._state(reduction, law) for law in Law) if self.is_on else ()

    def judgement(self, reduction: Reduction) -> Judgement | None:
        """All that is known of a reduction, once it is."""
        if not self.is_on:
            return None
        return self._judgements.get(reduction.key) or self._by_meaning.get(reduction.meaning)

    @property
    def is_idle(self) -> bool:
        return not self.is_on or (self._work is None and self._next() is None)

    def _state(self, reduction: Reduction, law: Law) -> LawState:
        known = self.judgement(reduction)
        if known is not None:
            finding = next(found for found in known.laws if found.law is law)
            return LawState(law, _STATES[finding.verdict], finding)
        if self._work is not None and self._work.reduction.key == reduction.key:
            found = self._work.findings.get(law)
            return LawState(law, State.WORKING if found is None else _STATES[found.verdict], found)
        before = self._before.get((reduction.path, reduction.name))
        if before is None:
            return LawState(law, State.QUEUED)
        return LawState(law, State.STALE, next(found for found in before.laws if found.law is law))

    # ------------------------------------------------------------ the work

    def _begin(self) -> None:
        """Look again at what there is to do."""
        if self._task is None and any(self._wanted.values()) and self.is_on:
            self._task = asyncio.get_running_loop().create_task(self._run())
        self._drop_overtaken()
        self._wake.set()

    def _forget(self, is_old: Callable[[Judgement], bool]) -> None:
        """Ask again what was judged like this."""
        for key in [key for key, judgement in self._judgements.items() if is_old(judgement)]:
            del self._judgements[key]
        for meaning in [meaning for meaning, judgement in self._by_meaning.items() if is_old(judgement)]:
            del self._by_meaning[meaning]
        self._asked_again.clear()

    def _next(self) -> Reduction | None:
        if not self.is_on:
            return None
        reductions = (r for of_file in self._wanted.values() for r in of_file)
        return next((r for r in reductions if r.key not in self._judgements), None)

    def _drop_overtaken(self) -> None:
        """End the process where nobody wants to know any more what it works on."""
        work = self._work
        if work is None:
            return
        if self.is_on and any(r.key == work.reduction.key for of_file in self._wanted.values() for r in of_file):
            return
        self._work = None
        child, self._child = self._child, None
        if child is not None:
            self._in_background(child.end())

    async def _run(self) -> None:
        while True:
            reduction = self._next()
            if reduction is None:
                self._wake.clear()
                await self._wake.wait()
                continue
            wait = self._typed_at + IDLE_SECONDS - asyncio.get_running_loop().time()
            if wait > 0:
                await asyncio.sleep(wait)
                continue
            try:
                await self._prove(reduction)
            except Exception:
                # A fault of ours in one proof must not end all others.
                log.exception("the proof of %s failed", reduction.name)
                self._work = None
                self._take(reduction, _without_answer(reduction, "the prover failed"))

    async def _prove(self, reduction: Reduction) -> None:
        try:
            child = await self._ready()
        except (OSError, Gone) as error:
            if not self._asks_again(reduction):
                self._take(reduction, _without_answer(reduction, f"the prover's process cannot be started: {error}"))
            return
        if reduction is not self._next():  # changed while the process started
            return
        work = self._work = _Work(reduction)
        self._changed(reduction.path)
        child.send(Question(reduction.program, self.seconds))
        try:
            async with asyncio.timeout(self.seconds + _GRACE_SECONDS):
                judgement: Judgement | None = await self._listen(child, work)
        except (Gone, TimeoutError):
            judgement = None
        if self._work is not work:  # ended by us: the answer is for nobody
            return
        self._work = None
        if judgement is None:
            await self._end_process()
        if (judgement is None or not judgement.is_lasting) and self._asks_again(reduction):
            return
        if judgement is None:
            self._failed("the prover's process stopped, and was started again")
            judgement = _without_answer(reduction, "the prover's process stopped")
        self._take(reduction, judgement)

    def _asks_again(self, reduction: Reduction) -> bool:
        """Whether a question without an answer may be asked once more: what ended may have ended for another reason."""
        is_new = reduction.key not in self._asked_again
        self._asked_again.add(reduction.key)
        return is_new

    async def _listen(self, child: Child, work: _Work) -> Judgement:
        while True:
            message = await child.receive()
            if isinstance(message, Judgement):
                return message
            if isinstance(message, LawFinding) and self._work is work:
                work.findings[message.law] = message
                self._changed(work.reduction.path)

    def _take(self, reduction: Reduction, judgement: Judgement) -> None:
        # The child's copy of the program is equal to ours; one of them is enough.
        judgement = replace(judgement, program=reduction.program)
        self._judgements[reduction.key] = judgement
        self._by_meaning[reduction.meaning] = judgement
        self._before[reduction.path, reduction.name] = judgement
        _trim(self._judgements)
        _trim(self._by_meaning)
        _trim(self._before)
        self._changed(reduction.path)

    # ------------------------------------------------------------ processes

    async def _ready(self) -> Child:
        """A process that waits for a question; another is started to stand by."""
        while self._child is None or not self._child.is_alive:
            spare, self._spare = self._spare, None
            self._child = await (spare or asyncio.create_task(_started()))
        if self._spare is None:
            self._spare = asyncio.create_task(_started())
        return self._child

    async def restart(self) -> None:
        """End the process; what it worked on is asked of another, and what none could answer too."""
        self._work = None
        self._forget(lambda judgement: not judgement.is_lasting)
        await self._end_process()
        self._wake.set()

    async def _end_process(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await child.end()

    async def close(self) -> None:
        """End all processes."""
        for task in (self._task, self._spare):
            if task is not None and not task.done():
                task.cancel()
        if self._spare is not None:
            with suppress(asyncio.CancelledError, OSError, Gone):
                await (await self._spare).end()
        await self._end_process()

    def _in_background(self, work: Coroutine[Any, Any, object]) -> None:
        task: asyncio.Task[object] = asyncio.get_running_loop().create_task(work)
        self._background.add(task)  # the loop itself holds no task
        task.add_done_callback(self._background.discard)


def _trim(table: dict[Any, Judgement]) -> None:
    """Forget the oldest where there are too many."""
    while len(table) > _KEPT:
        del table[next(iter(table))]


async def _started() -> Child:
    child = Child("kcheck.lsp.proving")
    try:
        async with asyncio.timeout(_START_SECONDS):
            await child.start()
            child.send(GetReady())
            ready = await child.receive()
    except BaseException:
        await child.end()
        raise
    assert isinstance(ready, Ready)
    return child


def _without_answer(reduction: Reduction, reason: str) -> Judgement:
    laws = tuple(LawFinding(law, UNKNOWN, reason=reason) for law in Law)
    return Judgement(reduction.program, laws, is_lasting=False)

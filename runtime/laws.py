"""The merge laws of checked files, judged with all that is there: the interpreter, the solver, the user's cache."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Collection
from functools import cache
from typing import TYPE_CHECKING

from kcheck.checker import ir
from kcheck.checker.checked import Checked

if TYPE_CHECKING:
    from kcheck.checker.law.evaluate import Evaluate
    from kcheck.checker.law.prover import Prover, Told

CHECK_SECONDS = 10.0
"""How long a check may take for one reduction, unless the user says otherwise,"""
RUN_SECONDS = 2.0
"""and how long a run may wait for it."""


def judged(
    checked: Checked,
    seconds: float = CHECK_SECONDS,
    *,
    only: Collection[str] | None = None,
    told: Told | None = None,
) -> Checked:
    """The same with verdicts on the merges of its reductions (those named in `only`) and the findings on them.

    Takes at most so many seconds and a little for each; `told` hears of each verdict as soon as there is one.
    """
    wanted = [p.name for p in checked.programs.values() if isinstance(p.schedule, ir.Fold)]
    names = [name for name in wanted if only is None or name in only]
    return _prover().judge(checked, names, seconds, told) if names else checked


@cache
def _prover() -> Prover:
    """One for the process: its worker is kept for the next file."""
    prover = new_prover()
    atexit.register(prover.close)
    return prover


def new_prover() -> Prover:
    """A prover with a worker process of its own, which is to be closed."""
    from kcheck.checker.law.cache import Cache
    from kcheck.checker.law.prover import Prover
    from kcheck.grammar.cached_files import cache_folder

    folder = cache_folder()
    make: Callable[[], Evaluate] = _parts
    return Prover(make, None if folder is None else Cache(folder / "laws"))


def _parts() -> Evaluate:
    from kcheck.runtime.interpreter.parts import InterpretedParts

    return InterpretedParts()

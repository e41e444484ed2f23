"""What the prover's process and the solver's say to each other; all of it can be pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from kcheck.checker import ir
from kcheck.checker.law.problem import Law, Undefined
from kcheck.checker.law.solver.unrolling import Candidate
from kcheck.grammar.spans import Origin

# ---------------------------------------------------------------- to the solver's process


@dataclass(frozen=True, slots=True)
class Task:
    """Settle these laws of a reduction, and whether all its steps have a value, within so many seconds."""

    number: int
    program: ir.Program
    laws: tuple[Law, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Skip:
    """The law is settled, or with None the whole task: stop working on it."""

    number: int
    law: Law | None


@dataclass(frozen=True, slots=True)
class Heard:
    """What was suspected has been looked into, and what is settled by it was told: go on with the task."""

    number: int


# ---------------------------------------------------------------- from it


@dataclass(frozen=True, slots=True)
class Defined:
    """Every step has a value, since these invariants hold."""

    assuming: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotShownDefined:
    """Steps that may have no value for some reachable values."""

    steps: tuple[tuple[Undefined, Origin], ...]


@dataclass(frozen=True, slots=True)
class Proved:
    """The law holds of all reachable values if every step has a value; the proof rests on these invariants."""

    law: Law
    method: str
    assuming: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Suspect:
    """Elements that may break the law or, where that is None, reach a step without a value; not run yet."""

    law: Law | None
    candidate: Candidate


@dataclass(frozen=True, slots=True)
class GaveUp:
    """Nothing more is tried for the law, or for any where it is None; says why."""

    law: Law | None
    reason: str


Message: TypeAlias = "Defined | NotShownDefined | Proved | Suspect | GaveUp"


@dataclass(frozen=True, slots=True)
class Answer:
    """A message about the task of this number; without one the task is done."""

    number: int
    message: Message | None

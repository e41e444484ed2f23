"""What the server and its proving process say to each other, beside findings and judgements."""

from __future__ import annotations

from dataclasses import dataclass

from kcheck.checker import ir


@dataclass(frozen=True, slots=True)
class Question:
    """What are the laws of this reduction?  There are so many seconds to find out."""

    program: ir.Program
    seconds: float


@dataclass(frozen=True, slots=True)
class GetReady:
    """Load what is needed, start the solver, and say so."""


@dataclass(frozen=True, slots=True)
class Ready:
    """All is there."""

"""What a proof of a law is."""

from __future__ import annotations

from dataclasses import dataclass

from kcheck.checker.law.problem import Invariant, Obligation


@dataclass(frozen=True, slots=True)
class Proof:
    """The law holds for all reachable values, if the invariants `used` do.

    `method` names in a few words what decided it.  The proof takes it that every step of merge has a value; `open`
    are the steps for which that was not shown here.
    """

    used: tuple[Invariant, ...]
    method: str
    open: tuple[Obligation, ...] = ()

"""What polynomials are made of: variables, and every value that has no polynomial of its own."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from enum import Enum

from kcheck.checker.law.algebra.interval import EVERYTHING, Interval
from kcheck.checker.law.algebra.polynomial import Polynomial


class Kind(Enum):
    VARIABLE = "variable"
    """Of a term; an Int stands for its signed value."""
    TRUTH = "truth"
    """A Bool, as 0 or 1."""
    EXP = "exp"
    """e to a monomial: its exponent in a monomial may be any fraction."""
    LOG = "log"
    SQRT = "sqrt"
    ABS = "abs"
    FLOOR = "floor"
    EXTREME = "extreme"
    """A maximum of minima, as `lattice` keeps it."""
    SIGNED = "signed"
    """The value in the range of Int that equals a polynomial modulo 2^32."""
    UNSIGNED = "unsigned"
    """The value in 0 .. 2^32 - 1 that equals a polynomial modulo 2^32."""
    CARRY = "carry"
    """How often 2^32 goes into a polynomial, rounded down."""
    BITS = "bits"
    """What `bits` keeps of `&`, `|` and `^`."""
    MODULO = "modulo"
    """A polynomial over the numbers 0 to p - 1."""
    OTHER = "other"
    """Any other function of normal forms."""


@dataclass(frozen=True, slots=True)
class Atom:
    number: int
    kind: Kind
    key: Hashable
    integral: bool
    interval: Interval
    square: Polynomial | None
    """What the atom times itself is, where that is simpler."""


class Atoms:
    """Numbers the atoms; equal kinds and keys are one atom."""

    def __init__(self) -> None:
        self._known: dict[tuple[Kind, Hashable], int] = {}
        self._all: list[Atom] = []
        self.factors: list[Polynomial] = []
        """Polynomials that stand in denominators; no two have a factor in common that was seen."""

    def __getitem__(self, number: int) -> Atom:
        return self._all[number]

    def __len__(self) -> int:
        return len(self._all)

    def make(
        self,
        kind: Kind,
        key: Hashable,
        *,
        integral: bool = False,
        interval: Interval = EVERYTHING,
        square: Polynomial | None = None,
    ) -> int:
        known = self._known.get((kind, key))
        if known is None:
            known = self._known[kind, key] = len(self._all)
            self._all.append(Atom(known, kind, key, integral, interval, square))
        return known

    def whole(self, p: Polynomial) -> bool:
        """Whether this polynomial has only whole values."""
        return all(
            isinstance(c, int) and all(self._all[a].integral and isinstance(e, int) and e > 0 for a, e in monomial)
            for monomial, c in p.items()
        )

"""What polynomials are made of: variables, and every value that has no polynomial of its own."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from enum import Enum

from kcheck.checker.law.algebra.interval import EVERYTHING, Interval
from kcheck.checker.law.algebra.polynomial import ONE, Polynomial, power, scale


class Kind(Enum):
    VARIABLE = "variable"
    """Of a term; an Int stands for its signed value."""
    TRUTH = "truth"
    """A Bool, as 0 or 1."""
    EXP = "exp"
    """e to a monomial: its exponent in a monomial may be any fraction."""
    LOG = "log"
    COSINE = "cos"
    SINE = "sin"
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
    REST = "rest"
    """A polynomial over the numbers 0 to p - 1, where p is an atom above 0."""
    DIVISOR = "gcd"
    """The greatest common divisor of the values of some polynomials, as `divisors` keeps them."""
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

    def learn_square(self, p: Polynomial) -> None:
        """That p is 0 on all paths: of a sum of squares of variables one is what the others leave."""
        squares = {m[0][0]: c for m, c in p.items() if len(m) == 1 and m[0][1] == 2}
        if not squares or len(squares) < len(p) - (ONE in p) or any(self._is_known(a) for a in squares):
            return
        last = max(squares)
        if abs(squares[last]) != 1:
            return  # of Ints, which wrap, half of what is known is not known
        rest = {m: c for m, c in p.items() if m != power(last, 2)}
        self._all[last] = replace(self._all[last], square=scale(rest, -squares[last]))

    def _is_known(self, atom: int) -> bool:
        """Whether the square of an atom has other atoms in it already, or may be known in another way."""
        return self._all[atom].square is not None or self._all[atom].kind is not Kind.VARIABLE

    def whole(self, p: Polynomial) -> bool:
        """Whether this polynomial has only whole values."""
        return all(
            isinstance(c, int) and all(self._all[a].integral and isinstance(e, int) and e > 0 for a, e in monomial)
            for monomial, c in p.items()
        )

"""What the prover needs from a backend: small runs of a reduction, to show that a witness is real.

The checker never imports a backend; whoever stands above both hands in something that fits `Evaluate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from kcheck.checker import ir

Number: TypeAlias = "bool | int | float"
"""A scalar: a bool, an Int as a signed int, or a Float as the double that equals it."""

Leaves: TypeAlias = tuple[Number, ...]
"""A value as its scalars, in the order of `types.leaves`."""


@dataclass(frozen=True, slots=True)
class SmallField:
    """A field of few elements, row-major; `shape` has NumPy's order: (n), (h, w), (d, h, w)."""

    shape: tuple[int, ...]
    elements: tuple[Leaves, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """What a small run of a reduction is bound to: every input and every param by its name."""

    fields: Mapping[str, SmallField]
    params: Mapping[str, Leaves]


class Evaluate(Protocol):
    """Runs the parts of a reduction as every backend would, in strict mode."""

    def compute(self, program: ir.Program, case: Case) -> Sequence[Leaves]:
        """What `compute` gives for each element of the walked input, row-major."""
        ...

    def merge(
        self, program: ir.Program, left: Sequence[Leaves], right: Sequence[Leaves], params: Mapping[str, Leaves]
    ) -> Sequence[Leaves]:
        """`merge` of each pair of values."""
        ...

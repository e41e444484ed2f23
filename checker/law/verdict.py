"""What the prover says of a reduction, as values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kcheck.checker import ir
from kcheck.checker.law.evaluate import Case, Leaves
from kcheck.checker.law.problem import Law, Undefined
from kcheck.grammar.spans import Origin

PROVED, REFUTED, UNKNOWN = "proved", "refuted", "unknown"

Tree: TypeAlias = "int | tuple[Tree, Tree]"
"""What is merged with what: an element by its position, or the merge of two trees."""


def elements_of(tree: Tree) -> Iterator[int]:
    """The positions of the elements, from left to right."""
    if isinstance(tree, int):
        yield tree
    else:
        for side in tree:
            yield from elements_of(side)


@dataclass(frozen=True, slots=True)
class Trial:
    """Two trees over the elements of a case, which a law says are equal."""

    case: Case
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Step:
    """A value of a run: what `compute` gave for an element, or the merge of two others."""

    tree: Tree
    value: Leaves
    parts: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True)
class Witness:
    """Elements for which two orders or groupings give different results, as a run showed.

    `differing` are the leaves in which they do.
    """

    program: ir.Program
    case: Case
    left: Step
    right: Step
    differing: tuple[int, ...]

    @property
    def trial(self) -> Trial:
        return Trial(self.case, self.left.tree, self.right.tree)


@dataclass(frozen=True, slots=True)
class LawFinding:
    """The verdict on one law; `assuming` are the texts of the invariants that a proof rests on."""

    law: Law
    verdict: str
    reason: str = ""
    assuming: tuple[str, ...] = ()
    witness: Witness | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class UndefinedStep:
    """A step that has no value over the reals for some elements: in `compute` of one, or in a merge.

    `parts` are the two values that are merged, or empty where `tree` is one element.
    """

    kind: Undefined
    origin: Origin
    program: ir.Program
    case: Case
    tree: Tree
    parts: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """All that is known of one reduction's merge; `origin` is where a proof was blocked, if at one place.

    `special` shows elements with NaN or infinities for which a law that holds over the reals does not hold.
    """

    program: ir.Program
    laws: tuple[LawFinding, ...]
    undefined: UndefinedStep | None = None
    special: Witness | None = None
    blocked: Origin | None = None
    is_lasting: bool = True
    """Whether the same would be found again: not where the solver was missing or ended before its time."""

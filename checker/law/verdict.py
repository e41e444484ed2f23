"""What the prover says of a reduction, as values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kcheck.checker import ir
from kcheck.checker.law.evaluate import Case, Leaves
from kcheck.checker.law.problem import Law, Undefined
from kcheck.grammar.spans import Origin

PROVED, REFUTED, UNKNOWN = "proved", "refuted", "unknown"


@dataclass(frozen=True, slots=True)
class Repeated:
    """The merge of so many copies of a tree, at least 2: of itself and others over elements equal to its own.

    The copies' elements have no positions in a case, as compute gives the same for them wherever they are.
    """

    tree: Tree
    count: int


Merge: TypeAlias = "tuple[Tree, Tree] | Repeated"
"""A tree of more than one element."""
Tree: TypeAlias = "int | Merge"
"""What is merged with what: an element by its position, the merge of two trees, or that of copies of one."""


def sides_of(tree: Merge) -> tuple[Tree, Tree]:
    """The two trees that the last merge of a tree merges: halves of copies, or the last copy where they are odd."""
    if not isinstance(tree, Repeated):
        return tree
    last = 1 if tree.count % 2 else tree.count // 2
    return copies(tree.tree, tree.count - last), copies(tree.tree, last)


def copies(tree: Tree, count: int) -> Tree:
    """The merge of so many copies of a tree, at least 1."""
    return tree if count == 1 else Repeated(tree, count)


def mapped(tree: Merge, change: Callable[[Tree], Tree]) -> Merge:
    """The tree with what it is made of changed."""
    if isinstance(tree, Repeated):
        return Repeated(change(tree.tree), tree.count)
    left, right = tree
    return change(left), change(right)


def counted(tree: Tree, times: int = 1) -> Iterator[tuple[int, int]]:
    """The positions of the elements from left to right, each with how many elements there are like it."""
    match tree:
        case int():
            yield tree, times
        case Repeated():
            yield from counted(tree.tree, times * tree.count)
        case _:
            for side in tree:
                yield from counted(side, times)


def elements_of(tree: Tree) -> Iterator[int]:
    """The positions of the elements, from left to right."""
    return (position for position, _ in counted(tree))


def size_of(tree: Tree) -> int:
    """How many elements are merged, with all copies."""
    return sum(times for _, times in counted(tree))


@dataclass(frozen=True, slots=True)
class Trial:
    """Two trees over the elements of a case, which a law says are equal."""

    case: Case
    left: Tree
    right: Tree


@dataclass(frozen=True, slots=True)
class Step:
    """A value of a run: what `compute` gave for an element, or the merge of two others.

    That of copies has one part: the value that is merged with itself.
    """

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

    @property
    def has_copies(self) -> bool:
        """Whether it is of more elements than the case holds."""
        return any(times > 1 for _, times in counted(self.left.tree))


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

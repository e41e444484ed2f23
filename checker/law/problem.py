"""What the prover is asked: a reduction's compute and merge as terms.

The laws are claims about *reachable* values: what `compute` gives for some element and params within their ranges,
and merges of such values.  `compute` stands over variables of one element; every leaf of a fold has its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from kcheck.checker import ir
from kcheck.checker.law.terms import Sort, Term, Terms, postorder, variables
from kcheck.checker.law.words import mixes, unmixed
from kcheck.checker.types import Scalar, Type, leaves
from kcheck.grammar.spans import Origin

MAX_LEAVES = (1 << 31) - 1
"""The most elements of a field, so the most leaves of a fold."""


class Law(Enum):
    ASSOCIATIVE = "associative"
    COMMUTATIVE = "commutative"

    @property
    def values(self) -> int:
        """How many values the law speaks of."""
        return 3 if self is Law.ASSOCIATIVE else 2


class Undefined(Enum):
    """Steps without a value for some arguments; the value says what is asked of them."""

    DIVISION = "the divisor is not 0"
    REMAINDER = "the divisor of `%` is not 0"
    LOG = "the argument of the logarithm is above 0"
    SQRT = "the argument of the square root is not below 0"
    INVERSESQRT = "the argument of `inversesqrt` is above 0"
    ARC = "the argument is within -1 and 1"
    TAN = "the argument of `tan` is at no pole"
    POW = "`pow` has a value for its arguments"
    NORMALIZE = "the vector has a length above 0"
    NOT_REAL = "the number is finite"
    ROUNDS = "a loop ends within the rounds that were written out"
    """No step without a value, but one that the terms do not tell: they hold as long as the loop ends."""


@dataclass(frozen=True, slots=True)
class Obligation:
    """A step that has a value only where `condition` holds, and is reached only where `guard` does.

    Where `guard` is true and `condition` false the merge (or compute) has no value over the reals.
    """

    guard: Term
    condition: Term
    kind: Undefined
    origin: Origin


@dataclass(frozen=True, slots=True)
class Input:
    """A variable of one element: what `compute` read.

    `origin` is an `ir.Sample`, `ir.At`, `ir.Place` …; two reads of one thing are one variable.  `leaf` is the leaf of
    its type.  `low` and `high` bound an Int or Real where they are known (an index is at least 0), both included.
    All elements of a run see one value of what is `shared`, such as a size or `at(field, 0)`.  An `ir.At` reads at the
    `address`, whose terms stand over inputs that come before this one.
    """

    variable: Term
    read: ir.Expression
    leaf: int
    low: int | None = None
    high: int | None = None
    shared: bool = False
    address: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Symbolic:
    """Leaves of a function's result over variables, and what must hold for it to have one."""

    leaves: tuple[Term, ...]
    obligations: tuple[Obligation, ...]


@dataclass(frozen=True)
class Problem:
    """`merge` stands over the variables `left` and `right`, one for each leaf of the merged type; `compute` over
    `inputs`; both over `params`, of which `assumptions` hold (their ranges)."""

    terms: Terms
    program: ir.Program
    type: Type
    left: tuple[Term, ...]
    right: tuple[Term, ...]
    merge: Symbolic
    compute: Symbolic
    inputs: tuple[Input, ...]
    params: tuple[Term, ...]
    assumptions: tuple[Term, ...]

    @property
    def sorts(self) -> tuple[Sort, ...]:
        return tuple(leaf.sort for leaf in self.left)

    @property
    def names(self) -> tuple[str, ...]:
        """The path of each leaf, as `sum` or `box.low.x`; "" where the type is a scalar."""
        return tuple(path_name(leaf.path) for leaf in leaves(self.type))

    @property
    def assumes_rounds(self) -> bool:
        """Whether merge is written out only as far as its loops end early."""
        return any(o.kind is Undefined.ROUNDS for o in self.merge.obligations)

    @cached_property
    def common(self) -> frozenset[Term]:
        """The variables that have one value for all elements of a run: of params, and of what is shared."""
        shared = (read.variable for read in self.inputs if read.shared)
        return frozenset((*variables(self.params), *shared))

    def merged(self, left: Sequence[Term], right: Sequence[Term]) -> tuple[Term, ...]:
        """The leaves of merge(left, right)."""
        return self.terms.substitute(self.merge.leaves, self._bound(left, right))

    def merge_obligations(self, left: Sequence[Term], right: Sequence[Term]) -> tuple[Obligation, ...]:
        return self._substituted(self.merge.obligations, self._bound(left, right))

    def element(self, suffix: str) -> Symbolic:
        """What `compute` gives for an element of its own, whose variables have this suffix."""
        by = {i.variable: self.element_variable(i, suffix) for i in self.inputs}
        return Symbolic(self.terms.substitute(self.compute.leaves, by), self._substituted(self.compute.obligations, by))

    def element_variable(self, read: Input, suffix: str) -> Term:
        if read.shared:
            return read.variable
        return self.terms.var(f"{read.variable.value}{suffix}", read.variable.sort)

    def state(self, name: str) -> tuple[Term, ...]:
        """Fresh variables for the leaves of a reachable value."""
        return tuple(self.terms.var(f"{name}.{i}", sort) for i, sort in enumerate(self.sorts))

    def plain_sides(self, law: Law) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """The two values that the law says are equal, over the states `a`, `b` (and `c`)."""
        a, b, c = self.state("a"), self.state("b"), self.state("c")
        if law is Law.COMMUTATIVE:
            return self.merged(a, b), self.merged(b, a)
        return self.merged(self.merged(a, b), c), self.merged(a, self.merged(b, c))

    def sides(self, law: Law) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
        """The same, where what was mixed and mixed back is what it was."""
        if law not in self._sides:
            left, right = self.plain_sides(law)
            if mixes(self.merge.leaves):
                both = unmixed(self.terms, (*left, *right))
                left, right = both[: len(left)], both[len(left) :]
            self._sides[law] = left, right
        return self._sides[law]

    def goals(self, law: Law) -> dict[int, tuple[Term, Term]]:
        """Of each leaf that the law has to be shown for, what is to be equal: where these are, so are all others."""
        left, right = self.sides(law)
        pairs = enumerate(zip(left, right, strict=True))
        return {i: (a, b) for i, (a, b) in pairs if a is not b and i not in self._derived}

    @cached_property
    def _derived(self) -> frozenset[int]:
        """The leaves that merge makes of others that it gives: a mean of a sum and a count, or the same once more."""
        merged, sides = set(self.merge.leaves), {*self.left, *self.right}
        reaching: set[Term] = set()
        """What is made of the sides in another way than through a leaf of the merge below it."""
        for term in postorder(self.merge.leaves):
            if term in sides or any(arg in reaching and arg not in merged for arg in term.args):
                reaching.add(term)
        firsts = {term: i for i, term in reversed(list(enumerate(self.merge.leaves)))}
        return frozenset(i for i, t in enumerate(self.merge.leaves) if t not in reaching or firsts[t] != i)

    @cached_property
    def _sides(self) -> dict[Law, tuple[tuple[Term, ...], tuple[Term, ...]]]:
        return {}

    def _bound(self, left: Sequence[Term], right: Sequence[Term]) -> dict[Term, Term]:
        return {**dict(zip(self.left, left, strict=True)), **dict(zip(self.right, right, strict=True))}

    def _substituted(self, obligations: Sequence[Obligation], by: Mapping[Term, Term]) -> tuple[Obligation, ...]:
        flat = [term for o in obligations for term in (o.guard, o.condition)]
        done = self.terms.substitute(flat, by)
        return tuple(Obligation(done[2 * i], done[2 * i + 1], o.kind, o.origin) for i, o in enumerate(obligations))


def path_name(path: Sequence[int | str]) -> str:
    """`("box", 0, "x")` as `box[0].x`."""
    name = ""
    for step in path:
        name += f"[{step}]" if isinstance(step, int) else f"{'.' if name else ''}{step}"
    return name


SORTS: Mapping[Scalar, Sort] = {Scalar.BOOL: Sort.BOOL, Scalar.INT: Sort.INT, Scalar.FLOAT: Sort.REAL}


@dataclass(frozen=True, slots=True)
class Invariant:
    """Something true of every reachable value: `holds` is a Bool term over `problem.state("h")` and the ghost
    `h.n` (an Int), the number of elements that were merged into the value: 1 for what compute gives."""

    text: str
    holds: Term

    def of(self, problem: Problem, state: Sequence[Term], count: Term) -> Term:
        """That it holds of these leaves, merged from `count` elements."""
        terms = problem.terms
        names = (*problem.state("h"), terms.var("h.n", Sort.INT))
        [term] = terms.substitute((self.holds,), dict(zip(names, (*state, count), strict=True)))
        return term


def ghost_count(problem: Problem, name: str) -> Term:
    """How many elements were merged into the state of this name: from 1 to `MAX_LEAVES`, as is their sum."""
    return problem.terms.var(f"{name}.n", Sort.INT)

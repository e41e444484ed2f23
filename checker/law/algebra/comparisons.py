"""Merges that compare and choose: every outcome of their comparisons is gone through.

A number is a node: a variable, a constant, a polynomial of nodes, or any other function of nodes.  On one path through
the outcomes it is known of some nodes that one is below another; no more is known of them than that order is
transitive, so that each path stands for at least the values that take it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from operator import or_
from typing import TypeAlias

from kcheck.checker.law import work
from kcheck.checker.law.algebra.facts import reduced
from kcheck.checker.law.algebra.polynomial import (
    ONE,
    Key,
    Monomial,
    Number,
    Polynomial,
    TooLarge,
    add,
    constant,
    constant_value,
    key,
    multiply,
    multiply_monomials,
    of_atom,
    power,
    scale,
    single_atom,
)
from kcheck.checker.law.terms import Op, Sort, Term, number, postorder

SECONDS = 0.05
"""How long `without_proved` follows paths for goals that belong together."""

MOST_IN_VAIN = 100
"""After so many paths that no fact excludes it is not likely that one does."""

_TERM, _VALUE, _PATH = 1e-6, 6e-6, 2e-5
"""The work of finding on what a term turns, of finding a value, and of starting a path."""

MAX_MONOMIALS = 60
"""Longer polynomials are left to the normal forms."""

Goal: TypeAlias = tuple[Term, Term]
"""Two terms that are to be equal."""


_EXP = (Op.EXP, None)
"""The name of e^m for a monomial m; a polynomial may have any power of it."""


class Nodes:
    """Numbers the nodes; equal ones have one number."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}
        self._polynomials: list[Polynomial] = []
        self.parts: list[tuple[Hashable, Sort, tuple[int, ...]] | None] = []
        """Of a function of nodes: its name, its sort and its arguments."""
        self.constants: dict[int, int | Fraction] = {}
        self.ints: dict[int | Fraction, int] = {}
        """The nodes of constant Ints."""
        self.sorts: list[Sort] = []

    def polynomial(self, node: int) -> Polynomial:
        """What the node is as a polynomial of others; of one that is none, itself."""
        return self._polynomials[node]

    def variable(self, term: Term) -> int:
        return self._made(term, term.sort, None, None)

    def function(self, name: Hashable, sort: Sort, arguments: tuple[int, ...]) -> int:
        return self._made((name, sort, arguments), sort, (name, sort, arguments), None)

    def of_polynomial(self, p: Polynomial, sort: Sort) -> int:
        """The node of a polynomial; Ints are taken modulo 2^32."""
        p = reduced(p) if sort is Sort.INT else p
        single = single_atom(p)
        if single is not None:
            return single
        value = constant_value(p)
        made: tuple[Sort, Key] = sort, key(p)
        node = self._made(made, sort, None, p)
        if value is not None:
            self.constants[node] = value
            if sort is Sort.INT:
                self.ints[value] = node
        return node

    def exponential(self, p: Polynomial) -> Polynomial:
        """e^p: a product of powers of e^m, one for each monomial m."""
        result: Monomial = ONE
        for monomial, coefficient in p.items():
            inner = self.of_polynomial({monomial: 1}, Sort.REAL)
            result = multiply_monomials(result, power(self.function(_EXP, Sort.REAL, (inner,)), coefficient))
        return {result: 1}

    def _made(
        self, name: Hashable, sort: Sort, parts: tuple[Hashable, Sort, tuple[int, ...]] | None, p: Polynomial | None
    ) -> int:
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = len(self.sorts)
            self.sorts.append(sort)
            self.parts.append(parts)
            self._polynomials.append(of_atom(known) if p is None else p)
        return known


class Open(Exception):
    """The outcome of a comparison is not known: the paths that it leads to, each with one more fact."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        super().__init__()
        self.outcomes = outcomes


class Outcome:
    """`low` is below `high`, or at most that if not `strict`; the other way round too where they are `equal`."""

    __slots__ = ("equal", "high", "low", "strict")

    def __init__(self, low: int, high: int, *, strict: bool = False, equal: bool = False) -> None:
        self.low = low
        self.high = high
        self.strict = strict
        self.equal = equal


Value: TypeAlias = "bool | int"
"""A truth value, or a node."""

_TRUE = -1
"""Stands for 1 in the order of truth values: a Bool node is true where it is not below this."""


class Path:
    """What is known on the way to one case, and the values that terms have there."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._above: dict[int, int] = {}
        self._strictly: dict[int, int] = {}
        """The nodes that are not below a node, and those that are above it, as bits; what is not there knows itself."""
        self._truths: dict[int, bool] = {}
        self._values: dict[Term, Value] = {}

    def copy(self) -> Path:
        twin = Path(self._nodes)
        twin._above = dict(self._above)
        twin._strictly = dict(self._strictly)
        twin._truths = dict(self._truths)
        twin._values = dict(self._values)
        return twin

    # ------------------------------------------------------------ order

    def assume(self, outcome: Outcome) -> None:
        if outcome.low == _TRUE:
            self._truths[outcome.high] = outcome.equal
            return
        self._assume_below(outcome.low, outcome.high, outcome.strict)
        if outcome.equal:
            self._assume_below(outcome.high, outcome.low, False)
        elif outcome.strict:
            self._assume_whole(outcome.low, outcome.high)

    def _assume_whole(self, low: int, high: int) -> None:
        """There is no Int between two that follow each other."""
        nodes = self._nodes
        if nodes.sorts[low] is Sort.INT:
            below = nodes.ints.get(nodes.constants[high] - 1) if high in nodes.constants else None
            above = nodes.ints.get(nodes.constants[low] + 1) if low in nodes.constants else None
            if below is not None:
                self._assume_below(low, below, False)
            if above is not None:
                self._assume_below(above, high, False)

    def _assume_below(self, low: int, high: int, strict: bool) -> None:
        above, strictly = self._above, self._strictly
        for node in (low, high):
            if node not in above:
                above[node], strictly[node] = 1 << node, 0
        low_bit, over, far_over = 1 << low, above[high], strictly[high]
        for node, mask in above.items():
            if mask & low_bit:
                above[node] = mask | over
                strictly[node] |= over if strict or strictly[node] & low_bit else far_over

    def order_constants(self) -> None:
        """Know the order of all constants so far; nothing else may be known yet."""
        constants = self._nodes.constants
        for sort in (Sort.INT, Sort.REAL):
            greater = 0
            for node in sorted((n for n in constants if self._nodes.sorts[n] is sort), key=constants.__getitem__)[::-1]:
                self._strictly[node] = greater
                greater |= 1 << node
                self._above[node] = greater

    def is_below(self, x: int, y: int) -> bool:
        """Whether x < y; raises `Open`."""
        if x == y or self._at_most(y, x):
            return False
        if self._strictly.get(x, 0) >> y & 1:
            return True
        constants = self._nodes.constants
        if x in constants and y in constants:
            return constants[x] < constants[y]
        raise Open((Outcome(x, y, strict=True), Outcome(y, x)))

    def are_equal(self, x: int, y: int) -> bool:
        """Whether x = y; raises `Open`."""
        if x == y:
            return True
        if self._strictly.get(x, 0) >> y & 1 or self._strictly.get(y, 0) >> x & 1:
            return False
        below, above = self._at_most(x, y), self._at_most(y, x)
        if below and above:
            return True
        constants = self._nodes.constants
        if x in constants and y in constants:
            return constants[x] == constants[y]
        outcomes = [Outcome(x, y, equal=True)]
        if not above:
            outcomes.append(Outcome(x, y, strict=True))
        if not below:
            outcomes.append(Outcome(y, x, strict=True))
        raise Open(outcomes)

    def _at_most(self, x: int, y: int) -> bool:
        return bool(self._above.get(x, 0) >> y & 1)

    def is_true(self, node: int) -> bool:
        """The value of a Bool node; raises `Open`."""
        known = self._truths.get(node)
        if known is None:
            raise Open((Outcome(_TRUE, node, equal=True), Outcome(_TRUE, node)))
        return known

    # ------------------------------------------------------------ goals

    def same(self, x: Value, y: Value) -> bool:
        """Whether two values are equal on this path, as far as is known."""
        if isinstance(x, bool) or isinstance(y, bool) or x == y:
            return x == y
        if self._at_most(x, y) and self._at_most(y, x):
            return True
        found: dict[int, int] = {}
        return self._represented(x, found) == self._represented(y, found)

    def _represented(self, node: int, found: dict[int, int]) -> int:
        """The node with the first of equal ones in place of each of its parts; `found` are those known already."""
        if node not in found:
            found[node] = self._rebuilt(node, found)
        return found[node]

    def _rebuilt(self, node: int, found: dict[int, int]) -> int:
        nodes = self._nodes
        parts = nodes.parts[node]
        if parts is not None and parts[0] != _EXP:
            name, sort, arguments = parts
            return self._first(
                nodes.function(name, sort, tuple(self._represented(argument, found) for argument in arguments))
            )
        p = nodes.polynomial(node)
        if parts is None and (single_atom(p) is not None or constant_value(p) is not None):
            return self._first(node)
        total: Polynomial = {}
        for monomial, coefficient in p.items():
            part = constant(coefficient)
            for atom, exponent in monomial:
                part = multiply(part, self._represented_power(atom, exponent, found))
            total = add(total, part)
        return self._first(nodes.of_polynomial(total, nodes.sorts[node]))

    def _represented_power(self, atom: int, exponent: Number, found: dict[int, int]) -> Polynomial:
        nodes = self._nodes
        parts = nodes.parts[atom]
        if parts is not None and parts[0] == _EXP:
            return nodes.exponential(scale(nodes.polynomial(self._represented(parts[2][0], found)), exponent))
        base, result = nodes.polynomial(self._represented(atom, found)), constant(1)
        for _ in range(int(exponent)):
            result = multiply(result, base)
        return result

    def _first(self, node: int) -> int:
        """Of the nodes that are known to be equal to this one: a constant, or the first."""
        equal = [other for other in self._above if self._at_most(node, other) and self._at_most(other, node)]
        constants = [other for other in equal if other in self._nodes.constants]
        return min(constants or equal, default=node)

    # ------------------------------------------------------------ values

    def value(self, term: Term) -> Value:
        """Raises `Open`, and `TooLarge` where the normal forms have to do it."""
        known = self._values.get(term)
        if known is None:
            work.count(_VALUE)
            known = self._values[term] = self._made(term)
        return known

    def _node(self, term: Term) -> int:
        value = self.value(term)
        if isinstance(value, bool):
            return self._nodes.of_polynomial(constant(int(value)), Sort.BOOL)
        return value

    def _made(self, term: Term) -> Value:
        match term.op:
            case Op.CONST:
                found = number(term)
                return found if isinstance(found, bool) else self._nodes.of_polynomial(constant(found), term.sort)
            case Op.VAR:
                node = self._nodes.variable(term)
                return self.is_true(node) if term.sort is Sort.BOOL else node
            case Op.IF:
                return self.value(term.args[1 if self.value(term.args[0]) else 2])
            case Op.NOT:
                return not self.value(term.args[0])
            case Op.AND:
                return self.value(term.args[0]) and self.value(term.args[1])
            case Op.OR:
                return self.value(term.args[0]) or self.value(term.args[1])
            case Op.EQ if term.args[0].sort is Sort.BOOL:
                return self.value(term.args[0]) == self.value(term.args[1])
            case Op.EQ:
                return self.are_equal(self._node(term.args[0]), self._node(term.args[1]))
            case Op.LT:
                return self.is_below(self._node(term.args[0]), self._node(term.args[1]))
            case Op.LE:
                return not self.is_below(self._node(term.args[1]), self._node(term.args[0]))
            case Op.MIN | Op.MAX:
                x, y = map(self._node, term.args)
                return x if self.is_below(x, y) == (term.op is Op.MIN) else y
            case Op.EXP:
                exponent = self._nodes.polynomial(self._node(term.args[0]))
                return self._nodes.of_polynomial(self._nodes.exponential(exponent), Sort.REAL)
            case Op.ADD | Op.SUB | Op.MUL | Op.NEG:
                return self._arithmetic(term)
            case _:
                node = self._nodes.function((term.op, term.value), term.sort, tuple(map(self._node, term.args)))
                return self.is_true(node) if term.sort is Sort.BOOL else node

    def _arithmetic(self, term: Term) -> int:
        x, *rest = (self._nodes.polynomial(self._node(arg)) for arg in term.args)
        match term.op:
            case Op.ADD:
                result = add(x, rest[0])
            case Op.SUB:
                result = add(x, rest[0], -1)
            case Op.MUL:
                result = multiply(x, rest[0])
            case _:
                result = scale(x, -1)
        if len(result) > MAX_MONOMIALS:
            raise TooLarge
        return self._nodes.of_polynomial(result, term.sort)


# ---------------------------------------------------------------- the search


def without_proved(goals: Sequence[Goal], facts: Sequence[Term], paths: int, deadline: float) -> list[Goal]:
    """The goals that this way leaves open, of each group after so many paths."""
    return [goal for left in _unproved(goals, facts, paths, deadline) for goal in left]


def are_proved(goals: Sequence[Goal], facts: Sequence[Term], paths: int, deadline: float) -> bool:
    """Whether this way proves all goals; ends at the first that it does not."""
    return not any(_unproved(goals, facts, paths, deadline))


def _unproved(goals: Sequence[Goal], facts: Sequence[Term], paths: int, deadline: float) -> Iterator[Sequence[Goal]]:
    """Of each group the goals that are left open."""
    for group in groups(goals):
        chosen = [goals[i] for i in group]
        proved = Search(facts, paths, min(deadline, work.clock() + SECONDS)).proved(chosen)
        yield [goal for i, goal in enumerate(chosen) if i not in proved]


def compares(goal: Goal) -> bool:
    """Whether there are comparisons in it that choose a number."""
    return any(_compared(term) for term in postorder(goal))


def groups(goals: Sequence[Goal]) -> Iterable[Sequence[int]]:
    """The positions of goals that turn on the same variables: one walk through the outcomes is enough for them."""
    turning = _turning([side for goal in goals for side in goal])
    found: dict[int, list[int]] = {}
    for position, (left, right) in enumerate(goals):
        found.setdefault(turning[left] | turning[right], []).append(position)
    return found.values()


def _turning(roots: Sequence[Term]) -> Mapping[Term, int]:
    """For each term below these the variables that choices in it turn on, as a bit for each."""
    read: dict[Term, int] = {}
    turning: dict[Term, int] = {}
    count = 0
    for term in postorder(roots):
        read[term] = reduce(or_, (read[arg] for arg in term.args), 0)
        if term.op is Op.VAR:
            read[term], count = 1 << count, count + 1
        compared = (read[arg] for arg in _compared(term))
        turning[term] = reduce(or_, (*compared, *(turning[arg] for arg in term.args)), 0)
    work.count(_TERM * len(turning))
    return turning


def _compared(term: Term) -> Sequence[Term]:
    if term.op is Op.IF:
        return term.args[:1]
    return term.args if term.op in (Op.MIN, Op.MAX) else ()


class Search:
    """Proves goals with facts, each a Bool term that holds, of which it says which it `used`."""

    def __init__(self, facts: Sequence[Term], paths: int, deadline: float) -> None:
        self._facts = facts
        self._left = paths
        self._deadline = deadline
        self._in_vain = 0
        """How many paths were divided by facts since one of them was of use."""
        self.used: set[int] = set()
        self.is_cut_short = False

    def proved(self, goals: Sequence[Goal]) -> set[int]:
        """Which of the goals hold, as far as was found out; of the facts no more is used than it takes."""
        proved = self._found(goals)
        for i in sorted(self.used) if proved else ():
            fewer = sorted(self.used - {i})
            other = Search([self._facts[j] for j in fewer], self._left, self._deadline)
            if other._found(goals) >= proved:
                self.used = {fewer[j] for j in other.used}
        return proved

    def proved_with_all(self, goals: Sequence[Goal]) -> set[int]:
        """The same with every fact taken for used."""
        self.used = set(range(len(self._facts)))
        return self._proved(goals)

    def _found(self, goals: Sequence[Goal]) -> set[int]:
        while True:
            before = len(self.used)
            proved = self._proved(goals)
            if len(self.used) == before:
                return proved

    def _proved(self, goals: Sequence[Goal]) -> set[int]:
        """The same with what was used so far as known from the start; ends early where another fact is of use."""
        used = len(self.used)
        left = set(range(len(goals)))
        pending = [self._start(goals)]
        while pending and left:
            work.count(_PATH)
            self._left -= 1
            if self._in_vain > MOST_IN_VAIN:
                return set()
            if self._left < 0 or work.clock() > self._deadline:
                self.is_cut_short = True
                return set()
            path = pending.pop()
            try:
                self._keep(path, goals, left)
            except Open as open_:
                pending.extend(self._branches(path, open_.outcomes))
            except TooLarge:
                return set()
            if len(self.used) > used:
                return set()
        return left

    def _keep(self, path: Path, goals: Sequence[Goal], left: set[int]) -> None:
        """Take out the goals that may fail on this path; raises `Open`."""
        failing = {i for i in left if not path.same(path.value(goals[i][0]), path.value(goals[i][1]))}
        if failing and not self._is_excluded(path):
            left -= failing

    def _is_excluded(self, path: Path) -> bool:
        """Whether some fact does not hold on the path; raises `Open` where one may not."""
        self._in_vain += 1
        unknown: Open | None = None
        for i, fact in enumerate(self._facts):
            try:
                if not path.value(fact):
                    self.used.add(i)
                    self._in_vain = 0
                    return True
            except Open as open_:
                unknown = unknown or open_
        if unknown is not None:
            raise unknown
        return False

    def _start(self, goals: Sequence[Goal]) -> Path:
        path = Path(Nodes())
        for term in postorder([*self._facts, *(term for goal in goals for term in goal)]):
            if term.is_const:
                path.value(term)
        path.order_constants()
        for i in sorted(self.used):
            for part in _conjuncts(self._facts[i]):
                try:
                    path.value(part)
                except Open as open_:
                    self._assume(path, part, open_.outcomes)
        return path

    def _assume(self, path: Path, part: Term, outcomes: Sequence[Outcome]) -> None:
        """Take it for true, if just one of the outcomes is that it is."""
        branches = [(branch, _truth(branch, part)) for branch in self._branches(path, outcomes)]
        if any(truth is None for _, truth in branches):
            return
        holding = [outcome for outcome, (_, truth) in zip(outcomes, branches, strict=True) if truth]
        if len(holding) == 1:
            path.assume(holding[0])

    def _branches(self, path: Path, outcomes: Sequence[Outcome]) -> list[Path]:
        made = []
        for outcome in outcomes:
            branch = path.copy()
            branch.assume(outcome)
            made.append(branch)
        return made


def _truth(path: Path, term: Term) -> bool | None:
    try:
        return bool(path.value(term))
    except (Open, TooLarge):
        return None


def _conjuncts(fact: Term) -> Iterable[Term]:
    if fact.op is Op.AND:
        for side in fact.args:
            yield from _conjuncts(side)
    else:
        yield fact

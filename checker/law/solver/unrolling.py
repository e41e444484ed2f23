"""Bounded unrolling: elements, a few of them, that a solver says may break a law or reach a step without a value.

They are candidates: a solver's Reals do not round and its exponentials are no exponentials, so each has to be run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations

from kcheck.checker import floats
from kcheck.checker.law import work
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.concrete import param_variables
from kcheck.checker.law.problem import Law, Obligation, Problem
from kcheck.checker.law.solver.distinct import indices
from kcheck.checker.law.solver.entailment import exact_strategies, single_script
from kcheck.checker.law.solver.intervals import given_ranges, met
from kcheck.checker.law.solver.laws import holds
from kcheck.checker.law.solver.session import Answer, Session
from kcheck.checker.law.solver.smtlib import Encoding
from kcheck.checker.law.terms import Sort, Term, Value, postorder

_SIZES = {
    Law.COMMUTATIVE: ((1, 1), (2, 1), (1, 2), (2, 2), (3, 1), (3, 2), (3, 3), (4, 4)),
    Law.ASSOCIATIVE: (
        (1, 1, 1),
        (2, 1, 1),
        (1, 1, 2),
        (1, 2, 1),
        (2, 2, 1),
        (1, 2, 2),
        (3, 3, 1),
        (2, 2, 2),
        (3, 3, 3),
    ),
}
"""How many elements are merged into each state that the law speaks of."""

_MARGIN = Fraction(1, 64)
"""How far apart Reals have to be, so that rounding does not bring them together."""
_NEAR = 64
"""Reals are looked for between this and its negative first."""
_STEP = 16
"""Reals are first moved to the nearest multiple of a sixteenth: such numbers add and multiply without rounding."""


_QUICK_SECONDS = 0.1
_LARGEST_INDEX = 1000
_LARGEST = Fraction(floats.to_float(floats.INFINITY - 1))


@dataclass(frozen=True, slots=True)
class Candidate:
    """Elements and params to run: the values of `problem.inputs` for each element, and of `param_variables`.

    `sizes` says how many elements, in their order and from the left, are merged into each of the states that the
    law speaks of, or into both sides of the merge (or the one element) in which a step has no value.
    """

    elements: tuple[tuple[Value, ...], ...]
    params: tuple[Value, ...]
    sizes: tuple[int, ...]


def search(
    problem: Problem, law: Law, deadline: float, session: Session | None = None, *, quick: bool = False
) -> Iterator[Candidate]:
    """Elements and params that may break the law, few elements first; `quick` tries the fewest, by the cheapest way."""
    session = session or Session()
    for sizes in _SIZES[law][: 1 if quick else None]:
        unrolled = _Unrolled(problem, sizes)
        states = unrolled.states()
        left, right = _sides(problem, law, states)
        goals = [_close(problem, a, b) for a, b in zip(left, right, strict=True) if a is not b]
        goal = problem.terms.all(goals)
        if goal is not problem.terms.true:
            yield from unrolled.models(session, goal, deadline, quick=quick)
        if work.clock() >= deadline or session.is_spent:
            return


def search_undefined(
    problem: Problem, obligations: Sequence[Obligation], deadline: float, session: Session | None = None
) -> Iterator[Candidate]:
    """Elements and params with which one of these steps, of compute or of merge, may have no value."""
    session = session or Session()
    of_compute = [o for o in obligations if o in problem.compute.obligations]
    of_merge = [o for o in obligations if o in problem.merge.obligations]
    if of_compute:
        unrolled = _Unrolled(problem, (1,))
        failing = [holds(problem, o) for o in unrolled.elements[0].obligations if _same_step(o, of_compute)]
        yield from unrolled.models(session, problem.terms.all(failing), deadline)
    for sizes in ((1, 1), (2, 1), (1, 2), (2, 2)) if of_merge else ():
        unrolled = _Unrolled(problem, sizes)
        a, b = unrolled.states()
        failing = [holds(problem, o) for o in problem.merge_obligations(a, b) if _same_step(o, of_merge)]
        yield from unrolled.models(session, problem.terms.all(failing), deadline)
        if work.clock() >= deadline:
            return


def _same_step(obligation: Obligation, wanted: Sequence[Obligation]) -> bool:
    return any(obligation.kind is o.kind and obligation.origin == o.origin for o in wanted)


def _sides(problem: Problem, law: Law, states: Sequence[tuple[Term, ...]]) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    if law is Law.COMMUTATIVE:
        a, b = states
        return problem.merged(a, b), problem.merged(b, a)
    a, b, c = states
    return problem.merged(problem.merged(a, b), c), problem.merged(a, problem.merged(b, c))


def _close(problem: Problem, a: Term, b: Term) -> Term:
    """That two leaves are equal, or so near that a run with rounding could not tell them apart."""
    terms = problem.terms
    if a.sort is not Sort.REAL:
        return terms.eq(a, b)
    margin = terms.real(_MARGIN)
    return terms.and_(terms.le(a, terms.add(b, margin)), terms.le(b, terms.add(a, margin)))


class _Unrolled:
    """Elements of a problem with variables of their own, and what is known of them."""

    def __init__(self, problem: Problem, sizes: tuple[int, ...]) -> None:
        self._problem = problem
        self._sizes = sizes
        suffixes = [f"'{i}" for i in range(sum(sizes))]
        self._variables = [[problem.element_variable(read, suffix) for read in problem.inputs] for suffix in suffixes]
        self._params = param_variables(problem)
        self.elements = [problem.element(suffix) for suffix in suffixes]
        self._facts = [*problem.assumptions, *self._places()]

    def _places(self) -> Iterator[Term]:
        """That reads lie within their bounds, and that no two elements have one index.

        Indices are kept small, since a run needs a field that has them.
        """
        terms, own = self._problem.terms, indices(self._problem)
        for position, read in enumerate(self._problem.inputs):
            same = [variables[position] for variables in self._variables]
            high = _LARGEST_INDEX if read.variable in own else read.high
            for variable in same if read.variable.sort is Sort.INT else ():
                if read.low is not None:
                    yield terms.le(terms.integer(read.low), variable)
                if high is not None:
                    yield terms.le(variable, terms.integer(high))
            if read.variable in own:
                yield from (terms.not_(terms.eq(a, b)) for a, b in combinations(same, 2))

    def states(self) -> list[tuple[Term, ...]]:
        """The merged elements of each size; from now on all steps so far are taken to have values."""
        problem, rest = self._problem, iter(self.elements)
        self._facts += [holds(problem, o) for element in self.elements for o in element.obligations]
        states = []
        for size in self._sizes:
            state = next(rest).leaves
            for _ in range(size - 1):
                other = next(rest).leaves
                self._facts += [holds(problem, o) for o in problem.merge_obligations(state, other)]
                state = problem.merged(state, other)
            states.append(state)
        return states

    def models(self, session: Session, goal: Term, deadline: float, *, quick: bool = False) -> Iterator[Candidate]:
        """Values for which the goal does not hold, of each strategy one; `quick` tries the first only."""
        sorts = {term.sort for term in postorder((*self._facts, goal))}
        for near in (True, False) if Sort.REAL in sorts else (False,):
            for strategy in exact_strategies((*self._facts, goal))[: 1 if quick else None]:
                if work.clock() >= deadline or session.is_spent:
                    return
                written = single_script(self._problem.terms, self._facts, goal, strategy.encoding, self._known(near))
                loaded = session.load(written.lines, strategy.engine)
                answer = loaded.check(deadline, min(strategy.seconds, _QUICK_SECONDS) if quick else strategy.seconds)
                if answer is Answer.NONE:
                    break
                if answer is Answer.MODEL:
                    names = {str(v.value): v.sort for v in (*self._params, *chain.from_iterable(self._variables))}
                    values = loaded.values(names, bits=strategy.encoding is Encoding.BITS)
                    yield from self._candidates(values)

    def _known(self, near: bool) -> dict[Term, Interval]:
        """The ranges of all variables; `near` keeps Reals small."""
        given = given_ranges(self._problem)
        known = {variable: given[variable] for variable in self._params if variable in given}
        for variables in self._variables:
            for read, variable in zip(self._problem.inputs, variables, strict=True):
                known[variable] = given[read.variable]
        if near:
            for variable, interval in known.items():
                if variable.sort is Sort.REAL:
                    known[variable] = met(interval, Interval(-_NEAR, _NEAR))
        return known

    def _candidates(self, values: Mapping[str, Value]) -> Iterator[Candidate]:
        found: set[Candidate] = set()
        for rounded in (_on_grid, _to_float):
            made = Candidate(
                tuple(tuple(rounded(values[str(v.value)]) for v in variables) for variables in self._variables),
                tuple(rounded(values[str(v.value)]) for v in self._params),
                self._sizes,
            )
            if made not in found:
                found.add(made)
                yield made


def _on_grid(value: Value) -> Value:
    return (
        Fraction(round(value * _STEP), _STEP)
        if isinstance(value, Fraction) and abs(value) < 1 << 18
        else _to_float(value)
    )


def _to_float(value: Value) -> Value:
    """The nearest number that is a Float, or one that is near enough to the end of the Floats."""
    if not isinstance(value, Fraction):
        return value
    inside = max(-_LARGEST, min(value, _LARGEST))
    return Fraction(floats.to_float(floats.from_float(float(inside))))

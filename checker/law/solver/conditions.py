"""What steps of merge may need to have a value, said of one reachable value.

`e * e - p * p >= 0`, where merge takes a root of that of what it has added up: sums of vectors whose squares are held
to each other keep it, as energies above momenta and positive definite matrices do.  `through + back <= 0.9`, where
merge divides: shares of a whole that are passed on, thrown back or lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from kcheck.checker.law.concrete import Unsupported, compiled, param_variables
from kcheck.checker.law.problem import Invariant, Problem, Symbolic, Undefined
from kcheck.checker.law.solver.intervals import given_ranges, ranges
from kcheck.checker.law.solver.samples import Sample
from kcheck.checker.law.solver.wording import formula_text, leaf_text, number_text
from kcheck.checker.law.terms import Op, Sort, Term, variables

_MOST_CONDITIONS = 6
_MOST_SHARES = 4
_SLACK = 1e-9
"""Samples of Reals are doubles."""


def condition_candidates(problem: Problem, samples: Sequence[Sample]) -> list[Invariant]:
    """Conditions of steps, over the leaves of the merged value, and bounds of sums, that no sample contradicts."""
    made = dict.fromkeys(_differences(problem))
    made |= dict.fromkeys(_below_extremes(problem))
    found = [candidate for term in tuple(made)[:_MOST_CONDITIONS] for candidate in _one_sided(problem, term, samples)]
    divides = any(o.kind is Undefined.DIVISION for o in problem.merge.obligations)
    return [*found, *_shares(problem, samples)] if divides else found


def _shares(problem: Problem, samples: Sequence[Sample]) -> Iterator[Invariant]:
    """`x + y <= c` for Reals of which compute gives none below 0, and no sum above c."""
    terms, state = problem.terms, problem.state("h")
    within = ranges(problem.compute.leaves, given_ranges(problem))
    ends: dict[int, Fraction] = {}
    for i, leaf in enumerate(problem.compute.leaves):
        low, high = within[leaf].low, within[leaf].high
        if leaf.sort is Sort.REAL and low is not None and low >= 0 and high is not None and not leaf.is_const:
            ends[i] = Fraction(high)
    for i, j in combinations(ends, 2) if len(ends) <= _MOST_SHARES else ():
        for end in dict.fromkeys((Fraction(1), ends[i] + ends[j])):
            if any(sample.leaves[i] + sample.leaves[j] > end + _SLACK for sample in samples):
                continue
            text = f"{leaf_text(problem, i)} + {leaf_text(problem, j)} <= {number_text(end)}"
            yield Invariant(text, terms.le(terms.add(state[i], state[j]), terms.real(end)))


def _differences(problem: Problem) -> Iterator[Term]:
    """What the steps need not to be 0, or not below it, over state `h`."""
    terms = problem.terms
    merged, known = _merged(problem), _known(problem)
    for obligation in problem.merge.obligations:
        condition = obligation.condition
        compared = condition.args[0] if condition.op is Op.NOT else condition
        if compared.op in (Op.EQ, Op.LT, Op.LE) and compared.args[0].sort is Sort.REAL:
            low, high = terms.substitute(compared.args, merged)
            read = frozenset(variables((low, high)))
            if len(read) > 1 and read <= known:  # of one leaf there are bounds already
                zero = terms.real(0)
                term = high if low is zero else low if high is zero and compared.op is Op.EQ else terms.sub(high, low)
                yield term
                if term.op is Op.DIV:  # by what may be 0 in one value, though not in two that are merged
                    yield term.args[0]


def _below_extremes(problem: Problem) -> Iterator[Term]:
    """By how much a leaf that is a minimum lies below what of the others it is a minimum of; so for maxima."""
    terms = problem.terms
    merged, known = _merged(problem), _known(problem)
    for own, leaf in zip(problem.state("h"), problem.merge.leaves, strict=True):
        for bound in leaf.args if leaf.op in (Op.MIN, Op.MAX) and leaf.sort is Sort.REAL else ():
            [end] = terms.substitute((bound,), merged)
            if end.args and known.issuperset(variables((end,))):
                yield terms.sub(end, own) if leaf.op is Op.MIN else terms.sub(own, end)


def _merged(problem: Problem) -> dict[Term, Term]:
    """For each leaf that merge makes the one of state `h`."""
    return {leaf: own for leaf, own in zip(problem.merge.leaves, problem.state("h"), strict=True) if leaf.args}


def _known(problem: Problem) -> frozenset[Term]:
    """What an invariant may speak of."""
    return frozenset((*problem.state("h"), *param_variables(problem)))


def _one_sided(problem: Problem, term: Term, samples: Sequence[Sample]) -> Iterator[Invariant]:
    """`term > 0`, `term < 0` or `term >= 0`, where it is so in all samples."""
    text = formula_text(problem, term)
    try:
        value = compiled(Symbolic((term,), ()), (problem.state("h"), param_variables(problem)))
    except Unsupported:
        return
    values = [float(value(sample.leaves, sample.params)[0][0]) for sample in samples]
    if not values or text is None:
        return
    terms = problem.terms
    zero = terms.real(0)
    if min(values) > 0:
        yield Invariant(f"{text} > 0", terms.lt(zero, term))
    if max(values) < 0:
        yield Invariant(f"{text} < 0", terms.lt(term, zero))
    if max(values) > 0 and min(values) >= -_SLACK:
        yield Invariant(f"{text} >= 0", terms.le(zero, term))

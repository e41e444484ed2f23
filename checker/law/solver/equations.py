"""Equations between the leaves of every reachable value, shown by normal forms, without z3.

Of products and of counted bits z3 shows little: that merged rotations stay rotations (`m[0][0] = m[1][1]`,
`x^2 + y^2 = 1`) is seen as soon as both sides are polynomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kcheck.checker.law import algebra, work
from kcheck.checker.law.problem import Invariant, Problem, Symbolic
from kcheck.checker.law.solver.samples import Sample
from kcheck.checker.law.solver.templates import equation_candidates
from kcheck.checker.law.terms import Op, Term, postorder

_SECONDS = 0.3
_TELLING = frozenset({Op.MUL, Op.DIV, Op.SQRT, Op.POPCOUNT})


def equations(problem: Problem, samples: Sequence[Sample]) -> tuple[Invariant, ...]:
    """Those that compute's results have and that merging keeps; none where merge neither multiplies nor counts bits."""
    if not any(term.op in _TELLING for term in postorder(problem.merge.leaves)):
        return ()
    deadline = work.clock() + _SECONDS
    kept = equation_candidates(problem, samples)
    kept = _shown(problem, kept, problem.compute.leaves, "", (), deadline)
    merged = problem.merged(problem.state("a"), problem.state("b"))
    while kept:
        rest = _shown(problem, kept, merged, "ab", kept, deadline)
        if len(rest) == len(kept):
            break
        kept = rest
    return tuple(kept)


def _shown(
    problem: Problem,
    tried: Sequence[Invariant],
    leaves: Sequence[Term],
    names: str,
    known: Sequence[Invariant],
    deadline: float,
) -> list[Invariant]:
    """Those of `tried` that these leaves have, where the states of these names have all that is `known`."""
    by = dict(zip(problem.state("h"), leaves, strict=True))
    goals = [(left, right) for left, right in (problem.terms.substitute(i.holds.args, by) for i in tried)]
    return [tried[i] for i in algebra.entailed(problem, names, known, goals, deadline)] if tried else []


def without_roots(problem: Problem, known: Sequence[Invariant]) -> Problem | None:
    """The problem for reachable values, in whose merge no square root is left that these equations show to be 1.

    So merges of unit vectors, made unit again, are products.
    """
    terms = problem.terms
    roots = [term for term in postorder(problem.merge.leaves) if term.op is Op.SQRT]
    if not roots or not known:
        return None
    by = dict(zip((*problem.left, *problem.right), (*problem.state("a"), *problem.state("b")), strict=True))
    goals = [(root, terms.real(1)) for root in terms.substitute(roots, by)]
    shown = algebra.entailed(problem, "ab", known, goals, work.clock() + _SECONDS)
    leaves = terms.substitute(problem.merge.leaves, {roots[i]: terms.real(1) for i in shown})
    return replace(problem, merge=Symbolic(leaves, problem.merge.obligations)) if shown else None

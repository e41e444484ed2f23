"""What invariants of words of bits may look like: candidates that no sample contradicts.

`f & 0x7f7f7f7f = f`; `f >>> g = 0`, where f is a number of g bits; and that merging a value with itself changes
nothing, as with the longest common prefix of two addresses, where all bits behind it are 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

from kcheck.checker.law.concrete import Unsupported, compiled, param_variables
from kcheck.checker.law.problem import Invariant, Problem, Symbolic
from kcheck.checker.law.solver.intervals import all_terms
from kcheck.checker.law.solver.samples import Sample
from kcheck.checker.law.solver.wording import leaf_text, number_text
from kcheck.checker.law.terms import Op, Sort, Term, postorder, variables

_SHIFTS = frozenset({Op.SHL, Op.SHR, Op.USHR, Op.CLZ, Op.CTZ})
_MOST_MASKS = 4
_MOST_LEAVES = 8


def word_candidates(problem: Problem, samples: Sequence[Sample]) -> list[Invariant]:
    """Those that all samples have, and not for a reason that is plain anyway."""
    tried = dict.fromkeys(_made(problem)) if samples else {}
    try:
        value = compiled(Symbolic(tuple(i.holds for i in tried), ()), (problem.state("h"), param_variables(problem)))
    except Unsupported:
        return []
    rows = [value(sample.leaves, sample.params)[0] for sample in samples]
    return [invariant for invariant, held in zip(tried, zip(*rows, strict=True), strict=True) if all(held)]


def _made(problem: Problem) -> Iterator[Invariant]:
    leaves = [i for i, sort in enumerate(problem.sorts) if sort is Sort.INT][:_MOST_LEAVES]
    yield from _masked(problem, leaves)
    if any(term.op in _SHIFTS for term in postorder(problem.merge.leaves)):
        yield from _narrow(problem, leaves)
        yield from _highest(problem, leaves)
        yield from _idempotent(problem, leaves)


def _masked(problem: Problem, leaves: Sequence[int]) -> Iterator[Invariant]:
    """`f & m = f` for words m with which something is masked."""
    terms, state = problem.terms, problem.state("h")
    masks = dict.fromkeys(
        arg for term in postorder(all_terms(problem)) if term.op is Op.BIT_AND for arg in term.args if arg.is_const
    )
    for i in leaves:
        for mask in tuple(masks)[:_MOST_MASKS]:
            word = terms.apply(Op.BIT_AND, state[i], mask)
            name = leaf_text(problem, i)
            yield Invariant(f"{name} & {_hexadecimal(mask)} = {name}", terms.eq(word, state[i]))


def _hexadecimal(mask: Term) -> str:
    assert isinstance(mask.value, int)
    return number_text(mask.value) if 0 <= mask.value < 16 else f"{mask.value & 0xFFFFFFFF:#x}"


def _narrow(problem: Problem, leaves: Sequence[int]) -> Iterator[Invariant]:
    """`f >>> g = 0`."""
    terms, state = problem.terms, problem.state("h")
    for i, j in permutations(leaves, 2):
        above = terms.apply(Op.USHR, state[i], state[j])
        text = f"{leaf_text(problem, i)} >>> {leaf_text(problem, j)} = 0"
        yield Invariant(text, terms.eq(above, terms.integer(0)))


def _highest(problem: Problem, leaves: Sequence[int]) -> Iterator[Invariant]:
    """`f << 1` has no bits that f has not: those of f are the highest ones, as in the mask of a network."""
    terms, state = problem.terms, problem.state("h")
    for i in leaves:
        moved = terms.apply(Op.SHL, state[i], terms.integer(1))
        name = leaf_text(problem, i)
        yield Invariant(
            f"{name} << 1 & {name} = {name} << 1", terms.eq(terms.apply(Op.BIT_AND, moved, state[i]), moved)
        )


def _idempotent(problem: Problem, leaves: Sequence[int]) -> Iterator[Invariant]:
    """A leaf of a value stays when the value is merged with itself."""
    terms, state = problem.terms, problem.state("h")
    merged = problem.merged(state, state)
    for i in leaves:
        if state[i] in variables((merged[i],)) and merged[i] is not state[i]:
            text = f"{leaf_text(problem, i)} stays where a value is merged with itself"
            yield Invariant(text, terms.eq(merged[i], state[i]))

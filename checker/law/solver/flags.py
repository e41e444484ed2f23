"""Bools that tell whether some bit of a word is set, as such words.

`conflict || (a.bits ^ b.bits) & a.known != 0` asks something of every bit, and whether it is so of any.  Where a merge
does no more with a Bool than to join such questions by `or`, a word with their bits may take its place: what has equal
words is equal.  So does one that is joined by `and` from `== 0`, by what it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kcheck.checker.law.problem import Problem, Symbolic
from kcheck.checker.law.terms import Op, Sort, Term, Terms, postorder
from kcheck.checker.types import FieldOf, Scalar, Struct, leaves


def with_words(problem: Problem) -> Problem | None:
    """The problem with words for such Bools; None where there are none.

    A law that holds of it holds of the one that it was made from, where all steps have a value.
    """
    if problem.merge.obligations:
        return None  # which may speak of the Bools
    made = problem
    for leaf, sort in enumerate(problem.sorts):
        if sort is Sort.BOOL:
            made = _with_word(made, leaf, set_=True) or _with_word(made, leaf, set_=False) or made
    return None if made is problem else made


def _with_word(problem: Problem, leaf: int, *, set_: bool) -> Problem | None:
    """The problem with a word for one leaf, in which bits are set where it is true, or where it is not."""
    terms = problem.terms
    words = {side[leaf]: terms.var(f"{side[leaf].value}.word", Sort.INT) for side in (problem.left, problem.right)}
    merged = _word(terms, problem.merge.leaves[leaf], words, wanted=set_, set_=set_)
    if merged is None or all(term.op in (Op.VAR, Op.BIT_OR) for term in postorder((merged,))):
        return None  # no word takes part
    others = [term for i, term in enumerate(problem.merge.leaves) if i != leaf]
    if any(term in words for term in postorder((*others, merged))):
        return None
    first = problem.compute.leaves[leaf]
    computed = _word(terms, first, {}, wanted=set_, set_=set_)
    if computed is None:
        computed = terms.if_(first if set_ else terms.not_(first), terms.integer(-1), terms.integer(0))
    return replace(
        problem,
        type=_type(problem, leaf),
        left=_replaced(problem.left, leaf, words[problem.left[leaf]]),
        right=_replaced(problem.right, leaf, words[problem.right[leaf]]),
        merge=Symbolic(_replaced(problem.merge.leaves, leaf, merged), ()),
        compute=Symbolic(_replaced(problem.compute.leaves, leaf, computed), problem.compute.obligations),
    )


def _word(terms: Terms, term: Term, words: dict[Term, Term], *, wanted: bool, set_: bool) -> Term | None:
    """An Int that is not 0 where the term is `wanted`; the `words` of variables are not 0 where these are `set_`."""
    if term in words:
        return words[term] if wanted == set_ else None
    match term.op:
        case Op.CONST:
            return terms.integer(-1 if term.value == wanted else 0)
        case Op.NOT:
            return _word(terms, term.args[0], words, wanted=not wanted, set_=set_)
        case Op.EQ if not wanted and term.args[0].sort is Sort.INT:
            return terms.apply(Op.BIT_XOR, *term.args)
        case Op.OR | Op.AND if (term.op is Op.OR) == wanted:
            left, right = (_word(terms, arg, words, wanted=wanted, set_=set_) for arg in term.args)
            return None if left is None or right is None else terms.apply(Op.BIT_OR, left, right)
        case _:
            return None


def _replaced(parts: Sequence[Term], position: int, by: Term) -> tuple[Term, ...]:
    return (*parts[:position], by, *parts[position + 1 :])


def _type(problem: Problem, leaf: int) -> Struct:
    scalars = [Scalar.INT if i == leaf else part.scalar for i, part in enumerate(leaves(problem.type))]
    fields = (FieldOf(name, Scalar(scalar)) for name, scalar in zip(problem.names, scalars, strict=True))
    return Struct("words", "words", tuple(fields))

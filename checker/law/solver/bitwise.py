"""Laws of merges that treat each bit by itself, by tables of what one bit of all leaves may be.

`&`, `|`, `^` and `~` mix no two bits.  So such a merge is one of bits, done 32 times; it differs from bit to bit only
by the constants in it.  What bits compute may give is tried for each combination of the bits that it combines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product

from kcheck.checker.law.problem import Law, Problem
from kcheck.checker.law.solver.finite import State, closed
from kcheck.checker.law.terms import Op, Sort, Term, number, postorder, variables

_MOST_BITS = 5
"""How many leaves, and how many numbers that compute combines, there may be."""
_OPERATIONS = (Op.BIT_AND, Op.BIT_OR, Op.BIT_XOR, Op.BIT_NOT)
_WIDTH = 32


def holds_bit_by_bit(problem: Problem, law: Law) -> int | None:
    """How many values a bit of all leaves may have, if that shows the law; else None."""
    merge, compute = problem.merge.leaves, problem.compute.leaves
    sides = (*problem.left, *problem.right)
    parts = list(postorder(merge))
    if len(merge) > _MOST_BITS or not all(term in sides or term.is_const or _is_bitwise(term) for term in parts):
        return None
    if any(term.sort is not Sort.INT for term in parts) or not set(variables(merge)) <= set(sides):
        return None
    below = dict.fromkeys(_combined((*compute, *merge)))
    combined = [term for term in below if not term.is_const and term not in sides]
    if len(combined) > _MOST_BITS:
        return None
    most = 0
    for bit in _telling_bits([int(number(term)) for term in below if term.is_const]):
        first = dict.fromkeys(
            _at(compute, bit, dict(zip(combined, bits, strict=True))) for bits in product((0, 1), repeat=len(combined))
        )

        def merged(a: State, b: State, bit: int = bit) -> State:
            return _at(merge, bit, dict(zip(sides, (*a, *b), strict=True)))

        table = closed(list(first), merged, 1 << len(merge))
        if table is None or not table.holds(law):
            return None
        most = max(most, len(table.rows))
    return most


def _is_bitwise(term: Term) -> bool:
    return term.op in _OPERATIONS


def _combined(roots: Sequence[Term]) -> Iterable[Term]:
    """What bitwise operations combine: the constants and other terms below them."""
    pending = list(roots)
    while pending:
        term = pending.pop()
        if _is_bitwise(term):
            pending.extend(term.args)
        else:
            yield term


def _telling_bits(constants: Sequence[int]) -> Iterable[int]:
    """One bit of all those at which the constants are alike."""
    return {tuple(value >> bit & 1 for value in constants): bit for bit in range(_WIDTH)}.values()


def _at(roots: Sequence[Term], bit: int, known: Mapping[Term, object]) -> State:
    """The roots at one bit."""
    found: dict[Term, int] = {}

    def value(term: Term) -> int:
        if term not in found:
            found[term] = _made(term)
        return found[term]

    def _made(term: Term) -> int:
        if term in known:
            return int(bool(known[term]))
        if term.is_const:
            return int(number(term)) >> bit & 1
        x, *rest = map(value, term.args)
        match term.op:
            case Op.BIT_AND:
                return x & rest[0]
            case Op.BIT_OR:
                return x | rest[0]
            case Op.BIT_XOR:
                return x ^ rest[0]
            case _:
                return 1 - x

    return tuple(value(root) for root in roots)

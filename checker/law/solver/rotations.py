"""Words that are turned by counts of their own: `(x << n) | (x >>> (32 - n))`.

Turns add up modulo 32, and a turn of an exclusive or is the exclusive or of the turns.  So hashes that turn what is on
the left by the length of what is on the right are compared as sets of turned words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from kcheck.checker.law.terms import Op, Term, number, postorder

Count: TypeAlias = frozenset[tuple[Term | None, int]]
"""A sum of multiples of Ints modulo 32; None stands for 1."""
Turned: TypeAlias = frozenset[tuple[Term, Count]]
"""The exclusive or of words, each turned to the left."""

WIDTH = 32
_NOT: Count = frozenset()


def are_equal(left: Term, right: Term) -> bool:
    """Whether two Ints are seen to be equal as exclusive ors of turned words."""
    return _turned(left) == _turned(right)


def turns(term: Term) -> bool:
    """Whether a turn by a count that is no constant is below the term."""
    return any(_turn(part) is not None and not part.args[0].args[1].is_const for part in postorder([term]))


def _turned(term: Term) -> Turned:
    made: dict[Term, Turned] = {}
    for part in postorder([term]):
        turn = _turn(part)
        if part.op is Op.BIT_XOR:
            made[part] = made[part.args[0]] ^ made[part.args[1]]
        elif turn is not None:
            word, count = turn
            made[part] = frozenset((inner, _sum(before, count)) for inner, before in made[word])
        else:
            made[part] = frozenset({(part, _NOT)})
    return made[term]


def _turn(term: Term) -> tuple[Term, Count] | None:
    """The word that is turned, and how far: where it is 0, both halves are the word itself."""
    if term.op is not Op.BIT_OR:
        return None
    for up, down in (term.args, term.args[::-1]):
        if up.op is Op.SHL and down.op is Op.USHR and up.args[0] is down.args[0]:
            count = _count(up.args[1])
            if not _sum(count, _count(down.args[1])):
                return up.args[0], count
    return None


def _count(term: Term) -> Count:
    """The value modulo 32."""
    made: dict[Term, Count] = {}
    for part in postorder([term]):
        made[part] = _made(part, made)
    return made[term]


def _made(term: Term, known: Mapping[Term, Count]) -> Count:
    args = [known[arg] for arg in term.args]
    match term.op:
        case Op.CONST:
            return _reduced({None: int(number(term))})
        case Op.ADD:
            return _sum(args[0], args[1])
        case Op.SUB:
            return _sum(args[0], args[1], -1)
        case Op.NEG:
            return _sum(_NOT, args[0], -1)
        case Op.BIT_AND if any(arg.is_const and int(number(arg)) % WIDTH == WIDTH - 1 for arg in term.args):
            return args[0] if term.args[1].is_const else args[1]
        case Op.UREM if term.args[1].is_const and int(number(term.args[1])) in (32, 64, 128, 256):
            return args[0]
        case _:
            return frozenset({(term, 1)})


def _sum(x: Count, y: Count, factor: int = 1) -> Count:
    total = dict(x)
    for term, times in y:
        total[term] = total.get(term, 0) + factor * times
    return _reduced(total)


def _reduced(sum_: Mapping[Term | None, int]) -> Count:
    return frozenset((term, times % WIDTH) for term, times in sum_.items() if times % WIDTH)

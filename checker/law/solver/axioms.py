"""What is known of exponentials, logarithms, roots and other functions, as facts about those that occur.

Solvers know no such functions: each one that occurs becomes a variable, and these facts are all that it is held to.
They are true, not complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement

from kcheck.checker.law.terms import Op, Term, Terms, postorder

_MOST_PAIRS = 12
"""Of how many applications of one function every two are compared."""
_MOST_SUMS = 5
"""Of how many exponentials every two are tried as factors of every other."""


def abstracted(terms: Terms, roots: Sequence[Term]) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """The roots with a variable for each application of a function, and what is known of these variables."""
    applications = [term for term in postorder(roots) if _is_application(term)]
    if not applications:
        return tuple(roots), ()
    facts = tuple(axioms(terms, applications))
    named = {term: terms.var(f"{_name(term)}@{term.number}", term.sort) for term in applications}
    done = terms.substitute((*roots, *facts), named)
    return done[: len(roots)], done[len(roots) :]


def axioms(terms: Terms, applications: Sequence[Term]) -> Iterator[Term]:
    """True facts about these applications of functions, each of one of them or of several of the same."""
    by_name: dict[str, list[Term]] = {}
    for term in applications:
        by_name.setdefault(_name(term), []).append(term)
        yield from _of_one(terms, term)
    for name, same in by_name.items():
        if len(same) <= _MOST_PAIRS:
            for a, b in combinations(same, 2):
                yield from _of_two(terms, name, a, b)
    yield from _sums(terms, by_name.get("exp", []))
    yield from _circle(terms, by_name.get("sin", []), by_name.get("cos", []))


def _is_application(term: Term) -> bool:
    return term.op in (Op.EXP, Op.LOG, Op.SQRT, Op.FUNCTION)


def _name(term: Term) -> str:
    return str(term.value) if term.op is Op.FUNCTION else term.op.value


def _implies(terms: Terms, a: Term, b: Term) -> Term:
    return terms.or_(terms.not_(a), b)


def _of_one(terms: Terms, term: Term) -> Iterator[Term]:
    zero, one = terms.real(0), terms.real(1)
    match _name(term):
        case "exp":
            [x] = term.args
            yield terms.lt(zero, term)
            yield terms.le(terms.add(x, one), term)
            yield _implies(terms, terms.le(x, zero), terms.le(term, one))
            if x.op is Op.LOG:
                yield _implies(terms, terms.lt(zero, x.args[0]), terms.eq(term, x.args[0]))
        case "log":
            [x] = term.args
            positive = terms.lt(zero, x)
            yield _implies(terms, positive, terms.le(term, terms.sub(x, one)))
            yield _implies(terms, terms.le(one, x), terms.le(zero, term))
            yield _implies(terms, terms.lt(one, x), terms.lt(zero, term))
            yield _implies(terms, terms.and_(positive, terms.lt(x, one)), terms.lt(term, zero))
            if x.op is Op.EXP:
                yield terms.eq(term, x.args[0])
        case "sqrt":
            [x] = term.args
            yield terms.le(zero, term)
            yield _implies(terms, terms.le(zero, x), terms.eq(terms.mul(term, term), x))
        case "sin" | "cos":
            yield terms.le(terms.real(-1), term)
            yield terms.le(term, one)


def _of_two(terms: Terms, name: str, a: Term, b: Term) -> Iterator[Term]:
    """Equal arguments give equal results, what rises rises, and different numbers have different bits."""
    same = terms.all(terms.eq(x, y) for x, y in zip(a.args, b.args, strict=True))
    yield _implies(terms, same, terms.eq(a, b))
    if name == "bitcast_int":
        yield _implies(terms, terms.eq(a, b), same)
    if name in ("exp", "sqrt", "log", "atan"):
        for low, high in ((a, b), (b, a)):
            below = terms.lt(low.args[0], high.args[0])
            least = {"sqrt": terms.le, "log": terms.lt}.get(name)
            if least is not None:
                below = terms.and_(below, least(terms.real(0), low.args[0]))
            yield _implies(terms, below, terms.lt(low, high))


def _sums(terms: Terms, exponentials: Sequence[Term]) -> Iterator[Term]:
    """exp(x) exp(y) is 1 where x + y is 0, and exp(z) where it is z."""
    if len(exponentials) > _MOST_SUMS:
        return
    for a, b in combinations_with_replacement(exponentials, 2):
        total, product = terms.add(a.args[0], b.args[0]), terms.mul(a, b)
        yield _implies(terms, terms.eq(total, terms.real(0)), terms.eq(product, terms.real(1)))
        for other in exponentials:
            if other is not a and other is not b:
                yield _implies(terms, terms.eq(total, other.args[0]), terms.eq(product, other))


def _circle(terms: Terms, sines: Sequence[Term], cosines: Sequence[Term]) -> Iterator[Term]:
    for sine in sines:
        for cosine in cosines:
            if sine.args[0] is cosine.args[0]:
                squares = terms.add(terms.mul(sine, sine), terms.mul(cosine, cosine))
                yield terms.eq(squares, terms.real(1))

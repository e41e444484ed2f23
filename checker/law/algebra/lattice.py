"""Minima and maxima: a maximum of minima of polynomials, in one form for all that are equal as such.

A form is a set of sets of polynomials (by their keys): the greatest of the least of each set.  Every such term over
polynomials has one: `min` distributes over `max`, and `x + max(y, z)` is `max(x + y, x + z)`.  What can never be the
result is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from kcheck.checker.law.algebra.atoms import Atoms, Kind
from kcheck.checker.law.algebra.facts import NEGATIVE, Facts
from kcheck.checker.law.algebra.polynomial import (
    Key,
    Monomial,
    Number,
    Polynomial,
    TooLarge,
    add,
    atoms,
    inverse,
    key,
    least_exponents,
    multiply_monomials,
    of_atom,
    power,
    scale,
    shift,
    subtract,
    tidy,
)

Form: TypeAlias = frozenset[frozenset[Key]]

MAX_SETS = 600
MAX_LEAVES = 40
"""Each is compared with each other."""


def extreme(facts: Facts, arguments: Sequence[Polynomial], greatest: bool, tropical: bool = False) -> Polynomial:
    """The maximum (or minimum) of these polynomials, as a polynomial over atoms of kind EXTREME.

    If `tropical`, it is over maxima of polynomials only, which decides more of sums and less of `min` and `max` alone:
    `min(p, q)` is `-max(-p, -q)`, and `max(p - m, q)` is `max(p, q + m) - m` where m is a maximum itself.
    """
    if tropical and not greatest:
        return scale(extreme(facts, [scale(p, -1) for p in arguments], True, True), -1)
    forms = [_leaf(key(p)) for p in arguments]
    form = _join(forms) if greatest else _meet(forms)
    common: Polynomial = {}
    while True:
        offset = _offset(facts, form, tropical)
        common = add(common, offset)
        form = _lowered(form, offset)
        inner = _inner(facts, form)
        both = _both_ends(facts, form) if inner is None and not tropical else None
        if inner is not None:
            form = _flattened(facts, form, *inner)
        elif both is not None:
            form = _spread(form, *both)
        else:
            break
    form = _absorbed(facts, form)
    if len(form) == 1 and len(least := next(iter(form))) == 1:
        return add(common, dict(next(iter(least))))
    offset = _offset(facts, form, True)
    form = _lowered(form, offset)
    factor, monomial = _factor(facts, form)
    undo = inverse(monomial)
    form = _mapped(form, lambda p: shift(scale(p, tidy(1 / Fraction(factor))), undo))
    whole = all(facts.atoms.whole(dict(leaf)) for least in form for leaf in least)
    atom = of_atom(facts.atoms.make(Kind.EXTREME, form, integral=whole))
    return add(add(common, offset), shift(atom, monomial), factor)


def _leaf(p: Key) -> Form:
    return frozenset({frozenset({p})})


def _negated(form: Form) -> Form:
    """The form of the negated: a minimum of maxima, multiplied out."""
    return _meet([frozenset(frozenset({key(scale(dict(leaf), -1))}) for leaf in least) for least in form])


def form_of(table: Atoms, monomial: Monomial) -> Form | None:
    """The form of the EXTREME atom that this monomial is, if it is one."""
    if len(monomial) != 1 or monomial[0][1] != 1 or table[monomial[0][0]].kind is not Kind.EXTREME:
        return None
    form = table[monomial[0][0]].key
    assert isinstance(form, frozenset)
    return form


def increasing(
    facts: Facts, form: Form, function: Callable[[Polynomial], Polynomial], tropical: bool = False
) -> Polynomial:
    """A function that never decreases of a form: that of each leaf."""
    least = [extreme(facts, [function(dict(leaf)) for leaf in some], False, tropical) for some in form]
    return extreme(facts, least, True, tropical)


def expanded(facts: Facts, p: Polynomial) -> Form:
    """The one maximum that a sum of maxima with positive factors is."""
    form = _leaf(key({}))
    rest = dict(p)
    for monomial, coefficient in p.items():
        inner = form_of(facts.atoms, monomial)
        if inner is not None:
            del rest[monomial]
            parts = [scale(dict(leaf), coefficient) for least in inner for leaf in least]
            form = _absorbed(facts, _join(_lowered(form, scale(part, -1)) for part in parts))
    return _lowered(form, scale(rest, -1))


def _leaves(form: Form) -> set[Key]:
    return {leaf for least in form for leaf in least}


def _mapped(form: Form, change: Callable[[Polynomial], Polynomial]) -> Form:
    """With every leaf changed by an increasing function."""
    changed = {leaf: key(change(dict(leaf))) for leaf in _leaves(form)}
    return frozenset(frozenset(changed[leaf] for leaf in least) for least in form)


def _offset(facts: Facts, form: Form, with_extremes: bool) -> Polynomial:
    """What all leaves have in common: of each monomial the least coefficient."""
    leaves = [dict(leaf) for leaf in _leaves(form)]
    monomials = {m for leaf in leaves for m in leaf if with_extremes or _extreme_in(facts, m) is None}
    least = {m: min(leaf.get(m, 0) for leaf in leaves) for m in monomials}
    return {m: c for m, c in least.items() if c}


def _extreme_in(facts: Facts, monomial: Monomial) -> int | None:
    """An EXTREME atom in a monomial."""
    for atom, exponent in monomial:
        if exponent == 1 and facts.atoms[atom].kind is Kind.EXTREME:
            return atom
    return None


def _lowered(form: Form, offset: Polynomial) -> Form:
    return _mapped(form, lambda p: subtract(p, offset)) if offset else form


def _factor(facts: Facts, form: Form) -> tuple[Number, Monomial]:
    """The positive number and the monomial, never below 0, that divide all leaves."""
    leaves = [dict(leaf) for leaf in _leaves(form)]
    numbers = [c for leaf in leaves for c in leaf.values()]
    numerators = math.gcd(*(c.numerator for c in numbers))
    number = tidy(Fraction(numerators, math.lcm(*(c.denominator for c in numbers))))
    shared = {a for leaf in leaves for a in atoms(leaf) if not facts.sign(of_atom(a)) & NEGATIVE}
    return number, least_exponents([leaf for leaf in leaves if leaf], shared)


def _inner(facts: Facts, form: Form) -> tuple[int, Monomial] | None:
    """An EXTREME atom with what it is multiplied by in a leaf, if that is never below 0."""
    for leaf in _leaves(form):
        for monomial, _ in leaf:
            atom = _extreme_in(facts, monomial)
            if atom is not None:
                rest = multiply_monomials(monomial, power(atom, -1))
                if not facts.sign({rest: 1}) & NEGATIVE:
                    return atom, rest
    return None


def _flattened(facts: Facts, form: Form, atom: int, times: Monomial) -> Form:
    """With the atom's own form in the place of the atom, where it is multiplied by `times`."""
    inner = facts.atoms[atom].key
    assert isinstance(inner, frozenset)
    product = multiply_monomials(power(atom), times)

    def replaced(leaf: Key) -> Form:
        rest = dict(leaf)
        factor = rest.pop(product, 0)
        if not factor:
            return _leaf(leaf)
        if factor > 0:
            return _mapped(inner, lambda p: add(rest, shift(p, times), factor))
        return _mapped(_negated(inner), lambda p: add(rest, shift(p, times), -factor))

    return _absorbed(facts, _join(_absorbed(facts, _meet([replaced(leaf) for leaf in least])) for least in form))


def _both_ends(facts: Facts, form: Form) -> tuple[Key, Key, list[Key]] | None:
    """Two leaves that are one but for the least of some values in the one and the greatest of them in the other.

    Whatever the sign of what is multiplied with them, the least of both leaves is then the least of those with each
    value in their place, and so is the greatest.  Gives the two leaves, and what to put in their place.
    """
    leaves = _leaves(form)
    if len(form) > 1 and any(len(least) > 1 for least in form):
        return None  # neither a minimum nor a maximum alone
    for leaf in leaves:
        for monomial, factor in leaf:
            atom = _extreme_in(facts, monomial)
            least = facts.atoms[atom].key if atom is not None else frozenset()
            assert isinstance(least, frozenset)
            if atom is None or len(least) != 1:
                continue
            values = next(iter(least))
            greatest = facts.atoms.make(Kind.EXTREME, frozenset(frozenset({value}) for value in values))
            times = multiply_monomials(monomial, power(atom, -1))
            rest = add(dict(leaf), {monomial: factor}, -1)
            other = key(add(rest, {multiply_monomials(times, power(greatest)): factor}))
            if other in leaves:
                return leaf, other, [key(add(rest, shift(dict(value), times), factor)) for value in values]
    return None


def _spread(form: Form, least: Key, greatest: Key, values: Sequence[Key]) -> Form:
    """With the values in the place of the two leaves."""
    leaves = (_leaves(form) - {least, greatest}) | set(values)
    return frozenset({frozenset(leaves)}) if len(form) == 1 else frozenset(frozenset({leaf}) for leaf in leaves)


def _join(forms: Iterable[Form]) -> Form:
    result: Form = frozenset().union(*forms)
    if len(result) > MAX_SETS:
        raise TooLarge
    return result


def _meet(forms: Sequence[Form]) -> Form:
    result: Form = frozenset({frozenset()})
    for form in forms:
        if len(result) * len(form) > MAX_SETS:
            raise TooLarge
        result = frozenset(a | b for a in result for b in form)
    return result


def _absorbed(facts: Facts, form: Form) -> Form:
    """Without the polynomials that are never the least of their set and the sets that never are the greatest."""
    leaves = list(_leaves(form))
    if len(leaves) > MAX_LEAVES:
        raise TooLarge
    numbers = {leaf: i for i, leaf in enumerate(leaves)}
    above = _order(facts, leaves)
    closed = set()
    for least in form:
        mask = 0
        for leaf in least:
            mask |= above[numbers[leaf]]
        closed.add(mask)
    kept: list[int] = []
    for mask in sorted(closed, key=int.bit_count):
        if not any(small & ~mask == 0 for small in kept):
            kept.append(mask)
    return frozenset(frozenset(leaves[i] for i in _lowest(mask, above)) for mask in kept)


def _order(facts: Facts, leaves: Sequence[Key]) -> list[int]:
    """For each leaf the bits of those that are never below it, itself among them; of two equal ones, one way only."""
    polynomials = [dict(leaf) for leaf in leaves]
    above = [1 << i for i in range(len(leaves))]
    for i, p in enumerate(polynomials):
        for j, q in enumerate(polynomials):
            if i != j and not above[j] >> i & 1 and not facts.sign(subtract(q, p)) & NEGATIVE:
                above[i] |= 1 << j
    return above


def _lowest(mask: int, above: Sequence[int]) -> list[int]:
    """The bits of this mask without those that are above another of it; at least one."""
    members = [i for i in range(len(above)) if mask >> i & 1]
    for i in tuple(members):
        if any(j != i and above[j] >> i & 1 for j in members):
            members.remove(i)
    return members

"""Ints that are compared by a key, as their keys.

`hash(a) < hash(b)` puts Ints in an order of its own.  Where different Ints have different keys, and a merge does no
more with a leaf than compare it by its key and choose it, the key may take the leaf's place.  Then equal keys are one
value, and the merge is one of plain comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kcheck.checker import arithmetic
from kcheck.checker.law.problem import Problem, Symbolic
from kcheck.checker.law.solver.anf import Allowance, Forms, Unfit, Word
from kcheck.checker.law.solver.wording import leaf_text
from kcheck.checker.law.terms import Op, Sort, Term, Terms, number, postorder
from kcheck.checker.types import FieldOf, Scalar, Struct, leaves

_ORDERS = frozenset({Op.LT, Op.LE, Op.ULT})
_MOST_OF_A_KEY = 200
"""How many terms a key may be made of."""
_WORK = 20_000
_WIDTH = 32


def keyed(problem: Problem) -> Problem | None:
    """The problem with keys for leaves that are compared by them; None where there are none.

    A law that holds of it holds of the one that it was made from, where all steps have a value.
    """
    if problem.merge.obligations:
        return None  # which may speak of the leaves
    made = problem
    for leaf in _compared_by_keys(problem):
        made = _Rewriting(made, leaf).keyed() or made
    return None if made is problem else made


def _compared_by_keys(problem: Problem) -> list[int]:
    """The Int leaves of which something is made that numbers are ordered by."""
    made_of = _single_variables(problem.merge.leaves)
    ordered = (arg for term in made_of if term.op in _ORDERS for arg in term.args if arg.sort is Sort.INT)
    owners = {made_of[arg] for arg in ordered if arg.op is not Op.VAR}
    return [leaf for leaf, side in enumerate(problem.left) if side in owners and side.sort is Sort.INT]


class _Misfit(Exception):
    """The leaf is used for more than to be compared by its key, and chosen."""


class _Rewriting:
    """Puts the key of one leaf in its place."""

    def __init__(self, of: Problem, leaf: int) -> None:
        self._of = of
        self._leaf = leaf
        self._left, self._right = of.left[leaf], of.right[leaf]
        self._made_of = _single_variables(of.merge.leaves)
        self._keys: dict[Term, Term] = {}
        self._done: dict[Term, Term] = {}

    def keyed(self) -> Problem | None:
        of, terms = self._of, self._of.terms
        orders = set(self._orders())
        if len(orders) != 1:
            return None
        [(self._key, self._is_unsigned)] = orders
        if self._key is self._left or not is_injective(terms, self._key, self._left):
            return None
        self._keys = {side: terms.var(f"{side.value}.key", Sort.INT) for side in (self._left, self._right)}
        try:
            merged = [self._chosen(t) if i == self._leaf else self._rewritten(t) for i, t in enumerate(of.merge.leaves)]
        except _Misfit:
            return None
        computed = [self._key_of(t) if i == self._leaf else t for i, t in enumerate(of.compute.leaves)]
        return replace(
            of,
            type=self._type(),
            left=tuple(self._keys.get(t, t) for t in of.left),
            right=tuple(self._keys.get(t, t) for t in of.right),
            merge=Symbolic(tuple(merged), ()),
            compute=Symbolic(tuple(computed), of.compute.obligations),
        )

    def _orders(self) -> Iterator[tuple[Term, bool]]:
        """By what the two sides' leaves are ordered: the key of the left one, and whether it is read as unsigned."""
        for term in postorder(self._of.merge.leaves):
            if term.op in _ORDERS:
                for key, other in (term.args, term.args[::-1]):
                    if self._made_of[key] is self._left and self._mirrored(key) is other:
                        yield key, term.op is Op.ULT

    def _mirrored(self, key: Term) -> Term:
        """What is made of the right leaf as the key is of the left one."""
        return self._of.terms.substitute((key,), {self._left: self._right})[0]

    def _key_of(self, value: Term) -> Term:
        """The key of a value, as the new leaf has it: in the order of signed Ints."""
        [key] = self._of.terms.substitute((self._key,), {self._left: value})
        return self._signed(key)

    def _signed(self, key: Term) -> Term:
        terms = self._of.terms
        return terms.apply(Op.BIT_XOR, key, terms.integer(arithmetic.INT_MIN)) if self._is_unsigned else key

    def _chosen(self, term: Term) -> Term:
        """The leaf of a merged value, made of keys."""
        if term in self._keys:
            return self._keys[term]
        if term.is_const:
            return self._key_of(term)
        if term.op is not Op.IF:
            raise _Misfit
        condition, then, otherwise = term.args
        return self._of.terms.if_(self._rewritten(condition), self._chosen(then), self._chosen(otherwise))

    def _rewritten(self, root: Term) -> Term:
        """A term in which the leaf is compared at most."""
        for term in postorder((root,)):
            if term not in self._done and not self._is_of_leaf(term):
                self._done[term] = self._made(term)
        if root not in self._done:
            raise _Misfit
        return self._done[root]

    def _is_of_leaf(self, term: Term) -> bool:
        """Whether it is a number made of one of the two leaves alone: a key, or a part of one."""
        return term.sort is not Sort.BOOL and self._made_of[term] in self._keys

    def _made(self, term: Term) -> Term:
        terms = self._of.terms
        if not any(map(self._is_of_leaf, term.args)):
            return terms.rebuild(term, [self._done[arg] for arg in term.args]) if term.args else term
        if term.op is Op.EQ and set(term.args) == set(self._keys):
            return terms.eq(*self._keys.values())
        if term.op is Op.EQ:
            return terms.eq(*map(self._compared, term.args))
        if term.op not in _ORDERS or (term.op is Op.ULT) != self._is_unsigned:
            raise _Misfit
        low, high = map(self._compared, term.args)
        return terms.le(low, high) if term.op is Op.LE else terms.lt(low, high)

    def _compared(self, term: Term) -> Term:
        """A key, or a number that keys are compared with, as the new leaf is."""
        if term.is_const:
            return self._signed(term)
        if term is self._key:
            return self._keys[self._left]
        if term is self._mirrored(self._key):
            return self._keys[self._right]
        raise _Misfit

    def _type(self) -> Struct:
        scalars = [leaf.scalar for leaf in leaves(self._of.type)]
        names = [leaf_text(self._of, i) for i in range(len(scalars))]
        names[self._leaf] = f"the key of {names[self._leaf]}"
        fields = tuple(FieldOf(name, Scalar(scalar)) for name, scalar in zip(names, scalars, strict=True))
        return Struct("keyed", "keyed", fields)


def _single_variables(roots: Sequence[Term]) -> dict[Term, Term | None]:
    """The one variable that each term below these is made of; None where there is none or more."""
    found: dict[Term, Term | None] = {}
    for term in postorder(roots):
        made_of = {found[arg] for arg in term.args if not arg.is_const}
        found[term] = term if term.op is Op.VAR else made_of.pop() if len(made_of) == 1 else None
    return found


# ---------------------------------------------------------------- functions with different results


def is_injective(terms: Terms, key: Term, of: Term) -> bool:
    """Whether different Ints `of` surely have different keys: step by step, each of which can be undone."""
    if len(list(postorder((key,)))) > _MOST_OF_A_KEY:
        return False
    while key is not of:
        before = next((part for part in _passed(key, of) if _can_be_undone(terms, key, part)), None)
        if before is None:
            return False
        key = before
    return True


def _passed(key: Term, of: Term) -> Iterator[Term]:
    """The terms below the key through which alone it depends on `of`, the nearest first."""
    for part in reversed(list(postorder((key,)))):
        if part is not key and part.sort is Sort.INT and not part.is_const and not _reaches(key, of, part):
            yield part


def _reaches(key: Term, of: Term, without: Term) -> bool:
    """Whether the key depends on `of` in a way that does not lead through a term."""
    seen, pending = {without}, [key]
    while pending:
        term = pending.pop()
        if term is of and term is not without:
            return True
        if term not in seen:
            seen.add(term)
            pending.extend(term.args)
    return False


def _can_be_undone(terms: Terms, key: Term, part: Term) -> bool:
    """Whether different values of the part, on which alone the key depends, give different keys."""
    value = terms.var("key of", Sort.INT)
    [step] = terms.substitute((key,), {part: value})
    factor = _factor(step)
    if factor is not None and factor % 2 == 1:
        return True
    return _is_shifted_by_top(step, value) or _is_linear_and_full(step, value)


def _factor(step: Term) -> int | None:
    """The a of a value that is a * x + b modulo 2^32, of the one variable x; None where that is not seen."""
    found: dict[Term, int | None] = {}
    for term in postorder((step,)):
        args = [found[arg] for arg in term.args]
        known = [arg for arg in args if arg is not None]
        if term.op is Op.VAR:
            found[term] = 1
        elif term.is_const:
            found[term] = 0
        elif len(known) < len(args):
            found[term] = None
        else:
            found[term] = _factor_of(term, known)
    return found[step]


def _factor_of(term: Term, factors: Sequence[int]) -> int | None:
    constants = [int(number(arg)) for arg in term.args if arg.is_const]
    match term.op:
        case Op.ADD:
            return factors[0] + factors[1]
        case Op.SUB:
            return factors[0] - factors[1]
        case Op.NEG | Op.BIT_NOT:  # ~x is -x - 1
            return -factors[0]
        case Op.MUL if constants:
            return sum(factors) * constants[0]
        case Op.SHL if term.args[1].is_const:
            return factors[0] << (constants[-1] & 31)
        case _:
            return None


def _is_shifted_by_top(step: Term, value: Term) -> bool:
    """Whether it is `x ^ (x >>> (m + (x >>> 32 - k)))` with k <= m, as in `hash`.

    The first k bits stay as they are, so they tell how far x was shifted: m + 2^k - 1 at most, which must be below 32.
    """
    if step.op is not Op.BIT_XOR or value not in step.args:
        return False
    shifted = next((arg for arg in step.args if arg is not value), value)
    if shifted.op is not Op.USHR or shifted.args[0] is not value or shifted.args[1].op is not Op.ADD:
        return False
    least = next((int(number(arg)) for arg in shifted.args[1].args if arg.is_const), 0)
    top = next((arg for arg in shifted.args[1].args if not arg.is_const), value)
    if top.op is not Op.USHR or top.args[0] is not value or not top.args[1].is_const:
        return False
    kept = _WIDTH - int(number(top.args[1]))
    return 0 < kept <= least and least + (1 << kept) <= _WIDTH


def _is_linear_and_full(step: Term, value: Term) -> bool:
    """Whether each bit is an exclusive or of bits of the value, and all of these can be told from them."""
    forms = Forms({}, Allowance(_WORK))
    try:
        forms.of(value)  # its bits get the first numbers
        word = forms.of(step)
    except Unfit:
        return False
    return _rank(word) == _WIDTH


def _rank(word: Word) -> int:
    """Of the linear part of an affine map of bits; -1 where it is none."""
    rows: list[int] = []
    for form in word:
        if any(product.bit_count() > 1 for product in form):
            return -1
        row = sum(form)
        for other in rows:
            row = min(row, row ^ other)
        if row:
            rows.append(row)
    return len(rows)

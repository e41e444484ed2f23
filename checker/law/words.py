"""Words that are mixed and mixed back, such as a sum of positions that are kept in Gray code.

Exclusive ors, shifts, turns and masks make each bit an exclusive or of bits of other words: a matrix over two elements.
Sums and multiples make the word a sum of multiples modulo 2^32.  Terms with the same matrices, or the same multiples,
are equal; so what undoes a step leaves the word that it was made of, and equal words become one term.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import xor
from typing import TypeAlias

from kcheck.checker.law import work
from kcheck.checker.law.terms import Op, Sort, Term, Terms, choices, number, postorder

Word: TypeAlias = tuple[int, ...]
"""The bits of an Int, the lowest first: each an exclusive or, as a mask over 1 and the bits of all opaque words."""
Sum: TypeAlias = Mapping["Term | None", int]
"""Multiples of Ints, modulo 2^32; None stands for 1."""

WIDTH = 32
MODULUS = 1 << WIDTH
MOST_TERMS = 1_000
"""Larger merges stay as they are: a mask has 32 bits for each opaque word."""
MOST_PARTS = 16
"""Choices of more words stay as they are."""
_ZERO: Word = (0,) * WIDTH
_TERM = 5e-5
"""The work of a term's forms."""
_MIXING = frozenset({Op.BIT_XOR, Op.SHL, Op.SHR, Op.USHR, Op.REVERSE_BITS})


def mixes(roots: Sequence[Term]) -> bool:
    """Whether bits are moved or combined in these terms."""
    return any(term.op in _MIXING for term in postorder(roots))


def unmixed(terms: Terms, roots: Sequence[Term]) -> tuple[Term, ...]:
    """Terms that are equal to these for all values, with one term for all words that are seen to be equal."""
    parts = list(postorder(roots))
    if len(parts) > MOST_TERMS:
        return tuple(roots)
    work.count(_TERM * len(parts))
    words = _Words(terms)
    made: dict[Term, Term] = {}
    for term in parts:
        rebuilt = terms.rebuild(term, [made[arg] for arg in term.args]) if term.args else term
        made[term] = words.simplest(rebuilt)
        if made[term] is rebuilt and term.args and not words.is_mixed(rebuilt):
            made[term] = words.simplest(terms.rebuild(term, [words.chosen(made[arg]) for arg in term.args]))
    return tuple(words.chosen(made[root]) for root in roots)


class _Words:
    """The forms of Ints, and the first term of each."""

    def __init__(self, terms: Terms) -> None:
        self._terms = terms
        self._first: dict[Term, Term] = {}
        self._words: dict[Term, Word] = {}
        self._sums: dict[Term, Sum] = {}
        self._by_word: dict[Word, Term] = {}
        self._equations: dict[frozenset[int], Term] = {}
        self._by_sum: dict[frozenset[tuple[Term | None, int]], Term] = {}
        self._chosen: dict[Term, Term] = {}
        self._opaque: list[Term] = []
        self._lower: dict[tuple[int, frozenset[tuple[Term | None, int]]], int] = {}
        """The bit at a place of what a sum modulo twice its power of two tells it."""
        self._numbers: dict[Term, int] = {}
        """Where the bits of an opaque word begin."""

    def is_mixed(self, term: Term) -> bool:
        """Whether it is made of the bits of other words."""
        return term.sort is Sort.INT and not term.is_const and self.simplest(term) not in self._numbers

    def simplest(self, term: Term) -> Term:
        """The first term that is seen to be equal, or one that is a constant or only masks a word."""
        if term.op is Op.EQ and term.args[0].sort is Sort.INT:
            return self._equation(term)
        if term.sort is not Sort.INT:
            return term
        if term not in self._first:
            for arg in term.args:
                self.simplest(arg)
            self._first[term] = self._found(term)
        return self._first[term]

    def _found(self, term: Term) -> Term:
        word, sum_ = self._mixed(term), self._added(term)
        known = None if word is None else self._by_word.get(word) or self._plain(word)
        known = known or self._by_sum.get(frozenset(sum_.items()))
        if known is None and word is None:
            word = self._numbered(term, sum_)
            known = self._by_word.get(word)
        if known is not None and known is not term:
            first = self.simplest(known)
            self._words[term], self._sums[term] = self._words[first], self._sums[first]
            return first
        assert word is not None
        self._words[term], self._sums[term] = word, sum_
        self._by_word[word] = self._by_sum[frozenset(sum_.items())] = term
        return term

    def _numbered(self, term: Term, sum_: Sum) -> Word:
        """Bits of their own, where nothing is known of them; of a sum those of others with the same lower bits."""
        first = self._numbers[term] = 1 + WIDTH * len(self._opaque)
        self._opaque.append(term)
        own = [1 << first + i for i in range(WIDTH)]
        if term not in sum_:
            lower = (frozenset(self._modulo(sum_, i + 1).items()) for i in range(WIDTH))
            own = [self._lower.setdefault((i, rest), own[i]) for i, rest in enumerate(lower)]
        return tuple(bit if known is None else known for bit, known in zip(own, self._known(term), strict=True))

    def _modulo(self, sum_: Sum, bits: int) -> Sum:
        """The sum modulo a power of two, which masks that leave all lower bits do not change."""
        total: dict[Term | None, int] = {}
        for term, times in sum_.items():
            place = None if term is None or term in self._numbers else self._place(self._words[term])
            leaves_lower = place is not None and (place[1] + 1) % (1 << bits) == 0
            parts = self._modulo(self._sums[place[0]], bits) if place is not None and leaves_lower else {term: 1}
            for part, factor in parts.items():
                total[part] = total.get(part, 0) + factor * times
        return {term: rest for term, times in total.items() if (rest := times % (1 << bits))}

    def _known(self, term: Term) -> Sequence[int | None]:
        """Where bits are not known to be of other words: None."""
        if term.op not in (Op.IF, Op.MIN, Op.MAX, Op.ADD, Op.BIT_AND, Op.BIT_OR):
            return (None,) * WIDTH
        x, y = (self._words[arg] for arg in term.args[-2:])
        match term.op:
            case Op.BIT_AND:
                return _met(x, y)
            case Op.BIT_OR:
                return _joined(x, y)
            case Op.ADD:  # zeros around it; a carry goes one further
                used = [i for i in range(WIDTH) if x[i] or y[i]]
                return tuple(None if used[0] <= i <= used[-1] + 1 else 0 for i in range(WIDTH))
            case _:
                return tuple(p if p == q and p < 2 else None for p, q in zip(x, y, strict=True))

    def _last_opaque(self, bit: int) -> Term:
        """The latest of the opaque words with bits in an exclusive or."""
        return self._opaque[(bit.bit_length() - 2) // WIDTH]

    def _place(self, word: Word) -> tuple[Term, int] | None:
        """The opaque word that this one only masks, and the mask; None where it does not, or is a constant."""
        some = next((bit for bit in word if bit > 1), 0)
        if not some:
            return None
        opaque = self._last_opaque(some)
        if any(bit and bit != own for bit, own in zip(word, self._words[opaque], strict=True)):
            return None
        return opaque, sum(1 << i for i, bit in enumerate(word) if bit)

    def _plain(self, word: Word) -> Term | None:
        """The term of bits that are all known, or all in their place in one opaque word."""
        if all(bit in (0, 1) for bit in word):
            return self._terms.integer(sum(bit << i for i, bit in enumerate(word)))
        place = self._place(word)
        return place and self._terms.apply(Op.BIT_AND, place[0], self._terms.integer(place[1]))

    # ------------------------------------------------------------ bits

    def _mixed(self, term: Term) -> Word | None:
        """The bits where each is an exclusive or of bits of the arguments."""
        if term.is_const:
            return tuple(int(number(term)) >> i & 1 for i in range(WIDTH))
        if not term.args or any(arg.sort is not Sort.INT for arg in term.args):
            return None
        x, *rest = (self._words[arg] for arg in term.args)
        match term.op:
            case Op.BIT_XOR:
                return tuple(map(xor, x, rest[0]))
            case Op.BIT_NOT:
                return tuple(bit ^ 1 for bit in x)
            case Op.REVERSE_BITS:
                return x[::-1]
            case Op.BIT_AND:
                return _whole(_met(x, rest[0]))
            case Op.BIT_OR:
                return _whole(_joined(x, rest[0]))
            case Op.ADD:
                return _put_together(x, rest[0])
            case _ if rest and term.args[-1].is_const:
                return _by_constant(term.op, x, int(number(term.args[-1])))
            case Op.MUL if term.args[0].is_const:
                return _by_constant(Op.MUL, rest[0], int(number(term.args[0])))
            case _:
                return None

    # ------------------------------------------------------------ choices

    def chosen(self, term: Term) -> Term:
        """Where it mixes a choice of words, and mixes one of these back: the choice of what they are then."""
        if term not in self._chosen:
            self._chosen[term] = self._made_in_each(term) if self.is_mixed(term) else term
        return self._chosen[term]

    def _made_in_each(self, term: Term) -> Term:
        word = self._words[term]
        choice = self._last_opaque(max(word))
        parts = choices(choice)
        if choice.op is not Op.IF or len(parts) > MOST_PARTS:
            return term
        if not any(self._is_mixed_back(word, choice, part) for part in parts):
            return term
        by = {part: self.chosen(self.simplest(self._replaced(term, {choice: part}))) for part in parts}
        return self.simplest(self._in_each(choice, by))

    def _in_each(self, choice: Term, by: dict[Term, Term]) -> Term:
        """The choice with others in place of what it may be."""
        if choice not in by:
            condition, *sides = choice.args
            by[choice] = self._terms.if_(condition, *(self._in_each(side, by) for side in sides))
        return by[choice]

    def _is_mixed_back(self, word: Word, choice: Term, part: Term) -> bool:
        return self._place(self._words[part]) is None and self._place(self._with(word, choice, part)) is not None

    def _with(self, word: Word, choice: Term, part: Term) -> Word:
        """The word with the bits of the part in place of those of the choice."""
        first, others = self._numbers[choice], self._words[part]
        made = []
        for bit in word:
            places = bit >> first & (MODULUS - 1)
            result = bit ^ places << first
            while places:
                result ^= others[places.bit_length() - 1]
                places &= ~(1 << places.bit_length() - 1)
            made.append(result)
        return tuple(made)

    def _replaced(self, term: Term, done: dict[Term, Term]) -> Term:
        """The term with others in place of opaque words."""
        if term not in done:
            args = term.args if term not in self._numbers else ()
            done[term] = self._terms.rebuild(term, [self._replaced(arg, done) for arg in args]) if args else term
        return done[term]

    # ------------------------------------------------------------ equations

    def _equation(self, term: Term) -> Term:
        """The first equation that says the same of the bits."""
        for arg in term.args:
            self.simplest(arg)
        if all(arg.is_const or arg in self._numbers for arg in term.args):
            return term
        rows = _solved(map(xor, *(self._words[arg] for arg in term.args)))
        if 1 in rows or not rows:
            return self._terms.truth(not rows)
        return self._equations.setdefault(rows, term)

    # ------------------------------------------------------------ sums

    def _added(self, term: Term) -> Sum:
        """The multiples of which it is the sum; itself, once, if it is none."""
        if term.is_const:
            return _reduced({None: int(number(term))})
        x, *rest = (self._sums.get(arg, {}) for arg in term.args or (term,))
        match term.op:
            case Op.ADD:
                return _sum(x, rest[0], 1)
            case Op.SUB:
                return _sum(x, rest[0], -1)
            case Op.NEG:
                return _sum({}, x, -1)
            case Op.MUL if term.args[0].is_const:
                return _sum({}, rest[0], int(number(term.args[0])))
            case Op.MUL if term.args[1].is_const:
                return _sum({}, x, int(number(term.args[1])))
            case Op.SHL if term.args[1].is_const:
                return _sum({}, x, 1 << int(number(term.args[1])) % WIDTH)
            case _:
                return {term: 1}


def _sum(x: Sum, y: Sum, factor: int) -> Sum:
    total = dict(x)
    for term, times in y.items():
        total[term] = total.get(term, 0) + factor * times
    return _reduced(total)


def _reduced(sum_: Sum) -> Sum:
    return {term: times % MODULUS for term, times in sum_.items() if times % MODULUS}


def _solved(equations: Iterable[int]) -> frozenset[int]:
    """The one form of exclusive ors that are to be 0: the highest bit of each is in no other."""
    solved: list[int] = []
    for equation in equations:
        row = reduce(lambda rest, other: min(rest, rest ^ other), solved, equation)
        if row:
            solved = [min(other, other ^ row) for other in solved]
            solved.append(row)
    return frozenset(solved)


def _met(x: Word, y: Word) -> Sequence[int | None]:
    """The bits of both; None for each two that are neither known nor the same."""
    return tuple(None if 1 < p != q > 1 else max(p, q) if p and q else 0 for p, q in zip(x, y, strict=True))


def _joined(x: Word, y: Word) -> Sequence[int | None]:
    """The bits of either, in the same way."""
    bits = zip(x, y, _met(x, y), strict=True)
    return tuple(None if met is None else p ^ q ^ met for p, q, met in bits)


def _whole(bits: Sequence[int | None]) -> Word | None:
    known = tuple(bit for bit in bits if bit is not None)
    return known if len(known) == len(bits) else None


def _put_together(x: Word, y: Word) -> Word | None:
    """The sum of words that never have the same bit."""
    return tuple(map(xor, x, y)) if not any(p and q for p, q in zip(x, y, strict=True)) else None


def _by_constant(op: Op, x: Word, by: int) -> Word | None:
    count = by % WIDTH
    match op:
        case Op.SHL:
            return (_ZERO[:count] + x)[:WIDTH]
        case Op.USHR:
            return x[count:] + _ZERO[:count]
        case Op.SHR:
            return x[count:] + (x[-1],) * count
        case Op.MUL:
            return _multiplied(x, by % MODULUS)
        case Op.UDIV | Op.UREM if by > 0 and by & (by - 1) == 0:
            bits = by.bit_length() - 1
            return x[bits:] + _ZERO[:bits] if op is Op.UDIV else x[:bits] + _ZERO[bits:]
        case Op.DIV | Op.REM if not x[-1]:  # else it is rounded towards 0
            return _by_constant(Op.UDIV if op is Op.DIV else Op.UREM, x, by)
        case _:
            return None


def _multiplied(x: Word, by: int) -> Word | None:
    """The sum of the word moved by each bit of the number, where no two of these have the same bit."""
    total: Word | None = _ZERO
    for count in range(by.bit_length()):
        if by >> count & 1 and total is not None:
            total = _put_together(total, (_ZERO[:count] + x)[:WIDTH])
    return total

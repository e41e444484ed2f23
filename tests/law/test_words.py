"""Words that are mixed and mixed back: equal to what they were, and found where the steps are undone."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial

import pytest

from kcheck.checker.law.terms import Op, Sort, Term, Terms
from kcheck.checker.law.words import mixes, unmixed
from tests.law.random_terms import RandomTerms
from tests.law.reference import evaluate
from tests.law.test_anf import NUMBERS
from tests.law.test_anf import term as term_of_bits

Step = Callable[[Terms, Term], Term]


def shifted(op: Op, by: int, terms: Terms, word: Term) -> Term:
    return terms.apply(op, word, terms.integer(by))


def with_shifted(op: Op, by: Sequence[int], terms: Terms, word: Term) -> Term:
    """The exclusive or of the word and itself, shifted."""
    result = word
    for count in by:
        result = terms.apply(Op.BIT_XOR, result, shifted(op, count, terms, word))
    return result


def in_steps(op: Op, by: Sequence[int], terms: Terms, word: Term) -> Term:
    for count in by:
        word = with_shifted(op, [count], terms, word)
    return word


def turned(by: int, terms: Terms, word: Term) -> Term:
    return terms.apply(Op.BIT_OR, shifted(Op.SHL, by, terms, word), shifted(Op.USHR, 32 - by, terms, word))


def masked(mask: int, by: int, terms: Terms, word: Term) -> Term:
    """Neighbouring groups of bits change places."""
    up = shifted(Op.SHL, by, terms, terms.apply(Op.BIT_AND, word, terms.integer(mask)))
    down = terms.apply(Op.BIT_AND, shifted(Op.USHR, by, terms, word), terms.integer(mask))
    return terms.apply(Op.ADD, up, down)


def with_constant(op: Op, value: int, terms: Terms, word: Term) -> Term:
    return terms.apply(op, word, terms.integer(value))


def alone(op: Op, terms: Terms, word: Term) -> Term:
    return terms.apply(op, word)


UNDONE: dict[str, tuple[Step, Step]] = {
    "Gray code": (partial(with_shifted, Op.USHR, [1]), partial(in_steps, Op.USHR, [16, 8, 4, 2, 1])),
    "shift to the right": (partial(with_shifted, Op.USHR, [13]), partial(with_shifted, Op.USHR, [13, 26])),
    "shift to the left": (partial(with_shifted, Op.SHL, [7]), partial(with_shifted, Op.SHL, [7, 14, 21, 28])),
    "turn": (partial(turned, 5), partial(turned, 27)),
    "nibbles": (partial(masked, 0x0F0F0F0F, 4), partial(masked, 0x0F0F0F0F, 4)),
    "bits in reverse": (partial(alone, Op.REVERSE_BITS), partial(alone, Op.REVERSE_BITS)),
    "complement": (partial(alone, Op.BIT_NOT), partial(with_constant, Op.BIT_XOR, -1)),
    "multiple": (partial(with_constant, Op.MUL, 0x7FEB352D), partial(with_constant, Op.MUL, 0x1D69E2A5)),
    "offset": (partial(with_constant, Op.ADD, 0x5BD1E995), partial(with_constant, Op.SUB, 0x5BD1E995)),
}
"""Steps, and what undoes them."""

NEARLY: dict[str, tuple[Step, Step]] = {
    "arithmetic": (partial(with_shifted, Op.SHR, [1]), partial(in_steps, Op.USHR, [16, 8, 4, 2, 1])),
    "step left out": (partial(with_shifted, Op.USHR, [1]), partial(in_steps, Op.USHR, [16, 8, 4, 1])),
    "wrong shift": (partial(with_shifted, Op.USHR, [13]), partial(with_shifted, Op.USHR, [13, 25])),
    "turned too far": (partial(turned, 5), partial(turned, 26)),
    "mask without a bit": (partial(masked, 0x0F0F0F0F, 4), partial(masked, 0x0F0F0F07, 4)),
    "mask with another bit": (partial(masked, 0x0F0F0F0F, 4), partial(masked, 0x0F0F0F1F, 4)),
    "other multiple": (partial(with_constant, Op.MUL, 0x7FEB352D), partial(with_constant, Op.MUL, 0x1D69E2A7)),
}


def held(terms: Terms, made: Sequence[Term], values: Sequence[dict[Term, int]]) -> tuple[Term, ...]:
    """The same, made simple: with the same values."""
    found = unmixed(terms, made)
    for chosen in values:
        assert evaluate(found, chosen) == evaluate(made, chosen), made
    return found


def numbers(source: random.Random, variables: Sequence[Term]) -> dict[Term, int]:
    return {v: source.choice((*NUMBERS, source.randint(-(1 << 31), (1 << 31) - 1))) for v in variables}


@pytest.mark.parametrize("part", range(4))
def test_terms_keep_their_values(part: int) -> None:
    changed = 0
    for seed in range(100 * part, 100 * (part + 1)):
        source = random.Random(seed)
        terms = Terms()
        variables = [terms.var(name, Sort.INT) for name in "xy"]
        made = [term_of_bits(terms, source, variables, source.choice((2, 3, 4, 5))) for _ in range(2)]
        changed += held(terms, made, [numbers(source, variables) for _ in range(6)]) != tuple(made)
    assert changed > 50


@pytest.mark.parametrize("part", range(4))
def test_terms_of_all_operations_keep_their_values(part: int) -> None:
    for seed in range(100 * part, 100 * (part + 1)):
        source = random.Random(seed)
        terms = Terms()
        some = RandomTerms(terms, source)
        made = [some.term(source.choice((Sort.INT, Sort.BOOL)), source.choice((2, 3, 4, 5))) for _ in range(2)]
        found = unmixed(terms, made)
        for _ in range(6):
            values = some.values()
            try:
                expected = evaluate(made, values)
            except ZeroDivisionError:
                continue
            assert evaluate(found, values) == expected, made


@pytest.mark.parametrize("part", range(4))
def test_chains_of_steps_keep_their_values(part: int) -> None:
    for seed in range(60 * part, 60 * (part + 1)):
        source = random.Random(seed)
        terms = Terms()
        variables = [terms.var(name, Sort.INT) for name in "xy"]
        word = terms.apply(source.choice((Op.ADD, Op.MIN, Op.MAX, Op.MUL)), *variables)
        steps = [source.choice((*UNDONE.values(), *NEARLY.values())) for _ in range(4)]
        for step, _ in steps:
            word = step(terms, word)
            if source.random() < 0.4:
                is_other = terms.eq(source.choice((word, variables[0])), terms.integer(source.choice(NUMBERS)))
                word = terms.if_(is_other, source.choice(variables), word)
        for _, back in reversed(steps):
            word = back(terms, word)
        held(terms, [word, terms.eq(word, variables[1])], [numbers(source, variables) for _ in range(6)])


@pytest.mark.parametrize("name", UNDONE)
def test_what_undoes_a_step_leaves_the_word(name: str) -> None:
    step, back = UNDONE[name]
    terms = Terms()
    x, y = (terms.var(name, Sort.INT) for name in "xy")
    word = terms.add(x, y)
    mixed = step(terms, word)
    assert unmixed(terms, [back(terms, mixed), word]) == (word, word)
    assert unmixed(terms, [step(terms, back(terms, word))]) == (word,)


@pytest.mark.parametrize("name", sorted(UNDONE.keys() - {"multiple", "offset"}))
def test_what_undoes_steps_of_choices_leaves_the_choice(name: str) -> None:
    step, back = UNDONE[name]
    terms = Terms()
    x, y, n = (terms.var(name, Sort.INT) for name in "xyn")
    is_some, word = terms.eq(n, terms.integer(0)), terms.add(x, y)
    mixed = terms.if_(is_some, step(terms, word), step(terms, x))
    assert unmixed(terms, [back(terms, mixed)]) == (terms.if_(is_some, word, x),)
    assert unmixed(terms, [step(terms, back(terms, mixed)), mixed]) == (mixed, mixed)


def test_steps_are_undone_one_after_the_other() -> None:
    terms = Terms()
    x, y = (terms.var(name, Sort.INT) for name in "xy")
    word = terms.apply(Op.MAX, x, y)
    made = word
    for step, _ in UNDONE.values():
        made = step(terms, made)
    for _, back in reversed(UNDONE.values()):
        made = back(terms, made)
    assert unmixed(terms, [made]) == (word,)


@pytest.mark.parametrize("name", NEARLY)
def test_what_nearly_undoes_a_step_does_not_leave_the_word(name: str) -> None:
    step, back = NEARLY[name]
    terms = Terms()
    x, y = (terms.var(name, Sort.INT) for name in "xy")
    word = terms.add(x, y)
    source = random.Random(7)
    values = [numbers(source, (x, y)) for _ in range(200)]
    [found] = held(terms, [back(terms, step(terms, word))], values)
    assert found is not word
    assert any(evaluate([found], v) != evaluate([word], v) for v in values)


def test_fields_put_together_are_taken_apart() -> None:
    terms = Terms()
    x, y = (terms.var(name, Sort.INT) for name in "xy")
    low = with_constant(Op.BIT_AND, 0xFFFF, terms, terms.add(x, y))
    high = shifted(Op.SHL, 16, terms, y)
    both = terms.apply(Op.BIT_OR, low, high)
    assert unmixed(terms, [with_constant(Op.BIT_AND, 0xFFFF, terms, both)]) == (low,)
    wanted = with_constant(Op.BIT_AND, 0xFFFF, terms, y)
    assert unmixed(terms, [shifted(Op.USHR, 16, terms, both)]) == (wanted,)
    overlapping = terms.apply(Op.BIT_OR, low, shifted(Op.SHL, 15, terms, y))
    assert unmixed(terms, [with_constant(Op.BIT_AND, 0xFFFF, terms, overlapping)]) != (low,)


def test_sums_are_one_in_the_bits_that_masks_leave() -> None:
    terms = Terms()
    x, y, z = (terms.var(name, Sort.INT) for name in "xyz")
    low = partial(with_constant, Op.BIT_AND, 0xFFFF, terms)
    left = low(terms.add(low(terms.add(x, y)), z))
    [found, other, plain] = unmixed(
        terms, [left, low(terms.add(x, low(terms.add(y, z)))), low(terms.add(terms.add(x, y), z))]
    )
    assert found is other is plain
    further = with_constant(Op.BIT_AND, 0x1FFFF, terms, terms.add(x, low(terms.add(y, z))))
    [found, other] = unmixed(
        terms, [with_constant(Op.BIT_AND, 0x1FFFF, terms, terms.add(low(terms.add(x, y)), z)), further]
    )
    assert found is not other


def test_bits_that_meet_may_be_masked_away() -> None:
    terms = Terms()
    x = terms.var("x", Sort.INT)
    word = with_constant(Op.BIT_AND, 0xFFFF, terms, x)
    spread = terms.apply(Op.BIT_OR, word, shifted(Op.SHL, 8, terms, word))
    spread = with_constant(Op.BIT_AND, 0x00FF00FF, terms, spread)
    back = terms.apply(Op.BIT_OR, spread, shifted(Op.USHR, 8, terms, spread))
    assert unmixed(terms, [with_constant(Op.BIT_AND, 0xFFFF, terms, back)]) == (word,)
    assert unmixed(terms, [with_constant(Op.BIT_AND, 0x1FFFF, terms, back)]) != (word,)


def test_equations_that_say_the_same_are_one() -> None:
    terms = Terms()
    x, y = (terms.var(name, Sort.INT) for name in "xy")
    gray, _ = UNDONE["Gray code"]
    of_code = terms.eq(gray(terms, x), terms.integer(3))  # the code of 2
    assert unmixed(terms, [of_code, terms.eq(turned(5, terms, x), terms.integer(64))]) == (of_code, of_code)
    same = terms.eq(gray(terms, x), gray(terms, y))
    assert unmixed(terms, [same, terms.eq(turned(5, terms, x), turned(5, terms, y))]) == (same, same)
    other = terms.eq(turned(5, terms, x), turned(6, terms, y))
    assert unmixed(terms, [same, other]) == (same, other)
    doubled = with_shifted(Op.SHL, [1], terms, shifted(Op.SHL, 1, terms, x))
    assert unmixed(terms, [terms.eq(doubled, terms.integer(1))]) == (terms.false,)


def test_only_what_moves_bits_is_looked_at() -> None:
    terms = Terms()
    x, y = (terms.var(name, Sort.INT) for name in "xy")
    assert not mixes([terms.add(x, y), terms.apply(Op.BIT_AND, x, y)])
    assert mixes([terms.add(x, shifted(Op.SHL, 3, terms, y))])

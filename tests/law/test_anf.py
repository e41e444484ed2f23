"""Forms of bits and turned words: equal to their terms, and what is said to hold does for all numbers."""

from __future__ import annotations

import random

import pytest

from kcheck.checker.law.problem import Law
from kcheck.checker.law.solver.anf import ONE, Allowance, Forms, Unfit, leaves_by_forms
from kcheck.checker.law.solver.rotations import are_equal
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Op, Sort, Term, Terms
from tests.law.build import over_ints, reduction
from tests.law.reference import evaluate

NUMBERS = (0, 1, -1, 2, 31, 32, 255, 0x55555555, (1 << 31) - 1, -(1 << 31), 123456789, -987654321)


def term(terms: Terms, source: random.Random, variables: list[Term], depth: int) -> Term:
    """Shifts, masks, choices by bits, and sums of what has few bits."""
    if depth == 0:
        return source.choice((*variables, terms.integer(source.choice(NUMBERS))))
    a, b = (term(terms, source, variables, depth - 1) for _ in range(2))
    count = terms.integer(source.choice((0, 1, 4, 8, 16, 31, 33)))
    bit = terms.apply(Op.BIT_AND, b, terms.integer(source.choice((1, 4, 128))))
    few = terms.apply(Op.BIT_AND, a, terms.integer(3))
    match source.randrange(9):
        case 0:
            return terms.apply(source.choice((Op.SHL, Op.SHR, Op.USHR)), a, count)
        case 1:
            return terms.if_(terms.eq(bit, terms.integer(source.choice((0, 1, 4)))), a, b)
        case 2:
            return terms.apply(source.choice((Op.BIT_NOT, Op.REVERSE_BITS)), a)
        case 3:
            return terms.apply(source.choice((Op.ADD, Op.MUL)), few, bit)
        case 4:
            op = source.choice((Op.UREM, Op.REM, Op.UDIV, Op.DIV))
            return terms.apply(op, source.choice((a, few)), terms.integer(source.choice((1, 2, 16, 256))))
        case 5:
            sign = source.choice((terms.lt(a, terms.integer(0)), terms.le(terms.integer(0), a)))
            return terms.if_(sign, b, few)
        case _:
            return terms.apply(source.choice((Op.BIT_XOR, Op.BIT_XOR, Op.BIT_AND, Op.BIT_OR)), a, b)


def value(forms: Forms, made: Term, values: dict[Term, int]) -> int:
    """What the form of a term is where the variables have these values."""
    bits = {}
    for variable, number in values.items():
        for i, form in enumerate(forms.of(variable)):
            [product] = form
            bits[product] = number >> i & 1
    total = 0
    for i, form in enumerate(forms.of(made)):
        ones = [all(bits[1 << j] for j in range(product.bit_length()) if product >> j & 1) for product in form]
        total |= sum(ones) % 2 << i
    return total


@pytest.mark.parametrize("part", range(4))
def test_forms_have_the_values_of_their_terms(part: int) -> None:
    decided = 0
    for seed in range(100 * part, 100 * (part + 1)):
        source = random.Random(seed)
        terms = Terms()
        variables = [terms.var(name, Sort.INT) for name in "xy"]
        made = term(terms, source, variables, source.choice((1, 2, 3, 4)))
        forms = Forms({}, Allowance())
        try:
            for _ in range(4):
                values = {variable: source.choice(NUMBERS) for variable in variables}
                assert value(forms, made, values) == evaluate([made], values)[0] & 0xFFFFFFFF, made
                decided += 1
        except Unfit:
            continue
    assert decided > 150


def test_known_bits_are_taken_for_what_they_are() -> None:
    terms = Terms()
    x = terms.var("x", Sort.INT)
    forms = Forms({x: (ONE, *(None,) * 30, frozenset())}, Allowance())
    assert forms.of(terms.apply(Op.BIT_AND, x, terms.integer(1)))[0] == ONE
    assert forms.of(terms.lt(x, terms.integer(0))) == (frozenset(),)


TIMES = """
var r = 0;
for i in 0..8 {{
  if ((b >> i) & 1) == 1 {{ r ^= a << i; }}
}}
r{}
"""


@pytest.mark.parametrize(
    ("compute", "merge", "laws"),
    [
        ("sample(values) & 15", TIMES.format(""), set[Law]()),  # of what is merged only eight bits would count
        ("sample(values) & 255", TIMES.format(" & 255"), set(Law)),
        ("sample(values) & 255", TIMES.format(" & 127"), set(Law)),  # what is merged has no bit 7, and gives none
        ("sample(values)", TIMES.format(" & 255"), set(Law)),
        ("sample(values)", TIMES.format(" & 511"), set[Law]()),
        ("sample(values)", "(a & 0xFFFF) | (b & -65536)", {Law.ASSOCIATIVE}),
        ("sample(values)", "((a << 16) | (a >>> 16)) ^ b", set[Law]()),
        ("sample(values) & 1", "a ^ (b << 1)", set[Law]()),
    ],
)
def test_laws_of_bits(compute: str, merge: str, laws: set[Law]) -> None:
    problem = problem_of(reduction("Int", "Int", compute, merge))
    shown = {law for law in Law if leaves_by_forms(problem, law, (0,)) == [0]}
    source = random.Random(1)
    for _ in range(300):
        elements = [source.choice(NUMBERS) for _ in range(3)]
        a, b, c = (evaluate(problem.compute.leaves, {problem.inputs[0].variable: e})[0] for e in elements)

        def merged(x: int, y: int) -> int:
            found: int = evaluate(problem.merge.leaves, {problem.left[0]: x, problem.right[0]: y})[0]
            return found

        if Law.COMMUTATIVE in shown:
            assert merged(a, b) == merged(b, a)
        if Law.ASSOCIATIVE in shown:
            assert merged(merged(a, b), c) == merged(a, merged(b, c))
    assert shown == laws


# ---------------------------------------------------------------- turned words


def turned(terms: Terms, word: Term, count: Term, op: Op = Op.BIT_OR) -> Term:
    up = terms.apply(Op.SHL, word, count)
    return terms.apply(op, up, terms.apply(Op.USHR, word, terms.sub(terms.integer(32), count)))


def test_turned_words_that_are_called_equal_are() -> None:
    equal = 0
    for seed in range(600):
        source = random.Random(seed)
        terms = Terms()
        words = [terms.var(name, Sort.INT) for name in "xy"]
        counts = [terms.var(name, Sort.INT) for name in "mn"]
        a, b = (word(terms, source, words, counts, 3) for _ in range(2))
        [b] = terms.substitute((source.choice((a, b)),), dict(zip(counts, source.sample(counts, 2), strict=True)))
        if are_equal(a, b):
            equal += 1
            for _ in range(20):
                values = {variable: source.choice(NUMBERS) for variable in (*words, *counts)}
                assert evaluate([a], values) == evaluate([b], values), (a, b)
    assert equal > 60


def word(terms: Terms, source: random.Random, words: list[Term], counts: list[Term], depth: int) -> Term:
    if depth == 0:
        return source.choice(words)
    a = word(terms, source, words, counts, depth - 1)
    if source.random() < 0.3:
        return terms.apply(Op.BIT_XOR, a, word(terms, source, words, counts, depth - 1))
    m, n = source.choice(counts), source.choice(counts)
    by = (m, terms.add(m, n), terms.neg(m), terms.apply(Op.BIT_AND, m, terms.integer(31)), terms.integer(5))
    return turned(terms, a, source.choice(by))


def test_turns_add_up_and_halves_that_are_added_are_none() -> None:
    terms = Terms()
    x, m, n = (terms.var(name, Sort.INT) for name in "xmn")
    assert are_equal(turned(terms, turned(terms, x, m), n), turned(terms, x, terms.add(m, n)))
    for op in (Op.ADD, Op.BIT_XOR):  # where the count is 0 both halves are x
        twice = turned(terms, turned(terms, x, m, op), n, op)
        assert not are_equal(twice, turned(terms, x, terms.add(m, n), op))
    assert not are_equal(turned(terms, x, m), turned(terms, x, n))


def test_a_merge_of_any_ints_is_none_of_bits() -> None:
    assert leaves_by_forms(problem_of(over_ints("a + b")), Law.ASSOCIATIVE, (0,)) == []
    assert leaves_by_forms(problem_of(over_ints("(a + b) ^ (a & b)")), Law.COMMUTATIVE, (0,)) == []

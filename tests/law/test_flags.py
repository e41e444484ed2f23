"""Bools that tell whether a bit of a word is set: words in their place, and laws that rest on it."""

from __future__ import annotations

import random

import pytest

from kcheck.checker import arithmetic, ir
from kcheck.checker.law.prover import Prover
from kcheck.checker.law.solver.flags import with_words
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Sort, Term
from kcheck.checker.law.verdict import PROVED, REFUTED
from tests.law.build import reduction
from tests.law.reference import evaluate
from tests.law.replay import hold_witness

DEMAND = "struct D { bits: Int; known: Int; flag: Bool; }"


def demand(flag: str, start: str = "false", bits: str = "a.bits | b.bits") -> ir.Program:
    compute = f"let v = sample(values); D {{ bits: v & (v >> 3), known: v, flag: {start} }}"
    return reduction("Int", "D", compute, f"D {{ bits: {bits}, known: a.known | b.known, flag: {flag} }}", DEMAND)


CONFLICT = "((a.bits ^ b.bits) & a.known & b.known)"
TOLD = [
    (f"a.flag || b.flag || {CONFLICT} != 0", "false"),
    (f"a.flag | b.flag | !({CONFLICT} == 0)", "v != 5"),
    (f"a.flag && b.flag && {CONFLICT} == 0", "true"),
    (f"!(!a.flag || !b.flag || {CONFLICT} != 0)", "v > 0"),
]


@pytest.mark.parametrize(("flag", "start"), TOLD)
def test_a_word_is_not_0_where_the_flag_says_so(flag: str, start: str) -> None:
    problem = problem_of(demand(flag, start))
    other = with_words(problem)
    assert other is not None
    assert other.sorts == (Sort.INT,) * 3
    is_set = "&&" not in flag and not flag.startswith("!(")
    source = random.Random(1)
    [read] = problem.inputs
    for _ in range(300):
        words = [source.choice((0, 0, 1, -1, 4, source.getrandbits(32))) for _ in range(6)]
        inner = [arithmetic.wrap(word) for word in words]
        of_words: dict[Term, object] = dict(zip((*other.left, *other.right), inner, strict=True))
        values = [(word != 0) == is_set if i % 3 == 2 else word for i, word in enumerate(inner)]
        of_flags = dict(zip((*problem.left, *problem.right), values, strict=True))
        *_, word = evaluate(other.merge.leaves, of_words)
        *_, flag_ = evaluate(problem.merge.leaves, of_flags)
        assert flag_ == ((word != 0) == is_set)
        *_, word, flag_ = evaluate([*other.compute.leaves, *problem.compute.leaves[2:]], {read.variable: inner[0]})
        assert flag_ == ((word != 0) == is_set)


@pytest.mark.parametrize(
    ("flag", "bits"),
    [
        ("a.flag || b.flag", "a.bits | b.bits"),  # no word takes part
        (f"a.flag && b.flag && {CONFLICT} != 0", "a.bits | b.bits"),
        (f"a.flag || !b.flag || {CONFLICT} != 0", "a.bits | b.bits"),
        (f"a.flag ^ b.flag ^ ({CONFLICT} != 0)", "a.bits | b.bits"),
        (f"a.flag || b.flag || {CONFLICT} > 0", "a.bits | b.bits"),
        (f"a.flag || b.flag || {CONFLICT} != 0", "if a.flag { a.bits } else { a.bits | b.bits }"),
    ],
)
def test_flags_that_say_something_else(flag: str, bits: str) -> None:
    assert with_words(problem_of(demand(flag, bits=bits))) is None


@pytest.mark.parametrize(("flag", "start"), [TOLD[0], TOLD[2]])
def test_conflicts_between_any_two_obey_both_laws(flag: str, start: str, prover: Prover) -> None:
    assert [finding.verdict for finding in prover.judgement(demand(flag, start), 30.0).laws] == [PROVED, PROVED]


@pytest.mark.parametrize(
    ("flag", "commutative"),
    [
        (f"a.flag || b.flag || ({CONFLICT} & 7) != 0", True),
        ("a.flag || b.flag || (a.bits & ~b.known) != 0", False),
    ],
)
def test_conflicts_of_some_bits_or_of_one_side(flag: str, commutative: bool, prover: Prover) -> None:
    associative, other = prover.judgement(demand(flag), 30.0).laws
    assert associative.verdict == (PROVED if commutative else REFUTED)
    assert other.verdict == (PROVED if commutative else REFUTED)


@pytest.mark.parametrize(
    "flag",
    [
        f"b.flag || {CONFLICT} != 0",
        "a.flag || b.flag || (a.known & b.known) == 0",
        "a.flag || b.flag || (a.bits & ~(b.bits ^ b.known)) != 8",
    ],
)
def test_traps(flag: str, prover: Prover) -> None:
    found = prover.judgement(demand(flag), 30.0).laws
    assert any(finding.verdict == REFUTED for finding in found)
    for finding in found:
        if finding.witness is not None:
            hold_witness(finding.witness)

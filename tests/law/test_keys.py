"""Leaves that are compared by a key: which keys tell all Ints apart, and the laws that rest on it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from kcheck.checker import arithmetic
from kcheck.checker.law.problem import Law
from kcheck.checker.law.prover import Prover
from kcheck.checker.law.solver.keyed import is_injective, keyed
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Op, Sort, Term, Terms
from kcheck.checker.law.verdict import PROVED, REFUTED
from tests.law.build import reduction
from tests.law.reference import evaluate
from tests.law.replay import hold_witness

WIDTH = 32
TERMS = Terms()
X = TERMS.var("x", Sort.INT)

Unary = Callable[[Term], Term]


def number(value: int) -> Term:
    return TERMS.integer(value)


def apply(op: Op, x: Term, by: int) -> Term:
    return TERMS.apply(op, x, number(by))


def xored(x: Term, op: Op, by: int) -> Term:
    return TERMS.apply(Op.BIT_XOR, x, apply(op, x, by))


def shifted_by_top(x: Term, top: int, least: int) -> Term:
    count = apply(Op.ADD, apply(Op.USHR, x, WIDTH - top), least)
    return TERMS.apply(Op.BIT_XOR, x, TERMS.apply(Op.USHR, x, count))


def value(key: Term, x: int) -> int:
    [found] = evaluate([key], {X: arithmetic.wrap(x)})
    return int(found)


@pytest.mark.parametrize(
    "key",
    [
        X,
        TERMS.neg(X),
        TERMS.apply(Op.BIT_NOT, X),
        TERMS.apply(Op.REVERSE_BITS, X),
        apply(Op.ADD, X, 7),
        apply(Op.MUL, X, 0x45D9F3B),
        apply(Op.BIT_XOR, X, -1),
        xored(X, Op.USHR, 1),
        xored(X, Op.SHL, 5),
        TERMS.apply(Op.ADD, X, apply(Op.SHL, X, 3)),
        TERMS.apply(Op.BIT_OR, apply(Op.SHL, X, 7), apply(Op.USHR, X, 25)),
        shifted_by_top(X, 4, 4),
        apply(Op.MUL, xored(apply(Op.MUL, xored(X, Op.USHR, 16), 0x7FEB352D), Op.USHR, 15), -2073254261),
    ],
)
def test_keys_that_tell_all_ints_apart(key: Term) -> None:
    assert is_injective(TERMS, key, X)


@pytest.mark.parametrize(
    ("key", "alike"),
    [
        (apply(Op.MUL, X, 6), (0, -(2**31))),
        (apply(Op.SHL, X, 1), (0, -(2**31))),
        (apply(Op.USHR, X, 1), (0, 1)),
        (apply(Op.BIT_AND, X, 0xFFFF), (0, 65536)),
        (TERMS.apply(Op.ABS, X), (1, -1)),
        (xored(X, Op.SHR, 1), (0, -1)),
        (TERMS.mul(X, X), (1, -1)),
        (TERMS.apply(Op.ADD, X, apply(Op.MUL, X, 3)), (0, 2**30)),
        (TERMS.apply(Op.BIT_XOR, X, apply(Op.ADD, X, 1)), (0, 2)),
        (TERMS.apply(Op.POPCOUNT, X), (1, 2)),
        (TERMS.apply(Op.SUB, X, X), (1, 2)),
    ],
)
def test_keys_that_do_not(key: Term, alike: tuple[int, int]) -> None:
    first, second = (value(key, x) for x in alike)
    assert first == second
    assert not is_injective(TERMS, key, X)


def test_a_shift_by_upper_bits_that_it_changes_itself() -> None:
    """The count is not told by the key where fewer bits stay as they are than it is made of."""
    assert not is_injective(TERMS, shifted_by_top(X, 4, 3), X)
    assert not is_injective(TERMS, shifted_by_top(X, 5, 5), X)  # counts beyond 31 are taken modulo 32


def test_random_keys_that_are_said_to_tell_ints_apart_do() -> None:
    source = random.Random(5)
    told_apart = 0
    for _ in range(400):
        key = X
        for _ in range(source.randint(1, 4)):
            key = source.choice(STEPS)(key, source)
        if is_injective(TERMS, key, X):
            told_apart += 1
            inputs = list(dict.fromkeys(telling(source)))
            assert len({value(key, x) for x in inputs}) == len(inputs), key
    assert told_apart > 50


def telling(source: random.Random) -> Iterator[int]:
    """Ints that keys which lose a bit or two are likely to take for one another."""
    for _ in range(12):
        base = source.choice((0, -1, source.getrandbits(WIDTH)))
        yield arithmetic.wrap(base)
        for i in range(WIDTH):
            yield arithmetic.wrap(base ^ 1 << i)
            yield arithmetic.wrap(base ^ 3 << i)
            yield arithmetic.wrap(base + (1 << i))


STEPS: tuple[Callable[[Term, random.Random], Term], ...] = (
    lambda x, source: apply(Op.ADD, x, source.getrandbits(WIDTH)),
    lambda x, source: apply(Op.MUL, x, source.randint(1, 9)),
    lambda x, source: apply(Op.BIT_XOR, x, source.getrandbits(WIDTH)),
    lambda x, source: xored(x, source.choice((Op.USHR, Op.SHL, Op.SHR)), source.randint(1, 31)),
    lambda x, source: TERMS.apply(Op.ADD, x, apply(Op.SHL, x, source.randint(1, 31))),
    lambda x, source: TERMS.apply(Op.SUB, x, apply(Op.USHR, x, source.randint(1, 31))),
    lambda x, source: shifted_by_top(x, source.randint(1, 5), source.randint(1, 16)),
    lambda x, _: TERMS.apply(Op.REVERSE_BITS, x),
    lambda x, source: apply(source.choice((Op.SHL, Op.USHR, Op.BIT_AND)), x, source.randint(1, 31)),
)


def least(key: str, how: str = "if {} < {} {{ a }} else {{ b }}") -> str:
    """A merge by a key of what `?` stands for."""
    return how.format(key.replace("?", "a"), key.replace("?", "b"))


PAIR = "struct P { id: Int; w: Int; }"


@pytest.mark.parametrize(
    "merge",
    [
        least("hash(?)"),
        least("hash(?)", "if ult({}, {}) {{ a }} else {{ b }}"),
        least("(? ^ 0x55) * 3", "if {} <= {} {{ a }} else {{ b }}"),
        least("hash(?)", "if a == b || {} < {} {{ a }} else {{ b }}"),
    ],
)
def test_least_by_a_key_obeys_both_laws(merge: str, prover: Prover) -> None:
    program = reduction("Int", "Int", "sample(values)", merge)
    assert keyed(problem_of(program)) is not None
    assert [finding.verdict for finding in prover.judgement(program, 30.0).laws] == [PROVED, PROVED]


@pytest.mark.parametrize("how", ["if {} < {} {{ a }} else {{ b }}", "if ult({}, {}) {{ a }} else {{ b }}"])
def test_a_merge_of_keys_is_the_key_of_the_merge(how: str) -> None:
    problem = problem_of(reduction("Int", "Int", "sample(values) ^ 5", least("hash(?)", how)))
    keys = keyed(problem)
    assert keys is not None
    [read] = problem.inputs
    source = random.Random(3)
    for _ in range(300):
        drawn = [arithmetic.wrap(source.getrandbits(WIDTH)) for _ in range(2)]
        [x, kx], [y, ky] = (
            evaluate([*problem.compute.leaves, *keys.compute.leaves], {read.variable: v}) for v in drawn
        )
        [merged] = evaluate(problem.merge.leaves, {problem.left[0]: x, problem.right[0]: y})
        [of_keys] = evaluate(keys.merge.leaves, {keys.left[0]: kx, keys.right[0]: ky})
        assert of_keys == (kx if merged == x else ky)


@pytest.mark.parametrize(
    ("merge", "associative"),
    [
        (least("(? * 2)"), True),
        (least("(? >> 1)", "if ult({}, {}) {{ a }} else {{ b }}"), True),
        ("if hash(a) < hash(b) { a } else { hash(b) }", False),
        ("if hash(a) < hash(b) && a > 0 { a } else { b }", None),
        ("if hash(a) < b { a } else { b }", None),
    ],
)
def test_traps(merge: str, associative: bool | None, prover: Prover) -> None:
    """Keys that take two Ints for one, and leaves that are used for more than their keys."""
    program = reduction("Int", "Int", "sample(values)", merge)
    assert keyed(problem_of(program)) is None
    for finding in prover.judgement(program, 30.0).laws:
        if finding.law is Law.ASSOCIATIVE and associative:
            assert finding.verdict == PROVED
        elif finding.law is Law.COMMUTATIVE or associative is False:
            assert finding.verdict == REFUTED
        if finding.witness is not None:
            hold_witness(finding.witness)


def test_a_key_that_is_compared_with_a_leaf(prover: Prover) -> None:
    """What breaks this merge are the few pairs of which one is the other's hash."""
    program = reduction("Int", "Int", "sample(values)", "if hash(a) == b { a } else { max(a, b) }")
    assert keyed(problem_of(program)) is None
    assert all(finding.verdict != PROVED for finding in prover.judgement(program, 10.0).laws)


def test_a_leaf_beside_the_key_is_kept(prover: Prover) -> None:
    ties = "if ult(hash(a.id), hash(b.id)) { a } else if a.id == b.id { P { id: a.id, w: a.w + b.w } } else { b }"
    lawful = reduction("Int", "P", "P { id: sample(values), w: 1 }", ties, PAIR)
    problem = keyed(problem_of(lawful))
    assert problem is not None
    assert problem.names == ("the key of id", "w")
    assert [finding.verdict for finding in prover.judgement(lawful, 30.0).laws] == [PROVED, PROVED]
    broken = reduction("Int", "P", "P { id: sample(values), w: index() }", least("hash(?.id)"), PAIR)
    found = {finding.law: finding for finding in prover.judgement(broken, 30.0).laws}
    assert found[Law.ASSOCIATIVE].verdict == PROVED
    assert found[Law.COMMUTATIVE].verdict == REFUTED

"""Merges that cannot be written out are run step by step: exactly, in bounded time, and what is found is real."""

import time
from collections.abc import Callable

import pytest

from kcheck.checker.law.evaluate import Case, SmallField
from kcheck.checker.law.problem import Law
from kcheck.checker.law.prover import Prover
from kcheck.checker.law.stepwise import Stepwise, runner_of
from kcheck.checker.law.symbolic import Blocked, problem_of
from kcheck.checker.law.verdict import REFUTED, UNKNOWN
from kcheck.runtime.interpreter.parts import InterpretedParts
from tests.law.build import over_floats, over_ints, reduction
from tests.law.replay import hold_witness

PARTS = InterpretedParts()


def wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def euclid(a: int, b: int) -> int:
    while b:
        a, b = b, a - b * int(a / b)
    return a


ENDLESS: dict[str, Callable[[int, int], int]] = {
    "var x = a; for i in 0..b { x += i; } x": lambda a, b: wrapped(a + sum(range(b))),
    "var x = a; for i in 0..b { x = x * 3; } x": lambda a, b: wrapped(a * 3 ** max(b, 0)),
    "var x = a; var y = b; loop 1000000 until y == 0 { let t = x % y; x = y; y = t; } x": euclid,
}


@pytest.mark.parametrize("merge", ENDLESS)
def test_values_are_those_that_arithmetic_gives(merge: str) -> None:
    program = over_ints(merge)
    with pytest.raises(Blocked):
        problem_of(program)
    steps = Stepwise(program, lambda: PARTS).exactly(Case({"values": SmallField((1,), ((0,),))}, {}))
    for a in (0, 1, -5, 12, 100, 2**31 - 1):
        for b in (0, 1, 3, 18, 250):
            assert steps.rounded_merge((a,), (b,)) == (ENDLESS[merge](a, b),), (a, b)


@pytest.mark.parametrize("merge", list(ENDLESS)[:2])
def test_a_loop_of_too_many_rounds_gives_nothing(merge: str) -> None:
    steps = Stepwise(over_ints(merge), lambda: PARTS).exactly(Case({"values": SmallField((1,), ((0,),))}, {}))
    begun = time.thread_time()
    assert steps.rounded_merge((1,), (2**31 - 1,)) is None
    assert time.thread_time() - begun < 1


def test_elements_are_what_is_read() -> None:
    program = reduction(
        "Int",
        "Int",
        "var n = 0; for i in 0..sample(values) { n += at(more, i); } n + k + index() + size(values)",
        "a + b",
        members="input more: Rows<Int>; param k: Int = 1;",
    )
    case = Case({"values": SmallField((3,), ((0,), (2,), (5,))), "more": SmallField((2,), ((10,), (20,)))}, {"k": (7,)})
    steps = Stepwise(program, lambda: PARTS).exactly(case)
    assert [steps.rounded(i) for i in range(3)] == [(7 + 0 + 3,), (30 + 7 + 1 + 3,), (90 + 7 + 2 + 3,)]
    assert list(PARTS.compute(program, case)) == [steps.rounded(i) for i in range(3)]


@pytest.mark.parametrize(
    ("merge", "refuted"),
    [
        ("var x = a; for i in 0..b { x -= 1; } x", set(Law)),
        ("var x = 0; for i in 0..a { x += b; } x * 0 + a + b", set()),
        ("var x = a + b; for i in 0..(a - b) { x = x ^ 1; } x", {Law.ASSOCIATIVE, Law.COMMUTATIVE}),
    ],
)
def test_laws_of_endless_merges_are_refuted_by_elements(merge: str, refuted: set[Law], prover: Prover) -> None:
    found = prover.judgement(over_ints(merge), 10.0)
    assert found.blocked is not None
    for finding in found.laws:
        assert finding.verdict == (REFUTED if finding.law in refuted else UNKNOWN), finding
        if finding.witness is not None:
            hold_witness(finding.witness)


def test_rounding_refutes_nothing() -> None:
    """A sum of Floats depends on its order by rounding alone, and a tenth is no Float."""
    program = over_floats("var x = a; for i in 0..int(a * 0.0) + 1 { x += b * 0.1 * 10.0 - b; } a + b + (x - x)")
    with pytest.raises(Blocked):
        problem_of(program)
    runner = Stepwise(program, lambda: PARTS)
    numbers = ((16777216.0,), (1.0,), (-16777216.0,))
    exactly = runner.exactly(Case({"values": SmallField((3,), numbers)}, {}))
    assert exactly.differing(((0, 1), 2), (0, (1, 2))) == ()
    assert exactly.differing((0, 1), (1, 0)) == ()


def test_nothing_is_said_behind_a_step_without_a_value() -> None:
    program = over_floats("var x = a; for i in 0..int(a) { x += 1.0; } x / b")
    exactly = Stepwise(program, lambda: PARTS).exactly(Case({"values": SmallField((2,), ((1.0,), (0.0,)))}, {}))
    assert exactly.differing((0, 1), (1, 0)) == ()


def test_a_merge_that_can_be_written_out_is() -> None:
    assert not isinstance(runner_of(over_ints("a + b"), lambda: PARTS), Stepwise)

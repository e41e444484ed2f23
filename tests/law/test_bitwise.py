"""Merges bit by bit: what is said to hold does for all numbers, and what bits can show is shown."""

from __future__ import annotations

import random

import pytest

from kcheck.checker import ir
from kcheck.checker.law.problem import Law, Problem
from kcheck.checker.law.solver.bitwise import holds_bit_by_bit
from kcheck.checker.law.symbolic import problem_of
from tests.law.build import reduction
from tests.law.reference import evaluate

MODULO_3 = (
    "let low = (a.p & ~b.p & ~b.q) | (b.p & ~a.p & ~a.q) | (a.q & b.q);"
    " let high = (a.q & ~b.p & ~b.q) | (b.q & ~a.p & ~a.q) | (a.p & b.p); S { p: low, q: high }"
)
"""Addition modulo 3 of the bits in p and those in q, as long as no bit is in both."""


def pairs(compute: str, merge: str) -> ir.Program:
    return reduction("Int", "S", compute, merge, "struct S { p: Int; q: Int; }")


@pytest.mark.parametrize(
    ("compute", "merge", "laws", "values"),
    [
        ("S { p: sample(values), q: 0 }", MODULO_3, set(Law), 3),
        ("S { p: sample(values), q: sample(values) >> 1 }", MODULO_3, {Law.COMMUTATIVE}, 4),
        ("S { p: sample(values), q: ~sample(values) }", MODULO_3, set(Law), 3),
        ("S { p: 1 << sample(values), q: 0 }", "S { p: (a.p ^ b.p) & ~(a.q | b.q), q: a.q | b.q }", set(Law), 2),
        ("S { p: sample(values), q: 0 }", "S { p: a.p & ~b.p, q: 0 }", set[Law](), 0),
        ("S { p: sample(values), q: 0 }", "S { p: (a.p & 255) | (b.p & -256), q: 0 }", {Law.ASSOCIATIVE}, 2),
        ("S { p: sample(values) & 255, q: 0 }", "S { p: (a.p & b.p) | (a.p & -256), q: 0 }", set(Law), 2),
        ("S { p: sample(values), q: 0 }", "S { p: (a.p & b.p) | (a.p & -256), q: 0 }", {Law.ASSOCIATIVE}, 2),
        ("S { p: sample(values), q: 0 }", "S { p: a.p + b.p, q: 0 }", set[Law](), 0),
        ("S { p: sample(values), q: 0 }", "S { p: (a.p << 1) | b.p, q: 0 }", set[Law](), 0),
    ],
)
def test_what_bits_show(compute: str, merge: str, laws: set[Law], values: int) -> None:
    problem = problem_of(pairs(compute, merge))
    found = {law: holds_bit_by_bit(problem, law) for law in Law}
    assert {law for law, most in found.items() if most is not None} == laws
    assert all(found[law] == values for law in laws)


def merged(problem: Problem, a: list[object], b: list[object]) -> list[object]:
    return evaluate(problem.merge.leaves, dict(zip((*problem.left, *problem.right), (*a, *b), strict=True)))


def bits(source: random.Random, depth: int) -> str:
    if depth == 0:
        return source.choice(("a.p", "a.q", "b.p", "b.q", "a.p", "b.p", "255", "-1", "1431655765"))
    if source.random() < 0.2:
        return f"~({bits(source, depth - 1)})"
    return f"({bits(source, depth - 1)}) {source.choice('&|^')} ({bits(source, depth - 1)})"


@pytest.mark.parametrize("part", range(4))
def test_what_is_said_to_hold_does_for_all_numbers(part: int) -> None:
    held = 0
    for seed in range(60 * part, 60 * (part + 1)):
        source = random.Random(seed)
        compute = source.choice(
            ("S { p: v, q: 0 }", "S { p: v & 255, q: ~v }", "S { p: v, q: v >> 1 }", "S { p: 7, q: v | 240 }")
        )
        merge = f"S {{ p: {bits(source, source.choice((1, 2)))}, q: {bits(source, source.choice((0, 1)))} }}"
        problem = problem_of(pairs(f"let v = sample(values); {compute}", merge))
        laws = [law for law in Law if holds_bit_by_bit(problem, law) is not None]
        held += len(laws)
        states = []
        [read] = problem.inputs
        for _ in range(40 if laws else 0):
            value = source.choice((0, -1, 255, source.getrandbits(32) - (1 << 31)))
            states.append(evaluate(problem.compute.leaves, {read.variable: value}))
            if len(states) > 3:
                states.append(merged(problem, *source.sample(states, 2)))
        for law in laws:
            for _ in range(60):
                a, b, c = (source.choice(states) for _ in range(3))
                if law is Law.COMMUTATIVE:
                    assert merged(problem, a, b) == merged(problem, b, a)
                else:
                    left = merged(problem, merged(problem, a, b), c)
                    assert left == merged(problem, a, merged(problem, b, c))
    assert held > 10

"""Invariants: that the expected ones are found, and that all that are found hold of random folds."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from kcheck.checker import ir
from kcheck.checker.law import work
from kcheck.checker.law.concrete import param_variables
from kcheck.checker.law.problem import Input, Problem
from kcheck.checker.law.solver.houdini import infer
from kcheck.checker.law.solver.intervals import counted_invariants, interval_invariants
from kcheck.checker.law.solver.samples import reachable_samples
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Sort, Term
from tests.law import reductions
from tests.law.build import reduction as kernel
from tests.law.reductions import reduction
from tests.law.reference import evaluate

BINS = "var n = [0; {size}]; n[{bin}] = 1; S {{ n: n }}"
ADDED = "a.n[{0}] + b.n[{0}], a.n[{1}] + b.n[{1}], a.n[{2}] + b.n[{2}]"

EXPECTED: dict[str, tuple[Callable[[], ir.Program], set[str]]] = {
    "clamped sum": (reductions.clamped_sum, {"f >= 0", "f <= 100"}),
    "welford": (lambda: reductions.welford("Float"), {"n >= 1", "m2 >= 0"}),
    "welford, Int": (reductions.welford, {"n >= 1", "n = the number of elements"}),
    "two least": (reductions.two_least, {"m <= m2"}),
    "velocities": (reductions.velocities, {"f > -1", "f < 1"}),
    "modulo a param": (reductions.modulo_param, {"f >= 0", "f < p"}),
    "weights": (lambda: reductions.weighted_mean("abs(v.y) + 1.0"), {"w >= 1"}),
    "whole": (lambda: reduction("f: Float;", "Float", "S { f: floor(v) }", "S { f: a.f + b.f }"), {"f is whole"}),
    "masked": (
        lambda: reduction(
            "n: Int; s: Float;",
            "Float",
            "if v > 0.0 { S { n: 1, s: v } } else { S { n: 0, s: 0.0 } }",
            "S { n: a.n + b.n, s: a.s + b.s }",
        ),
        {"n >= 0", "s = 0 where n = 0"},
    ),
    "no growth": (
        lambda: reduction(
            "lo: Int; hi: Int;", "Int", "S { lo: v, hi: v }", "S { lo: min(a.lo, b.lo), hi: max(a.hi, b.hi) }"
        ),
        {"lo <= hi"},
    ),
    "flag": (
        lambda: reduction(
            "ok: Bool; k: Int;", "Int", "S { ok: v > 7, k: if v > 7 { 9 } else { 0 } }", "if a.ok { a } else { b }"
        ),
        {"k = 9 where ok", "k = 0 where !ok"},
    ),
    "bins": (
        lambda: reduction(
            "n: [Int; 3];", "Int", BINS.format(size=3, bin="clamp(v, 0, 2)"), "S { n: [" + ADDED.format(0, 1, 2) + "] }"
        ),
        {"n[0] + n[1] + n[2] = the number of elements"},
    ),
    "one of two": (
        lambda: reduction(
            "yes: Int; no: Int;",
            "Int",
            "if v > 7 { S { yes: 1, no: 0 } } else { S { yes: 0, no: 1 } }",
            "S { yes: a.yes + b.yes, no: a.no + b.no }",
        ),
        {"yes + no = the number of elements"},
    ),
    "merges": (
        lambda: reduction("merges: Int;", "Int", "S { merges: 0 }", "S { merges: a.merges + b.merges + 1 }"),
        {"merges = the number of elements - 1"},
    ),
    "empty": (
        lambda: reduction(
            "n: Int; lo: Float; hi: Float;",
            "Float",
            "if v > 7.0 { S { n: 1, lo: v, hi: v } } else { S { n: 0, lo: -1.0, hi: 2.0 } }",
            "if a.n + b.n == a.n { a } else if a.n == 0 { b } else "
            "{ S { n: a.n + b.n, lo: min(a.lo, b.lo), hi: max(a.hi, b.hi) } }",
        ),
        {"lo = -1 where n = 0", "hi = 2 where n = 0"},
    ),
    "one element is first and last": (
        lambda: reduction(
            "n: Int; first: Float; last: Float;",
            "Float",
            "S { n: 1, first: v, last: v }",
            "S { n: 2, first: a.first, last: b.last }",
        ),
        {"first = last where n = 1"},
    ),
    "a place or none": (
        lambda: reduction(
            "at: Int; ok: Bool;",
            "Int",
            "if v == 0 { S { at: 2147483647, ok: true } } else { S { at: index(), ok: false } }",
            "S { at: min(a.at, b.at), ok: a.ok && b.ok }",
        ),
        {"ok where at = 2147483647"},
    ),
    "energy above momentum": (
        lambda: reduction(
            "e: Float; p: Float; m: Float;",
            "Float",
            "S { e: abs(v), p: v, m: 0.0 }",
            "S { e: a.e + b.e, p: a.p + b.p, m: sqrt((a.e + b.e) * (a.e + b.e) - (a.p + b.p) * (a.p + b.p)) }",
        ),
        {"e^2 - p^2 >= 0"},
    ),
    "spread of raw sums": (
        lambda: reduction(
            "n: Float; s: Float; q: Float; d: Float;",
            "Float",
            "S { n: 1.0, s: v, q: v * v, d: 0.0 }",
            "S { n: a.n + b.n, s: a.s + b.s, q: a.q + b.q, d: sqrt((a.q + b.q) / (a.n + b.n)"
            " - (a.s + b.s) / (a.n + b.n) * ((a.s + b.s) / (a.n + b.n))) }",
        ),
        {"q / n - (s / n)^2 >= 0"},
    ),
    "shares that are passed on": (
        lambda: reduction(
            "t: Float; r: Float;",
            "Float",
            "S { t: 0.5 * saturate(v), r: 0.25 }",
            "S { t: a.t * b.t / (1.0 - a.r * b.r), r: a.r + a.t * a.t * b.r / (1.0 - a.r * b.r) }",
        ),
        set(),
    ),
    "counts of each kind, as Floats": (
        lambda: reduction(
            "n: [Float; 2];",
            "Int",
            "S { n: if v > 7 { [1.0, 0.0] } else { [0.0, 1.0] } }",
            "S { n: [a.n[0] + b.n[0], a.n[1] + b.n[1]] }",
        ),
        {"n[0] + n[1] = the number of elements"},
    ),
    "counters in one word": (
        lambda: reduction("w: Int;", "Int", "S { w: v & 0x7F7F }", "S { w: (a.w + b.w) & 0x7F7F }"),
        {"w & 0x7f7f = w"},
    ),
    "prefixes": (
        lambda: reduction(
            "bits: Int; length: Int;",
            "Int",
            "S { bits: v, length: 32 }",
            "S { bits: a.bits & ~(-1 >>> clz(a.bits ^ b.bits) % 32),"
            " length: min(min(a.length, b.length), clz(a.bits ^ b.bits)) }",
        ),
        {"length >= 0", "length <= 32"},
    ),
    "masks of networks": (
        lambda: reduction(
            "mask: Int;",
            "Int",
            "S { mask: -1 << (v & 31) }",
            "S { mask: if a.mask >>> 1 < b.mask >>> 1 { a.mask } else { b.mask } }",
        ),
        {"mask << 1 & mask = mask << 1"},
    ),
    "different ones in order": (
        lambda: reduction(
            "of: [Int; 2];",
            "Int",
            "S { of: [v, 2147483647] }",
            "if a.of[0] < b.of[0] { S { of: [a.of[0], min(a.of[1], b.of[0])] } }"
            " else if b.of[0] < a.of[0] { S { of: [b.of[0], min(b.of[1], a.of[0])] } }"
            " else { S { of: [a.of[0], min(a.of[1], b.of[1])] } }",
        ),
        {"of[0] < of[1] where of[1] != 2147483647"},
    ),
    "flags": (
        lambda: reduction(
            "on: Bool; off: Bool; p: Bool; q: Bool;",
            "Int",
            "S { on: true, off: false, p: v > 7, q: v > 3 }",
            "S { on: a.on && b.on, off: a.off && b.on, p: a.p || b.p, q: a.q || b.q }",
        ),
        {"on = true", "off = false", "q = true where p"},
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_invariants_are_found(name: str) -> None:
    program, expected = EXPECTED[name]
    found = {invariant.text for invariant in infer(problem_of(program()), work.clock() + 20)}
    assert expected <= found


@pytest.mark.parametrize("name", EXPECTED)
def test_invariants_hold_of_random_folds(name: str) -> None:
    problem = problem_of(EXPECTED[name][0]())
    invariants = infer(problem, work.clock() + 20)
    source = random.Random(name)
    for _ in range(6):
        values = _params(problem, source)
        states = [(_element(problem, values, source), 1) for _ in range(6)]
        for _ in range(12):
            (a, of_a), (b, of_b) = source.choice(states), source.choice(states)
            states.append((_merged(problem, values, a, b), of_a + of_b))
        for state, count in states:
            bound = dict(zip(problem.state("h"), state, strict=True))
            bound[problem.terms.var("h.n", Sort.INT)] = count
            for invariant in invariants:
                assert evaluate([invariant.holds], {**values, **bound}) == [True], (invariant.text, state)


def test_a_count_that_wraps_has_no_lower_bound() -> None:
    program = reduction("n: Int;", "Int", "S { n: 4 }", "S { n: a.n + b.n }")
    assert not any("n >= 1" in invariant.text for invariant in infer(problem_of(program), work.clock() + 20))


def test_a_count_of_leaves_has_one_thanks_to_the_largest_field() -> None:
    program = reduction("n: Int;", "Int", "S { n: 1 }", "S { n: a.n + b.n }")
    assert "n >= 1" in {invariant.text for invariant in infer(problem_of(program), work.clock() + 20)}


def test_intervals_alone_find_bounds() -> None:
    found = {invariant.text for invariant in interval_invariants(problem_of(reductions.clamped_sum()))}
    assert found == {"f >= 0", "f <= 100"}


@pytest.mark.parametrize(
    ("compute", "merge", "expected"),
    [
        ("1", "a.n + b.n", {"n = the number of elements"}),
        ("1", "b.n + a.n", {"n = the number of elements"}),
        ("if v > 0 { 1 } else { 0 }", "a.n + b.n", {"n >= 0", "n <= the number of elements"}),
        ("v & 1", "a.n + b.n", {"n >= 0", "n <= the number of elements"}),
        ("2", "a.n + b.n", set[str]()),
        ("v & 3", "a.n + b.n", set[str]()),
        ("-1", "a.n + b.n", set[str]()),
        ("1", "a.n + b.n + 1", set[str]()),
        ("1", "a.n + a.n", set[str]()),
        ("1", "a.n - b.n", set[str]()),
    ],
)
def test_counts_are_seen_without_a_solver(compute: str, merge: str, expected: set[str]) -> None:
    """What is called so is found by induction too."""
    problem = problem_of(reduction("n: Int;", "Int", f"S {{ n: {compute} }}", f"S {{ n: {merge} }}"))
    found = counted_invariants(problem)
    assert {invariant.text for invariant in found} == expected
    if expected:
        assert expected - {"n >= 0"} <= {invariant.text for invariant in infer(problem, work.clock() + 20)}


@pytest.mark.parametrize(
    ("chosen", "is_seen"),
    [
        ("clamp(v, 0, 2)", True),
        ("if v < 0 { 2 } else if v > 9 { 0 } else { 1 }", True),
        ("min(v & 3, 2)", True),
        ("v & 3", False),  # writes beyond the last bin are left out
        ("v % 3", False),  # and so are those before the first
        ("clamp(v, 0, 3)", False),
        ("v", False),
    ],
)
def test_bins_of_a_histogram_are_seen_without_a_solver(chosen: str, is_seen: bool) -> None:
    program = reduction(
        "n: [Int; 3];", "Int", BINS.format(size=3, bin=chosen), "S { n: [" + ADDED.format(0, 1, 2) + "] }"
    )
    found = {invariant.text for invariant in counted_invariants(problem_of(program))}
    assert ("n[0] + n[1] + n[2] = the number of elements" in found) == is_seen


@pytest.mark.parametrize(
    ("compute", "is_seen"),
    [
        ("if v > 7 { S { yes: 1, no: 0 } } else { S { yes: 0, no: 1 } }", True),
        ("S { yes: if v > 7 { 1 } else { 0 }, no: if v <= 7 { 1 } else { 0 } }", True),
        ("S { yes: if v > 7 { 1 } else { 0 }, no: if v < 7 { 1 } else { 0 } }", False),
        ("S { yes: if v > 7 { 1 } else { 0 }, no: if v > 8 { 0 } else { 1 } }", False),
    ],
)
def test_counts_of_which_each_element_is_in_one(compute: str, is_seen: bool) -> None:
    program = reduction("yes: Int; no: Int;", "Int", compute, "S { yes: a.yes + b.yes, no: a.no + b.no }")
    found = {invariant.text for invariant in counted_invariants(problem_of(program))}
    assert ("yes + no = the number of elements" in found) == is_seen


def test_bins_that_are_not_all_added_are_no_histogram() -> None:
    program = reduction(
        "n: [Int; 3];", "Int", BINS.format(size=3, bin="clamp(v, 0, 2)"), "S { n: [" + ADDED.format(0, 1, 1) + "] }"
    )
    assert not any("+" in invariant.text for invariant in counted_invariants(problem_of(program)))


def test_samples_lie_on_both_sides_of_a_param() -> None:
    """Where none of the usual numbers is on one of them."""
    program = kernel(
        "Float",
        "Bool",
        "sample(values) < far",
        "a && b",
        members="param far: Float = -5000.0 in -6000.0..-4000.0;",
    )
    seen = {sample.leaves[0] for sample in reachable_samples(problem_of(program)) if sample.count == 1}
    assert seen == {False, True}


def _number(sort: Sort, source: random.Random) -> object:
    if sort is Sort.BOOL:
        return source.random() < 0.5
    if sort is Sort.INT:
        return source.choice((0, 1, -1, 2, 5, 8, 2**31 - 1, -(2**31), source.randint(-1000, 1000)))
    return Fraction(source.randint(-40, 40), source.choice((1, 2, 4, 3)))


def _params(problem: Problem, source: random.Random) -> dict[Term, object]:
    while True:
        values = {v: _number(v.sort, source) for v in param_variables(problem)}
        if all(evaluate(problem.assumptions, values)):
            return values


def _element(problem: Problem, params: dict[Term, object], source: random.Random) -> tuple[object, ...]:
    inputs = {read.variable: _read(read, source) for read in problem.inputs}
    return tuple(evaluate(problem.compute.leaves, {**params, **inputs}))


def _read(read: Input, source: random.Random) -> object:
    """What is read, such as an index, which is not below 0."""
    value = _number(read.variable.sort, source)
    return value if read.low is None else source.randint(read.low, read.low + 9)


def _merged(
    problem: Problem, params: dict[Term, object], a: tuple[object, ...], b: tuple[object, ...]
) -> tuple[object, ...]:
    sides = dict(zip((*problem.left, *problem.right), (*a, *b), strict=True))
    return tuple(evaluate(problem.merge.leaves, {**params, **sides}))

"""Steps that bounds show to have a value do, and those that some reachable values lack are not shown."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from kcheck.checker import ir
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.solver.bounded import Bounds
from kcheck.checker.law.solver.intervals import interval_invariants, ranges
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Op, Sort, Term, Terms
from tests.law.build import reduction as kernel
from tests.law.cases import LawCase, law_cases
from tests.law.random_terms import RandomTerms
from tests.law.reductions import reduction
from tests.law.reference import evaluate


def shown(program: ir.Program) -> set[str] | None:
    """What shows that all steps have a value; None where they are not shown to."""
    used = Bounds(problem_of(program)).show_all()
    return None if used is None else {invariant.text for invariant in used}


def weighted(weight: str, merged: str = "a.w + b.w", divisor: str = "a.w + b.w", before: str = "") -> ir.Program:
    """A quotient whose divisor is made of weights."""
    merge = f"{before} S {{ w: {merged}, x: (a.x * a.w + b.x * b.w) / ({divisor}) }}"
    return kernel(
        "Float", "S", f"let v = sample(values); S {{ w: {weight}, x: v }}", merge, "struct S { w: Float; x: Float; }"
    )


def counted(count: str, merged: str = "a.n + b.n", divisor: str = "float(a.n + b.n)") -> ir.Program:
    merge = f"S {{ n: {merged}, x: (a.x + b.x) / {divisor} }}"
    return reduction("n: Int; x: Float;", "Float", f"S {{ n: {count}, x: v }}", merge)


SHOWN: dict[str, tuple[Callable[[], ir.Program], set[str]]] = {
    "a count": (lambda: counted("1"), {"n >= 1"}),
    "two counts": (lambda: counted("1", divisor="(float(a.n) + float(b.n))"), {"n >= 1"}),
    "weights of 1 and more": (lambda: weighted("abs(v) + 1.0"), {"w >= 1"}),
    "an exponential": (lambda: weighted("exp(v)"), {"w > 0"}),
    "products of exponentials": (lambda: weighted("exp(v)", merged="a.w * b.w"), {"w > 0"}),
    "what fades": (lambda: weighted("exp(-abs(v))", merged="a.w * b.w * 0.5"), {"w > 0"}),
    "an inverse length": (lambda: weighted("inversesqrt(v * v + 1.0)"), {"w > 0"}),
    "one and a square": (lambda: weighted("v", divisor="1.0 + a.w * a.w"), set()),
    "a guard": (lambda: weighted("v * v", divisor="if a.w + b.w > 0.0 { a.w + b.w } else { 1.0 }"), set()),
    "an early return": (
        lambda: weighted("abs(v)", before="let w = a.w + b.w; if w == 0.0 { return a; }", divisor="w"),
        set(),
    ),
    "a length above 0": (
        lambda: weighted("if sqrt(v * v) > 0.0 { 1.0 / (v * v) } else { 1.0 }"),
        {"w > 0"},
    ),
    "a test of one side": (
        lambda: weighted("abs(v)", before="if a.w <= 0.0 { return b; }"),
        {"w >= 0"},
    ),
    "a whole side": (
        lambda: counted("if v > 0.0 { 1 } else { 0 }", divisor="float(max(a.n, 1))"),
        set(),
    ),
    "a root of squares": (lambda: weighted("v", merged="sqrt(a.w * a.w + b.w * b.w)", divisor="1.0"), set()),
    "a product of two divisors": (lambda: weighted("exp(v)", divisor="(a.w + b.w) * (a.w + 1.0)"), {"w > 0"}),
}


@pytest.mark.parametrize("name", SHOWN)
def test_steps_are_shown_to_have_a_value(name: str) -> None:
    program, expected = SHOWN[name]
    assert shown(program()) == expected


NOT_SHOWN: dict[str, Callable[[], ir.Program]] = {
    "a count that may be 0": lambda: counted("if v > 0.0 { 1 } else { 0 }"),
    "a count that wraps": lambda: counted("2"),
    "a count of more than elements": lambda: counted("1", merged="a.n + b.n + 1"),
    "weights of any sign": lambda: weighted("v"),
    "weights that may be 0": lambda: weighted("abs(v)"),
    "an exponential less 1": lambda: weighted("exp(v) - 1.0"),
    "an exponential of what is not below 0, less 1": lambda: weighted("exp(abs(v)) - 1.0"),
    "a difference": lambda: weighted("exp(v)", divisor="a.w - b.w"),
    "products that come down to 0": lambda: weighted("abs(v) + 1.0", merged="a.w - a.w"),
    "a fraction": lambda: weighted("fract(v)"),
    "a guard that asks too little": lambda: weighted("v", before="if a.w + b.w < 0.0 { return a; }"),
    "a guard for the other side": lambda: weighted("abs(v)", before="if a.w <= 0.0 { return b; }", divisor="b.w"),
    "a guard with or": lambda: weighted("abs(v)", before="if a.w > 0.0 && b.w > 0.0 { return a; }"),
    "a length that may be 0": lambda: weighted("if sqrt(v * v) >= 0.0 { 1.0 / (v * v) } else { 1.0 }"),
    "a root of a difference": lambda: weighted("v", merged="sqrt(a.w * a.w - b.w * b.w)", divisor="1.0"),
    "one of two divisors": lambda: weighted("abs(v)", divisor="(a.w + b.w) * (a.w + 1.0)"),
}


@pytest.mark.parametrize("name", NOT_SHOWN)
def test_steps_without_a_value_are_not_shown_to_have_one(name: str) -> None:
    assert shown(NOT_SHOWN[name]()) is None


@pytest.mark.parametrize("case", [c for c in law_cases() if c.is_undefined], ids=lambda case: case.name)
def test_undefined_cases_are_not_shown(case: LawCase) -> None:
    assert shown(case.program) is None


def test_limits_of_what_grows_and_shrinks() -> None:
    terms = Terms()
    x = terms.var("x", Sort.REAL)
    squares = third = x
    for _ in range(300):
        squares = terms.mul(squares, squares)
        third = terms.mul(terms.add(third, x), terms.real(Fraction(7, 3)))
    known = {x: Interval(Fraction(1, 10), Fraction(9, 10))}
    found = ranges((squares, third), known)
    assert found[squares].not_negative
    assert found[third].positive
    for interval in found.values():
        for end in (interval.low, interval.high):
            assert end is None or end.numerator.bit_length() + end.denominator.bit_length() < 20_000


@pytest.mark.parametrize("seed", range(60))
def test_short_ends_hold_what_long_ones_do(seed: int) -> None:
    source = random.Random(seed)
    terms = Terms()
    x = terms.var("x", Sort.REAL)
    term = x
    for _ in range(40):
        factor = terms.real(Fraction(source.randint(-99, 99), source.randint(1, 99)))
        term = terms.add(terms.mul(term, factor), source.choice((x, terms.real(1), terms.real(0))))
    low, high = sorted(Fraction(source.randint(-99, 99), source.randint(1, 99)) for _ in range(2))
    interval = ranges((term,), {x: Interval(low, high)})[term]
    for value in (low, high, (low + high) / 2):
        [exact] = evaluate([term], {x: value})
        assert interval.low is None or interval.low <= exact
        assert interval.high is None or exact <= interval.high


@pytest.mark.parametrize("seed", range(150))
def test_open_ends_are_not_reached(seed: int) -> None:
    source = random.Random(seed)
    terms = Terms()
    make = RandomTerms(terms, source)
    term = make.term(Sort.REAL, 4)
    rows = [make.values() for _ in range(6)]
    known: dict[Term, Interval] = {}
    for v in make.variables[Sort.REAL]:
        values = [Fraction(row[v]) for row in rows if not isinstance(row[v], str)]
        known[v] = Interval(min(values) - 1, max(values) + 1, True, True)
    interval = ranges((term,), known)[term]
    for row in rows:
        [value] = evaluate([term], row)
        if value is not None:
            assert interval.low is None or interval.low < value or (interval.low == value and not interval.low_open)
            assert interval.high is None or value < interval.high or (interval.high == value and not interval.high_open)


@pytest.mark.parametrize(
    ("op", "within", "inside"),
    [
        (Op.EXP, Interval(None, 0), Interval(0, 1, low_open=True)),
        (Op.EXP, Interval(0, 5), Interval(1, None)),
        (Op.EXP, Interval(-1, 1), Interval(0, None, low_open=True)),
        (Op.SQRT, Interval(4, 9), Interval(1, 9)),
        (Op.SQRT, Interval(Fraction(1, 4), Fraction(1, 2)), Interval(Fraction(1, 4), 1)),
        (Op.SQRT, Interval(0, 1, low_open=True), Interval(0, 1, low_open=True)),
        (Op.SQRT, Interval(-1, 4), Interval(0, 4)),
        (Op.LOG, Interval(1, 5), Interval(0, None)),
        (Op.LOG, Interval(0, 1), Interval(None, 0)),
    ],
)
def test_intervals_of_functions(op: Op, within: Interval, inside: Interval) -> None:
    terms = Terms()
    x = terms.var("x", Sort.REAL)
    term = terms.apply(op, x)
    assert ranges((term,), {x: within})[term] == inside


def test_strict_bounds_are_told() -> None:
    found = {invariant.text for invariant in interval_invariants(problem_of(weighted("exp(v)")))}
    assert found == {"w > 0"}

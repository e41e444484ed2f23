"""Bounds of weighted means: as tight as what is averaged, in every way to write one, and never too tight."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pytest

from kcheck.checker.arithmetic import INT_MAX
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.solver.intervals import interval_invariants, ranges
from kcheck.checker.law.symbolic import problem_of
from kcheck.checker.law.terms import Op, Sort, Term, Terms
from tests.law.reductions import reduction
from tests.law.reference import evaluate

BETWEEN = Interval(2, 5)


class Written:
    """Terms over averaged x, y from 2 to 5, weights s, t not below 0, k from 0 to 1, and any z."""

    def __init__(self) -> None:
        self.terms = Terms()
        self.x, self.y, self.s, self.t, self.k, self.z = (self.terms.var(name, Sort.REAL) for name in "xystkz")
        self.known = {
            self.x: BETWEEN,
            self.y: BETWEEN,
            self.s: Interval(0, None),
            self.t: Interval(0, None),
            self.k: Interval(0, 1),
        }

    def between(self, term: Term) -> Interval:
        return ranges((term,), self.known)[term]


def over(w: Written, a: Term, b: Term) -> Term:
    return w.terms.apply(Op.DIV, a, b)


MEANS: dict[str, Callable[[Written], Term]] = {
    "a quotient": lambda w: over(w, w.terms.add(w.terms.mul(w.x, w.s), w.terms.mul(w.t, w.y)), w.terms.add(w.s, w.t)),
    "weights in another order": lambda w: over(
        w, w.terms.add(w.terms.mul(w.t, w.y), w.terms.mul(w.x, w.s)), w.terms.add(w.t, w.s)
    ),
    "a difference times a share": lambda w: w.terms.add(
        w.x, w.terms.mul(w.terms.sub(w.y, w.x), over(w, w.t, w.terms.add(w.s, w.t)))
    ),
    "a difference times a weight, divided": lambda w: w.terms.add(
        w.x, over(w, w.terms.mul(w.terms.sub(w.y, w.x), w.t), w.terms.add(w.s, w.t))
    ),
    "a mix": lambda w: w.terms.add(w.terms.mul(w.x, w.terms.sub(w.terms.real(1), w.k)), w.terms.mul(w.y, w.k)),
    "a mix by a share": lambda w: w.terms.add(
        w.terms.mul(w.x, w.terms.sub(w.terms.real(1), over(w, w.t, w.terms.add(w.s, w.t)))),
        w.terms.mul(w.y, over(w, w.t, w.terms.add(w.s, w.t))),
    ),
}


@pytest.mark.parametrize("name", MEANS)
def test_means_lie_between_what_is_averaged(name: str) -> None:
    written = Written()
    assert written.between(MEANS[name](written)) == BETWEEN


NO_MEANS: dict[str, Callable[[Written], Term]] = {
    "a weight too many": lambda w: over(
        w,
        w.terms.add(w.terms.add(w.terms.mul(w.x, w.s), w.terms.mul(w.y, w.t)), w.terms.mul(w.y, w.t)),
        w.terms.add(w.s, w.t),
    ),
    "a weight of any sign": lambda w: over(
        w, w.terms.add(w.terms.mul(w.x, w.s), w.terms.mul(w.y, w.z)), w.terms.add(w.s, w.z)
    ),
    "a share of any sign": lambda w: w.terms.add(w.x, w.terms.mul(w.terms.sub(w.y, w.x), w.z)),
    "the difference the other way": lambda w: w.terms.add(w.x, w.terms.mul(w.terms.sub(w.x, w.y), w.k)),
    "a mix by two shares": lambda w: w.terms.add(
        w.terms.mul(w.x, w.terms.sub(w.terms.real(1), w.k)),
        w.terms.mul(w.y, over(w, w.t, w.terms.add(w.s, w.t))),
    ),
    "a mix by less than two": lambda w: w.terms.add(
        w.terms.mul(w.x, w.terms.sub(w.terms.real(2), w.k)), w.terms.mul(w.y, w.k)
    ),
}


@pytest.mark.parametrize("name", NO_MEANS)
def test_what_is_no_mean_is_not_taken_for_one(name: str) -> None:
    written = Written()
    assert not written.between(NO_MEANS[name](written)).within(2, 5)


def test_a_weight_that_is_left_out_counts_as_0() -> None:
    written = Written()
    terms = written.terms
    term = over(written, terms.mul(written.x, written.s), terms.add(written.s, written.t))
    assert written.between(term) == Interval(0, 5)


def test_products_and_sums_of_ints_may_wrap() -> None:
    terms = Terms()
    x, n, m = (terms.var(name, Sort.INT) for name in "xnm")
    total = terms.add(n, m)
    weighted = terms.apply(Op.DIV, terms.to_real(terms.mul(x, n)), terms.to_real(total))
    share = terms.apply(Op.DIV, terms.to_real(n), terms.to_real(total))
    known = {x: Interval(1, 2), n: Interval(1, INT_MAX), m: Interval(1, INT_MAX)}
    found = ranges((weighted, share), known)
    assert not found[weighted].within(0, 2)
    assert not found[share].within(0, 1)
    found = ranges((weighted, share), {**known, total: Interval(2, INT_MAX)})
    assert not found[weighted].within(0, 2)
    assert found[share].within(0, 1)


@pytest.mark.parametrize("seed", range(400))
def test_bounds_hold_of_random_terms_that_look_like_means(seed: int) -> None:
    source = random.Random(seed)
    written = Written()
    terms = written.terms
    variables = [written.x, written.y, written.s, written.t, written.k, written.z]

    def some(depth: int) -> Term:
        if depth == 0:
            return source.choice((*variables, terms.real(1)))
        if source.random() < 0.4:
            return source.choice(list((MEANS | NO_MEANS).values()))(written)
        op = source.choice((Op.ADD, Op.SUB, Op.MUL, Op.DIV))
        a, b = some(depth - 1), some(depth - 1)
        a, b = (source.choice((terms.add(a, b), terms.mul(a, b))), b) if source.random() < 0.5 else (a, b)
        return terms.apply(op, a, b)

    term = some(2)
    interval = written.between(term)
    for _ in range(12):
        weights = [Fraction(source.choice((0, 1, 1, 3, 50)), source.choice((1, 2, 7))) for _ in range(2)]
        averaged = [Fraction(source.randint(20, 50), 10) for _ in range(2)]
        rest = [Fraction(source.randint(0, 8), 8), Fraction(source.randint(-40, 40), 8)]
        [value] = evaluate([term], dict(zip(variables, (*averaged, *weights, *rest), strict=True)))
        if value is not None:
            assert interval.low is None or interval.low <= value
            assert interval.high is None or value <= interval.high


@pytest.mark.parametrize(
    ("compute", "merge", "expected"),
    [
        ("S { w: abs(v) + 1.0, m: exp(v) }", "(a.m * a.w + b.m * b.w) / (a.w + b.w)", True),
        ("S { w: abs(v) + 1.0, m: exp(v) }", "mix(a.m, b.m, b.w / (a.w + b.w))", True),
        ("S { w: abs(v) + 1.0, m: exp(v) }", "a.m + (b.m - a.m) * b.w / (a.w + b.w)", True),
        ("S { w: abs(v) + 1.0, m: exp(v) }", "a.m + (b.m - a.m) * a.w / b.w", False),
        ("S { w: v, m: exp(v) }", "(a.m * a.w + b.m * b.w) / (a.w + b.w)", False),
    ],
)
def test_means_of_what_is_above_0_are(compute: str, merge: str, expected: bool) -> None:
    program = reduction("w: Float; m: Float;", "Float", compute, f"S {{ w: a.w + b.w, m: {merge} }}")
    assert ("m > 0" in {invariant.text for invariant in interval_invariants(problem_of(program))}) == expected

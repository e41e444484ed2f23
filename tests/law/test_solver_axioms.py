"""Each fact about exponentials, roots and angles is true: checked in high precision."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import mpmath
import pytest

from kcheck.checker.law.solver.axioms import abstracted, axioms
from kcheck.checker.law.terms import Op, Sort, Term, Terms, postorder

POINTS = ("-3", "-1", "-0.5", "0", "0.25", "1", "1.5", "2", "7")
TINY = mpmath.mpf(10) ** -40

NUMBERS: Mapping[Op, Any] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.NEG: lambda a: -a,
    Op.EXP: mpmath.exp,
    Op.LOG: lambda a: mpmath.log(a) if a > 0 else mpmath.mpf(12345),
    Op.SQRT: lambda a: mpmath.sqrt(a) if a >= 0 else mpmath.mpf(12345),
    Op.EQ: lambda a, b: abs(a - b) < TINY,
    Op.LT: lambda a, b: a < b - TINY,
    Op.LE: lambda a, b: a <= b + TINY,
    Op.NOT: lambda a: not a,
    Op.AND: lambda a, b: a and b,
    Op.OR: lambda a, b: a or b,
}
"""A logarithm or root without a value is any number: the facts must hold for every choice."""

FUNCTIONS = {"sin": mpmath.sin, "cos": mpmath.cos, "atan": mpmath.atan}


def evaluate(term: Term, values: Mapping[Term, Any]) -> Any:
    done: dict[Term, Any] = dict(values)
    for t in postorder((term,)):
        if t in done:
            continue
        args = [done[arg] for arg in t.args]
        if t.op is Op.CONST:
            done[t] = t.value if t.sort is Sort.BOOL else mpmath.mpf(t.value.numerator) / t.value.denominator
        elif t.op is Op.FUNCTION:
            done[t] = FUNCTIONS[str(t.value)](*args)
        else:
            done[t] = NUMBERS[t.op](*args)
    return done[term]


def applied(terms: Terms, name: str, x: Term) -> Term:
    if name in FUNCTIONS:
        return terms.function(name, (x,), Sort.REAL)
    return terms.apply({"exp": Op.EXP, "log": Op.LOG, "sqrt": Op.SQRT}[name], x)


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "sin", "cos", "atan"])
def test_facts_about_one_function_of_three_arguments(name: str) -> None:
    terms = Terms()
    xs = [terms.var(n, Sort.REAL) for n in "xyz"]
    total = terms.add(xs[0], xs[1])
    facts = list(axioms(terms, [applied(terms, name, x) for x in (*xs, total)]))
    assert facts
    source = random.Random(name)
    with mpmath.workdps(60):
        for _ in range(60):
            values = {x: mpmath.mpf(source.choice(POINTS)) for x in xs}
            for fact in facts:
                assert evaluate(fact, values), (fact, values)


def test_facts_about_functions_of_one_another() -> None:
    terms = Terms()
    x = terms.var("x", Sort.REAL)
    inner = [applied(terms, "exp", x), applied(terms, "log", x), applied(terms, "sin", x), applied(terms, "cos", x)]
    outer = [applied(terms, "log", inner[0]), applied(terms, "exp", inner[1])]
    facts = list(axioms(terms, [*inner, *outer]))
    with mpmath.workdps(60):
        for point in POINTS:
            for fact in facts:
                assert evaluate(fact, {x: mpmath.mpf(point)}), (fact, point)


def test_functions_become_variables() -> None:
    terms = Terms()
    x = terms.var("x", Sort.REAL)
    nested = applied(terms, "exp", applied(terms, "exp", x))
    [root], facts = abstracted(terms, (terms.add(nested, x),))
    assert facts
    operations = {t.op for t in postorder((root, *facts))}
    assert Op.EXP not in operations


def test_terms_without_functions_stay_as_they_are() -> None:
    terms = Terms()
    x = terms.var("x", Sort.REAL)
    assert abstracted(terms, (x,)) == ((x,), ())

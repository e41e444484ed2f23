"""SMT-LIB texts say what terms mean: against the terms' own exact values."""

from __future__ import annotations

import random

import pytest

from kcheck.checker.law import work
from kcheck.checker.law.algebra.interval import Interval
from kcheck.checker.law.solver import session
from kcheck.checker.law.solver.entailment import script, single_script
from kcheck.checker.law.solver.intervals import ranges
from kcheck.checker.law.solver.session import Answer, Engine, Session
from kcheck.checker.law.solver.smtlib import Encoding, rational, symbol
from kcheck.checker.law.terms import Op, Sort, Term, Terms, Value
from tests.law.random_terms import INT_BINARY, INT_UNARY, INTS, REAL_BINARY, REAL_UNARY, REALS, RandomTerms
from tests.law.reference import evaluate

SOON = 20.0
SESSION = Session()


def judged(terms: Terms, term: Term, values: dict[Term, Value], encoding: Encoding) -> tuple[Answer, Answer, bool]:
    """Whether z3 thinks that the term can have another value than its own, that it can have its own, and exactness."""
    [value] = evaluate([term], values)
    assert value is not None
    facts = [terms.eq(v, terms.const(x, v.sort)) for v, x in values.items()]
    same = terms.eq(term, terms.const(value, term.sort))
    other, own = (single_script(terms, facts, goal, encoding) for goal in (same, terms.not_(same)))
    engine = Engine.PORTFOLIO
    return (
        SESSION.load(other.lines, engine).check(work.clock() + SOON, SOON),
        SESSION.load(own.lines, engine).check(work.clock() + SOON, SOON),
        other.exact,
    )


def check(terms: Terms, term: Term, values: dict[Term, Value], encoding: Encoding) -> None:
    """An encoding allows the true value always, and no other one if it says that it is exact."""
    other, own, exact = judged(terms, term, values, encoding)
    assert own is Answer.MODEL, (term, values)
    if exact and encoding not in (Encoding.RELAXED, Encoding.LINEAR):
        assert other is Answer.NONE, (term, values)


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("op", [*INT_BINARY, *INT_UNARY], ids=lambda op: op.name)
def test_each_operation_of_ints(op: Op, encoding: Encoding) -> None:
    source = random.Random(op.name)
    for _ in range(5):
        terms = Terms()
        x, y = terms.var("x", Sort.INT), terms.var("y", Sort.INT)
        a, b = source.choice(INTS), source.choice(INTS)
        by_constant = source.random() < 0.5
        args = [x] if op in INT_UNARY else [x, terms.integer(b) if by_constant else y]
        check(terms, terms.apply(op, *args), {x: a, y: b}, encoding)


@pytest.mark.parametrize("op", [*INT_BINARY, *INT_UNARY], ids=lambda op: op.name)
def test_bit_vectors_are_exact_for_each_operation(op: Op) -> None:
    terms = Terms()
    x, y = terms.var("x", Sort.INT), terms.var("y", Sort.INT)
    for a in INTS:
        term = terms.apply(op, *([x] if op in INT_UNARY else [x, y]))
        other, _, exact = judged(terms, term, {x: a, y: 7}, Encoding.BITS)
        assert exact
        assert other is Answer.NONE


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("op", [*REAL_BINARY, *REAL_UNARY, Op.TO_INT], ids=lambda op: op.name)
def test_each_operation_of_reals(op: Op, encoding: Encoding) -> None:
    for a in REALS:
        terms = Terms()
        p, q = terms.var("p", Sort.REAL), terms.var("q", Sort.REAL)
        b = REALS[(REALS.index(a) * 3 + 1) % len(REALS)]
        term = terms.to_int(p) if op is Op.TO_INT else terms.apply(op, *([p] if op in REAL_UNARY else [p, q]))
        check(terms, term, {p: a, q: b or REALS[1]}, encoding)


@pytest.mark.parametrize("encoding", Encoding)
def test_comparisons_and_conversions_of_ints(encoding: Encoding) -> None:
    for a in INTS:
        for b in (a, 0, -1):
            terms = Terms()
            x, y = terms.var("x", Sort.INT), terms.var("y", Sort.INT)
            for term in (terms.lt(x, y), terms.le(x, y), terms.ult(x, y), terms.eq(x, y), terms.to_real(x)):
                check(terms, term, {x: a, y: b}, encoding)


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("seed", range(12))
def test_random_terms(seed: int, encoding: Encoding) -> None:
    source = random.Random(seed)
    terms = Terms()
    make = RandomTerms(terms, source)
    term = make.term(source.choice(list(Sort)), 3)
    values = make.values()
    if evaluate([term], values) != [None]:
        check(terms, term, values, encoding)


def test_unknown_products_know_that_factors_may_be_exchanged() -> None:
    """As the order of factors in a term is that in which they were made."""
    terms = Terms()
    q, p, r = (terms.var(name, Sort.REAL) for name in "qpr")
    b = terms.var("b", Sort.BOOL)
    chosen, plain = terms.mul(terms.if_(b, q, r), p), terms.mul(q, p)
    assert chosen.args[0] is p
    assert plain.args[1] is p
    for fact, follows in ((b, True), (terms.not_(b), False)):
        written = single_script(terms, (fact,), terms.eq(chosen, plain), Encoding.LINEAR)
        answer = SESSION.load(written.lines, Engine.SMT).check(work.clock() + SOON, SOON)
        assert (answer is Answer.NONE) == follows


def test_unknown_products_are_zero_where_a_factor_is() -> None:
    terms = Terms()
    p, q = (terms.var(name, Sort.REAL) for name in "pq")
    zero, one = terms.real(0), terms.real(1)
    is_zero = terms.eq(terms.mul(p, q), zero)
    for fact, follows in ((terms.eq(p, zero), True), (terms.eq(q, zero), True), (terms.eq(p, one), False)):
        written = single_script(terms, (fact,), is_zero, Encoding.LINEAR)
        answer = SESSION.load(written.lines, Engine.SMT).check(work.clock() + SOON, SOON)
        assert (answer is Answer.NONE) == follows


@pytest.mark.parametrize("seed", range(150))
def test_intervals_hold_the_values(seed: int) -> None:
    source = random.Random(seed)
    terms = Terms()
    make = RandomTerms(terms, source)
    term = make.term(source.choice((Sort.INT, Sort.REAL)), 4)
    rows = [make.values() for _ in range(6)]
    known = {
        v: Interval(min(row[v] for row in rows), max(row[v] for row in rows))
        for v in (*make.variables[Sort.INT], *make.variables[Sort.REAL])
    }
    interval = ranges((term,), known)[term]
    for row in rows:
        [value] = evaluate([term], row)
        if value is not None:
            assert interval.low is None or interval.low <= value
            assert interval.high is None or value <= interval.high


def test_a_sum_that_cannot_wrap_is_written_without_wrapping() -> None:
    terms = Terms()
    x, y = terms.var("x", Sort.INT), terms.var("y", Sort.INT)
    within = [f for v in (x, y) for f in (terms.le(terms.integer(0), v), terms.le(v, terms.integer(100)))]
    goal = terms.le(terms.add(x, y), terms.integer(200))
    assert "4294967296" not in "\n".join(single_script(terms, within, goal, Encoding.INTEGERS).lines)
    assert "4294967296" in "\n".join(single_script(terms, [], goal, Encoding.INTEGERS).lines)


def test_optional_facts_and_goals_are_told_apart() -> None:
    terms = Terms()
    x, y = terms.var("x", Sort.INT), terms.var("y", Sort.INT)
    five = terms.integer(5)
    written = script(
        terms,
        [],
        [terms.lt(x, five), terms.lt(y, five)],
        Encoding.INTEGERS,
        [terms.eq(x, y), terms.le(x, terms.integer(3))],
    )
    loaded = SESSION.load(written.lines, Engine.SMT)
    assert loaded.check(work.clock() + SOON, SOON, (*written.kept, written.fails[0])) is Answer.NONE
    assert loaded.core() == {"kept.1", "fails.0"}
    assert loaded.check(work.clock() + SOON, SOON, (*written.kept, written.fails[1])) is Answer.NONE
    assert loaded.check(work.clock() + SOON, SOON, (written.kept[0], written.fails[1])) is Answer.MODEL
    assert loaded.truths(written.fails) >= {"fails.1"}


def test_models_are_read_back() -> None:
    terms = Terms()
    x, p, b = terms.var("x", Sort.INT), terms.var("p", Sort.REAL), terms.var("b", Sort.BOOL)
    facts = [terms.eq(x, terms.integer(-7)), terms.eq(p, terms.real(REALS[8])), b]
    for encoding in (Encoding.BITS, Encoding.INTEGERS):
        written = single_script(terms, facts, terms.false, encoding)
        loaded = SESSION.load(written.lines, Engine.PORTFOLIO)
        assert loaded.check(work.clock() + SOON, SOON) is Answer.MODEL
        names = {"x": Sort.INT, "p": Sort.REAL, "b": Sort.BOOL}
        assert loaded.values(names, bits=encoding is Encoding.BITS) == {"x": -7, "p": REALS[8], "b": True}


def test_a_root_that_is_no_fraction_is_read_as_a_near_one() -> None:
    terms = Terms()
    p = terms.var("p", Sort.REAL)
    facts = [terms.eq(terms.mul(p, p), terms.real(2)), terms.lt(terms.real(0), p)]
    loaded = SESSION.load(single_script(terms, facts, terms.false, Encoding.RELAXED).lines, Engine.NONLINEAR)
    assert loaded.check(work.clock() + SOON, SOON) is Answer.MODEL
    root = loaded.values({"p": Sort.REAL}, bits=False)["p"]
    assert abs(root * root - 2) < 1e-15


def test_names_of_any_kind_are_quoted() -> None:
    assert symbol("a.0") == "a.0"
    assert symbol("param k.0") == "|param k.0|"
    assert rational(REALS[4]) == "(- (/ 3.0 2.0))"


def test_past_the_deadline_nothing_is_known() -> None:
    loaded = SESSION.load(["(assert true)"], Engine.SMT)
    assert loaded.check(work.clock() - 1, SOON) is Answer.UNKNOWN


@pytest.mark.parametrize(
    ("text", "is_product"),
    [
        ("(* x.0 $12)", True),
        ("(/ x.0 $12)", True),
        ("(* x.0 (+ y.0 1))", True),
        ("(* 2 x.0)", False),
        ("(* x.0 2)", False),
        ("(* (- 2) x.0)", False),
        ("(/ x.0 2.0)", False),
        ("(* x.0 (/ 1.0 3.0))", False),
        ("(* (- (/ 1.0 3.0)) x.0)", False),
        ("(+ x.0 y.0)", False),
    ],
)
def test_products_of_variables_are_known_to_be_slow(text: str, is_product: bool) -> None:
    assert (session._PRODUCT.search(f"(assert (= z.0 {text}))") is not None) == is_product


def test_what_z3_does_is_counted() -> None:
    terms = Terms()
    x, y = (terms.var(name, Sort.INT) for name in "xy")
    goal = terms.not_(terms.eq(terms.mul(x, y), terms.integer(1_000_003)))
    own = Session()
    loaded = own.load(single_script(terms, (), goal, Encoding.BITS).lines, Engine.BITS)
    start = work.clock()
    loaded.check(work.clock() + SOON, SOON)
    assert work.clock() > start
    own.allow(0.0)
    assert own.is_spent
    assert loaded.check(work.clock() + SOON, SOON) is Answer.UNKNOWN

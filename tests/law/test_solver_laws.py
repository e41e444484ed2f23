"""Proofs, definedness and candidates of the solver's stages, and its scripts."""

from __future__ import annotations

from fractions import Fraction

import pytest

from kcheck.checker import ir
from kcheck.checker.law import work
from kcheck.checker.law.problem import Law, Undefined
from kcheck.checker.law.solver import defined, infer, prove, search, search_undefined, smt
from kcheck.checker.law.solver.definedness import Definedness
from kcheck.checker.law.solver.distinct import distinct_leaves
from kcheck.checker.law.solver.finite import table_of
from kcheck.checker.law.solver.laws import OpenLaw
from kcheck.checker.law.solver.session import Answer, Engine, Session
from kcheck.checker.law.symbolic import problem_of
from tests.law import reductions
from tests.law.reductions import reduction
from tests.law.reference import evaluate

SESSION = Session()


def soon() -> float:
    return work.clock() + 30


def proved(program: ir.Program, law: Law) -> tuple[str, ...] | None:
    """The invariants of a proof by the solver alone."""
    problem = problem_of(program)
    proof = prove(problem, law, infer(problem, soon(), SESSION), soon(), SESSION)
    return None if proof is None else tuple(invariant.text for invariant in proof.used)


INT_SUM = reduction("f: Int;", "Int", "S { f: v }", "S { f: a.f + b.f }")
CLAMPED_BOTH_WAYS = reduction("f: Int;", "Int", "S { f: v }", "S { f: max(min(a.f + b.f, 1), 0) }")
FIRST = reduction("f: Int;", "Int", "S { f: v }", "a")
LONGEST = reduction(
    "x: Float; y: Float;",
    "Vec2",
    "S { x: v.x, y: v.y }",
    "let p = a.x * a.x + a.y * a.y; let q = b.x * b.x + b.y * b.y;"
    " if p > q || (p == q && (a.x < b.x || (a.x == b.x && a.y < b.y))) { a } else { b }",
)
ROOTS = reduction("f: Float;", "Float", "S { f: abs(v) }", "S { f: sqrt(a.f * a.f + b.f * b.f) }")
BALANCED = reduction(
    "open: Int; close: Int;",
    "Bool",
    "if v { S { open: 1, close: 0 } } else { S { open: 0, close: 1 } }",
    "let m = min(a.open, b.close); S { open: a.open + b.open - m, close: a.close + b.close - m }",
)
UNSIGNED_SATURATING = reduction(
    "f: Int;", "Int", "S { f: v }", "let s = a.f + b.f; S { f: if ult(s, a.f) { -1 } else { s } }"
)


@pytest.mark.parametrize(
    ("program", "law", "used"),
    [
        (INT_SUM, Law.ASSOCIATIVE, ()),
        (INT_SUM, Law.COMMUTATIVE, ()),
        (FIRST, Law.ASSOCIATIVE, ()),
        (UNSIGNED_SATURATING, Law.ASSOCIATIVE, ()),
        (LONGEST, Law.ASSOCIATIVE, ()),
        (LONGEST, Law.COMMUTATIVE, ()),
        (ROOTS, Law.ASSOCIATIVE, ()),
        (reductions.clamped_sum(), Law.ASSOCIATIVE, ("f >= 0",)),
        (reductions.two_least(), Law.COMMUTATIVE, ("m <= m2",)),
        (reductions.modulo_param(), Law.ASSOCIATIVE, ("f >= 0", "f < p")),
    ],
)  # fmt: skip
def test_laws_that_hold_are_proved(program: ir.Program, law: Law, used: tuple[str, ...]) -> None:
    found = proved(program, law)
    assert found is not None
    assert set(used) <= set(found)


@pytest.mark.parametrize(
    ("program", "law"),
    [
        (CLAMPED_BOTH_WAYS, Law.ASSOCIATIVE),
        (FIRST, Law.COMMUTATIVE),
        (reductions.needle(), Law.ASSOCIATIVE),
        (reductions.needle(), Law.COMMUTATIVE),
        (BALANCED, Law.COMMUTATIVE),
        (reduction("f: Float;", "Float", "S { f: v }", "S { f: (a.f + b.f) / 2.0 }"), Law.ASSOCIATIVE),
        (reduction("f: Int;", "Int", "S { f: v }", "S { f: (a.f + b.f) / 2 }"), Law.ASSOCIATIVE),
    ],
)
def test_laws_that_do_not_hold_are_not_proved_and_have_candidates(program: ir.Program, law: Law) -> None:
    assert proved(program, law) is None
    candidate = next(search(problem_of(program), law, soon(), SESSION))
    assert len(candidate.elements) == sum(candidate.sizes) >= (2 if law is Law.COMMUTATIVE else 3)


WINDOW = """
let d = a.e - b.e;
if d == 0 {{ S {{ e: a.e, now: a.now + b.now, before: a.before + b.before }} }}
else if d == 1 {{ S {{ e: a.e, now: a.now, before: {}b.now }} }}
else if d > 1 {{ a }}
else if d == -1 {{ S {{ e: b.e, now: b.now, before: b.before + a.now }} }}
else {{ b }}
"""


@pytest.mark.parametrize(("kept", "epoch", "holds"), [
    ("a.before + ", "v & 0xFFFF", True), ("", "v & 0xFFFF", False), ("a.before + ", "v", False),
])  # fmt: skip
def test_ints_within_bounds_do_not_wrap(kept: str, epoch: str, holds: bool) -> None:
    """Sums of the two latest epochs; of any epochs, the difference of two may be 1 beyond the ends of Int."""
    fields = "e: Int; now: Int; before: Int;"
    program = reduction(fields, "Int", f"S {{ e: {epoch}, now: v, before: 0 }}", WINDOW.format(kept))
    found = proved(program, Law.ASSOCIATIVE)
    assert (found is not None) == holds
    if found is not None:
        assert {"e >= 0", "e <= 65535"} <= set(found)


def test_balanced_counts_need_the_largest_field() -> None:
    found = proved(BALANCED, Law.ASSOCIATIVE)
    assert found is not None
    assert any("number of elements" in text for text in found)


def test_a_candidate_of_reals_has_numbers_that_are_floats() -> None:
    program = reduction("f: Float;", "Float", "S { f: v }", "S { f: a.f - b.f }")
    for candidate in search(problem_of(program), Law.COMMUTATIVE, soon(), SESSION):
        for (value,) in candidate.elements:
            assert isinstance(value, Fraction)
            assert value.denominator & (value.denominator - 1) == 0


def test_indices_tell_elements_apart() -> None:
    program = reduction(
        "f: Int; i: Int;", "Int", "S { f: v, i: index() }", "if a.f > b.f || (a.f == b.f && a.i < b.i) { a } else { b }"
    )
    problem = problem_of(program)
    [distinct] = distinct_leaves(problem, SESSION, soon())
    assert (distinct.leaf, distinct.besides) == (1, ())
    by_index = reduction("f: Int; i: Int;", "Int", "S { f: v, i: index() }", "if a.i < b.i { a } else { b }")
    problem = problem_of(by_index)
    open_law = OpenLaw(problem, Law.COMMUTATIVE)
    open_law.learn((), distinct_leaves(problem, SESSION, soon()))
    open_law.by_solver(SESSION, soon())
    assert open_law.proof is not None
    assert [invariant.text for invariant in open_law.proof.used] == ["i differs from element to element"]


@pytest.mark.parametrize(
    ("compute", "merge"),
    [
        ("S { i: index() }", "S { i: a.i + b.i }"),
        ("S { i: v }", "a"),
        ("S { i: index() / 2 }", "a"),
        ("S { i: if v > 0 { index() } else { v } }", "a"),
    ],
)
def test_what_is_no_index_tells_nothing_apart(compute: str, merge: str) -> None:
    problem = problem_of(reduction("i: Int;", "Int", compute, merge))
    assert distinct_leaves(problem, SESSION, soon()) == ()


def test_an_index_or_a_constant_differs_unless_it_is_the_constant() -> None:
    program = reduction("i: Int;", "Int", "S { i: if v > 0 { index() } else { -1 } }", "S { i: max(a.i, b.i) }")
    problem = problem_of(program)
    [distinct] = distinct_leaves(problem, SESSION, soon())
    assert [term.value for term in distinct.besides] == [-1]


MASKED = "if v > 0 { S { has: true, f: v % 7, i: index() } } else { S { has: false, f: 0, i: 0 } }"


def test_an_index_behind_a_flag_differs_where_the_flag_is_set() -> None:
    merge = """{
      if !a.has { return b; }
      if !b.has { return a; }
      if a.f > b.f || (a.f == b.f && a.i < b.i) { return a; }
      return b;
    }"""
    problem = problem_of(reduction("has: Bool; f: Int; i: Int;", "Int", MASKED, merge))
    found = distinct_leaves(problem, SESSION, soon())
    assert "i differs from element to element where has" in [distinct.text for distinct in found]
    open_law = OpenLaw(problem, Law.COMMUTATIVE)
    open_law.learn(infer(problem, soon(), SESSION), found)
    open_law.by_solver(SESSION, soon())
    assert open_law.proof is not None


@pytest.mark.parametrize(
    ("compute", "merge"),
    [
        # The index may come from a side whose flag is not set.
        (MASKED, "S { has: a.has || b.has, f: max(a.f, b.f), i: if a.f > b.f { a.i } else { b.i } }"),
        # The flag does not say whether there is an index.
        ("S { has: v > 0, f: v, i: if v > 1 { index() } else { 0 } }", "if a.has { a } else { b }"),
        # The flag may be set later.
        (MASKED, "S { has: true, f: a.f + b.f, i: a.i }"),
    ],
)
def test_a_flag_that_promises_no_index_tells_nothing_apart(compute: str, merge: str) -> None:
    problem = problem_of(reduction("has: Bool; f: Int; i: Int;", "Int", compute, merge))
    assert [d for d in distinct_leaves(problem, SESSION, soon()) if not d.besides] == []


# ---------------------------------------------------------------- definedness


def test_steps_that_always_have_a_value() -> None:
    problem = problem_of(reductions.welford("Float"))
    found = defined(problem, infer(problem, soon(), SESSION), soon(), SESSION)
    assert found.open == ()
    assert [invariant.text for invariant in found.used] == ["n >= 1"]


def test_nothing_to_show_needs_no_solver() -> None:
    assert defined(problem_of(INT_SUM), (), soon()) == Definedness((), ())


@pytest.mark.parametrize(
    ("compute", "merge", "kind"),
    [
        ("S { f: 1.0 / v }", "S { f: a.f + b.f }", Undefined.DIVISION),
        ("S { f: v }", "S { f: a.f * b.f / (a.f + b.f) }", Undefined.DIVISION),
        ("S { f: v }", "S { f: sqrt(a.f - b.f) }", Undefined.SQRT),
        ("S { f: abs(v) }", "S { f: log(a.f + b.f) }", Undefined.LOG),
        ("S { f: v }", "S { f: a.f % b.f }", Undefined.REMAINDER),
    ],
)
def test_steps_that_may_have_none_are_open_and_have_candidates(compute: str, merge: str, kind: Undefined) -> None:
    problem = problem_of(reduction("f: Float;", "Float", compute, merge))
    found = defined(problem, infer(problem, soon(), SESSION), soon(), SESSION)
    assert {obligation.kind for obligation in found.open} == {kind}
    assert next(search_undefined(problem, found.open, soon(), SESSION)).elements


# ---------------------------------------------------------------- scripts


@pytest.mark.parametrize("law", Law)
@pytest.mark.parametrize("program", [INT_SUM, ROOTS, reductions.welford("Float")], ids=["sum", "roots", "welford"])
def test_scripts_stand_alone(program: ir.Program, law: Law) -> None:
    text = smt(problem_of(program), law)
    assert text.endswith("(check-sat)\n")
    loaded = SESSION.load([text.replace("(check-sat)", "")], Engine.PORTFOLIO)
    expected = Answer.NONE if program is INT_SUM or law is Law.COMMUTATIVE else None
    if expected is not None:
        assert loaded.check(soon(), 30) is expected


def test_a_script_says_what_its_names_mean() -> None:
    problem = problem_of(reductions.two_least())
    text = smt(problem, Law.COMMUTATIVE, infer(problem, soon(), SESSION))
    assert "; a.1 is a.m2" in text
    assert "; assuming m <= m2" in text
    assert "bit-vectors" in text


# ---------------------------------------------------------------- all values


@pytest.mark.parametrize(
    ("compute", "merge", "laws"),
    [
        ("S { f: v & 1 }", "S { f: a.f ^ b.f }", {Law.ASSOCIATIVE, Law.COMMUTATIVE}),
        ("S { f: if v > 0 { 1 } else { -1 } }", "S { f: a.f * b.f }", {Law.ASSOCIATIVE, Law.COMMUTATIVE}),
        ("S { f: clamp(v, 0, 9) }", "S { f: (a.f + b.f) % 10 }", {Law.ASSOCIATIVE, Law.COMMUTATIVE}),
        ("S { f: urem(v, 5) }", "S { f: (a.f - b.f) & 7 }", set()),
        ("S { f: v & 3 }", "S { f: if a.f > 1 { 0 } else { 1 } }", set()),
        ("S { f: v & 3 }", "S { f: a.f }", {Law.ASSOCIATIVE}),
        ("S { f: v & 3 }", "S { f: (3 * (a.f + b.f)) & 3 }", {Law.COMMUTATIVE}),
    ],
)
def test_all_values_decide_where_they_are_few(compute: str, merge: str, laws: set[Law]) -> None:
    table = table_of(problem_of(reduction("f: Int;", "Int", compute, merge)))
    assert table is not None
    assert {law for law in Law if table.holds(law)} == laws


def test_reals_of_few_values_are_exact() -> None:
    program = reduction(
        "f: Float;", "Float", "S { f: if v > 0.5 { 1.0 } else { 0.0 } }", "S { f: a.f + b.f - a.f * b.f }"
    )
    table = table_of(problem_of(program))
    assert table is not None
    assert len(table.rows) == 2
    assert table.holds(Law.ASSOCIATIVE)


@pytest.mark.parametrize(
    ("compute", "count"),
    [
        ("let c = urem(v, 3); S { f: c, g: 1 << c }", 3),
        ("let c = v & 3; S { f: c, g: c ^ 1 }", 4),
        ("let c = v & 3; S { f: if v > 0 { c } else { 0 }, g: if v > 0 { 1 } else { 0 } }", 5),
        ("S { f: urem(v, 3), g: v & 1 }", 6),
        ("S { f: if v > 5 { 1 } else { 2 }, g: if v > 5 { 3 } else { 4 } }", 2),
        ("S { f: (v & 255) >> 7, g: v & 128 }", 4),
    ],
)
def test_leaves_that_are_made_of_the_same_parts_have_values_together(compute: str, count: int) -> None:
    """Or more of them than compute gives, where their parts are taken apart: never fewer."""
    problem = problem_of(reduction("f: Int; g: Int;", "Int", compute, "a"))
    table = table_of(problem)
    assert table is not None
    assert len(table.rows) == count
    [variable] = [read.variable for read in problem.inputs]
    inputs = [*range(-300, 300), -(2**31), 2**31 - 1]
    assert len({tuple(evaluate(problem.compute.leaves, {variable: x})) for x in inputs}) <= count


def test_a_table_of_256_values_is_made_where_that_is_quick() -> None:
    program = reduction("f: Int;", "Int", "S { f: v & 255 }", "S { f: (a.f + 3 * b.f) & 255 }")
    table = table_of(problem_of(program))
    assert table is not None
    assert len(table.rows) == 256
    assert not any(table.holds(law) for law in Law)
    assert table_of(problem_of(program), most_work=1_000_000) is None


@pytest.mark.parametrize(
    ("compute", "merge"),
    [
        ("S { f: v }", "S { f: max(a.f, b.f) }"),
        ("S { f: v & 1 }", "S { f: a.f + b.f }"),
        ("S { f: 1 }", "S { f: a.f + p }"),
    ],
)
def test_many_values_and_params_have_no_table(compute: str, merge: str) -> None:
    program = reduction("f: Int;", "Int", compute, merge, "param p: Int = 1 in 0..9;")
    assert table_of(problem_of(program)) is None


def test_candidates_have_indices_of_their_own_within_a_small_field() -> None:
    program = reduction("i: Int;", "Int", "S { i: index() }", "S { i: a.i - b.i }")
    problem = problem_of(program)
    [position] = [i for i, read in enumerate(problem.inputs) if isinstance(read.read, ir.Place)]
    for law in Law:
        candidate = next(search(problem, law, soon(), SESSION))
        indices = [element[position] for element in candidate.elements]
        assert len(set(indices)) == len(indices)
        assert all(0 <= index <= 1000 for index in indices)

"""The stages together: verdicts, what they rest on, what is said of them, and that time is kept."""

import time
from collections.abc import Callable, Sequence

import pytest

from kcheck.checker import check_text, ir
from kcheck.checker.checked import Checked
from kcheck.checker.law.evaluate import Evaluate
from kcheck.checker.law.pipeline import Tools, judge_program
from kcheck.checker.law.problem import Law
from kcheck.checker.law.prover import Prover
from kcheck.checker.law.verdict import PROVED, REFUTED, UNKNOWN, LawFinding
from kcheck.grammar.diagnostics import Diagnostic, Severity
from kcheck.runtime.interpreter.parts import InterpretedParts
from tests.law.build import over_floats, over_ints, reduction, source

SECONDS = 30.0
"""More than any of these needs."""

WELFORD = reduction(
    "Float",
    "Moments",
    "Moments { n: 1.0, mean: sample(values), m2: 0.0 }",
    "let n = a.n + b.n; let d = b.mean - a.mean;"
    " Moments { n: n, mean: a.mean + d * b.n / n, m2: a.m2 + b.m2 + d * d * a.n * b.n / n }",
    "struct Moments { n: Float; mean: Float; m2: Float; }",
)
LARGEST_BY_IF = "if a > b { a } else { b }"
ENDLESS = "var x = abs(a); var y = abs(b); loop 1000000 until y == 0 { let t = x % y; x = y; y = t; } x"
"""Euclid's algorithm, which obeys both laws."""


def no_parts() -> Evaluate:
    raise AssertionError("nothing had to be run")


def verdicts(findings: Sequence[LawFinding]) -> dict[Law, str]:
    return {finding.law: finding.verdict for finding in findings}


def judged(prover: Prover, text: str, seconds: float = SECONDS) -> Checked:
    checked = check_text(text, "case.kernel")
    assert not checked.has_errors
    return prover.judge(checked, list(checked.programs), seconds)


def only(found: Sequence[Diagnostic], code: str) -> Diagnostic:
    [one] = [diagnostic for diagnostic in found if diagnostic.code == code]
    return one


# ---------------------------------------------------------------- verdicts


def test_simple_merges_need_neither_a_run_nor_the_solver() -> None:
    tools = Tools(no_parts, None)
    assert verdicts(judge_program(over_ints("a * b"), tools, SECONDS).laws) == dict.fromkeys(Law, PROVED)


def test_refuted_without_the_solver() -> None:
    tools = Tools(InterpretedParts, None)
    found = judge_program(over_ints("a - b"), tools, SECONDS)
    assert verdicts(found.laws) == dict.fromkeys(Law, REFUTED)
    assert all(finding.witness is not None for finding in found.laws)


def test_proved_since_an_invariant_holds(prover: Prover) -> None:
    found = prover.judgement(WELFORD, SECONDS)
    assert verdicts(found.laws) == dict.fromkeys(Law, PROVED)
    assert {finding.assuming for finding in found.laws} == {("n >= 1",)}


def test_without_the_solver_a_proof_that_needs_it_is_unknown() -> None:
    clamped = reduction("Int", "Int", "clamp(sample(values), 0, 100)", "min(a + b, 100)")
    found = judge_program(clamped, Tools(InterpretedParts, None), SECONDS)
    assert verdicts(found.laws) == {Law.ASSOCIATIVE: UNKNOWN, Law.COMMUTATIVE: PROVED}
    assert found.laws[0].reason


def test_a_mean_needs_no_solver_to_know_its_count() -> None:
    found = judge_program(WELFORD, Tools(InterpretedParts, None), SECONDS)
    assert verdicts(found.laws) == dict.fromkeys(Law, PROVED)
    assert all(finding.assuming == ("n >= 1",) for finding in found.laws)


def test_undefined_steps_leave_no_verdict(prover: Prover) -> None:
    found = prover.judgement(over_floats("a * b / (a + b)"), SECONDS)
    assert found.undefined is not None
    assert [(f.verdict, f.reason) for f in found.laws] == [(UNKNOWN, "undefined step")] * 2


def test_what_cannot_be_said_in_terms_is_unknown(prover: Prover) -> None:
    found = prover.judgement(over_ints(ENDLESS), SECONDS)
    assert verdicts(found.laws) == dict.fromkeys(Law, UNKNOWN)
    assert found.blocked is not None


def test_each_verdict_is_told_as_soon_as_it_is_had() -> None:
    told: list[tuple[Law, str]] = []
    average = over_floats("(a + b) * 0.5")
    judge_program(average, Tools(InterpretedParts, None), SECONDS, lambda f: told.append((f.law, f.verdict)))
    assert told == [(Law.COMMUTATIVE, PROVED), (Law.ASSOCIATIVE, REFUTED)]


@pytest.mark.parametrize("seconds", [0.0, 0.5])
def test_the_budget_is_kept(prover: Prover, seconds: float) -> None:
    """Multiplication without carries, which neither algebra nor z3 can tell in such a time."""
    merge = "var x = 0; for i in 0..32 { x ^= (a << i) & (0 - ((b >>> i) & 1)); } x"
    start = time.monotonic()
    found = prover.judgement(over_ints(merge), seconds)
    assert time.monotonic() - start < seconds + 3.0
    assert REFUTED not in verdicts(found.laws).values()


# ---------------------------------------------------------------- far too much


def many_fields(count: int) -> ir.Program:
    names = [f"field{i}" for i in range(count)]
    fields = " ".join(f"{name}: Int;" for name in names)
    merged = ", ".join(f"{name}: a.{name} + b.{name}" for name in names)
    return reduction("Many", "Many", "sample(values)", f"Many {{ {merged} }}", f"struct Many {{ {fields} }}")


def wide_match(count: int) -> ir.Program:
    arms = ", ".join(f"{i} => a * {i + 1} + b" for i in range(count))
    return over_ints(f"match a & {count - 1} {{ {arms}, _ => b }}")


LARGE: dict[str, tuple[Callable[[], ir.Program], set[str]]] = {
    "50 fields": (lambda: many_fields(50), {PROVED}),
    "32-way match": (lambda: wide_match(32), {REFUTED}),
    "1,000 rounds": (lambda: over_ints("var x = a; for i in 0..1000 { x = x * 3 + (b ^ i); } x"), {REFUTED}),
    "100,000 rounds": (lambda: over_ints("var x = a; for i in 0..100000 { x = x * 3 + b; } x"), {UNKNOWN}),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_merges_end_in_time(prover: Prover, name: str) -> None:
    make, expected = LARGE[name]
    start = time.process_time()  # the worker ends at its deadline, and other programs may keep the machine busy
    found = prover.judgement(make(), 5.0)
    assert time.process_time() - start < 3.0
    assert set(verdicts(found.laws).values()) == expected


# ---------------------------------------------------------------- what is said


def test_a_refuted_law_is_an_error_at_the_merge(prover: Prover) -> None:
    text = source("Int", "Int", "sample(values)", "a - b")
    checked = judged(prover, text)
    found = [d for d in checked.diagnostics if d.code == "K401"]
    assert [d.severity for d in found] == [Severity.ERROR] * 2
    for diagnostic in found:
        span = checked.file.absolute(diagnostic.origin)
        assert text[span.start : span.end] == "merge(a, b)"
    assert [law.verdict for law in checked.laws] == [REFUTED] * 2
    assert "merge(b, a) = " in found[1].notes[0].message


def test_a_refuted_law_names_the_fields(prover: Prover) -> None:
    pair = "struct Pair { count: Int; last: Int; }"
    merge = "Pair { count: a.count + b.count, last: b.last }"
    found = judged(prover, source("Pair", "Pair", "sample(values)", merge, pair)).diagnostics
    assert only(found, "K401").message.endswith("`merge(b, a)` may differ in `last`")


def test_an_unknown_law_says_what_stopped_it(prover: Prover) -> None:
    text = source("Int", "Int", "sample(values)", ENDLESS)
    checked = judged(prover, text)
    found = only(checked.diagnostics, "K402")
    assert found.severity is Severity.WARNING
    assert "associative and commutative" in found.message
    place = found.notes[0].origin
    assert place is not None
    span = checked.file.absolute(place)
    assert text[span.start : span.end].startswith("loop 1000000 until y == 0")


def test_an_undefined_step_is_an_error_at_the_step(prover: Prover) -> None:
    text = source("Float", "Float", "sample(values)", "a * b / (a + b)")
    checked = judged(prover, text)
    found = only(checked.diagnostics, "K403")
    span = checked.file.absolute(found.origin)
    assert text[span.start : span.end] == "a * b / (a + b)"
    assert not [d for d in checked.diagnostics if d.code in ("K401", "K402")]
    assert {law.reason for law in checked.laws} == {"undefined step"}


def test_an_undefined_step_in_a_file_that_is_used(prover: Prover) -> None:
    helper = b"fn quotient(a: Float, b: Float) -> Float { return a / b; }"
    text = "use helper;\n" + source("Float", "Float", "sample(values)", "quotient(a, b)")
    checked = check_text(text, "case.kernel", lambda _: ("helper.kernel", helper))
    found = only(prover.judge(checked, list(checked.programs), SECONDS).diagnostics, "K403")
    assert found.origin.path == "case.kernel"
    assert [note.origin.path for note in found.notes if note.origin is not None] == ["helper.kernel"]


# ---------------------------------------------------------------- special values


def test_a_choice_that_nan_breaks(prover: Prover) -> None:
    text = source("Float", "Float", "sample(values)", LARGEST_BY_IF)
    checked = judged(prover, text)
    assert [law.verdict for law in checked.laws] == [PROVED] * 2
    found = only(checked.diagnostics, "K404")
    assert "NaN" in found.message
    [fix] = found.fixes
    [edit] = fix.edits
    span = checked.file.absolute(edit.origin)
    mended = text[: span.start] + edit.text + text[span.end :]
    assert "{ max(a, b) }" in mended
    assert not judged(prover, mended).diagnostics


@pytest.mark.parametrize(
    ("merge", "text"),
    [
        ("if a < b { a } else { b }", "min(a, b)"),
        ("if a >= b { b } else { a }", "min(a, b)"),
        ("if a <= b { return b; } else { return a; }", "return max(a, b);"),
        ("if isnan(a) { b } else if a > b { a } else { b }", "{ max(a, b) }"),
    ],
)
def test_fixes_of_choices(prover: Prover, merge: str, text: str) -> None:
    found = judged(prover, source("Float", "Float", "sample(values)", merge)).diagnostics
    assert [edit.text for fix in only(found, "K404").fixes for edit in fix.edits] == [text]


def test_no_fix_writes_a_name_that_means_a_function_of_the_users(prover: Prover) -> None:
    first = "fn max(a: Float, b: Float) -> Float { return a; }"
    found = judged(prover, source("Float", "Float", "sample(values)", LARGEST_BY_IF, first)).diagnostics
    assert not only(found, "K404").fixes


@pytest.mark.parametrize("merge", ["max(a, b)", "a + b", "a * b"])
def test_merges_that_special_values_do_not_break(prover: Prover, merge: str) -> None:
    assert not judged(prover, source("Float", "Float", "sample(values)", merge)).diagnostics


def test_infinities_break_a_running_softmax(prover: Prover) -> None:
    soft = "struct Soft { top: Float; sum: Float; }"
    merge = "let t = max(a.top, b.top); Soft { top: t, sum: a.sum * exp(a.top - t) + b.sum * exp(b.top - t) }"
    found = judged(prover, source("Float", "Soft", "Soft { top: sample(values), sum: 1.0 }", merge, soft)).diagnostics
    assert "infinities" in only(found, "K404").message

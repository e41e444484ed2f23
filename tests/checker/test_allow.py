"""Comments that accept a finding, and what a project's settings make of findings."""

import pytest

import kcheck
from kcheck.checker import check_text
from kcheck.checker.settings import Settings, settled
from kcheck.grammar.diagnostics import Severity
from tests.checker.fixing import mends

WIDTH = "fn ring(radius: Float) -> Float {{\n{0}  let width = 0.1;{1}\n  return radius;\n}}\n"


NONE = Settings()


def codes(text: str, settings: Settings = NONE, *, laws: bool = True) -> list[str]:
    return [d.code for d in settled(check_text(text, "a.kernel"), settings, laws=laws).diagnostics]


ACCEPTED = {
    "on the line": WIDTH.format("", " // kcheck: allow K208 — for later"),
    "on the line above": WIDTH.format("  // kcheck: allow K208 — for later\n", ""),
    "above another comment": WIDTH.format("  // kcheck: allow K208 — for later\n  // The edge.\n\n", ""),
    "with a hyphen": WIDTH.format("", " // kcheck: allow K208 - for later"),
    "with two hyphens": WIDTH.format("", " // kcheck: allow K208 -- for later"),
    "with a colon": WIDTH.format("", " //kcheck: allow K208: for later"),
    "after a block comment": WIDTH.format("", " /* // */ // kcheck: allow K208 — for later"),
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(text: str) -> None:
    assert codes(text) == []


IGNORED = {
    "two lines above": (WIDTH.format("  // kcheck: allow K208 — for later\n  let a = radius;\n", ""), ["K208"]),
    "below": (WIDTH.format("", "\n  // kcheck: allow K208 — for later"), ["K208", "K233"]),
    "another rule": (WIDTH.format("", " // kcheck: allow K209 — for later"), ["K208", "K233"]),
    "no reason": (WIDTH.format("", " // kcheck: allow K208"), ["K208", "K232"]),
    "an empty reason": (WIDTH.format("", " // kcheck: allow K208 —  "), ["K208", "K232"]),
    "no such rule": (WIDTH.format("", " // kcheck: allow K298 — for later"), ["K208", "K232"]),
    "no code": (WIDTH.format("", " // kcheck: allow — for later"), ["K208", "K232"]),
    "another word": (WIDTH.format("", " // kcheck: ignore K208 — for later"), ["K208", "K232"]),
    "in a block comment": (WIDTH.format("", " /* // kcheck: allow K208 — for later */"), ["K208"]),
    "at the end of the file": (WIDTH.format("", "") + "// kcheck: allow K208 — for later\n", ["K208", "K233"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), IGNORED.values(), ids=IGNORED)
def test_ignored(text: str, expected: list[str]) -> None:
    assert sorted(codes(text)) == sorted(expected)


def test_several_codes_and_the_fix_that_leaves_one() -> None:
    text = (
        WIDTH.format("", " // kcheck: allow K208, K209 — for later")
        .replace("width", "radius")
        .replace("return radius", "return 1.0")
    )
    assert codes(text) == []
    once = WIDTH.format("", " // kcheck: allow K208, K209 — for later")
    checked = settled(check_text(once, "a.kernel"))
    [found] = checked.diagnostics
    assert found.code == "K233"
    assert mends(checked, found, found.fixes[0]) == once.replace("K208, K209", "K208")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("// kcheck: allow K208 — x\nconst A: Int = 1;\n", "const A: Int = 1;\n"),
        ("const A: Int = 1;  // kcheck: allow K208 — x\nconst B: Int = 1;\n", "const A: Int = 1;\nconst B: Int = 1;\n"),
        ("const A: Int = 1;\n// kcheck: allow K208 — x", "const A: Int = 1;\n"),
    ],
)
def test_the_fix_removes_an_unused_comment(before: str, after: str) -> None:
    checked = settled(check_text(before, "a.kernel"))
    [found] = checked.diagnostics
    assert mends(checked, found, found.fixes[0]) == after


def test_errors_cannot_be_allowed() -> None:
    text = "const A: Int = 1.5; // kcheck: allow K203 — it is nearly one\n"
    assert codes(text) == ["K203", "K232"]
    [_, bad] = settled(check_text(text, "a.kernel")).diagnostics
    assert "K203 is an error" in bad.message


def test_what_was_not_judged_is_not_called_unused() -> None:
    text = "// kcheck: allow K402 — proved on paper\nconst A: Int = 1;\n"
    assert codes(text) == ["K233"]
    assert codes(text, laws=False) == []


def test_no_comment_is_unused_where_an_error_may_hide_what_it_accepts() -> None:
    broken = "fn f(a: Int) -> Int {\n  let q = a + ; // kcheck: allow K208 — for later\n  return a;\n}\n"
    assert codes(broken) == ["K101"]
    assert codes(broken + WIDTH.format("", "") + "// kcheck: allow K208 — for later\n") == ["K101", "K208", "K233"]


def test_a_settled_result_stays_as_it_is() -> None:
    checked = settled(check_text(IGNORED["no reason"][0], "a.kernel"))
    assert [d.code for d in checked.diagnostics] == ["K208", "K232"]


def test_severities() -> None:
    text = WIDTH.format("", "")
    assert codes(text, Settings({"K208": None})) == []
    [raised] = settled(check_text(text, "a.kernel"), Settings({"K208": Severity.ERROR})).diagnostics
    assert raised.severity is Severity.ERROR
    allowed = WIDTH.format("", " // kcheck: allow K208 — for later")
    assert codes(allowed, Settings({"K208": Severity.ERROR})) == []


def test_the_python_api_follows_comments() -> None:
    assert [d.code for d in kcheck.loads(WIDTH.format("", "")).diagnostics] == ["K208"]
    assert kcheck.loads(ACCEPTED["on the line"]).diagnostics == ()

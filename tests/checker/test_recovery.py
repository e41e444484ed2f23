"""Types and names are checked around what could not be read, and nothing follows from it."""

from __future__ import annotations

import pytest

from kcheck.checker.check import check_text
from kcheck.grammar.diagnostics import Severity

KERNEL = """kernel a.b@1 {{
  requires {{ field.read; field.write; }}
  input x: Rows<Int>;
  output y: Rows<Int>;
  {}
  compute {{
    {}
    return sample(x);
  }}
}}
"""


def errors(text: str) -> list[tuple[str, str]]:
    """The codes of the errors, each with the text that it points at; a text with one has no program."""
    checked = check_text(text)
    found = [d for d in checked.diagnostics if d.severity is Severity.ERROR]
    assert not found or not checked.programs
    spans = [checked.file.absolute(d.origin) for d in found]
    return [(d.code, text[span.start : span.end]) for d, span in zip(found, spans, strict=True)]


# In a body: the text, and the errors besides the one of the syntax.
BODIES = [
    ("let a = ; let b = a + 1; let c: Float = a;", []),
    ("let a = ; let b: Float = 1;", [("K203", "1")]),
    ("let a = 1\n    let b: Float = a;", [("K203", "a")]),
    ("let = 1; let b: Float = 1;", [("K203", "1")]),
    ("for i 0..3 { let b: Float = i; }", [("K203", "i")]),
    ("if ? { let b: Float = 1; } else { let c = oops; }", [("K203", "1"), ("K201", "oops")]),
    ("match ? { 0 => { let b: Float = 1; } _ => {} }", [("K203", "1")]),
    ("match 3 { ? => { let b: Float = 1; } _ => {} }", [("K203", "1")]),
    ("let a = match 3 { 0 => 1 1, _ => 2 };", []),
    ("let a = match 3 { 0 = 1, _ => 2 }; let b = a + 1;", []),
    ("let a = if true { 1 1 } else { 2 }; let b: Float = a;", []),
]


@pytest.mark.parametrize(("body", "others"), BODIES, ids=[row[0] for row in BODIES])
def test_statements(body: str, others: list[tuple[str, str]]) -> None:
    found = errors(KERNEL.format("", body))
    assert [each for each in found if each[0] != "K101"] == others
    assert len(found) == len(others) + 1


# Among the members.
MEMBERS = [
    "param k: Float = ;",
    "input z Rows<Float>;",
    "output z Rows<Float>;",
    "struct S { a Int; }",
    "fn f(a: Int -> Int { return a; }",
    "const N: Int = 3 3;",
    "oops;",
]


@pytest.mark.parametrize("member", MEMBERS)
def test_members(member: str) -> None:
    use = "let a = k + at(z, 0); let b = S { a: N }; let c = f(1); let d: Float = sample(x);"
    found = errors(KERNEL.format(member, use))
    names = {"k", "z", "N", "f", "S"}
    declared = {name for name in names if f" {name}" in f" {member}"}
    told = {text for code, text in found if code in ("K201", "K202")}
    assert not told & declared
    assert ("K203", "sample(x)") in found
    assert [code for code, _ in found].count("K101") == 1


def test_a_function_without_a_header_is_checked() -> None:
    found = errors("fn h(x: Int -> Int { let z: Float = 1; z + x }")
    assert [code for code, _ in found] == ["K101", "K203"]


def test_what_a_mode_lacks_is_not_told_where_a_member_is_not_read() -> None:
    broken = KERNEL.format("", "").replace("output y: Rows<Int>;", "output y Rows<Int>;")
    assert [code for code, _ in errors(broken)] == ["K101"]


def test_a_name_that_nothing_declares_is_told_once() -> None:
    assert errors(KERNEL.format("", "let a = oops + oops; let b = oops;")) == [("K201", "oops")]


def test_a_kernel_has_no_program_where_it_uses_what_is_not_whole() -> None:
    text = "enum E { A B }" + KERNEL.format("", "let _e = E.A;")
    assert not check_text(text).programs
    assert [code for code, _ in errors(text)] == ["K101"]

"""Scans that could be prefixes: which they are, and that the fix gives the same values."""

import pytest

from kcheck.checker import check_text
from kcheck.grammar.diagnostics import Diagnostic, Severity
from tests.support import program_of, run

VALUES = [3, -1, 4, 1, -5, 9, 2, -6]


def source(start: str, body: str, type_: str = "Int", members: str = "") -> str:
    return f"""kernel test.scan@1 {{
  requires {{ field.read; field.write; }}
  input values: Rows<{type_}>;
  {members}
  output result: Rows<{type_}>;
  scan over values with carried = {start} {{ {body} }}
}}
"""


def remarks(text: str) -> list[Diagnostic]:
    return [found for found in check_text(text, "case.kernel").diagnostics if found.code == "K405"]


COULD_BE = {
    "sum": (source("0", "return carried + sample(values);"), "prefix over values with sum", "return sample(values);"),
    "sum, turned": (
        source("0", "sample(values) * 2 + carried"),
        "prefix over values with sum",
        "{ sample(values) * 2 }",
    ),
    "largest": (
        source("-2147483648", "return max(carried, sample(values));"),
        "prefix over values with max",
        "return sample(values);",
    ),
    "largest above a start": (
        source("0", "return max(carried, sample(values));"),
        "prefix over values with max",
        "return max(0, sample(values));",
    ),
    "least of a param": (
        source("limit", "min(sample(values), carried)", members="param limit: Int = 2;"),
        "prefix over values with min",
        "{ min(limit, sample(values)) }",
    ),
    "largest by a comparison": (
        source("-2147483648", "let v = sample(values); return if v > carried { v } else { carried };"),
        "prefix over values with max",
        "return v;",
    ),
    "least by a comparison, turned": (
        source("7", "let v = sample(values); if v >= carried { carried } else { v }"),
        "prefix over values with min",
        "{ let v = sample(values); min(7, v) }",
    ),
    "with statements": (
        source("0", "let x = sample(values); let twice = x + x; return carried + twice * index();"),
        "prefix over values with sum",
        "return twice * index();",
    ),
}

COULD_NOT = {
    "a difference": source("0", "return sample(values) - carried;"),
    "a start that is no zero": source("1", "return carried + sample(values);"),
    "the carry twice": source("0", "return carried + carried * sample(values);"),
    "the carry in a condition": source("0", "let x = if carried > 0 { 1 } else { 2 }; return carried + x;"),
    "the largest float by a comparison": source(
        "0.0", "let v = sample(values); return if v > carried { v } else { carried };", "Float"
    ),
    "what is larger, chosen": source("0", "let v = sample(values); return if v > carried { v + 1 } else { carried };"),
    "equal or not": source("0", "let v = sample(values); return if v == carried { v } else { carried };"),
    "a sum of floats": source("0.0", "return carried + sample(values);", "Float"),
    "an early return": source("0", "if sample(values) > 3 { return 0; } return carried + sample(values);"),
    "two memories of one": source(
        "0", "put(m, 0, carried); return carried + at(m, index());", members="memory m: Rows<Int>;"
    ),
}


@pytest.mark.parametrize("name", COULD_BE)
def test_could_be(name: str) -> None:
    text, head, body = COULD_BE[name]
    [found] = remarks(text)
    assert found.severity is Severity.INFO
    mended = applied(text, found)
    assert head in mended
    assert body in mended
    assert not check_text(mended, "case.kernel").has_errors
    before, after = (run(program_of(written), {"values": VALUES}).outputs for written in (text, mended))
    assert before == after


def applied(text: str, found: Diagnostic) -> str:
    """The text with the first fix; kernels begin the file, so spans count from its start."""
    for edit in sorted(found.fixes[0].edits, key=lambda edit: -edit.origin.span.start):
        text = text[: edit.origin.span.start] + edit.text + text[edit.origin.span.end :]
    return text


@pytest.mark.parametrize("name", COULD_NOT)
def test_could_not(name: str) -> None:
    assert not check_text(COULD_NOT[name], "case.kernel").has_errors
    assert not remarks(COULD_NOT[name])


def test_extremes_of_floats() -> None:
    text = source("0.5", "return max(carried, sample(values));", "Float")
    [found] = remarks(text)
    mended = applied(text, found)
    values = [0.25, float("nan"), -1.0, 2.0, 1.0]
    before, after = (run(program_of(written), {"values": values}).outputs for written in (text, mended))
    assert before == after == {"result": [0.5, 0.5, 0.5, 2.0, 2.0]}

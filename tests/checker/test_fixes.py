"""Every fix that is offered: it takes its finding away, brings no new error, and writes what a hand would."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from kcheck.checker import check_text, rules
from kcheck.checker.checked import Checked
from kcheck.checker.rules.rule import Rule
from kcheck.checker.settings import settled
from kcheck.grammar.diagnostics import Diagnostic
from tests.checker.fixing import applied, mends

PATH = "example.kernel"

UNKNOWABLE = {
    "K104": "where the comment should end",
    "K204": "which argument is missing, or is one too many",
    "K209": "a better name",
    "K210": "the loop",
    "K211": "which of them is not to depend on the other",
    "K212": "what the index would refer to",
    "K216": "what was meant by a component that is not there",
    "K217": "what the constant should be",
    "K221": "the package",
    "K222": "which file should not use the other",
    "K227": "the length",
    "K229": "a better name",
    "K231": "the pattern that was meant",
    "K232": "the reason",
    "K240": "the range that is meant",
    "K241": "the place that is meant",
    "K242": "the count that is meant",
    "K243": "the condition that is meant",
    "K244": "the bounds that are meant",
    "K309": "which output to keep",
    "K311": "the struct for the pair",
    "K315": "where to write instead",
    "K318": "the size",
    "K319": "which element of the other field",
    "K321": "what the body should hand over",
    "K322": "how to make the one value of the other",
    "K324": "the other part of the address",
    "K501": "how to do without the branch",
    "K600": "when scenes are checked",
}
"""The rules whose example on its page has no fix, with what only its author can know."""

ALTERNATIVES = {rules.AMBIGUOUS_VARIANT.code}
"""Rules that offer every choice, of which one is meant: not each of them leaves a program without errors."""

SHOWN = [rule for rule in rules.CATALOGUE.values() if rule.bad is not None and not rule.code.startswith("K4")]


def findings(text: str, code: str) -> tuple[Checked, list[Diagnostic]]:
    checked = settled(check_text(text, PATH, lambda package: (PATH, text.encode()) if package == "example" else None))
    return checked, [d for d in checked.diagnostics if d.code == code]


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.code)
def test_the_fixes_of_a_page_mend_its_example(rule: Rule) -> None:
    assert rule.bad is not None
    checked, found = findings(rule.bad, rule.code)
    fixes = [(d, fix) for d in found for fix in d.fixes]
    assert bool(fixes) == (rule.code not in UNKNOWABLE)
    if rule.code in ALTERNATIVES:
        assert any(not check_text(applied(checked, fix), PATH).has_errors for _, fix in fixes)
    else:
        for diagnostic, fix in fixes:
            mends(checked, diagnostic, fix)


@dataclass(frozen=True)
class Case:
    code: str
    name: str
    source: str
    fixed: str


_CASE = re.compile(
    r"^## (?P<code>K\d+): (?P<name>[^\n]+)\n\n```kernel\n(?P<source>.*?)^```\n\n```kernel fixed\n(?P<fixed>.*?)^```$",
    re.M | re.S,
)
CASES = [Case(**found.groupdict()) for found in _CASE.finditer((Path(__file__).parent / "fixes.md").read_text("utf-8"))]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_fix(case: Case) -> None:
    checked, found = findings(case.source, case.code)
    texts = [mends(checked, diagnostic, fix) for diagnostic in found for fix in diagnostic.fixes]
    assert case.fixed in texts, "\n".join(texts)


def test_fixes_of_an_input_free_the_examples_of_it() -> None:
    case = next(case for case in CASES if case.name == "unused input")
    checked, [found] = findings(case.source, "K224")
    after = check_text(applied(checked, found.fixes[0]), PATH)
    assert not after.diagnostics
    assert [example.values for example in after.examples] == [{"x": [1.0]}]


def test_a_removed_member_takes_its_doc_and_a_blank_line_along() -> None:
    source = """\
kernel a.b@1 {
  requires { field.write; }

  /// How strong.
  /// From nothing to all.
  param strength: Float = 1.0;

  output r: Rows<Float>;
  compute { return 0.0; }
}
"""
    checked, [found] = findings(source, "K208")
    removed = source[source.index("\n  ///") : source.index("\n  output")]
    assert mends(checked, found, found.fixes[0]) == source.replace(removed, "")

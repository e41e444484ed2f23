"""The catalogue of rules: its order, its examples and its pages."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from kcheck.checker import check_bytes, check_text, ir, rules
from kcheck.checker.law.prover import Prover
from kcheck.checker.rules.rule import Rule
from kcheck.checker.settings import settled
from kcheck.grammar import problems
from kcheck.grammar.diagnostics import Diagnostic, Severity
from kcheck.runtime.interpreter.parts import InterpretedParts

ROOT = Path(__file__).parents[2]
PATH = "example.kernel"

WITHOUT_PROGRAM = {rules.NOT_UTF8.code, rules.NESTED_TOO_DEEPLY.code, rules.FILE_TOO_LARGE.code}
"""What no program on a page can show; run-time rules (K7) have none either."""

SECONDS = 20.0
"""For the laws of one merge: more than any page needs."""

SHOWN = [rule for rule in rules.CATALOGUE.values() if rule.bad is not None]


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    made = Prover(InterpretedParts)
    yield made
    made.close()


def findings(text: str, prover: Prover) -> tuple[Diagnostic, ...]:
    """What is found in a file that can use itself, as `example`; merges are judged too."""
    checked = check_text(text, PATH, lambda package: (PATH, text.encode()) if package == "example" else None)
    reductions = [p.name for p in checked.programs.values() if isinstance(p.schedule, ir.Fold)]
    return settled(prover.judge(checked, reductions, SECONDS)).diagnostics


def grave(found: tuple[Diagnostic, ...]) -> list[str]:
    """Errors and warnings."""
    return [f"{d.code} {d.message}" for d in found if d.severity in (Severity.ERROR, Severity.WARNING)]


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.code)
def test_bad_example_shows_its_rule_and_no_other(rule: Rule, prover: Prover) -> None:
    assert rule.bad is not None
    found = findings(rule.bad, prover)
    assert (rule.code, rule.severity) in {(d.code, d.severity) for d in found}
    assert [line for line in grave(found) if not line.startswith(rule.code)] == []


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.code)
def test_good_example_is_good(rule: Rule, prover: Prover) -> None:
    assert rule.good is not None
    found = findings(rule.good, prover)
    assert grave(found) == []
    assert rule.code not in {d.code for d in found}


def test_what_no_page_can_show() -> None:
    programs = {
        rules.NOT_UTF8.code: b"// \xe9\n",
        rules.NESTED_TOO_DEEPLY.code: b"const A: Int = " + b"(" * 1000 + b"1" + b")" * 1000 + b";",
        rules.FILE_TOO_LARGE.code: b"// a comment\n" * 100_000,
    }
    for code, data in programs.items():
        assert code in {d.code for d in check_bytes(data, PATH).diagnostics}
    assert set(programs) == WITHOUT_PROGRAM


def test_the_catalogue_is_in_order_and_complete() -> None:
    assert list(rules.CATALOGUE) == sorted(rules.CATALOGUE)
    assert len(rules.BY_NAME) == len(rules.CATALOGUE)
    files = {path.stem for path in (ROOT / "checker" / "rules").glob("k[0-9]*.py")}
    assert files == {f"{r.code.lower()}_{r.name.replace('-', '_')}" for r in rules.CATALOGUE.values()}


@pytest.mark.parametrize("rule", rules.CATALOGUE.values(), ids=lambda rule: rule.code)
def test_every_rule_has_what_its_page_needs(rule: Rule) -> None:
    assert getattr(rules, rule.name.replace("-", "_").upper()) is rule
    assert rule.title.rstrip(".") == rule.title
    assert len(rule.explanation) > 100
    without = rule.code.startswith("K7") or rule.code in WITHOUT_PROGRAM
    assert (rule.bad is None) == (rule.good is None) == without
    for text in (rule.explanation, rule.bad or "", rule.good or ""):
        assert all(len(line) <= 100 for line in text.splitlines())


def test_reading_and_rules_share_their_codes() -> None:
    read = [getattr(problems, name) for name in vars(problems) if name.isupper()]
    assert sorted(read) == [code for code in rules.CATALOGUE if code.startswith("K1")]
    assert all(rules.CATALOGUE[code].severity is Severity.ERROR for code in read)


def test_the_pages_are_up_to_date() -> None:
    script = _script("rule_docs")
    written = {path.name: path.read_text(encoding="utf-8") for path in script.FOLDER.glob("*.md")}
    assert written == script.pages(), "run: python scripts/rule_docs.py"


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

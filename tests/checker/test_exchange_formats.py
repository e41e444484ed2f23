"""Findings for other tools: SARIF and GitHub's workflow commands."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from kcheck.checker import check_text, rules
from kcheck.checker.render import github, sarif
from kcheck.checker.rules.rule import Rule

#       columns:   the emoji takes two UTF-16 units
BROKEN = "fn f(x: Int) -> Float { /* 😀 */ return x; }\nkernel a.b@1 { output r: Rows<Int>; compute { 1 } }\n"
PATH = "src dir/a,b.kernel"

SCHEMA = json.loads((Path(__file__).parent / "sarif" / "sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8"))
SHOWN = [rule for rule in rules.CATALOGUE.values() if rule.bad is not None]


def validated(text: str) -> Any:
    """The log, held to the schema of SARIF 2.1.0."""
    log = json.loads(text)
    Draft4Validator(SCHEMA).validate(log)
    return log


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.code)
def test_sarif_of_every_page_is_valid(rule: Rule) -> None:
    assert rule.bad is not None
    validated(sarif.render([check_text(rule.bad, "a folder/ä.kernel")], "1.2.3"))


def test_the_schema_refuses_what_is_wrong() -> None:
    log = json.loads(sarif.render([check_text(BROKEN, PATH)], "1.2.3"))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not Draft4Validator(SCHEMA).is_valid(log)


def test_sarif() -> None:
    log = validated(sarif.render([check_text(BROKEN, PATH)], "1.2.3"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("kcheck", "1.2.3")
    assert [rule["id"] for rule in driver["rules"]] == ["K203", "K301"]
    mismatch, permission = run["results"]
    assert (mismatch["ruleId"], mismatch["ruleIndex"], mismatch["level"]) == ("K203", 0, "error")
    where = mismatch["locations"][0]["physicalLocation"]
    assert where["artifactLocation"] == {"uri": "src%20dir/a%2Cb.kernel"}
    assert where["region"] == {"startLine": 1, "startColumn": 41, "endLine": 1, "endColumn": 42}
    inserted = [r["insertedContent"]["text"] for r in mismatch["fixes"][0]["artifactChanges"][0]["replacements"]]
    assert inserted == ["float(", ")"]
    assert permission["ruleId"] == "K301"
    assert permission["locations"][0]["physicalLocation"]["region"]["startLine"] == 2


def test_sarif_of_nothing() -> None:
    (run,) = validated(sarif.render([check_text("", PATH)], "1"))["runs"]
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])


def test_github() -> None:
    first, second, *rest = github.render([check_text(BROKEN, PATH)]).splitlines()
    assert rest == []
    head = "::error file=src dir/a%2Cb.kernel,line=1,endLine=1,col=41,endColumn=42,title=K203::"
    assert first.startswith(head + "expected a Float, found an Int")
    assert second.startswith("::error file=src dir/a%2Cb.kernel,line=2,")


def test_github_escapes_line_breaks() -> None:
    text = "kernel a.b@1 { output r: Rows<Int>; compute { 1 } }"
    (line,) = github.render([check_text(text + " // 100 %", PATH)]).splitlines()
    assert line.count("::") == 2
    (lane,) = github.render([check_text("fn f(v: Vec2) -> Bool { return v % 1 < v; }", PATH)]).splitlines()
    assert "`%25`" in lane

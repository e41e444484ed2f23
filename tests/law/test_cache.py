"""Judgements on disk: what is kept, what counts as the same, and that nothing fails because of the folder."""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kcheck.checker import ir
from kcheck.checker.law import cache as caching
from kcheck.checker.law.cache import Cache
from kcheck.checker.law.evaluate import Evaluate
from kcheck.checker.law.pipeline import Tools, judge_program
from kcheck.checker.law.verdict import PROVED, UNKNOWN, Judgement
from kcheck.runtime.interpreter.parts import InterpretedParts
from tests.law.build import over_floats, over_ints, reduction

SECONDS = 20.0

PROGRAMS = {
    "proved": over_ints("a + b"),
    "refuted": over_ints("a - b"),
    "refuted by a param": reduction(
        "Float", "Float", "sample(values)", "a + b * k", members="param k: Float = 1.0 in 0.5..1.5;"
    ),
    "undefined": over_floats("a * b / (a + b)"),
    "special": over_floats("if a > b { a } else { b }"),
    "enum": reduction(
        "Shape",
        "Shape",
        "sample(values)",
        "match a { Disc { r } => a, Dot => b }",
        "enum Shape { Dot; Disc { r: Float; } }",
    ),
}


def no_parts() -> Evaluate:
    raise AssertionError("nothing had to be run")


def judged(program: ir.Program) -> Judgement:
    return judge_program(program, Tools(InterpretedParts, None), SECONDS)


def entry_of(folder: Path) -> Path:
    [path] = folder.glob("*.json")
    return path


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_kept_comes_back(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    judgement = judged(program)
    Cache(tmp_path).put(judgement, SECONDS)
    found = Cache(tmp_path).get(program, SECONDS, InterpretedParts)
    assert repr(found) == repr(judgement)  # as text, for a NaN is not equal to itself


def test_proofs_need_no_run(tmp_path: Path) -> None:
    program = PROGRAMS["proved"]
    Cache(tmp_path).put(judged(program), SECONDS)
    found = Cache(tmp_path).get(program, SECONDS, no_parts)
    assert found is not None
    assert {finding.verdict for finding in found.laws} == {PROVED}


def test_names_and_layout_do_not_matter(tmp_path: Path) -> None:
    Cache(tmp_path).put(judged(over_ints("a - b")), SECONDS)
    spread = replace(over_ints("a   -   /* not plus */ b"), name="another.name@7")
    found = Cache(tmp_path).get(spread, SECONDS, InterpretedParts)
    assert found is not None
    assert found.program is spread
    assert Cache(tmp_path).get(over_ints("b - a"), SECONDS, InterpretedParts) is None


def test_another_prover_knows_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = PROGRAMS["proved"]
    Cache(tmp_path).put(judged(program), SECONDS)
    monkeypatch.setattr(caching, "_versions", ["another"])
    assert Cache(tmp_path).get(program, SECONDS, InterpretedParts) is None


def test_what_is_unknown_counts_for_less_time_only(tmp_path: Path) -> None:
    program = over_ints("a ^ b")
    judgement = judged(program)
    unknown = replace(judgement, laws=tuple(replace(f, verdict=UNKNOWN, reason="why") for f in judgement.laws))
    Cache(tmp_path).put(unknown, 3.0)
    assert Cache(tmp_path).get(program, 3.0, InterpretedParts) == unknown
    assert Cache(tmp_path).get(program, 3.5, InterpretedParts) is None


def test_mishaps_are_not_kept(tmp_path: Path) -> None:
    Cache(tmp_path).put(replace(judged(PROGRAMS["proved"]), is_lasting=False), SECONDS)
    assert not list(tmp_path.iterdir())


def test_a_witness_that_does_not_hold_up_is_not_shown(tmp_path: Path) -> None:
    program = PROGRAMS["refuted"]
    Cache(tmp_path).put(judged(program), SECONDS)
    path = entry_of(tmp_path)
    entry = json.loads(path.read_text())
    entry["laws"][0]["witness"]["case"]["fields"]["values"]["elements"] = [[0], [0], [0]]
    path.write_text(json.dumps(entry))
    assert Cache(tmp_path).get(program, SECONDS, InterpretedParts) is None


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"seconds": 99, "laws": [], "undefined": null, "special": null}']
)
def test_damaged_entries_count_for_nothing(tmp_path: Path, text: str) -> None:
    program = PROGRAMS["proved"]
    Cache(tmp_path).put(judged(program), SECONDS)
    entry_of(tmp_path).write_text(text)
    assert Cache(tmp_path).get(program, SECONDS, InterpretedParts) is None


@pytest.mark.skipif(sys.platform == "win32", reason="files have no such permissions")
def test_entries_that_others_could_write_count_for_nothing(tmp_path: Path) -> None:
    program = PROGRAMS["proved"]
    Cache(tmp_path).put(judged(program), SECONDS)
    entry_of(tmp_path).chmod(0o666)
    assert Cache(tmp_path).get(program, SECONDS, InterpretedParts) is None


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    cache = Cache(tmp_path / "file" / "laws")
    cache.put(judged(PROGRAMS["proved"]), SECONDS)
    assert cache.get(PROGRAMS["proved"], SECONDS, InterpretedParts) is None


def test_old_entries_are_forgotten(tmp_path: Path) -> None:
    old = tmp_path / "old.json"
    old.touch()
    os.utime(old, (0, 0))
    Cache(tmp_path).put(judged(PROGRAMS["proved"]), SECONDS)
    assert not old.exists()
    assert entry_of(tmp_path).exists()

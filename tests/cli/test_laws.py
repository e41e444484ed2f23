"""The laws of merges on the command line: `check`, `run`, `test`, `show --smt`."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kcheck.cli import main

PROVED = """\
kernel stats.total@1 {
  requires { field.read; field.write; }
  input values: Rows<Int>;
  output result: Rows<Int>;
  compute over values { return sample(values); }
  merge(a, b) { return a + b; }
  example some { values = [1, 2, 4]; expect result = [7]; }
}
"""
REFUTED = PROVED.replace("a + b", "a - b")
UNKNOWN = PROVED.replace("return a + b;", "var x = a + b; for i in 0..b { x = x ^ i ^ i; } return x;")
WELFORD = """\
struct Moments { n: Float; mean: Float; }

kernel stats.mean@1 {
  requires { field.read; field.write; }
  input values: Rows<Float>;
  output result: Rows<Moments>;
  compute over values { return Moments { n: 1.0, mean: sample(values) }; }
  merge(a, b) { return Moments { n: a.n + b.n, mean: (a.mean * a.n + b.mean * b.n) / (a.n + b.n) }; }
}
"""
HARD = PROVED.replace("return a + b;", "var x = 0; for i in 0..32 { x ^= (a << i) & (0 - ((b >>> i) & 1)); } return x;")
"""Multiplication without carries: it obeys both laws, which takes z3 very long to find."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    texts = {"proved": PROVED, "refuted": REFUTED, "unknown": UNKNOWN, "welford": WELFORD, "hard": HARD}
    for name, text in texts.items():
        (tmp_path / f"{name}.kernel").write_text(text)
    return tmp_path


Captured = pytest.CaptureFixture[str]


def kcheck(arguments: str) -> int:
    return main(shlex.split(arguments))


# ---------------------------------------------------------------- check


def test_proved(home: Path, capsys: Captured) -> None:
    assert kcheck("check proved.kernel --require-proof") == 0
    assert capsys.readouterr().out == "no errors in 1 file; laws: 2 proved\n"


def test_what_a_proof_rests_on(home: Path, capsys: Captured) -> None:
    assert kcheck("check welford.kernel --require-proof") == 0
    assert "stats.mean@1: associative, since n >= 1\n" in capsys.readouterr().out


def test_refuted(home: Path, capsys: Captured) -> None:
    assert kcheck("check refuted.kernel") == 1
    out = capsys.readouterr().out
    assert "error[K401]: this merge is not commutative" in out
    assert "└─ b = " in out
    assert "; laws: 2 refuted" in out


def test_unknown(home: Path, capsys: Captured) -> None:
    assert kcheck("check unknown.kernel") == 0
    assert "warning[K402]" in capsys.readouterr().out
    assert kcheck("check unknown.kernel --require-proof") == 1
    assert "error[K402]" in capsys.readouterr().out


def test_without_laws(home: Path, capsys: Captured) -> None:
    assert kcheck("check refuted.kernel --no-laws") == 0
    assert capsys.readouterr().out == "no errors in 1 file\n"


def test_json(home: Path, capsys: Captured) -> None:
    assert kcheck("check refuted.kernel welford.kernel --format json") == 1
    shown = json.loads(capsys.readouterr().out)
    assert shown["summary"]["laws"] == {"proved": 2, "refuted": 2, "unknown": 0}
    refuted, proved = (file["laws"][1] for file in shown["files"])
    assert (refuted["law"], refuted["verdict"]) == ("commutative", "refuted")
    assert refuted["witness"] == {
        "elements": [0, 1],
        "inputs": {},
        "params": {},
        "left": -1,
        "right": 1,
        "trees": {"left": "merge(a, b)", "right": "merge(b, a)"},
    }
    assert (proved["verdict"], proved["assuming"], proved["witness"]) == ("proved", ["n >= 1"], None)
    assert proved["seconds"] > 0.0


@pytest.mark.parametrize("time_", ["x", "-1", "nan", "1e9"])
def test_times_that_are_none(home: Path, capsys: Captured, time_: str) -> None:
    assert kcheck(f"check proved.kernel --timeout={time_}") == 2
    assert f"{time_} is no number of seconds" in capsys.readouterr().err


def test_a_short_time(home: Path, capsys: Captured) -> None:
    start = time.monotonic()
    assert kcheck("check hard.kernel --timeout 0.3") == 0
    assert time.monotonic() - start < 5.0
    assert "warning[K402]" in capsys.readouterr().out


def test_comments_may_allow_what_is_unknown(home: Path, capsys: Captured) -> None:
    allowed = UNKNOWN.replace("  merge(a, b)", "  // kcheck: allow K402 — tried by hand\n  merge(a, b)")
    (home / "allowed.kernel").write_text(allowed)
    assert kcheck("check allowed.kernel") == 0
    assert "K402" not in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_an_interrupt_ends_all_at_once(home: Path) -> None:
    """The process of the solver too, though it never looks up."""
    (home / "cache").mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "kcheck", "check", "hard.kernel", "--timeout", "60"],
        env={**os.environ, "XDG_CACHE_HOME": str(home / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    time.sleep(4.0)
    assert process.poll() is None
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=10)
    assert time.monotonic() - start < 2.0
    assert process.returncode == 130
    assert out == b""


# ---------------------------------------------------------------- run, test, show


def test_a_refuted_merge_is_not_run(home: Path, capsys: Captured) -> None:
    assert kcheck("run refuted.kernel -i 'values=[1, 2]'") == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "error[K401]" in captured.err
    assert kcheck("run refuted.kernel -i 'values=[1, 2]' --format json") == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "K401"


def test_an_unknown_merge_is_run(home: Path, capsys: Captured) -> None:
    assert kcheck("run unknown.kernel -i 'values=[1, 0]' --format json") == 0
    assert json.loads(capsys.readouterr().out)["outputs"]["result"]["values"] == [1]


def test_examples_of_a_refuted_merge_fail(home: Path, capsys: Captured) -> None:
    assert kcheck("test proved.kernel") == 0
    assert kcheck("test refuted.kernel") == 1
    assert "K401" in capsys.readouterr().out


def test_show_the_query(home: Path, capsys: Captured) -> None:
    assert kcheck("show proved.kernel --smt") == 0
    script = capsys.readouterr().out
    assert script.count("(check-sat)") == 2
    assert script.startswith("; stats.total@1: is the merge associative?\n")
    assert kcheck("show unknown.kernel --smt") == 2
    assert "cannot be written out" in capsys.readouterr().err


def test_the_query_says_what_it_should(home: Path, capsys: Captured) -> None:
    import z3

    for name, expected in (("proved", z3.unsat), ("refuted", z3.sat)):
        assert kcheck(f"show {name}.kernel --smt") == 0
        for script in capsys.readouterr().out.split("(reset)"):
            solver = z3.Solver()
            solver.from_string(script.replace("(check-sat)", ""))
            assert solver.check() == expected


def test_only_reductions_have_a_query(home: Path, capsys: Captured) -> None:
    scan = PROVED.partition("  compute")[0] + "  scan over values with t = 0 { return max(t, sample(values)); }\n}\n"
    (home / "scan.kernel").write_text(scan)
    assert kcheck("show scan.kernel --smt") == 2
    assert "merges nothing" in capsys.readouterr().err

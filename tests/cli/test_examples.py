"""`kcheck test`: which examples pass, what is said of the others, and when floats are the same."""

import json
from pathlib import Path
from typing import NoReturn
from xml.etree import ElementTree

import numpy as np
import pytest

from kcheck.cli import main
from kcheck.runtime import backends
from kcheck.runtime.backend import Missing
from kcheck.runtime.comparison import same_floats

HEAD = """\
kernel demo.half@1 {
  requires { field.read; field.write; }
  input x: Rows<Float>;
  param k: Float = 0.5 in 0.0..1.0;
  output result: Rows<Float>;
  compute { return sample(x) * k; }
"""

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def write(name: str, *examples: str) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(HEAD + "".join(f"  example {example}\n" for example in examples) + "}\n")


def run(capsys: Captured, *arguments: str) -> tuple[int, str, str]:
    code = main(["test", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


GOOD = "good { x = [1, 2]; expect result = [0.5, 1]; }"
WRONG = "wrong { x = [1, 2, 4]; expect result = [0.5, 2, 3]; }"
RUNS = "runs { x = range(5); k = 0.25; }"


def test_passing_examples(capsys: Captured) -> None:
    write("a.kernel", GOOD, RUNS)
    code, out, _ = run(capsys, "a.kernel")
    assert code == 0
    assert "ok" in out
    assert out.splitlines()[-1] == "2 passed"


def test_a_failing_example_shows_the_first_difference(capsys: Captured) -> None:
    write("a.kernel", GOOD, WRONG)
    code, out, _ = run(capsys, "a.kernel")
    assert code == 1
    assert "error[K716]" in out
    assert "`result[1]` is 1.0, expected 2.0" in out
    assert "2 values differ in all" in out
    assert "a.kernel:8:" in out
    assert out.splitlines()[-1] == "1 passed, 1 failed"


def test_shapes_are_compared(capsys: Captured) -> None:
    write("a.kernel", "short { x = [1, 2]; expect result = [0.5]; }")
    assert "gave 2 elements, expected 1 element" in run(capsys, "a.kernel")[1]


def test_runs_that_are_refused_fail(capsys: Captured) -> None:
    write("a.kernel", 'lost { x = file("none.npy"); }')
    code, out, _ = run(capsys, "a.kernel")
    assert code == 1
    assert "error[K709]" in out
    assert "in the example `lost`" in out


def test_files_are_relative_to_the_source(capsys: Captured) -> None:
    write("sub/a.kernel", 'file { x = file("x.npy"); expect result = [2.0]; }')
    np.save("sub/x.npy", np.array([4.0]))
    assert run(capsys, "sub/a.kernel")[0] == 0


def test_a_file_without_examples_is_said(capsys: Captured) -> None:
    write("a.kernel")
    code, out, _ = run(capsys, "a.kernel")
    assert code == 0
    assert "no examples" in out


def test_a_file_with_errors_fails(capsys: Captured) -> None:
    Path("a.kernel").write_text(HEAD)
    code, out, _ = run(capsys, "a.kernel")
    assert code == 1
    assert "error[K1" in out
    assert out.splitlines()[-1] == "0 passed, 1 with errors"


def test_folders_are_walked(capsys: Captured) -> None:
    write("sub/a.kernel", GOOD)
    write("sub/b.kernel", RUNS)
    assert run(capsys, ".")[1].splitlines()[-1] == "2 passed"


def test_quiet_shows_failures_only(capsys: Captured) -> None:
    write("a.kernel", GOOD)
    assert run(capsys, "a.kernel", "-q")[1] == ""
    write("a.kernel", GOOD, WRONG)
    out = run(capsys, "a.kernel", "-q")[1]
    assert "good" not in out.replace("a.kernel", "")
    assert "wrong" in out


def test_json(capsys: Captured) -> None:
    write("a.kernel", GOOD, WRONG)
    code, out, _ = run(capsys, "a.kernel", "--format", "json")
    document = json.loads(out)
    assert code == 1
    assert document["version"] == 1
    assert document["summary"] == {"passed": 1, "failed": 1, "refused": 0}
    good, wrong = document["files"][0]["examples"]
    assert (good["kernel"], good["name"], good["status"], good["error"]) == ("demo.half@1", "good", "passed", None)
    assert wrong["error"]["code"] == "K716"
    assert wrong["error"]["range"]["start"]["line"] == 7


def test_junit(capsys: Captured) -> None:
    write("a.kernel", GOOD, WRONG)
    write("b.kernel")
    _, out, _ = run(capsys, ".", "--format", "junit")
    root = ElementTree.fromstring(out)
    suites = {suite.get("name"): suite for suite in root}
    assert suites["a.kernel"].attrib == {"name": "a.kernel", "tests": "2", "failures": "1", "errors": "0"}
    good, wrong = suites["a.kernel"]
    assert (good.get("classname"), good.get("name")) == ("demo.half@1", "good")
    assert list(good) == []
    assert "K716" in (wrong[0].get("message") or "")
    assert suites["b.kernel"].get("tests") == "0"


@pytest.mark.parametrize("arguments", [[], ["none.kernel"], ["."], ["a.kernel", "--format", "html"]])
def test_wrong_usage(capsys: Captured, arguments: list[str]) -> None:
    assert run(capsys, *arguments)[0] == 2


def test_another_backend(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> NoReturn:
        raise Missing("no driver")

    monkeypatch.setitem(backends.BACKENDS, "gpu", missing)
    write("a.kernel", GOOD)
    code, out, _ = run(capsys, "a.kernel", "--backend", "gpu")
    assert code == 1
    assert "error[K711]" in out
    assert "no driver" in out


# ---------------------------------------------------------------- when floats are the same


def same(got: list[float], expected: list[float]) -> list[bool]:
    result: list[bool] = same_floats(np.array(got, np.float32), np.array(expected, np.float32)).tolist()
    return result


def test_rounding_is_no_difference() -> None:
    assert same([1.000001, -1e20], [1.0, -1.000001e20]) == [True, True]
    assert same([1.0001], [1.0]) == [False]


def test_small_values_are_told_apart() -> None:
    assert same([2e-9], [1e-9]) == [False]


def test_zero_is_what_cancels() -> None:
    assert same([-8.7e-8], [0.0]) == [True]
    assert same([1e-5], [0.0]) == [False]
    assert same([1e-5, 1000.0], [0.0, 1000.0]) == [True, True]
    assert same([0.0], [-0.0]) == [True]


def test_special_floats() -> None:
    nan, inf = float("nan"), float("inf")
    assert same([nan, inf, -inf], [nan, inf, -inf]) == [True, True, True]
    assert same([nan, inf, 1.0, inf, 3e38], [1.0, -inf, nan, 1.0, inf]) == [False] * 5

"""`kcheck run`: what it prints, what it writes, and how it refuses."""

import io
import json
import os
import signal
import subprocess
import sys
import time
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from kcheck.cli import main, report
from kcheck.runtime.backends import best
from kcheck.runtime.views import statistics

TWICE = """\
kernel demo.twice@1 {
  requires { field.read; field.write; }
  input x: Rows<Int>;
  param k: Int = 2 in 0..9;
  output result: Rows<Int>;
  compute { return sample(x) * k; }
}
"""
KERNELS = {
    "twice": TWICE,
    "half": """\
kernel sound.half@1 {
  requires { field.read; field.write; }
  input sound: Rows<Float>;
  output result: Rows<Float>;
  compute { return sample(sound) * 0.5; }
}
""",
    "copy": """\
kernel photo.copy@1 {
  requires { field.read; field.write; }
  input source: Image;
  output result: Image;
  compute { return sample(source); }
}
""",
    "place": """\
kernel grid.place@1 {
  requires { field.write; }
  output result: Grid<Vec2>;
  compute { return coord(); }
}
""",
    "rows": """\
struct Pair { a: Int; b: Vec2; }
enum Shape { Dot; Disc { r: Float; } }
kernel rows.pairs@1 {
  requires { field.write; }
  output pairs: Rows<Pair>;
  output shapes: Rows<Shape>;
  compute {
    let shape = if index() == 0 { Shape.Dot } else { Shape.Disc { r: 0.5 } };
    { pairs: Pair { a: index(), b: vec2(0.1, -0.0) }, shapes: shape }
  }
}
""",
    "ram": """\
kernel cells.step@1 {
  requires { field.read; field.write; }
  input ticks: Rows<Int>;
  memory ram: Rows<Int>;
  output result: Rows<Int>;
  scan over ticks with n = 0 {
    put(ram, n, 7);
    return n + 1;
  }
}
""",
    "two": TWICE + TWICE.replace("@1", "@2"),
    "scene": TWICE + "scene main {\n  node a: demo.twice@1 { }\n}\n",
    "alone": "scene main {\n}\n",
    "total": """\
kernel rows.total@1 {
  requires { field.read; field.write; }
  input x: Rows<Int>;
  output result: Rows<Int>;
  compute over x { return sample(x); }
  merge(a, b) { return a + b; }
}
""",
    "float": """\
kernel rows.specials@1 {
  requires { field.read; field.write; }
  input x: Rows<Float>;
  output result: Rows<Float>;
  compute { return sample(x); }
}
""",
}

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with every kernel of `KERNELS`, to run in."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    for name, text in KERNELS.items():
        (tmp_path / f"{name}.kernel").write_text(text)
    return tmp_path


def run(capsys: Captured, *arguments: str) -> tuple[int, str, str]:
    code = main(["run", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def run_json(capsys: Captured, *arguments: str) -> tuple[int, dict[str, Any]]:
    code, out, _ = run(capsys, *arguments, "--format", "json")
    document = json.loads(out)
    assert document["version"] == 1
    return code, document


# ---------------------------------------------------------------- JSON


def test_json(capsys: Captured) -> None:
    code, document = run_json(capsys, "twice.kernel", "-i", "x=[1, 2, 3]")
    assert code == 0
    assert document.keys() == {"version", "backend", "reason", "fallback", "seconds", "outputs", "memories"}
    assert document["reason"] == "fewer than 1,048,576 elements are too few for a graphics device"
    assert document["backend"] == best().name
    assert document["fallback"] is None
    assert document["seconds"].keys() == {"compile", "run"}
    assert document["outputs"] == {"result": {"type": "Rows<Int>", "shape": [3], "values": [2, 4, 6]}}
    assert document["memories"] == {}


def test_json_of_structs_and_enums(capsys: Captured) -> None:
    _, document = run_json(capsys, "rows.kernel", "--domain", "2")
    assert document["outputs"]["pairs"]["values"] == [{"a": 0, "b": [0.1, 0.0]}, {"a": 1, "b": [0.1, 0.0]}]
    assert document["outputs"]["shapes"]["values"] == ["Dot", {"Disc": {"r": 0.5}}]


def test_json_of_special_floats(capsys: Captured) -> None:
    code, out, _ = run(capsys, "float.kernel", "-i", "x=[NaN, Infinity, -Infinity, -0.0, 0.1]", "--format", "json")
    assert code == 0
    assert '"values": ["NaN", "Infinity", "-Infinity", -0.0, 0.1]' in out


def test_json_of_grids_has_rows_of_rows(capsys: Captured) -> None:
    _, document = run_json(capsys, "place.kernel", "--domain", "3x1")
    assert document["outputs"]["result"] == {
        "type": "Grid<Vec2>",
        "shape": [1, 3],
        "values": [[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]],
    }


def test_json_of_memories(capsys: Captured) -> None:
    _, document = run_json(capsys, "ram.kernel", "-i", "ticks=[0, 0]", "-i", "ram=zeros(3)")
    assert document["memories"] == {"ram": {"type": "Rows<Int>", "shape": [3], "values": [7, 7, 0]}}


def test_json_of_a_refused_program(capsys: Captured, home: Path) -> None:
    (home / "bad.kernel").write_text(TWICE.replace("sample(x)", "sample(y)"))
    code, document = run_json(capsys, "bad.kernel", "-i", "x=[1]")
    assert code == 1
    assert document["error"]["code"] == "K201"
    assert document["error"]["range"]["start"]["line"] == 5
    assert document["error"] in document["diagnostics"]


def test_json_of_a_refused_run(capsys: Captured) -> None:
    code, document = run_json(capsys, "twice.kernel", "-i", "x=[0.5]")
    assert code == 1
    assert document["error"]["code"] == "K703"
    assert "`x[0]` is 0.5" in document["error"]["message"]
    assert document["error"]["range"] == {"start": {"line": 2, "character": 8}, "end": {"line": 2, "character": 9}}


# ---------------------------------------------------------------- text


def test_small_rows(capsys: Captured) -> None:
    code, out, err = run(capsys, "twice.kernel", "-i", "x=[1, 2]", "-p", "k=3")
    assert code == 0
    assert out == "result: Rows<Int>, 2 elements\n  [3, 6]\n"
    assert err.startswith(f"{best().name}, ")


def test_quiet(capsys: Captured) -> None:
    assert run(capsys, "twice.kernel", "-i", "x=[1]", "-q")[2] == ""


def test_tables_of_structs(capsys: Captured) -> None:
    _, out, _ = run(capsys, "rows.kernel", "--domain", "2")
    assert "     a            b\n  0  0  [0.1, -0.0]\n  1  1  [0.1, -0.0]\n" in out
    assert "  [0] Dot\n  [1] {Disc: {r: 0.5}}\n" in out


def test_empty_fields(capsys: Captured) -> None:
    assert run(capsys, "twice.kernel", "-i", "x=[]")[1] == "result: Rows<Int>, 0 elements\n"


def test_large_rows_are_a_summary(capsys: Captured) -> None:
    _, out, _ = run(capsys, "half.kernel", "-i", "sound=range(1001)")
    lines = out.splitlines()
    assert lines[1].split() == ["min", "max", "mean", "histogram"]
    assert lines[2].split() == ["0", "500", "250", "█" * 24]  # as many in each bin, to one
    assert lines[3].strip()[0] == "▁"
    assert lines[3].strip()[-1] == "█"


def test_pictures_in_characters(capsys: Captured) -> None:
    pixels = np.zeros((64, 64, 4), np.float32)
    pixels[:, 32:] = 1.0
    np.save("half.npy", pixels)
    _, out, _ = run(capsys, "copy.kernel", "-i", "source=half.npy")
    assert out.splitlines()[-1] == " " * 32 + "@" * 32
    assert "\x1b" not in out


def test_pictures_in_colour(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLORTERM", "truecolor")
    pixels = np.ones((64, 64, 4), np.float32)
    pixels[1::2, :, 1:3] = 0.0
    np.save("lines.npy", pixels)
    _, out, _ = run(capsys, "copy.kernel", "-i", "source=lines.npy")
    assert "\x1b[38;2;255;255;255;48;2;255;0;0m▀" in out


def test_warnings_are_shown_beside_the_result(capsys: Captured, home: Path) -> None:
    (home / "warns.kernel").write_text(TWICE.replace("return", "let k = 3; return"))
    code, out, err = run(capsys, "warns.kernel", "-i", "x=[1]")
    assert code == 0
    assert "[3]" in out
    assert "warning[" in err


# ---------------------------------------------------------------- values and files


def test_standard_input(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TWICE.encode())))
    assert run(capsys, "-", "-i", "x=[4]")[1].endswith("[8]\n")


def test_pictures_to_pictures(capsys: Captured) -> None:
    samples = np.random.default_rng(0).integers(0, 256, (5, 7, 4)).astype(np.uint8)
    Image.fromarray(samples).save("in.png")
    for options in ([], ["--srgb"]):
        code, out, err = run(capsys, "copy.kernel", "-i", "source=in.png", "-o", "result=out.png", *options)
        assert (code, out) == (0, "")
        assert "result: written to out.png" in err
        assert np.array_equal(np.asarray(Image.open("out.png")), samples)


def test_sounds_keep_their_rate(capsys: Captured) -> None:
    with wave.open("in.wav", "wb") as sound:
        sound.setparams((1, 2, 11025, 2, "NONE", ""))
        sound.writeframes(np.array([16384, -16384], "<i2").tobytes())
    assert run(capsys, "half.kernel", "-i", "sound=in.wav:0", "-o", "result=out.wav")[0] == 0
    with wave.open("out.wav") as sound:
        assert sound.getframerate() == 11025
        assert np.frombuffer(sound.readframes(2), "<i2").tolist() == [8192, -8192]


def test_json_names_the_files(capsys: Captured) -> None:
    _, document = run_json(capsys, "twice.kernel", "-i", "x=[1]", "-o", "result=out.npy")
    assert document["outputs"]["result"] == {"type": "Rows<Int>", "shape": [1], "file": "out.npy"}
    assert np.load("out.npy").tolist() == [2]


def test_memories_can_be_written(capsys: Captured) -> None:
    assert run(capsys, "ram.kernel", "-i", "ticks=[0]", "-i", "ram=[1, 2]", "-o", "ram=ram.json")[0] == 0
    assert json.loads(Path("ram.json").read_text()) == [7, 2]


@pytest.mark.parametrize("name", ["demo.twice@2", "demo.twice@1"])
def test_kernels_by_name(capsys: Captured, name: str) -> None:
    assert run(capsys, "two.kernel", "--kernel", name, "-i", "x=[1]")[0] == 0


def test_one_version_needs_no_version(capsys: Captured) -> None:
    assert run(capsys, "twice.kernel", "--kernel", "demo.twice", "-i", "x=[1]")[0] == 0


# ---------------------------------------------------------------- refusals: exit 1 and a code


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["twice.kernel"], "K702"),
        (["twice.kernel", "-i", "y=[1]"], "K701"),
        (["twice.kernel", "-i", "x=[1]", "-p", "j=1"], "K701"),
        (["twice.kernel", "-i", "x=[1]", "-i", "k=1"], "K701"),
        (["twice.kernel", "-p", "x=[1]"], "K701"),
        (["twice.kernel", "-i", "x=[1]", "-o", "y=a.npy"], "K701"),
        (["twice.kernel", "-i", "x=[1.0]"], "K703"),
        (["twice.kernel", "-i", "x=[NaN]"], "K703"),
        (["twice.kernel", "-i", "x=word"], "K703"),
        (["twice.kernel", "-i", "x=[[1], [2, 3]]"], "K704"),
        (["twice.kernel", "-i", "x=[1]", "-p", "k=10"], "K705"),
        (["twice.kernel", "-i", "x=zeros(3000000000)"], "K713"),
        (["twice.kernel", "-i", "x=zeros((2, 2))"], "K704"),
        (["twice.kernel", "-i", "x=[1]", "--domain", "2"], "K704"),
        (["twice.kernel", "-i", "x=[1]", "--domain", "2x2"], "K704"),
        (["twice.kernel", "-i", "x=none.npy"], "K709"),
        (["twice.kernel", "-i", "x=twice.kernel"], "K709"),
        (["twice.kernel", "-i", "x=[1]", "-o", "result=a.png"], "K710"),
        (["twice.kernel", "-i", "x=[1]", "-o", "result=none/a.npy"], "K710"),
        (["place.kernel"], "K708"),
        (["place.kernel", "--domain", "99999999x1"], "K713"),
        (["place.kernel", "--domain", "999999999999999999"], "K704"),
        (["total.kernel", "-i", "x=[]"], "K706"),
        (["total.kernel", "-i", "x=[1]", "--domain", "1"], "K714"),
        (["copy.kernel", "-i", "source=bad.png"], "K709"),
        (["half.kernel", "-i", "sound=bad.wav"], "K709"),
        (["half.kernel", "-i", "sound=bad.npy"], "K709"),
        (["scene.kernel", "--scene", "main"], "K715"),
        (["alone.kernel"], "K715"),
    ],
)
def test_refused_runs(capsys: Captured, arguments: list[str], code: str) -> None:
    for name in ("bad.png", "bad.wav", "bad.npy"):
        Path(name).write_bytes(b"\x89PNG RIFF \x93NUMPY")
    exit_code, out, err = run(capsys, *arguments)
    assert exit_code == 1
    assert out == ""
    assert f"error[{code}]" in err
    exit_code, document = run_json(capsys, *arguments)
    assert exit_code == 1
    assert document["error"]["code"] == code
    assert "range" in document["error"]


def test_scenes_are_refused_in_the_words_of_the_checker(capsys: Captured) -> None:
    assert "scenes are not checked yet" in run(capsys, "scene.kernel", "--scene", "main")[2]


@pytest.mark.parametrize(
    ("contents", "code"), [(b"kernel \xff", "K102"), (b"kernel a.b@1 {", "K1"), (TWICE.encode("utf-16"), "K1")]
)
def test_sources_that_cannot_be_read(capsys: Captured, home: Path, contents: bytes, code: str) -> None:
    (home / "bad.kernel").write_bytes(contents)
    exit_code, document = run_json(capsys, "bad.kernel")
    assert exit_code == 1
    assert document["error"]["code"].startswith(code)


@pytest.mark.parametrize("contents", ["\ufeff" + TWICE, TWICE.replace("\n", "\r\n")])
def test_marks_and_line_breaks_of_other_systems(capsys: Captured, home: Path, contents: str) -> None:
    (home / "odd.kernel").write_bytes(contents.encode())
    assert run_json(capsys, "odd.kernel", "-i", "x=[1]")[1]["outputs"]["result"]["values"] == [2]


def test_nothing_is_written_when_a_run_fails(capsys: Captured, home: Path) -> None:
    assert run(capsys, "twice.kernel", "-i", "x=[0.5]", "-o", "result=a.npy")[0] == 1
    assert not (home / "a.npy").exists()


# ---------------------------------------------------------------- wrong usage: exit 2


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["none.kernel"],
        ["."],
        ["twice.kernel", "--kernel", "demo.none@1"],
        ["twice.kernel", "--kernel", "demo.twice@2"],
        ["two.kernel", "-i", "x=[1]"],
        ["two.kernel", "--kernel", "demo.twice"],
        ["scene.kernel", "-i", "x=[1]"],
        ["scene.kernel", "--scene", "none"],
        ["scene.kernel", "--scene", "main", "--kernel", "demo.twice@1"],
        ["twice.kernel", "-i", "x"],
        ["twice.kernel", "-i", "=[1]"],
        ["twice.kernel", "-i", "x=[1]", "-i", "x=[2]"],
        ["rows.kernel", "--domain", "1", "-o", "pairs=a.npy", "-o", "shapes=a.npy"],
        ["twice.kernel", "-i", "x=[1]", "--domain", "big"],
        ["twice.kernel", "-i", "x=[1]", "--domain", "1x2x3x4"],
        ["twice.kernel", "-i", "x=[1]", "--domain=-1"],
        ["twice.kernel", "-i", "x=[1]", "--backend", "abacus"],
        ["twice.kernel", "-i", "x=[1]", "--format", "xml"],
        ["twice.kernel", "-i", "x=[1]", "--frobnicate"],
    ],
)
def test_wrong_usage(capsys: Captured, arguments: list[str]) -> None:
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert "Traceback" not in err
    assert err


def test_usage_names_what_is_there(capsys: Captured) -> None:
    assert "demo.twice@1, demo.twice@2" in run(capsys, "two.kernel")[2]
    assert "demo.twice@1" in run(capsys, "twice.kernel", "--kernel", "none")[2]


# ---------------------------------------------------------------- the process


LONG = """\
kernel long.walk@1 {
  requires { field.read; field.write; }
  input x: Rows<Int>;
  output result: Rows<Int>;
  scan over x with y = 0 {
    var sum = y;
    for i in 0..100000 { sum = (sum ^ i) * 31; }
    return sum;
  }
}
"""


def test_control_c_ends_a_run(home: Path) -> None:
    (home / "long.kernel").write_text(LONG)
    os.mkfifo(home / "x.json")
    command = [sys.executable, "-m", "kcheck", "run", "long.kernel", "-i", "x=x.json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    (home / "x.json").write_text(json.dumps([0] * 1_000_000))  # waits for the run to read it
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in out + err


@pytest.mark.parametrize("text", ["[1", "", "[1,,2]", "zeros(", '{"a": }', "random(4, sed=1)"])
def test_value_that_cannot_be_read(capsys: Captured, text: str) -> None:
    code, out, _ = run(capsys, "twice.kernel", "-i", f"x={text}", "--format", "json")
    assert code == 1
    error = json.loads(out)["error"]
    assert error["code"] == "K703"
    assert "`x`" in error["message"]


@pytest.mark.parametrize("text", ["[1e400]", "-1e999", "[[1.0, 2e308]]"])
def test_number_beyond_every_float(capsys: Captured, text: str) -> None:
    code, out, _ = run(capsys, "half.kernel", "-i", f"sound={text}", "--format", "json")
    assert (code, json.loads(out)["error"]["code"]) == (1, "K703")
    assert "too large" in json.loads(out)["error"]["message"]


@pytest.mark.parametrize("form", ["text", "json"])
def test_results_too_large_to_print(capsys: Captured, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(report, "describe", exhausted)
    monkeypatch.setattr(report, "field_document", exhausted)
    code, out, err = run(capsys, "twice.kernel", "-i", "x=[1]", "--format", form)
    assert code == 1
    assert "K713" in (json.loads(out)["error"]["code"] if form == "json" else err)


def test_summary_of_a_field_in_blocks(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statistics, "_BLOCK", 10)
    code, out, _ = run(capsys, "twice.kernel", "-i", "x=range(1000)", "--quiet")
    assert code == 0
    assert out.splitlines()[2].split() == ["0", "1998", "999", "█" * 24]

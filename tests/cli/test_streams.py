"""`kcheck run` between pipes: values from standard input, outputs to standard output."""

import subprocess
import sys
import wave
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from kcheck.cli import main

SCALED = """\
kernel rows.scaled@1 {
  requires { field.read; field.write; }
  input x: Rows<Float>;
  param k: Float = 2.0;
  output result: Rows<Float>;
  compute { return sample(x) * k; }
}
"""


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    path = tmp_path / "scaled.kernel"
    path.write_text(SCALED)
    return str(path)


def run(*options: str, piped: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "kcheck", "run", *options], input=piped, capture_output=True, check=False
    )


def test_a_literal_in_a_table_out(kernel: str) -> None:
    done = run(kernel, "-i", "x=-", "-o", "result=-.csv", piped=b"[1, 2.5]\n")
    assert (done.returncode, done.stdout) == (0, b"value\n2.0\n5.0\n")
    assert b"result: written to -.csv" in done.stderr


def test_a_sound_in_a_sound_out(kernel: str) -> None:
    file = BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(8000)
        sound.writeframes(np.array([100, -200], "<i2").tobytes())
    done = run(kernel, "-i", "x=-.wav", "-p", "k=3", "-o", "result=-.wav", "-q", piped=file.getvalue())
    assert (done.returncode, done.stderr) == (0, b"")
    with wave.open(BytesIO(done.stdout)) as sound:
        assert sound.getframerate() == 8000
        assert np.frombuffer(sound.readframes(2), "<i2").tolist() == [300, -600]


def test_what_is_piped_must_be_what_it_is_read_as(kernel: str) -> None:
    done = run(kernel, "-i", "x=-.wav", piped=b"no sound")
    assert done.returncode == 1
    assert b"cannot read standard input: not a .wav file" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        ("-i", "x=-", "-o", "result=-.csv", "--format", "json"),
        ("-i", "x=[1]", "--read-limit", "much"),
    ],
)
def test_wrong_usage(kernel: str, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", kernel, *options]) == 2
    assert capsys.readouterr().err


def test_standard_input_is_one_thing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "-", "-i", "x=-"]) == 2
    assert "standard input is the kernel's text already" in capsys.readouterr().err


def test_the_limit_of_files(kernel: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros(100_000, np.float32))
    value = f"x={tmp_path / 'a.npz'}"
    assert main(["run", kernel, "-i", value, "--read-limit", "100K"]) == 1
    assert "--read-limit raises that" in capsys.readouterr().err
    assert main(["run", kernel, "-i", value, "--read-limit", "1M", "-q"]) == 0
    assert "histogram" in capsys.readouterr().out

"""The gallery of examples, and the demo that `make demo` runs."""

import subprocess
import sys
from pathlib import Path

import pytest

import kcheck
from kcheck.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES = sorted(EXAMPLES.glob("*.kernel"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_kernels_have_examples_that_pass(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    module = kcheck.load(path)
    assert main(["test", str(path)]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in module)


def test_the_demo_holds_its_numbers() -> None:
    done = subprocess.run([sys.executable, EXAMPLES / "demo.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "light on the sky" in done.stdout
    assert "error[K705]" in done.stderr
    assert "Traceback" not in done.stderr

"""The backend from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcheck.cli import main
from kcheck.runtime import backends
from kcheck.runtime.backend import Backend, Missing
from tests.interpreter.build import kernel

SOURCE = kernel("input x: Rows<Float>; output result: Rows<Float>;", "compute { sample(x) * 3.0 }")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "case.kernel"
    path.write_text(SOURCE)
    return str(path)


def no_backend() -> Backend:
    raise Missing("it needs llvmlite")


def test_show_llvm(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", file, "--llvm"]) == 0
    text = capsys.readouterr().out
    assert "define void @run(" in text
    assert "fmul" in text


def test_without_llvm(file: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(backends.BACKENDS, "jit", no_backend)
    assert main(["show", file, "--llvm"]) == 2
    assert main(["run", file, "-i", "x=[1]", "--backend", "jit"]) == 1
    captured = capsys.readouterr()
    assert captured.err.count("it needs llvmlite") == 2
    assert "K711" in captured.err
    assert main(["run", file, "-i", "x=[1]"]) == 0
    assert capsys.readouterr().err.startswith("interpreter, ")


@pytest.mark.parametrize("option", ["--strict", "--fast"])
def test_run(file: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", file, "-i", "x=[1, 2]", "--backend", "jit", option]) == 0
    captured = capsys.readouterr()
    assert "[3.0, 6.0]" in captured.out
    assert captured.err.startswith("jit, ")

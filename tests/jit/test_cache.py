"""Machine code in the user's cache folder, and a machine without LLVM."""

from __future__ import annotations

import builtins
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kcheck.runtime import backends
from kcheck.runtime.backend import Launch
from kcheck.runtime.errors import RunError
from kcheck.runtime.jit import Jit, backend, cache
from tests.interpreter.build import kernel
from tests.jit.build import launch_of

SOURCE = kernel(
    "input x: Rows<Float>; input t: Rows<Float>; output result: Rows<Float>;", "compute { sample(x) * 3.0 + at(t, 0) }"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache folder of the backend, which is not there yet."""
    place = tmp_path / "kcheck"
    monkeypatch.setattr(cache, "cache_folder", lambda: place)
    return place / "jit"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that were compiled."""
    texts: list[str] = []
    compile_ = backend.machine_code

    def recorded(text: str, *, briefly: bool) -> bytes:
        texts.append(text)
        return compile_(text, briefly=briefly)

    monkeypatch.setattr(backend, "machine_code", recorded)
    return texts


def launch(source: str = SOURCE) -> Launch:
    return launch_of(source, {"x": [1.0, 2.0], "t": [0.5]})


def works(made: Launch | None = None) -> bool:
    """Run in a backend that remembers nothing."""
    return Jit().run(made or launch()).outputs["result"].data.tolist() == [3.5, 6.5]


def test_what_was_compiled_is_loaded(folder: Path, compiled: list[str]) -> None:
    assert works()
    assert works()
    assert len(compiled) == 1
    assert len(list(folder.iterdir())) == 1


def test_one_backend_compiles_once(folder: Path, compiled: list[str]) -> None:
    jit, made = Jit(), launch()
    outcomes = [jit.run(made) for _ in range(3)]
    assert len(compiled) == 1
    assert outcomes[0].compile_seconds > outcomes[1].compile_seconds > 0


def test_programs_of_one_meaning_share_code(folder: Path, compiled: list[str]) -> None:
    assert works()
    assert works(launch("// a remark\n" + SOURCE.replace("compute {", "compute {\n")))
    assert len(compiled) == 1


def test_other_arithmetic_and_empty_fields_are_other_code(folder: Path, compiled: list[str]) -> None:
    made = launch()
    assert works()
    assert works(replace(made, fast=True))
    with pytest.raises(RunError, match="K707"):
        Jit().run(launch_of(SOURCE, {"x": [1.0], "t": []}))
    assert len(set(compiled)) == 3


def test_another_processor_has_other_code(folder: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert works()
    monkeypatch.setattr(cache, "_made_by", lambda: "another processor")
    assert works()
    assert len(compiled) == 2


@pytest.mark.parametrize("spoil", [lambda data: data[:-1], lambda data: data[:99] + b"?" + data[100:], lambda _: b""])
def test_a_file_that_is_not_whole_is_made_again(folder: Path, compiled: list[str], spoil: Any) -> None:
    assert works()
    [kept] = folder.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(spoil(whole))
    assert works()
    assert len(compiled) == 2
    assert kept.read_bytes() == whole


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_file_that_others_may_write_is_made_again(folder: Path, compiled: list[str]) -> None:
    assert works()
    [kept] = folder.iterdir()
    kept.chmod(0o666)
    assert works()
    assert len(compiled) == 2


def test_no_folder_is_no_failure(folder: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder.parent.write_text("a file stands where the folder should")
    assert works()
    monkeypatch.setattr(cache, "cache_folder", lambda: None)
    assert works()
    assert len(compiled) == 2


def test_a_folder_that_cannot_be_written(folder: Path, compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> tuple[int, str]:
        raise OSError("no space left on device")

    monkeypatch.setattr(tempfile, "mkstemp", full)
    assert works()
    assert not list(folder.iterdir())


def test_old_files_go(folder: Path) -> None:
    import os

    folder.mkdir(parents=True)
    for name, age in (("old", 200), ("new", 2)):
        (folder / name).touch()
        when = (folder / name).stat().st_mtime - age * 24 * 3600
        os.utime(folder / name, (when, when))
    assert works()
    assert {path.name for path in folder.iterdir()} > {"new"}
    assert not (folder / "old").exists()


# ---------------------------------------------------------------- without LLVM


@pytest.fixture
def without_llvm(monkeypatch: pytest.MonkeyPatch) -> None:
    import_ = builtins.__import__

    def refused(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith(("llvmlite", "kcheck.runtime.jit")):
            raise ModuleNotFoundError("No module named 'llvmlite'")
        return import_(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refused)
    backends._jit.cache_clear()


def test_the_backend_says_what_is_missing(without_llvm: None) -> None:
    with pytest.raises(RunError, match=r"K711.*llvmlite.*kcheck\[jit\]"):
        backends.backend_for(launch().program, "jit")


def test_the_interpreter_serves_instead(without_llvm: None) -> None:
    assert backends.backend_for(launch().program, "auto").name == "interpreter"


def test_with_llvm_auto_is_the_jit() -> None:
    assert backends.backend_for(launch().program, "auto").name == "jit"


def test_kcheck_starts_without_llvm() -> None:
    program = "import sys, kcheck, kcheck.cli, kcheck.runtime.backends; sys.exit('llvmlite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# ---------------------------------------------------------------- fast arithmetic


def test_fast_arithmetic_is_near() -> None:
    source = kernel("input x: Rows<Float>; output result: Rows<Float>;", "compute { exp(sample(x)) / sample(x) - 0.5 }")
    made = launch_of(source, {"x": np.linspace(0.5, 4, 1000, dtype=np.float32)})
    strict, fast = (Jit().run(replace(made, fast=fast)).outputs["result"].data for fast in (False, True))
    np.testing.assert_allclose(fast, strict, rtol=1e-6)

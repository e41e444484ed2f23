"""`kcheck check --watch`: what is checked again, and when."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from kcheck.cli import main
from kcheck.cli.checking import Wanted, forget_settings
from kcheck.cli.watch import reports

USER = "use color.basic;\n\nfn quarter(x: Float) -> Float {\n  return half(x) * 0.5;\n}\n"
BASIC = "fn half(x: Float) -> Float {\n  return x * 0.5;\n}\n"


def write(path: Path, text: str) -> None:
    """Write a file so that its time differs from before."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text)
    os.utime(path, ns=(before + 1_000_000, before + 1_000_000))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    forget_settings()
    (tmp_path / "color").mkdir()
    (tmp_path / "kcheck.toml").write_text("")
    write(tmp_path / "color" / "basic.kernel", BASIC)
    write(tmp_path / "user.kernel", USER)
    write(tmp_path / "alone.kernel", BASIC)
    return tmp_path


def test_only_what_changed_and_its_users_are_checked_again(home: Path) -> None:
    def changes() -> Iterator[None]:
        yield  # nothing
        write(home / "color" / "basic.kernel", BASIC.replace("half", "halved"))
        yield
        write(home / "alone.kernel", BASIC.replace("x", "y"))
        yield

    seen = list(reports(["."], Wanted(laws=False), changes()))
    assert [[c.file.path for c in results] for results in seen] == [
        ["alone.kernel", "color/basic.kernel", "user.kernel"]
    ] * 3
    assert [any(c.has_errors for c in results) for results in seen] == [False, True, True]
    same = [[a is b for a, b in zip(before, after, strict=True)] for before, after in pairwise(seen)]
    assert same == [[True, False, False], [False, True, True]]


def test_files_and_packages_may_come_and_go(home: Path) -> None:
    def changes() -> Iterator[None]:
        (home / "color" / "basic.kernel").unlink()
        yield
        write(home / "new.kernel", BASIC)
        yield
        write(home / "color" / "basic.kernel", BASIC)
        yield

    seen = list(reports(["."], Wanted(laws=False), changes()))
    assert [len(results) for results in seen] == [3, 2, 3, 4]
    assert [[d.code for c in results for d in c.diagnostics] for results in seen] == [[], ["K221"], ["K221"], []]


def test_the_only_file_may_go_and_come(home: Path) -> None:
    def changes() -> Iterator[None]:
        (home / "alone.kernel").unlink()
        yield
        yield
        write(home / "alone.kernel", BASIC.replace("x", "width"))
        yield

    seen = list(reports(["alone.kernel"], Wanted(laws=False), changes()))
    assert [[(c.file.path, "(width:" in c.file.text) for c in results] for results in seen] == [
        [("alone.kernel", False)],
        [("alone.kernel", True)],
    ]


def test_settings_are_read_again(home: Path) -> None:
    def changes() -> Iterator[None]:
        write(home / "kcheck.toml", 'exclude = ["color"]')
        yield

    seen = list(reports(["."], Wanted(laws=False), changes()))
    assert [len(results) for results in seen] == [3, 2]


def test_standard_input_cannot_be_watched(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--watch", "-"]) == 2
    assert "--watch needs files or folders" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has console events in place of SIGINT")
def test_an_interrupt_ends_it_without_a_word(home: Path) -> None:
    command = [sys.executable, "-m", "kcheck", "check", "--watch", "--no-laws", "."]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "no errors in 3 files\n"
        assert process.stderr.readline().startswith("watching since")
        started = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(10) == 0
        finally:
            process.kill()
        assert time.monotonic() - started < 5
        assert process.stderr.read() == ""

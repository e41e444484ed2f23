"""Many files at once: worker processes, and a report that does not depend on the order of things."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kcheck.cli import checking, main

GOOD = "fn half(x: Float) -> Float {{\n  return x * {0}.5;\n}}\n"
BAD = "fn half(x: Float) -> Float {{\n  return y * {0}.5;\n}}\n"
COUNT = 2 * checking.FEW + 6

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    checking.forget_settings()
    for i in range(COUNT):
        text = BAD if i % 7 == 0 else GOOD
        (tmp_path / f"f{i:03}.kernel").write_text(text.format(i))
    return tmp_path


def report(capsys: Captured, *arguments: str) -> str:
    main(["check", "--no-laws", "--format", "json", *arguments])
    return capsys.readouterr().out


def test_workers_say_what_one_process_says(home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "_cores", lambda: 1)
    alone = report(capsys, ".")
    monkeypatch.setattr(checking, "_cores", lambda: 2)
    assert report(capsys, ".") == alone
    document = json.loads(alone)
    assert document["summary"]["errors"] == len(range(0, COUNT, 7))
    assert [file["path"] for file in document["files"]] == [f"f{i:03}.kernel" for i in range(COUNT)]


def test_the_order_of_the_arguments_makes_no_difference(home: Path, capsys: Captured) -> None:
    names = sorted(path.name for path in home.glob("*.kernel"))[:9]
    assert report(capsys, *names) == report(capsys, *reversed(names)) == report(capsys, *names, names[3])


def test_what_a_worker_cannot_read_is_wrong_usage(
    home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checking, "_cores", lambda: 2)
    (home / "kcheck.toml").write_text("")
    paths = sorted(str(path) for path in home.glob("*.kernel"))
    (home / "f030.kernel").unlink()
    with pytest.raises(checking.UsageError, match=r"f030\.kernel: no such file"):
        checking.check_files(paths, checking.Wanted(laws=False), lambda _: None)


@contextmanager
def checking_for_long(home: Path) -> Iterator[subprocess.Popen[str]]:
    """`kcheck check` in the middle of files that take its workers long."""
    slow = "\n".join(GOOD.format(i).replace("half", f"half{i}") for i in range(400))
    for i in range(COUNT):
        (home / f"f{i:03}.kernel").write_text(slow.replace("x * ", f"x * {i}.0 * "))
    command = [sys.executable, "-m", "kcheck", "check", "--no-laws", "."]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        time.sleep(2.5)
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has console events in place of SIGINT")
def test_an_interrupt_ends_the_workers_too(home: Path) -> None:
    with checking_for_long(home) as process:
        started = time.monotonic()
        os.killpg(process.pid, signal.SIGINT)
        _, errors = process.communicate(timeout=10)
        assert process.returncode == 130
        assert time.monotonic() - started < 5
        assert errors == ""  # to its end, so no worker holds it open any more


def test_workers_do_not_outlive_what_started_them(home: Path) -> None:
    with checking_for_long(home) as process:
        process.kill()
        process.communicate(timeout=10)  # as long as a worker holds its end open this waits

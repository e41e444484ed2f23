"""`kcheck fmt`."""

import io
import stat
import sys
from pathlib import Path

import pytest

from kcheck.cli import main

LOOSE = "const  A: Int=1;\n"
NEAT = "const A: Int = 1;\n"
BROKEN = "const  A Int;\n"

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loose.kernel").write_text(LOOSE)
    (tmp_path / "neat.kernel").write_text(NEAT)
    (tmp_path / "broken.kernel").write_text(BROKEN)
    return tmp_path


def given(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_files_are_rewritten(home: Path, capsys: Captured) -> None:
    assert main(["fmt", "loose.kernel", "neat.kernel"]) == 0
    assert capsys.readouterr().out == "formatted loose.kernel\n1 formatted, 1 in order\n"
    assert (home / "loose.kernel").read_text() == NEAT
    assert main(["fmt", "loose.kernel"]) == 0
    assert capsys.readouterr().out == "1 in order\n"


def test_check_changes_nothing(home: Path, capsys: Captured) -> None:
    assert main(["fmt", "--check", "loose.kernel", "neat.kernel"]) == 1
    assert capsys.readouterr().out == "would change loose.kernel\n1 would change, 1 in order\n"
    assert (home / "loose.kernel").read_text() == LOOSE
    assert main(["fmt", "--check", "neat.kernel"]) == 0


def test_a_file_with_errors_stays_and_others_do_not(home: Path, capsys: Captured) -> None:
    assert main(["fmt", "."]) == 1
    said = capsys.readouterr()
    assert said.out == "formatted loose.kernel\n1 formatted, 1 in order, 1 with errors\n"
    assert "error[K101]" in said.err
    assert " --> broken.kernel:1:" in said.err
    assert (home / "broken.kernel").read_text() == BROKEN
    assert (home / "loose.kernel").read_text() == NEAT


def test_quiet(home: Path, capsys: Captured) -> None:
    assert main(["fmt", "--quiet", "loose.kernel"]) == 0
    assert capsys.readouterr().out == ""


def test_standard_input(home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (LOOSE, NEAT):
        given(text.encode(), monkeypatch)
        assert main(["fmt", "-"]) == 0
        assert capsys.readouterr().out == NEAT


def test_standard_input_with_errors(home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    given(BROKEN.encode(), monkeypatch)
    assert main(["fmt", "-"]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert " --> <stdin>:1:" in said.err


def test_checking_standard_input(home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    given(LOOSE.encode(), monkeypatch)
    assert main(["fmt", "-", "--check"]) == 1
    assert capsys.readouterr().out == "would change <stdin>\n"


def test_bytes_around_the_text_stay(home: Path) -> None:
    path = home / "windows.kernel"
    path.write_bytes(b"\xef\xbb\xbf// \xf0\x9f\x9a\x80\r\nconst  A: Int=1;")
    assert main(["fmt", "windows.kernel"]) == 0
    assert path.read_bytes() == b"\xef\xbb\xbf// \xf0\x9f\x9a\x80\r\nconst A: Int = 1;\r\n"


def test_what_is_not_utf_8_stays(home: Path, capsys: Captured) -> None:
    path = home / "latin.kernel"
    path.write_bytes(b"// \xe9\nconst  A: Int=1;\n")
    assert main(["fmt", "latin.kernel"]) == 1
    assert "K102" in capsys.readouterr().err
    assert path.read_bytes() == b"// \xe9\nconst  A: Int=1;\n"


def test_links_and_rights_stay(home: Path) -> None:
    (home / "loose.kernel").chmod(0o640)
    (home / "link.kernel").symlink_to("loose.kernel")
    assert main(["fmt", "link.kernel"]) == 0
    assert (home / "link.kernel").is_symlink()
    assert (home / "loose.kernel").read_text() == NEAT
    assert stat.S_IMODE((home / "loose.kernel").stat().st_mode) == 0o640
    assert not list(home.glob("*.part"))


def test_what_cannot_be_written(home: Path, capsys: Captured) -> None:
    (home / "loose.kernel.part").mkdir()
    assert main(["fmt", "loose.kernel"]) == 2
    assert "loose.kernel.part: Is a directory" in capsys.readouterr().err
    assert (home / "loose.kernel").read_text() == LOOSE


def test_wrong_usage(home: Path, capsys: Captured) -> None:
    (home / "empty").mkdir()
    for arguments in (["fmt"], ["fmt", "missing.kernel"], ["fmt", "empty"], ["fmt", "-", "-"], ["fmt", "--wrong", "."]):
        assert main(arguments) == 2
    assert "missing.kernel: no such file" in capsys.readouterr().err

"""`kcheck new` makes a package that checks and whose examples pass, and overwrites nothing."""

from pathlib import Path

import pytest

from kcheck.cli import main


def test_a_new_package_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "filters"
    assert main(["new", str(folder)]) == 0
    made = [Path(line) for line in capsys.readouterr().out.splitlines()]
    assert made == [folder / "kcheck.toml", folder / "filters.kernel"]
    assert main(["check", str(folder), "--require-proof"]) == 0
    assert "no errors in 1 file; laws: 2 proved" in capsys.readouterr().out
    assert main(["test", str(folder)]) == 0
    assert main(["fmt", "--check", str(folder)]) == 0


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "filters"
    folder.mkdir()
    (folder / "filters.kernel").write_text("mine")
    assert main(["new", str(folder)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert (folder / "filters.kernel").read_text() == "mine"
    assert not (folder / "kcheck.toml").exists()


@pytest.mark.parametrize("name", ["two words", "3d", "größe", "a-b"])
def test_names_are_those_of_packages(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", str(tmp_path / name)]) == 2
    assert "letters, digits" in capsys.readouterr().err


def test_a_folder_that_cannot_be_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["new", str(tmp_path / "file" / "filters")]) == 2
    assert "file" in capsys.readouterr().err

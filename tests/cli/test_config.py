"""Settings of a project, as `kcheck check` finds and follows them."""

from pathlib import Path

import pytest

from kcheck.cli import main
from kcheck.cli.checking import forget_settings

UNUSED = "fn ring(radius: Float) -> Float {\n  let width = 0.1;\n  return radius;\n}\n"
Captured = pytest.CaptureFixture[str]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    forget_settings()
    (tmp_path / "a.kernel").write_text(UNUSED)
    return tmp_path


def checked(capsys: Captured, *arguments: str) -> tuple[int, str]:
    code = main(["check", *arguments])
    captured = capsys.readouterr()
    return code, captured.out + captured.err


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("kcheck.toml", 'allow = ["K208"]'),
        ("pyproject.toml", '[tool.kcheck]\nallow = ["K208"]'),
        ("kcheck.toml", '[severity]\nK208 = "error"'),
        ("pyproject.toml", '[tool.kcheck.severity]\nK208 = "error"'),
    ],
)
def test_both_files(home: Path, capsys: Captured, name: str, text: str) -> None:
    (home / name).write_text(text)
    code, out = checked(capsys, "a.kernel")
    assert (code, "K208" in out) == ((1, True) if "error" in text else (0, False))


def test_the_nearest_file_counts(home: Path, capsys: Captured) -> None:
    inner = home / "inner"
    inner.mkdir()
    (inner / "b.kernel").write_text(UNUSED)
    (home / "pyproject.toml").write_text('[tool.kcheck]\nallow = ["K208"]')
    (inner / "pyproject.toml").write_text("[project]\n")  # says nothing of kcheck
    assert "K208" not in checked(capsys, ".")[1]
    forget_settings()
    (inner / "kcheck.toml").write_text("")
    assert "b.kernel" in checked(capsys, ".")[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("alow = []", "there is no setting `alow`; did you mean `allow`?"),
        ("allow = ['K298']", "there is no rule K298"),
        ("allow = ['K203']", "K203 is an error, and stays one"),
        ("allow = 'K208'", "`allow`: is a list of texts"),
        ("severity = 'error'", "`severity`: needs a table"),
        ("severity = { K208 = 'fatal' }", "K208 is 'fatal', but there are error, warning, info, hint"),
        ("timeout = 0", "`timeout`: is a number of seconds above 0"),
        ("timeout = true", "`timeout`: is a number of seconds above 0"),
        ("require-proof = 1", "`require-proof`: is true or false"),
        ("exclude = [1]", "`exclude`: is a list of texts"),
        ("allow = [", "kcheck.toml: "),
    ],
)
def test_mistakes_are_wrong_usage(home: Path, capsys: Captured, text: str, words: str) -> None:
    (home / "kcheck.toml").write_text(text)
    code, out = checked(capsys, "a.kernel")
    assert code == 2
    assert words in out
    assert "kcheck.toml" in out


def test_a_table_that_is_none(home: Path, capsys: Captured) -> None:
    (home / "pyproject.toml").write_text("[tool]\nkcheck = 1\n")
    code, out = checked(capsys, "a.kernel")
    assert (code, "`tool.kcheck` holds settings" in out) == (2, True)


def test_exclude_leaves_out_what_a_folder_holds(home: Path, capsys: Captured) -> None:
    (home / "kcheck.toml").write_text('exclude = ["made/", "old_*.kernel"]')
    (home / "made" / "deep").mkdir(parents=True)
    for name in ("made/b.kernel", "made/deep/c.kernel", "old_d.kernel"):
        (home / name).write_text(UNUSED)
    assert "in 1 file\n" in checked(capsys, ".")[1]
    assert "in 2 files\n" in checked(capsys, ".", "old_d.kernel")[1]


def test_standard_input_follows_the_current_folder(
    home: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    import io
    import sys

    (home / "kcheck.toml").write_text('allow = ["K208"]')
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(UNUSED.encode())))
    assert checked(capsys, "-") == (0, "no errors in 1 file\n")

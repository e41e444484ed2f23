"""Which files the command line reads, and where packages are found."""

from pathlib import Path

import pytest

from kcheck import workspace
from kcheck.cli.files import UsageError, find_files, read_source


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"// {path}\n")


def test_folders_are_walked_in_order(home: Path) -> None:
    write(home, "b/z.kernel", "b/a/y.kernel", "b/.git/x.kernel", "b/note.txt", "a.kernel")
    assert find_files(["b", "a.kernel", "./a.kernel", "b/z.kernel"]) == (
        ["b/z.kernel", "b/a/y.kernel", "a.kernel"],
        [],
    )


def test_an_empty_folder_is_told(home: Path) -> None:
    write(home, "a.kernel", "empty/note.txt")
    assert find_files(["empty", "a.kernel"]) == (["a.kernel"], ["empty"])


def test_a_file_needs_no_suffix(home: Path) -> None:
    write(home, "program")
    assert find_files(["program"]) == (["program"], [])


@pytest.mark.parametrize("path", ["gone.kernel", "gone/", "a.kernel/b"])
def test_what_is_not_there(home: Path, path: str) -> None:
    write(home, "a.kernel")
    with pytest.raises(UsageError, match="no such file or folder"):
        find_files([path])


def test_reading(home: Path) -> None:
    write(home, "sub/a.kernel", "sub/b.kernel")
    source = read_source("./sub/a.kernel")
    assert (source.path, source.data) == ("sub/a.kernel", b"// sub/a.kernel\n")
    assert source.loader("b") == ("sub/b.kernel", b"// sub/b.kernel\n")
    with pytest.raises(UsageError, match=r"gone\.kernel: no such file"):
        read_source("gone.kernel")
    with pytest.raises(UsageError, match="sub: a folder"):
        read_source("sub")


@pytest.mark.parametrize("mark", workspace.ROOT_MARKS)
def test_the_root_of_a_workspace(home: Path, mark: str) -> None:
    write(home, f"project/{mark}", "project/src/deep/a.kernel")
    assert workspace.root_of(home / "project" / "src" / "deep") == home / "project"


def test_packages_are_found_nearest_to_the_root_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace, "STANDARD_PACKAGES", home / "standard")
    write(home, "project/kcheck.toml")
    load = workspace.loader_for(home / "project" / "src")
    found = []
    for place in ("standard", "project/packages", "project/src", "project"):
        write(home, f"{place}/signal/fft.kernel")
        found.append(load("signal.fft"))
    assert found == [
        (f"{place}/signal/fft.kernel", f"// {place}/signal/fft.kernel\n".encode())
        for place in ("standard", "project/packages", "project/src", "project")
    ]
    assert load("signal") is None
    assert load("signal.dct") is None


def test_paths_outside_the_current_folder_stay_whole(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "here").mkdir()
    monkeypatch.chdir(home / "here")
    assert workspace.shown(Path("../a.kernel")) == str(home / "a.kernel")
    assert workspace.shown(Path("x/../a.kernel")) == "a.kernel"

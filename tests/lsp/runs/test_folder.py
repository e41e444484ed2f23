"""Folders for arrays: they go with their server, or when the next one starts."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from kcheck.lsp.runs.folder import Folder, sweep


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_folder_for_this_user_alone(temporary: Path) -> None:
    folder = Folder()
    assert folder.path.parent == temporary
    assert folder.path.stat().st_mode & 0o077 == 0
    (folder.path / "a.npy").write_bytes(b"1")
    folder.remove()
    assert list(temporary.iterdir()) == []


def test_folders_in_use_stay() -> None:
    folder = Folder()
    sweep()
    assert folder.path.is_dir()
    folder.remove()


def test_folders_that_were_left_behind_go(temporary: Path) -> None:
    dying = f"import os, tempfile; tempfile.tempdir = {str(temporary)!r}; " + (
        "from kcheck.lsp.runs.folder import Folder; folder = Folder(); print(folder.path, flush=True); os._exit(1)"
    )
    process = subprocess.run([sys.executable, "-c", dying], check=False, capture_output=True, text=True)
    left = Path(process.stdout.strip())
    (left / "a.npy").write_bytes(b"1")
    assert left.parent == temporary
    sweep()
    assert not left.exists()


def test_others_are_left_alone(temporary: Path) -> None:
    (temporary / "kcheck-runs-new").mkdir()  # without a lock: it is just being made
    (temporary / "other").mkdir()
    (temporary / "kcheck-runs-link").symlink_to(temporary / "other")
    sweep()
    assert len(list(temporary.iterdir())) == 3

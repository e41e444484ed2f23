"""What the tests with real editors share: where these are, and the configuration that the docs tell people to use."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).parents[2]
REQUIRED = os.environ.get("KCHECK_REQUIRE", "").split(",")


def program(name: str, kind: str) -> str:
    """The path of an editor; without it the test is skipped, or fails where `KCHECK_REQUIRE` names it."""
    beside = Path(sys.executable).with_name(name)
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        absent(kind, f"{kind} is not installed")
    return found


def absent(kind: str, reason: str) -> NoReturn:
    """Skip the test; where `KCHECK_REQUIRE` names the editor, fail."""
    if kind in REQUIRED:
        pytest.fail(f"{kind} is required: {reason}")
    pytest.skip(reason)


def documented(language: str) -> str:
    """The block of docs/editor.md in this language."""
    text = (ROOT / "docs" / "editor.md").read_text()
    found = re.search(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert found is not None
    return found[1]


def run(arguments: list[str], folder: Path, seconds: float = 180) -> str:
    """What an editor prints that can start `kcheck`, and knows no settings of the user's."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    home = folder / "home"
    home.mkdir(exist_ok=True)
    env = {**os.environ, "PATH": path, "HOME": str(home)}
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        env[name] = str(home / name)
    done = subprocess.run(arguments, cwd=folder, env=env, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr

"""What people install is what lies in the tree: sdist, wheel, a clean environment, the command."""

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
# One worker makes the wheel, once.
pytestmark = pytest.mark.xdist_group("wheel")

PARTS = {"checker", "grammar", "lsp", "runtime"}
SHIPPED = {".py", ".tx", ".kernel", ".md", ".json", ".typed"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel made the way a release is: from the sdist, in a copy that leaves the tree alone."""
    tree = tmp_path_factory.mktemp("tree") / "kcheck"
    junk = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "dist", "vscode-extension")
    shutil.copytree(ROOT, tree, symlinks=True, ignore=junk)
    run(sys.executable, "-m", "build", "--outdir", tree / "dist", tree)
    [built] = (tree / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of an environment that holds the wheel, its dependencies and nothing else."""
    environment = tmp_path_factory.mktemp("clean") / "venv"
    venv.create(environment, with_pip=True)
    scripts = environment / "bin"
    run(scripts / "python", "-m", "pip", "install", "--quiet", wheel)
    return scripts


def test_wheel_holds_the_tree(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("kcheck/")}
    expected = set(shipped_files())
    assert packed == expected
    assert {name.split("/")[1] for name in expected} >= PARTS


def test_command_starts(installed: Path, tmp_path: Path) -> None:
    assert "usage" in run(installed / "kcheck", "--help", cwd=tmp_path).lower()


def shipped_files() -> Iterator[str]:
    """Every file of the package in the tree, by the name it has in a wheel."""
    source = ROOT / "src"
    for folder, _, names in os.walk(source / "kcheck", followlinks=True):
        for path in (Path(folder, name) for name in names):
            if path.suffix in SHIPPED:
                yield path.relative_to(source).as_posix()


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Standard output of a command that must succeed; PYTHONPATH would let the tree shine through."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout

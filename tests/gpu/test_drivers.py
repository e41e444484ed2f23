"""Other drivers that are installed beside the one that the tests run on: the value tables hold there too.

A driver is chosen by an environment variable when a process starts, so each is tried in a process of its own.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gpu.launches import device

SWIFTSHADER = [
    Path(folder, "vk_swiftshader_icd.json")
    for folder in (
        "/usr/lib/chromium",
        "/usr/lib/chromium-browser",
        "/opt/google/chrome",
        "/usr/lib64/chromium-browser",
    )
]
TABLES = ("tests/gpu/test_numbers.py", "tests/gpu/test_fast.py")
ROOT = Path(__file__).parents[2]


def with_driver(file: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"VK_DRIVER_FILES": str(file), "VK_ICD_FILENAMES": str(file)}
    return subprocess.run(
        [sys.executable, *command], env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )


def test_swiftshader() -> None:
    """The driver inside Chromium: groups of 256 lanes, ten buffers, subgroups of four, subnormals flushed."""
    device()  # skips where wgpu is not there
    found = next(filter(Path.is_file, SWIFTSHADER), None)
    if found is None:
        pytest.skip("SwiftShader is not installed; it comes with Debian's chromium")
    name = with_driver(found, "-c", "from kcheck.runtime.gpu import driver; print(driver.best_adapter().name)")
    assert "SwiftShader" in name.stdout, name.stderr
    tests = with_driver(found, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *TABLES)
    assert tests.returncode == 0, tests.stdout[-5000:]
    assert " passed" in tests.stdout
    assert "skipped" not in tests.stdout

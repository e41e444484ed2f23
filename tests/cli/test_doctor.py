"""`kcheck doctor`."""

import pytest

from kcheck.cli import main


def test_names_what_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for word in ("python", "kcheck", "textX", "numpy", "pillow", "rich", "backend interpreter", "output"):
        assert f"ok  {word}" in out
    missing = [line for line in out.splitlines() if line.startswith("--")]
    assert all(line.startswith("--  backend ") for line in missing), missing  # those are optional

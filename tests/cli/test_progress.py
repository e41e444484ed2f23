"""The bar of long runs: on a terminal only, and only after a moment."""

import io
import sys

import pytest

from kcheck.cli import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def drawn(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, *, quiet: bool = False, patience: float = 0.0) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", patience)
    with progress.shown("demo.walk@1", quiet=quiet) as tell:
        for done in (0.0, 0.5, 1.0):
            tell(done)
    return stream.getvalue()


def test_long_runs_have_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "demo.walk@1" in drawn(monkeypatch, Terminal())


def test_short_runs_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(monkeypatch, Terminal(), patience=3600.0) == ""


def test_pipes_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(monkeypatch, io.StringIO()) == ""


def test_quiet_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert drawn(monkeypatch, Terminal(), quiet=True) == ""

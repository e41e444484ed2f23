"""The hooks for pre-commit name commands that are there."""

import re
from pathlib import Path

from kcheck.cli import COMMANDS

HOOKS = (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")


def test_hooks_run_commands() -> None:
    entries = re.findall(r"^  entry: kcheck (\w+)$", HOOKS, re.M)
    assert entries == ["check", "fmt"]
    assert set(entries) <= COMMANDS.keys()
    assert len(re.findall(r"^- id: ", HOOKS, re.M)) == len(entries)

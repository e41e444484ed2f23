"""Guessing which name was meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` (did you mean …?)` for a near name, or nothing."""
    near = difflib.get_close_matches(name, sorted(set(known)), n=1, cutoff=0.7)
    return f"; did you mean `{near[0]}`?" if near else ""

"""Guessing which name was meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The name among `known` that is spelled most like `name`, or None where none is near."""
    near = difflib.get_close_matches(name, sorted(set(known)), n=1, cutoff=0.7)
    return near[0] if near else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` (did you mean …?)` for a near name, or nothing."""
    near = nearest(name, known)
    return f"; did you mean `{near}`?" if near else ""

"""What a piece of checking asks of its surroundings, and what it is told; `ledger` keeps both."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

Question: TypeAlias = tuple[str, str, str]
"""What is asked, in which file, and of which name or item."""


class Answer(NamedTuple):
    """`mark` is equal to that of another run's answer only if the two mean the same to whoever asked."""

    found: Any
    mark: object


UNANSWERED = Answer(None, object())
"""To what cannot be asked now; no answer of an earlier run has this mark."""

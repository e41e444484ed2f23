"""A backend that gives way to another one for what it cannot run, and says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from kcheck.runtime.backend import Backend, Cancelled, Launch, Outcome, Progress, Unsupported, never, silent


@dataclass(frozen=True, slots=True)
class WithFallback:
    """Runs on `first`, or on what `other` gives where that raises `Unsupported`."""

    first: Backend
    other: Callable[[], Backend]

    @property
    def name(self) -> str:
        return self.first.name

    def run(self, launch: Launch, cancelled: Cancelled = never, progress: Progress = silent) -> Outcome:
        """Run the launch; the outcome says which backend ran and why, where it was the other one."""
        try:
            return self.first.run(launch, cancelled, progress)
        except Unsupported as reason:
            other = self.other()
            return replace(other.run(launch, cancelled, progress), fallback=str(reason), backend=other.name)

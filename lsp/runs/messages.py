"""What the server and the process that runs kernels say to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from kcheck.checker.bindings import BoundValue, ExampleSpec
from kcheck.checker.ir import Program
from kcheck.lsp.runs.results import Comparison, RunResult
from kcheck.runtime.backends import AUTO


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take; memory is given in MiB and is that of the whole process."""

    seconds: float = 30.0
    memory: int = 2048


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What to run a program on, and how.

    `path` is the source file's: paths in values are relative to its folder.  `texts` are inputs, memories and params
    as after `-i`, `params` values of params; they and `domain` stand in for what the example says.  A `quick` run
    gives small pictures and little else, and keeps the inputs of the run before where their values read the same; with
    `picture_files` these pictures are files, which a client on this machine reads at a fraction of the cost.
    """

    path: Path
    example: ExampleSpec | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, BoundValue] = field(default_factory=dict)
    domain: tuple[int, ...] | None = None
    backend: str = AUTO
    quick: bool = False
    picture_files: bool = False

    @property
    def is_example(self) -> bool:
        """Whether this is the example as it stands, so that what it expects should come out."""
        return self.example is not None and not self.texts and not self.params and self.domain is None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest(Task):
    """A task with its program."""

    program: Program

    @property
    def task(self) -> Task:
        """The task alone."""
        return Task(**{one.name: getattr(self, one.name) for one in fields(Task)})


@dataclass(frozen=True, slots=True)
class Setup:
    """The first message: MiB of memory that the process may have, and the folder for arrays."""

    memory: int
    folder: Path


@dataclass(frozen=True, slots=True)
class Run:
    """Run a program, which is pickled; with two `backends` on each of them, to compare what they give."""

    number: int
    program: bytes
    task: Task
    backends: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Cancel:
    """End the run of this number, if it is not over."""

    number: int


@dataclass(frozen=True, slots=True)
class Ready:
    """All modules are there."""


@dataclass(frozen=True, slots=True)
class Progressed:
    number: int
    done: float


@dataclass(frozen=True, slots=True)
class Done:
    """The last message about a run; there is no result where it was cancelled."""

    number: int
    result: RunResult | Comparison | None


Reply = Ready | Progressed | Done

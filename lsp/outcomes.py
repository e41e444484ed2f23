"""What the runs of kernels gave, beside the text that they were run for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kcheck.checker import ir, rules
from kcheck.grammar.diagnostics import Diagnostic
from kcheck.lsp.runs.results import Comparison, RunResult

_KEPT = 200
"""The results of so many kernels and examples are remembered."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The last run of a kernel with an example, or with values of the user's own (`example` is None)."""

    program: ir.Program
    example: str | None
    result: RunResult
    number: int


class Outcomes:
    """The last outcome of each kernel and example, and the last comparison of each kernel, by the file's path."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[str, str, str | None], Outcome] = {}
        self._comparisons: dict[tuple[str, str], tuple[ir.Program, Comparison]] = {}
        self._count = 0

    def put(self, path: str, program: ir.Program, result: RunResult) -> Outcome:
        self._count += 1
        outcome = Outcome(program, result.example, result, self._count)
        key = path, program.name, result.example
        self._outcomes.pop(key, None)  # the latest stands last
        self._outcomes[key] = outcome
        while len(self._outcomes) > _KEPT:
            del self._outcomes[next(iter(self._outcomes))]
        return outcome

    def put_comparison(self, path: str, program: ir.Program, comparison: Comparison) -> None:
        self._comparisons[path, program.name] = program, comparison

    def forget(self, path: str) -> None:
        self._outcomes = {key: value for key, value in self._outcomes.items() if key[0] != path}
        self._comparisons = {key: value for key, value in self._comparisons.items() if key[0] != path}

    def kernels(self, path: str) -> set[str]:
        """The kernels of a file that have been run, also where they have an error by now."""
        return {name for own, name, _ in self._outcomes if own == path}

    def of(self, path: str, kernel: str) -> Iterator[Outcome]:
        """The outcomes of a kernel, the latest last."""
        for (own, name, _), outcome in self._outcomes.items():
            if own == path and name == kernel:
                yield outcome

    def diagnostics(self, path: str, program: ir.Program) -> Iterator[Diagnostic]:
        """What went wrong in the runs of a kernel as it stands."""
        for outcome in self.of(path, program.name):
            if outcome.program == program:
                yield from outcome.result.diagnostics
        compared, comparison = self._comparisons.get((path, program.name), (None, None))
        if comparison is not None and compared == program and not comparison.same:
            yield comparison.error or _difference(program, comparison)


def _difference(program: ir.Program, comparison: Comparison) -> Diagnostic:
    """At the output that the backends do not agree on."""
    first = comparison.first
    ports = [*program.outputs, *program.memories]
    port = next((port for port in ports if first is not None and port.name == first.output), None)
    origin = program.origin if port is None else port.origin
    return rules.BACKENDS_DIFFER.report(origin, comparison.message)

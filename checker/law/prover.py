"""The prover: judges the merges of checked files, one reduction after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING

from kcheck.checker import ir
from kcheck.checker.checked import Checked
from kcheck.checker.law import report
from kcheck.checker.law.cache import Cache
from kcheck.checker.law.evaluate import Evaluate
from kcheck.checker.law.verdict import Judgement, LawFinding
from kcheck.grammar import syntax
from kcheck.grammar.spans import Origin

if TYPE_CHECKING:
    from kcheck.checker.law.solver.worker import Worker

Told = Callable[[ir.Program, LawFinding], None]
"""Told of a reduction and of the verdict on one of its laws, as soon as there is one."""


class Prover:
    """Judges merges; keeps its worker process, which starts when it is first needed, until it is closed.

    `make_evaluate` gives what runs the parts of a reduction; it is called when a run is first needed.
    """

    def __init__(self, make_evaluate: Callable[[], Evaluate], cache: Cache | None = None) -> None:
        self._make_evaluate = make_evaluate
        self._cache = cache
        self._worker: Worker | None = None

    def judge(self, checked: Checked, names: Sequence[str], seconds: float, told: Told | None = None) -> Checked:
        """The same with a verdict on both laws of each of these reductions, and what there is to say of them."""
        judgements = [self.judgement(checked.programs[name], seconds, told) for name in names]
        return with_judgements(checked, judgements)

    def warm(self) -> None:
        """Get ready for the first question: load what it needs, and start the worker process."""
        import_module("kcheck.checker.law.pipeline")
        self._started().start()
        _ = self._evaluate

    def close(self) -> None:
        """End the worker process."""
        if self._worker is not None:
            self._worker.close()

    def judgement(self, program: ir.Program, seconds: float, told: Told | None = None) -> Judgement:
        """All that is found out about a reduction in at most so many seconds and a little."""

        def tell(finding: LawFinding) -> None:
            if told is not None:
                told(program, finding)

        known = None if self._cache is None else self._cache.get(program, seconds, lambda: self._evaluate)
        if known is not None:
            for finding in known.laws:
                tell(finding)
            return known
        from kcheck.checker.law.pipeline import Tools, judge_program  # what is known needs none of the stages

        judgement = judge_program(program, Tools(lambda: self._evaluate, self._started), seconds, tell)
        if self._cache is not None:
            self._cache.put(judgement, seconds)
        return judgement

    def _started(self) -> Worker:
        from kcheck.checker.law.solver.worker import Worker

        if self._worker is None:
            self._worker = Worker()
        return self._worker

    @cached_property
    def _evaluate(self) -> Evaluate:
        return self._make_evaluate()


def with_judgements(checked: Checked, judgements: Sequence[Judgement]) -> Checked:
    """The same with these verdicts on its reductions, and what there is to say of them."""
    found = [
        diagnostic
        for judgement in judgements
        for diagnostic in report.diagnostics(judgement, merge_origin(checked, judgement.program), checked.files)
    ]
    diagnostics = sorted((*checked.diagnostics, *found), key=lambda d: checked.file.absolute(d.origin))
    laws = tuple(verdict for judgement in judgements for verdict in report.verdicts(judgement))
    return replace(checked, diagnostics=tuple(diagnostics), laws=(*checked.laws, *laws))


def merge_origin(checked: Checked, program: ir.Program) -> Origin:
    """The head of the reduction's merge."""
    item = next(item for item in checked.file.items if item.key == program.origin.item)
    assert isinstance(item.node, syntax.Kernel)
    merge = next(member for member in item.node.members if isinstance(member, syntax.Merge))
    return Origin(program.origin.path, item.key, merge.head)

"""The results of runs that gave nothing."""

from __future__ import annotations

from kcheck.checker import ir, rules
from kcheck.grammar.diagnostics import Diagnostic, Note
from kcheck.lsp.runs.messages import Limits, Task
from kcheck.lsp.runs.results import Comparison, RunResult
from kcheck.runtime.examples import in_example


def failed(
    program: ir.Program, task: Task, backends: tuple[str, str] | None, problem: Diagnostic
) -> RunResult | Comparison:
    """The outcome of a run that ended in an error."""
    example = task.example
    if example is not None:
        problem = in_example(problem, example)
    if backends is not None:
        return Comparison(program.name, backends, error=problem)
    return RunResult(program.name, None if example is None else example.name, task.backend, error=problem)


def out_of_time(program: ir.Program, limits: Limits) -> Diagnostic:
    message = f"{program.name} was ended: it ran for longer than {limits.seconds:g} s"
    note = Note("the setting `kcheck.runTimeout` says how long a run in the editor may take")
    return rules.RUN_ENDED.report(program.origin, message, notes=(note,))


def ended(program: ir.Program, code: int) -> Diagnostic:
    """The process ended by itself, with this exit code; less than zero is the signal that ended it."""
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    message = f"{program.name} has no result: the process that ran it ended by itself ({how})"
    return rules.RUN_ENDED.report(program.origin, message, notes=(Note("the next run starts a new one"),))


def closed(program: ir.Program) -> Diagnostic:
    """Somebody ended all runs."""
    return rules.RUN_ENDED.report(program.origin, f"{program.name} has no result: runs were ended")


def broken(program: ir.Program, error: Exception) -> Diagnostic:
    """Something that should not happen happened in the run."""
    message = f"{program.name} has no result: {type(error).__name__}: {error}"
    return rules.RUN_ENDED.report(program.origin, message, notes=(Note("this is a fault of kcheck; please report it"),))


def not_started(program: ir.Program, reason: str) -> Diagnostic:
    message = f"{program.name} cannot run: the process for it does not start ({reason})"
    return rules.RUN_ENDED.report(program.origin, message)

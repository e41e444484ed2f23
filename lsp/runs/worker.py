"""The process that runs kernels for the server; started by `runner`."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from kcheck.checker import rules
from kcheck.checker.bindings import BoundValue
from kcheck.checker.ir import Program
from kcheck.grammar.diagnostics import Diagnostic, Note
from kcheck.grammar.recursion import deep_recursion
from kcheck.lsp.child import serve
from kcheck.lsp.runs.comparing import compared
from kcheck.lsp.runs.drawing import FULL, QUICK, Detail, change, output
from kcheck.lsp.runs.failures import broken, failed
from kcheck.lsp.runs.kept import Key, Pictures, Results
from kcheck.lsp.runs.messages import Cancel, Done, Progressed, Ready, Run, Setup, Task
from kcheck.lsp.runs.order import as_written
from kcheck.lsp.runs.results import Comparison, Expectation, Output, RunResult, Setting
from kcheck.lsp.runs.settings import settings
from kcheck.lsp.runs.wording import words
from kcheck.runtime.backend import Interrupted, Progress
from kcheck.runtime.backends import Options, best, execute
from kcheck.runtime.errors import RunError
from kcheck.runtime.examples import judged
from kcheck.runtime.fields import Field
from kcheck.runtime.results import Result
from kcheck.runtime.value_texts import parsed
from kcheck.runtime.values.incoming import take_field
from kcheck.runtime.values.reading import Reading
from kcheck.runtime.values.slot import port_slot

_TELL_EVERY = 0.1
"""Seconds between two messages about how far a run is."""
_KEPT_PART = 4
"""Results of earlier runs may take this part of the memory."""


@dataclass(frozen=True, slots=True)
class _Inputs:
    """The inputs and memories of a run, as they were written and as they were read."""

    program: Program
    folder: Path
    values: Mapping[str, BoundValue]
    fields: Mapping[str, Field]

    def fit(self, program: Program, folder: Path, values: Mapping[str, BoundValue]) -> bool:
        return self.program is program and self.folder == folder and self.values == values


class Worker:
    """Works on one run after the other."""

    def __init__(self, setup: Setup) -> None:
        self._memory = setup.memory
        self._results = Results(setup.folder, (setup.memory << 20) // _KEPT_PART)
        self._pictures = Pictures(setup.folder)
        self._inputs: _Inputs | None = None
        self._packed = b""
        self._program: Program | None = None
        self._cancelled = -1

    def cancel(self, number: int) -> None:
        """End a run, and all before it; called from another thread."""
        self._cancelled = max(self._cancelled, number)

    def run(self, message: Run, tell: Progress) -> RunResult | Comparison:
        """Work on one of them; raises `Interrupted`."""
        program = self._unpacked(message.program)
        try:
            return self._run(program, message, tell)
        except RunError as error:
            problem = error.diagnostic
        except MemoryError:
            problem = rules.FIELD_TOO_LARGE.report(program.origin, f"{program.name} needs more memory than there is")
        except Interrupted:
            raise
        except Exception as error:  # so that what nobody thought of is seen
            problem = broken(program, error)
        if problem.code == rules.FIELD_TOO_LARGE.code:
            problem = self._short_of_memory(problem)
        return failed(program, message.task, message.backends, problem)

    def _unpacked(self, packed: bytes) -> Program:
        """The program; the same object as before where nothing changed, for backends know it."""
        program = self._program
        if program is None or packed != self._packed:
            with deep_recursion():
                program = pickle.loads(packed)
            assert isinstance(program, Program)
            self._packed, self._program = packed, program
        return program

    def _run(self, program: Program, message: Run, tell: Progress) -> RunResult | Comparison:
        task = message.task
        reading = Reading(task.path.parent)
        written = _written(program, task)
        values = {**written, **self._fields(program, task, written, reading)}
        domain = task.domain or (task.example.domain if task.example else None)
        options = Options(task.backend, reading, cancelled=lambda: message.number <= self._cancelled, progress=tell)
        if message.backends is not None:
            comparison, fields = compared(program, values, domain, options, message.backends)
            key = _key(program, task)
            return replace(comparison, outputs=self._with_files(comparison.outputs, key, message.number, fields))
        result = execute(program, values, domain, options)
        params = () if task.quick else settings(program, written, reading)
        shown = _result(program, task, result, params)
        shown_fields = _fields_of(program, result)
        if task.quick:
            detail = self._quick_detail(task)
            return replace(shown, outputs=tuple(output(name, kind, f, detail) for kind, name, f in shown_fields))
        if task.example and task.is_example:
            found = judged(task.example, result, reading)
            shown = replace(shown, expectations=tuple(Expectation(name, problem) for name, problem in found))
        return self._in_full(shown, _key(program, task), message.number, shown_fields)

    def _quick_detail(self, task: Task) -> Detail:
        if not task.picture_files:
            return QUICK
        self._pictures.begin()
        return replace(QUICK, store=self._pictures.store)

    def _in_full(self, shown: RunResult, key: Key, number: int, fields: Sequence[tuple[str, str, Field]]) -> RunResult:
        """With all there is to see of the outputs; they are kept for the difference to the next run's."""
        outputs = [self._shown(key, kind, name, field) for kind, name, field in fields]
        named = {name: field for _, name, field in fields}
        return replace(shown, outputs=self._with_files(outputs, key, number, named))

    def _with_files(
        self, outputs: Sequence[Output], key: Key, number: int, fields: Mapping[str, Field]
    ) -> tuple[Output, ...]:
        """The outputs of the last result of its key, with the files of their arrays."""
        files = self._results.keep(key, number, fields)
        return tuple(replace(one, file=files.get(one.name)) for one in outputs)

    def _shown(self, key: Key, kind: str, name: str, field: Field) -> Output:
        made = output(name, kind, field, FULL)
        before = self._results.before(key, name, field)
        difference = None if before is None else change(field, before, FULL)
        return replace(made, difference=difference, words=words(name, field, made.summaries))

    def _fields(
        self, program: Program, task: Task, written: Mapping[str, BoundValue], reading: Reading
    ) -> Mapping[str, Field]:
        """The inputs and memories that are bound; a quick run takes those of the run before if they read the same."""
        slots = [port_slot("input", port) for port in program.inputs]
        slots += [port_slot("memory", port) for port in program.memories]
        bound = {slot.name: written[slot.name] for slot in slots if slot.name in written}
        kept = self._inputs
        if task.quick and kept is not None and kept.fit(program, reading.folder, bound):
            return kept.fields
        self._inputs = kept = None  # so that both are never in memory
        fields = {slot.name: take_field(slot, bound[slot.name], reading) for slot in slots if slot.name in bound}
        self._inputs = _Inputs(program, reading.folder, bound, fields)
        return fields

    def _short_of_memory(self, problem: Diagnostic) -> Diagnostic:
        """What was kept goes; the note says how much memory there was."""
        self._inputs = None
        self._results.forget()
        note = Note(f"runs in the editor have {self._memory} MiB; the setting `kcheck.runMemory` changes that")
        return replace(problem, notes=(*problem.notes, note))


def _written(program: Program, task: Task) -> dict[str, BoundValue]:
    """All values by name, as they are written."""
    texts = {name: parsed(program, name, text) for name, text in task.texts.items()}
    return {**(task.example.values if task.example else {}), **texts, **task.params}


def _key(program: Program, task: Task) -> Key:
    return task.path, program.name, task.example.name if task.example else None


def _result(program: Program, task: Task, result: Result, params: tuple[Setting, ...]) -> RunResult:
    """What there is to say of a run, without its outputs."""
    return RunResult(
        kernel=program.name,
        example=task.example.name if task.example else None,
        backend=result.backend,
        fallback=result.fallback,
        compile_seconds=result.compile_seconds,
        run_seconds=result.run_seconds,
        params=params,
    )


def _fields_of(program: Program, result: Result) -> list[tuple[str, str, Field]]:
    """Kind, name and field of each output and memory."""
    outputs = [("output", port.name, result.fields[port.name]) for port in as_written(program.outputs)]
    memories = [("memory", port.name, result.memory_fields[port.name]) for port in as_written(program.memories)]
    return outputs + memories


# ---------------------------------------------------------------- the process


def _limit_memory(size: int) -> None:
    """Let allocations beyond so many bytes fail, on systems that can do that."""
    try:
        import resource
    except ImportError:  # Windows
        return
    try:
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))
    except (OSError, ValueError):  # not on this system, or already lower
        return


def _teller(number: int, reply: Callable[[object], None]) -> Progress:
    """Tells the server how far a run is, now and then."""
    told = time.monotonic()

    def tell(done: float) -> None:
        nonlocal told
        if time.monotonic() - told > _TELL_EVERY:
            told = time.monotonic()
            reply(Progressed(number, done))

    return tell


def main() -> None:
    worker: Worker | None = None

    def heard(message: object) -> bool:
        if isinstance(message, Cancel) and worker is not None:
            worker.cancel(message.number)
        return isinstance(message, Cancel)

    def answer(message: Setup | Run, reply: Callable[[object], None]) -> None:
        nonlocal worker
        if isinstance(message, Setup):
            worker = Worker(message)
            _limit_memory(message.memory << 20)
            best()  # imports what the first run needs
            reply(Ready())
            return
        assert worker is not None
        try:
            result = worker.run(message, _teller(message.number, reply))
        except Interrupted:
            result = None
        reply(Done(message.number, result))

    serve(answer, heard)


if __name__ == "__main__":
    main()

"""One run on two backends, compared bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kcheck.checker.ir import Program
from kcheck.grammar.diagnostics import Note
from kcheck.lsp.runs.drawing import FULL, change, output
from kcheck.lsp.runs.order import as_written
from kcheck.lsp.runs.results import Comparison, FirstDifference, Output
from kcheck.runtime.backends import Options, execute
from kcheck.runtime.comparison import differences, same_bits
from kcheck.runtime.errors import RunError
from kcheck.runtime.fields import Field
from kcheck.runtime.results import Result
from kcheck.runtime.values.incoming import Value
from kcheck.runtime.values.leaves import leaf_name


def compared(
    program: Program,
    values: Mapping[str, Value],
    domain: tuple[int, ...] | None,
    options: Options,
    backends: tuple[str, str],
) -> tuple[Comparison, dict[str, Field]]:
    """What both backends gave, and the fields of the first; raises `RunError` where one of them refuses."""
    ours, theirs = (_executed(program, values, domain, replace(options, backend=name)) for name in backends)
    first: FirstDifference | None = None
    outputs: list[Output] = []
    pairs = _pairs(program, ours, theirs)
    for kind, name, got, other in pairs:
        found = differences(got, other, same_bits)
        shown = output(name, kind, got, FULL)
        outputs.append(replace(shown, difference=change(got, other, FULL)) if found else shown)
        if found:
            part = leaf_name(got.type.element, found[0].leaf.path)
            first = first or FirstDifference(name, found[0].place(got), part, found[0].texts)
    comparison = Comparison(
        kernel=program.name,
        backends=backends,
        seconds=(ours.run_seconds, theirs.run_seconds),
        fallbacks=(ours.fallback, theirs.fallback),
        first=first,
        outputs=tuple(outputs),
    )
    return comparison, {name: got for _, name, got, _ in pairs}


def _executed(
    program: Program, values: Mapping[str, Value], domain: tuple[int, ...] | None, options: Options
) -> Result:
    try:
        return execute(program, values, domain, options)
    except RunError as error:
        found = error.diagnostic
        notes = (*found.notes, Note(f"on the backend `{options.backend}`"))
        raise RunError(replace(found, notes=notes)) from error


def _pairs(program: Program, ours: Result, theirs: Result) -> list[tuple[str, str, Field, Field]]:
    """Kind and name of each output and memory, and what the one and the other run gave."""
    outputs = [("output", p.name, ours.fields[p.name], theirs.fields[p.name]) for p in as_written(program.outputs)]
    memories = [
        ("memory", p.name, ours.memory_fields[p.name], theirs.memory_fields[p.name])
        for p in as_written(program.memories)
    ]
    return outputs + memories

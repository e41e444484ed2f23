"""The shaders of scans: one invocation goes on where the last dispatch stopped.

On a device a step waits longer for memory than it computes.  Where elements are small, the other invocations of its
workgroup fetch them, a tile at a time, and store what it gave.
"""

from __future__ import annotations

from dataclasses import replace

from kcheck.checker import ir
from kcheck.runtime.gpu.wgsl.entry import Entry
from kcheck.runtime.gpu.wgsl.module import Stage, Subject, plus, times
from kcheck.runtime.gpu.wgsl.names import words
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE, Streams, streams_of

ROUNDS = 60_000
"""How many rounds a lone invocation may run where drivers end it silently after 65,535."""
_LANES = 64
_TILE = 512
_MOST_WORDS = 8
"""Of a step, for what it takes and gives lies in the workgroup's memory."""


def walk(subject: Subject, schedule: ir.OrderedWalk) -> Stage:
    """Runs at most `limit` steps; `state` holds how many are done, and then the carry."""
    if subject.traits.rounds is not None:
        subject = replace(subject, traits=replace(subject.traits, rounds=ROUNDS))
    streams = streams_of(subject, (subject.program.result,))
    moved = words(subject.program.result) + sum(words(port.type.element) for port in streams.ports) if streams else 0
    if streams and moved <= _MOST_WORDS:
        return _walk_by_tiles(subject, schedule, streams)
    entry = Entry(subject, 1, (schedule.element, schedule.init))
    _begin(entry, schedule)
    with entry.lines.braces("for (var i = 0u; i < run.limit && done < run.count; i++)"):
        entry.add("element = done;", f"carry = {entry.names[schedule.element]}(carry);")
        entry.store(f"out_{subject.program.outputs[0].name}", "done", subject.program.result, "carry")
        entry.add("done += 1u;")
        _stop_early(entry)
    return _end(entry)


def _begin(entry: Entry, schedule: ir.OrderedWalk) -> None:
    module, type_ = entry.module, entry.module.program.result
    state = module.buffer("state", "write")
    entry.leave_if("number > 0u")
    entry.add(f"var done = {state}[0];", f"var carry: {module.types.name(type_)};")
    with entry.lines.braces("if (done == 0u)"):
        entry.add(f"carry = {entry.names[schedule.init]}();")
    with entry.lines.otherwise():
        entry.add(f"carry = {module.load(state, '1u', type_)};")


def _stop_early(entry: Entry) -> None:
    """Leave a loop over steps after a failure, or before an invocation runs out of rounds."""
    if "fail" in entry.module.declared:
        entry.break_if("failed")
    if "may_go_on" in entry.module.declared:
        entry.add("rounds += 1u;")
        entry.break_if(f"rounds > {ROUNDS // 2}u")


def _end(entry: Entry) -> Stage:
    module, type_ = entry.module, entry.module.program.result
    if "fail" in module.declared:
        with entry.lines.braces("if (failed)"):
            entry.add("done = run.count;")
    if words(type_):
        entry.add(module.store("state", "1u", type_, "carry"))
    entry.add("state[0] = done;")
    return entry.stage()


def _walk_by_tiles(subject: Subject, schedule: ir.OrderedWalk, streams: Streams) -> Stage:
    entry = Entry(subject, _LANES, (schedule.element, schedule.init), streams)
    module, type_ = entry.module, subject.program.result
    size, output = words(type_), module.buffer(f"out_{subject.program.outputs[0].name}", "write")
    for port in streams.ports:
        room = _TILE * words(port.type.element)
        module.declare(f"taken_{port.name}", f"var<workgroup> taken_{port.name}: array<u32, {room}>;")
    module.declare("given", f"var<workgroup> given: array<u32, {_TILE * size}>;")
    module.declare("reached", "var<workgroup> reached: u32;")
    _begin(entry, schedule)
    entry.add("let last = min(run.count, done + run.limit);")
    with entry.lines.braces("while (done < last)"):
        entry.add(f"let present = min(last - done, {_TILE}u);")
        for port in streams.ports:
            count = words(port.type.element)
            with entry.lines.braces(f"for (var i = lane; i < {times('present', count)}; i += {_LANES}u)"):
                source = module.buffer(f"in_{port.name}")
                entry.add(f"taken_{port.name}[i] = {source}[{times('done', count)} + i];")
        entry.add("workgroupBarrier();")
        with entry.lines.braces("if (lane == 0u)"):
            _walk_tile(entry, schedule, streams)
        entry.add("workgroupBarrier();", "let steps = reached;")
        with entry.lines.braces(f"for (var i = lane; i < {times('steps', size)}; i += {_LANES}u)"):
            entry.add(f"{output}[{times('done', size)} + i] = given[i];")
        entry.add("done += steps;", "workgroupBarrier();")
        entry.break_if("steps < present")
    entry.leave_if("lane > 0u")
    return _end(entry)


def _walk_tile(entry: Entry, schedule: ir.OrderedWalk, streams: Streams) -> None:
    """Run the steps of a tile, of which several are taken at once; `reached` is then how many were run."""
    module, type_ = entry.module, entry.module.program.result
    entry.add("var step = 0u;")
    with entry.lines.braces("while (step < present)"):
        entry.add("let base = step;")
        for k in range(AT_ONCE):
            for port in streams.ports:
                count, element = words(port.type.element), port.type.element
                texts = [f"taken_{port.name}[{plus(times('base', count), k * count + i)}]" for i in range(count)]
                entry.add(f"let s_{port.name}_{k} = {module.from_words(element, texts)};")
        for k in range(AT_ONCE):
            if k:
                entry.break_if("step == present")
            entry.add("element = done + step;")
            entry.add(*(f"here_{port.name} = s_{port.name}_{k};" for port in streams.ports))
            entry.add(f"carry = {entry.names[schedule.element]}(carry);")
            for i, text in enumerate(module.to_words(type_, "carry")):
                entry.add(f"given[{plus(times('base', words(type_)), k * words(type_) + i)}] = {text};")
            entry.add("step += 1u;")
        _stop_early(entry)
    entry.add("reached = step;")

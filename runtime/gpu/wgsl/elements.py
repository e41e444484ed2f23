"""The shaders of maps and groups."""

from __future__ import annotations

from kcheck.checker import ir
from kcheck.checker.types import Struct
from kcheck.runtime.backend import Unsupported
from kcheck.runtime.gpu.wgsl.entry import THREADS, Entry
from kcheck.runtime.gpu.wgsl.module import Stage, Subject
from kcheck.runtime.gpu.wgsl.names import field_name, words
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE, Streams, streams_of


def each(subject: Subject, schedule: ir.Elements) -> Stage:
    """An invocation an element, or one for four where that pays."""
    results = [port.type.element for port in subject.program.outputs]
    streams = streams_of(subject, tuple(results))
    if streams:
        return (_four_apart if streams.is_wide(results) else _four)(subject, schedule, streams)
    entry = Entry(subject, functions=(schedule.element,))
    entry.one_each()
    entry.add(f"let result = {entry.names[schedule.element]}();")
    entry.store_results("result")
    return entry.stage()


def _four(subject: Subject, schedule: ir.Elements, streams: Streams) -> Stage:
    entry = Entry(subject, THREADS, (schedule.element,), streams)
    module, program = entry.module, subject.program
    entry.add(f"let four = number * {THREADS}u + lane;", f"let base = four * {AT_ONCE}u;")
    entry.leave_if("base >= run.count")
    entry.add(*streams.read(module, "four"))
    for k in range(AT_ONCE):
        entry.add(f"var r{k}: {module.types.name(program.result)};")
        with entry.lines.braces(f"if (base + {k}u < run.count)"):
            entry.add(f"element = base + {k}u;", *streams.place(module, k))
            entry.add(f"r{k} = {entry.names[schedule.element]}();")
    several = len(program.outputs) > 1
    for i, output in enumerate(program.outputs):
        type_, buffer = output.type.element, module.buffer(f"out_{output.name}", "wide_write")
        field = f".{field_name(program.result, i)}" if isinstance(program.result, Struct) and several else ""
        texts = [text for k in range(AT_ONCE) for text in module.to_words(type_, f"r{k}{field}")]
        for j in range(words(type_)):
            entry.add(f"{buffer}[four * {words(type_)}u + {j}u] = vec4<u32>({', '.join(texts[4 * j : 4 * j + 4])});")
    return entry.stage(AT_ONCE)


def _four_apart(subject: Subject, schedule: ir.Elements, streams: Streams) -> Stage:
    """An invocation takes elements that stand as far apart as a workgroup has invocations."""
    entry = Entry(subject, THREADS, (schedule.element,), streams)
    module, program = entry.module, subject.program
    entry.add(f"let base = number * {THREADS * AT_ONCE}u + lane;")
    entry.leave_if("base >= run.count")
    for k in range(AT_ONCE):
        entry.add(f"let e{k} = min(base + {k * THREADS}u, run.count - 1u);", *streams.fetch(module, f"e{k}", str(k)))
    several = len(program.outputs) > 1
    for k in range(AT_ONCE):
        with entry.lines.braces(f"if (base + {k * THREADS}u < run.count)"):
            entry.add(f"element = e{k};", *streams.place(module, 0, str(k)))
            entry.add(f"let result = {entry.names[schedule.element]}();")
            for i, output in enumerate(program.outputs):
                type_, size = output.type.element, words(output.type.element)
                field = f".{field_name(program.result, i)}" if isinstance(program.result, Struct) and several else ""
                texts = module.to_words(type_, f"result{field}")
                if size == 4:
                    buffer = module.buffer(f"out_{output.name}", "wide_write")
                    entry.add(f"{buffer}[element] = vec4<u32>({', '.join(texts)});")
                else:
                    buffer = module.buffer(f"out_{output.name}", "write")
                    entry.add(*(f"{buffer}[element * {size}u + {j}u] = {text};" for j, text in enumerate(texts)))
    return entry.stage(AT_ONCE)


def grouped(subject: Subject, schedule: ir.Lanes) -> Stage:
    """A workgroup a group, for lanes that exchange values by way of the workgroup's memory.

    In a last group with too few lanes the others do what its last lane does, so that all meet at the barriers; what
    they hold is not read and what they give not stored.
    """
    size, traits = schedule.size, subject.traits
    nodes = (node for function in subject.program.functions for node in ir.walk(function.body))
    exchanged = max((words(node.value.type) for node in nodes if isinstance(node, ir.Exchange)), default=0)
    if size > traits.invocations:
        raise Unsupported(f"its groups have {size} lanes, and a workgroup of the device at most {traits.invocations}")
    if size * exchanged * 4 > traits.workgroup_bytes:
        needs = f"its groups exchange {size * exchanged * 4} bytes at once"
        raise Unsupported(f"{needs}, and a workgroup of the device shares at most {traits.workgroup_bytes}")
    entry = Entry(subject, size, (schedule.element,))
    module = entry.module
    module.declare("shared_words", f"var<workgroup> shared_words: array<u32, {max(1, size * exchanged)}>;")
    module.declare("own_lane", "var<private> own_lane: u32;")
    module.declare("last_lane", "var<private> last_lane: u32;")
    entry.add(f"let first = number * {size}u;")
    entry.leave_if("first >= run.count")
    entry.add(
        "own_lane = lane;",
        f"last_lane = min({size}u, run.count - first) - 1u;",
        "element = first + min(lane, last_lane);",
        f"let result = {entry.names[schedule.element]}();",
    )
    with entry.lines.braces("if (lane <= last_lane)"):
        entry.store_results("result")
    return entry.stage()

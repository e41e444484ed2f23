"""The shaders of scans: one invocation goes on where the last dispatch stopped.

On a device a step waits longer for memory than it computes.  Where elements are small, the other invocations of its
workgroup fetch them, a tile at a time, and store what it gave.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kcheck.checker import ir
from kcheck.runtime.gpu.wgsl.entry import Entry
from kcheck.runtime.gpu.wgsl.module import Module, Stage, Subject, plus, times
from kcheck.runtime.gpu.wgsl.names import words
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE, Streams, nodes_of, streams_of

ROUNDS = 60_000
"""How many rounds a lone invocation may run where drivers end it silently after 65,535."""
_LANES = 128
_TILES = (2048, 1024, 512)
"""The steps of a tile, the most that the workgroup's memory has room for."""
_BLOCK = 64
"""The most steps of a tile that are written out."""
_MOST_NODES = 1600
"""Of a program, all together that are there for the steps that are written out."""


def walk(subject: Subject, schedule: ir.OrderedWalk) -> Stage:
    """Runs at most `limit` steps; `state` holds how many are done, and then the carry."""
    if subject.traits.rounds is not None:
        subject = replace(subject, traits=replace(subject.traits, rounds=ROUNDS))
    tiled = _walk_by_tiles(subject, schedule)
    if tiled is not None:
        return tiled
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


def _walk_by_tiles(subject: Subject, schedule: ir.OrderedWalk) -> Stage | None:
    """While the first invocation walks through a tile, all of them wait for the words of the next.

    None for large elements, and where rounds are counted: a dispatch may then end anywhere, and tiles begin with fours.
    """
    type_, streams = subject.program.result, streams_of(subject, (subject.program.result,))
    if streams is None:
        return None
    moved = words(type_) + sum(words(port.type.element) for port in streams.ports)
    fitting = (tile for tile in _TILES if 4 * (tile + _BLOCK) * moved < subject.traits.workgroup_bytes)
    tile = next(fitting, None)
    entry = Entry(subject, _LANES, (schedule.element, schedule.init), streams)
    module = entry.module
    if tile is None or "may_go_on" in module.declared:
        return None
    size, output = words(type_), module.buffer(f"out_{subject.program.outputs[0].name}", "wide_write")
    taken = [_Taken(port.name, words(port.type.element), tile) for port in streams.ports]
    module.declare("given", f"var<workgroup> given: array<vec4<u32>, {tile // AT_ONCE * size}>;")
    module.declare("reached", "var<workgroup> reached: u32;")
    _begin(entry, schedule)
    entry.add("let last = min(run.count, done + run.limit);")
    for port in taken:
        room = (tile + _BLOCK) // AT_ONCE * port.words
        module.declare(port.array, f"var<workgroup> {port.array}: array<vec4<u32>, {room}>;")
        entry.add(*(f"var {name} = {text};" for name, text in port.fetched(module, "done")))
    with entry.lines.braces("while (done < last)"):
        entry.add(f"let present = min(last - done, {tile}u);")
        for port in taken:
            entry.add(*(f"{port.array}[lane + {i * _LANES}u] = {name};" for i, name in enumerate(port.names)))
        entry.add("workgroupBarrier();")
        for port in taken:
            entry.add(*(f"{name} = {text};" for name, text in port.fetched(module, f"(done + {tile}u)")))
        with entry.lines.braces("if (lane == 0u)"):
            _walk_tile(entry, schedule, streams)
        entry.add("workgroupBarrier();", f"let fours = (reached + {AT_ONCE - 1}u) / {AT_ONCE}u;")
        with entry.lines.braces(f"for (var i = lane; i < {times('fours', size)}; i += {_LANES}u)"):
            entry.add(f"{output}[{times(f'(done / {AT_ONCE}u)', size)} + i] = given[i];")
        entry.add("done += reached;", "let stopped = reached < present;", "workgroupBarrier();")
        entry.break_if("stopped")
    entry.leave_if("lane > 0u")
    return _end(entry)


@dataclass(frozen=True, slots=True)
class _Taken:
    """A stream, an element of which has so many words, on its way into a tile of so many elements."""

    port: str
    words: int
    tile: int

    @property
    def array(self) -> str:
        return f"taken_{self.port}"

    @property
    def names(self) -> list[str]:
        """The variables for what an invocation fetches, by fours of words."""
        return [f"n_{self.port}_{i}" for i in range(self.tile // AT_ONCE // _LANES * self.words)]

    def fetched(self, module: Module, first: str) -> list[tuple[str, str]]:
        """These variables, with the words of the tile that begins with element `first`."""
        source, last = module.buffer(f"wide_{self.port}", "wide_read"), times("run.count", self.words)
        begin = times(f"{first} / {AT_ONCE}u", self.words)
        places = [f"min({begin} + lane + {i * _LANES}u, ({last} - 1u) / 4u)" for i in range(len(self.names))]
        return [(name, f"{source}[{place}]") for name, place in zip(self.names, places, strict=True)]


def _walk_tile(entry: Entry, schedule: ir.OrderedWalk, streams: Streams) -> None:
    """Run the steps of a tile, several at a time, whose elements are read ahead; `reached` is how many were run."""
    module, type_ = entry.module, entry.module.program.result
    block = _BLOCK
    while block > AT_ONCE and block * nodes_of(module.subject) > _MOST_NODES:
        block //= 2
    fours = [(port.name, i) for port in streams.ports for i in range(block // AT_ONCE * words(port.type.element))]
    entry.add("var step = 0u;", *(f"var s_{port}_{i} = taken_{port}[{i}];" for port, i in fours))
    with entry.lines.braces(f"while (step + {block}u <= present)"):
        _stop_early(entry)
        entry.add("let base = step;")
        for port in streams.ports:
            count = words(port.type.element)
            ahead = times(f"((base + {block}u) / {AT_ONCE}u)", count)
            for i in range(block // AT_ONCE * count):
                entry.add(f"let t_{port.name}_{i} = taken_{port.name}[{plus(ahead, i)}];")
        for begin in range(0, block, AT_ONCE):
            found: list[str] = []
            for k in range(begin, begin + AT_ONCE):
                entry.add(f"element = done + base + {k}u;", *streams.place(module, k))
                entry.add(f"carry = {entry.names[schedule.element]}(carry);", f"let r{k} = carry;")
                found += module.to_words(type_, f"r{k}")
            for j in range(words(type_)):
                place = plus(times(f"((base + {begin}u) / {AT_ONCE}u)", words(type_)), j)
                entry.add(f"given[{place}] = vec4<u32>({', '.join(found[4 * j : 4 * j + 4])});")
        entry.add(*(f"s_{port}_{i} = t_{port}_{i};" for port, i in fours), f"step = base + {block}u;")
    with entry.lines.braces("while (step < present)"):
        _stop_early(entry)
        _single_step(entry, schedule, streams)
    entry.add("reached = step;")


def _single_step(entry: Entry, schedule: ir.OrderedWalk, streams: Streams) -> None:
    module, type_ = entry.module, entry.module.program.result

    def word(array: str, count: int, i: int) -> str:
        number = plus(times("step", count), i)
        return f"{array}[({number}) / 4u][({number}) % 4u]"

    entry.add("element = done + step;")
    for port in streams.ports:
        count = words(port.type.element)
        texts = [word(f"taken_{port.name}", count, i) for i in range(count)]
        entry.add(f"here_{port.name} = {module.from_words(port.type.element, texts)};")
    entry.add(f"carry = {entry.names[schedule.element]}(carry);")
    for i, text in enumerate(module.to_words(type_, "carry")):
        entry.add(f"{word('given', words(type_), i)} = {text};")
    entry.add("step += 1u;")

"""The shaders of scatters.

Where the order of pairs does not matter (Ints, minima, maxima) they are combined by atomic operations on words.
With `last` the largest number of an element wins each cell.  Sums of Floats are in `ordered`, and in `exact` those
that come out the same in any order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kcheck.checker import ir
from kcheck.checker.ir import CombineOp
from kcheck.checker.types import INT, Struct, Type, leaves
from kcheck.runtime.gpu.wgsl import combining, reads
from kcheck.runtime.gpu.wgsl.entry import THREADS, Entry
from kcheck.runtime.gpu.wgsl.module import Stage, Subject, plus, times
from kcheck.runtime.gpu.wgsl.names import field_name, words
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE, Streams, nodes_of, streams_of


def pair_of(subject: Subject) -> tuple[Struct, Type, Type]:
    """The type of the pairs, of their addresses and of their values."""
    pair = subject.program.result
    assert isinstance(pair, Struct)
    return pair, pair.fields[0].type, pair.fields[1].type


def place_of(entry: Entry, pair: Struct, into: str) -> tuple[str, str]:
    """Whether the address of `pair` is that of a cell, and the cell's number."""
    address = (f"pair.{field_name(pair, 0)}", pair.fields[0].type)
    return reads.inside_position(entry.module, [address], entry.module.fact("size", into))


# ---------------------------------------------------------------- by atomic operations


def begin(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """Copies the target's elements to `results`, as the Ints that are combined."""
    entry = Entry(subject)
    module, type_ = entry.module, pair_of(subject)[2]
    entry.one_each()
    results = module.buffer("results", "write")
    store = module.storer(
        lambda word, bits, scalar: (
            f"{results}[{word}] = bitcast<u32>({combining.key(module, schedule.op, bits, scalar)});"
        ),
        "results",
        type_,
    )
    value = entry.load(f"in_{schedule.into}", "element", type_)
    entry.add(f"{store}({times('element', words(type_))}, {value});")
    return entry.stage()


def combine(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """Combines the pairs of each element, emitted ones too, into `results`."""
    entry = Entry(subject, functions=(schedule.element,))
    results = entry.module.buffer("results", "atomic")
    _declare_combine(entry, schedule, lambda word, key: f"{_atomic(schedule.op)}(&{results}[{word}], {key});")
    entry.one_each()
    entry.add(f"combine({entry.names[schedule.element]}());")
    return entry.stage()


NEAR_WORDS = 4096
"""The largest target of which every workgroup has a copy."""
NEAR_ELEMENTS = 16_384
"""The elements of a workgroup that has a copy, or as many more as make good for a larger target."""


def combine_near(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """As `combine`, for targets of `limit` words, which fit workgroups: each takes `step` elements, and then combines
    its copy with `results`."""
    streams = streams_of(subject, (INT,))
    entry = Entry(subject, THREADS, (schedule.element,), streams)
    none = combining.NONE[schedule.op]
    _declare_combine(entry, schedule, lambda word, key: f"{_atomic(schedule.op)}(&near[{word}], {key});")
    near(entry, streams, Near(NEAR_WORDS, none), f"combine({entry.names[schedule.element]}());")
    _combine_copy(entry, schedule, Near(NEAR_WORDS, none), "w")
    return entry.stage()


MOST_RANGES = 8
_FEW_NODES = 40
"""Of a program that may well run for every range."""


def range_words(subject: Subject) -> int:
    """How large the part of a target is that a workgroup has a copy of; 0 where programs do too much to run again."""
    if not subject.traits.at_once or nodes_of(subject) > _FEW_NODES:
        return 0
    return min(subject.traits.workgroup_bytes, 49_152) // 4


def combine_ranges(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """As `combine_near`, for larger targets: a workgroup has a copy of one range of them, and drops other pairs."""
    streams = streams_of(subject, (INT,))
    entry = Entry(subject, min(1024, subject.traits.invocations), (schedule.element,), streams)
    size = range_words(subject)
    copy = Near(size, combining.NONE[schedule.op], "number / ranges", f"min({size}u, run.limit - low)")
    entry.module.declare("low", "var<private> low: u32;")
    _declare_combine(
        entry,
        schedule,
        lambda word, key: f"if (({word}) - low < {size}u) {{ {_atomic(schedule.op)}(&near[({word}) - low], {key}); }}",
    )
    entry.add(f"let ranges = (run.limit + {size - 1}u) / {size}u;", f"low = number % ranges * {size}u;")
    near(entry, streams, copy, f"combine({entry.names[schedule.element]}());")
    _combine_copy(entry, schedule, copy, "low + w")
    return entry.stage()


@dataclass(frozen=True, slots=True)
class Near:
    """A workgroup's copy, which has room for `room` words and has `size` of them; they are `none` to begin with.

    `block` is the number of the block of `step` elements that the workgroup takes.
    """

    room: int
    none: str
    block: str = "number"
    size: str = "run.limit"


def near(entry: Entry, streams: Streams | None, copy: Near, statement: str) -> None:
    """Declare `near`, a workgroup's copy, and run a statement for each of its elements."""
    each = AT_ONCE if streams else 1
    entry.module.declare("near", f"var<workgroup> near: array<atomic<i32>, {copy.room}>;")
    entry.add(f"let begin = ({copy.block}) * run.step;")
    entry.leave_if("begin >= run.count")
    entry.add("let end = min(begin + run.step, run.count);", f"let size = {copy.size};")
    with entry.lines.braces(f"for (var w = lane; w < size; w += {entry.threads}u)"):
        entry.add(f"atomicStore(&near[w], {copy.none});")
    entry.add("workgroupBarrier();")
    with entry.lines.braces(f"for (var i = begin + lane * {each}u; i < end; i += {entry.threads * each}u)"):
        if streams:
            entry.add(f"let four = i / {AT_ONCE}u;", *streams.read(entry.module, "four"))
        for k in range(each):
            with entry.lines.braces(f"if (i + {k}u < end)"):
                entry.add(f"element = i + {k}u;", *(streams.place(entry.module, k) if streams else []), statement)
    entry.add("workgroupBarrier();")


def _combine_copy(entry: Entry, schedule: ir.CombineByAddress, copy: Near, word: str) -> None:
    """Combine the words `w` of a workgroup's copy with those of `results`."""
    with entry.lines.braces(f"for (var w = lane; w < size; w += {entry.threads}u)"):
        entry.add("let found = atomicLoad(&near[w]);")
        with entry.lines.braces(f"if (found != {copy.none})"):
            entry.add(f"{_atomic(schedule.op)}(&{entry.module.buffer('results', 'atomic')}[{word}], found);")


def _atomic(op: CombineOp) -> str:
    return "atomicAdd" if op is CombineOp.SUM else f"atomic{op.value.capitalize()}"


def _declare_combine(entry: Entry, schedule: ir.CombineByAddress, put: Callable[[str, str], str]) -> None:
    """Declare `combine(pair)`; `put` gives the statement that combines a word of the target with an Int."""
    module = entry.module
    pair, _, type_ = pair_of(module.subject)
    into = module.storer(
        lambda word, bits, scalar: put(word, combining.key(module, schedule.op, bits, scalar)), "target", type_
    )
    test, cell = place_of(entry, pair, schedule.into)
    text = [
        f"fn combine(pair: {module.types.name(pair)}) {{",
        f"  if ({test}) {{",
        f"    let cell = {cell};",
        f"    {into}({times('cell', words(type_))}, pair.{field_name(pair, 1)});",
        "  }",
        "}",
    ]
    module.function("combine", lambda: "\n".join(text))


def finish(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """Turns the Ints in `results` into the scalars that they stand for."""
    entry = Entry(subject)
    module, type_ = entry.module, pair_of(subject)[2]
    entry.one_each()
    results = module.buffer("results", "write")
    for i, leaf in enumerate(leaves(type_)):
        word = f"{results}[{plus(times('element', words(type_)), i)}]"
        entry.add(f"{word} = {combining.unkeyed(module, schedule.op, f'bitcast<i32>({word})', leaf.scalar)};")
    return entry.stage()


# ---------------------------------------------------------------- the last one wins


def claim(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """Stores each element's value to `values`, and to `winners` one more than the number of a cell's last element."""
    entry = Entry(subject, functions=(schedule.element,))
    pair, _, type_ = pair_of(subject)
    winners = entry.module.buffer("winners", "atomic")
    entry.one_each()
    entry.add(f"let pair = {entry.names[schedule.element]}();")
    test, cell = place_of(entry, pair, schedule.into)
    with entry.lines.braces(f"if ({test})"):
        entry.store("values", "element", type_, f"pair.{field_name(pair, 1)}")
        entry.add(f"atomicMax(&{winners}[{cell}], i32(element) + 1);")
    return entry.stage()


def take(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """Gives each cell of `results` the value of its winner, or what the target had."""
    entry = Entry(subject)
    type_ = pair_of(subject)[2]
    winners = entry.module.buffer("winners")
    entry.one_each()
    entry.add(f"let winner = {winners}[element];", f"var value = {entry.module.types.zero(type_)};")
    with entry.lines.braces("if (winner == 0u)"):
        entry.add(f"value = {entry.load(f'in_{schedule.into}', 'element', type_)};")
    with entry.lines.otherwise():
        entry.add(f"value = {entry.load('values', '(winner - 1u)', type_)};")
    entry.store("results", "element", type_, "value")
    return entry.stage()

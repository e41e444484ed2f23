"""The shaders of scatters.

Where the order of pairs does not matter (Ints, minima, maxima) they are combined by atomic operations on words.
With `last` the largest number of an element wins each cell.  A sum of Floats is added up in the order of the
elements: the pairs are sorted by cell, stably, and each cell adds its own.
"""

from __future__ import annotations

from kcheck.checker import ir
from kcheck.checker.ir import CombineOp
from kcheck.checker.types import INT, Struct, Type, leaves
from kcheck.runtime.gpu.wgsl import combining, reads
from kcheck.runtime.gpu.wgsl.entry import THREADS, Entry
from kcheck.runtime.gpu.wgsl.module import Stage, Subject, plus, times
from kcheck.runtime.gpu.wgsl.names import field_name, words
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE, streams_of


def _pair(subject: Subject) -> tuple[Struct, Type, Type]:
    """The type of the pairs, of their addresses and of their values."""
    pair = subject.program.result
    assert isinstance(pair, Struct)
    return pair, pair.fields[0].type, pair.fields[1].type


def _place(entry: Entry, pair: Struct, into: str) -> tuple[str, str]:
    """Whether the address of `pair` is that of a cell, and the cell's number."""
    address = (f"pair.{field_name(pair, 0)}", pair.fields[0].type)
    return reads.inside_position(entry.module, [address], entry.module.fact("size", into))


# ---------------------------------------------------------------- by atomic operations


def begin(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """Copies the target's elements to `results`, as the Ints that are combined."""
    entry = Entry(subject)
    module, type_ = entry.module, _pair(subject)[2]
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
    _declare_combine(entry, schedule, entry.module.buffer("results", "atomic"))
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
    module, each = entry.module, AT_ONCE if streams else 1
    module.declare("near", f"var<workgroup> near: array<atomic<i32>, {NEAR_WORDS}>;")
    _declare_combine(entry, schedule, "near")
    none = combining.NONE[schedule.op]
    run = f"combine({entry.names[schedule.element]}());"
    entry.add("let begin = number * run.step;")
    entry.leave_if("begin >= run.count")
    entry.add("let end = min(begin + run.step, run.count);")
    with entry.lines.braces(f"for (var w = lane; w < run.limit; w += {THREADS}u)"):
        entry.add(f"atomicStore(&near[w], {none});")
    entry.add("workgroupBarrier();")
    with entry.lines.braces(f"for (var i = begin + lane * {each}u; i < end; i += {THREADS * each}u)"):
        if streams:
            entry.add(f"let four = i / {AT_ONCE}u;", *streams.read(module, "four"))
        for k in range(each):
            with entry.lines.braces(f"if (i + {k}u < end)"):
                entry.add(f"element = i + {k}u;", *(streams.place(module, k) if streams else []), run)
    entry.add("workgroupBarrier();")
    with entry.lines.braces(f"for (var w = lane; w < run.limit; w += {THREADS}u)"):
        entry.add("let found = atomicLoad(&near[w]);")
        with entry.lines.braces(f"if (found != {none})"):
            entry.add(f"{_atomic(schedule.op)}(&{module.buffer('results', 'atomic')}[w], found);")
    return entry.stage()


def _atomic(op: CombineOp) -> str:
    return "atomicAdd" if op is CombineOp.SUM else f"atomic{op.value.capitalize()}"


def _declare_combine(entry: Entry, schedule: ir.CombineByAddress, where: str) -> None:
    """Declare `combine(pair)`, which changes the words of a cell in the array `where`."""
    module = entry.module
    pair, _, type_ = _pair(module.subject)
    into = module.storer(
        lambda word, bits, scalar: (
            f"{_atomic(schedule.op)}(&{where}[{word}], {combining.key(module, schedule.op, bits, scalar)});"
        ),
        where,
        type_,
    )
    test, cell = _place(entry, pair, schedule.into)
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
    module, type_ = entry.module, _pair(subject)[2]
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
    pair, _, type_ = _pair(subject)
    winners = entry.module.buffer("winners", "atomic")
    entry.one_each()
    entry.add(f"let pair = {entry.names[schedule.element]}();")
    test, cell = _place(entry, pair, schedule.into)
    with entry.lines.braces(f"if ({test})"):
        entry.store("values", "element", type_, f"pair.{field_name(pair, 1)}")
        entry.add(f"atomicMax(&{winners}[{cell}], i32(element) + 1);")
    return entry.stage()


def take(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """Gives each cell of `results` the value of its winner, or what the target had."""
    entry = Entry(subject)
    type_ = _pair(subject)[2]
    winners = entry.module.buffer("winners")
    entry.one_each()
    entry.add(f"let winner = {winners}[element];", f"var value = {entry.module.types.zero(type_)};")
    with entry.lines.braces("if (winner == 0u)"):
        entry.add(f"value = {entry.load(f'in_{schedule.into}', 'element', type_)};")
    with entry.lines.otherwise():
        entry.add(f"value = {entry.load('values', '(winner - 1u)', type_)};")
    entry.store("results", "element", type_, "value")
    return entry.stage()


# ---------------------------------------------------------------- sums in order


def pairs(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """Stores each element's value to `values`, its cell (`limit` where it has none) and its own number."""
    entry = Entry(subject, functions=(schedule.element,))
    pair, _, type_ = _pair(subject)
    cells, order = entry.module.buffer("cells", "write"), entry.module.buffer("order", "write")
    entry.one_each()
    entry.add(f"let pair = {entry.names[schedule.element]}();")
    entry.store("values", "element", type_, f"pair.{field_name(pair, 1)}")
    test, cell = _place(entry, pair, schedule.into)
    entry.add(f"{order}[element] = element;", "var cell = run.limit;")
    with entry.lines.braces(f"if ({test})"):
        entry.add(f"cell = {cell};")
    entry.add(f"{cells}[element] = cell;")
    return entry.stage()


def bounds(subject: Subject) -> Stage:
    """From sorted `cells` where each cell's pairs begin and end, to `starts` and `ends`."""
    entry = Entry(subject)
    module = entry.module
    cells = module.buffer("cells")
    starts, ends = module.buffer("starts", "write"), module.buffer("ends", "write")
    entry.one_each()
    entry.add(f"let cell = {cells}[element];")
    entry.leave_if("cell >= run.limit")
    with entry.lines.braces(f"if (element == 0u || {cells}[max(element, 1u) - 1u] != cell)"):
        entry.add(f"{starts}[cell] = element;")
    with entry.lines.braces(f"if (element + 1u == run.count || {cells}[min(element + 1u, run.count - 1u)] != cell)"):
        entry.add(f"{ends}[cell] = element + 1u;")
    return entry.stage()


_FEW = 64
"""The most terms that one invocation adds up for a cell where others could help it."""
_HELPERS = 128


def has_helpers(subject: Subject) -> bool:
    """Whether values are small enough for a workgroup to hold one for each invocation."""
    return 4 * _HELPERS * max(1, words(_pair(subject)[2])) <= subject.traits.workgroup_bytes


def most_many(pairs_: int, cells: int) -> int:
    """How many cells may have so many pairs that a workgroup adds them up."""
    return min(cells, pairs_ // _FEW + 1)


def find_many(subject: Subject) -> Stage:
    """The cells that have so many pairs, to `many` behind their number; in any order."""
    entry = Entry(subject)
    module = entry.module
    starts, ends, many = module.buffer("starts"), module.buffer("ends"), module.buffer("many", "atomic")
    entry.one_each()
    with entry.lines.braces(f"if ({ends}[element] > {starts}[element] + {_FEW}u)"):
        entry.add(f"let place = atomicAdd(&{many}[0], 1) + 1;", f"atomicStore(&{many}[place], i32(element));")
    return entry.stage()


def add_up(subject: Subject) -> Stage:
    """An invocation adds to its cell of `results` at most `limit` of its pairs, and moves the cell's start behind them.

    Cells with many are left to `add_up_many`, where there is that.
    """
    entry = Entry(subject)
    module, type_ = entry.module, _pair(subject)[2]
    starts, ends, order = module.buffer("starts", "write"), module.buffer("ends"), module.buffer("order")
    entry.one_each()
    entry.add(f"let start = {starts}[element];")
    entry.leave_if(f"start >= {ends}[element]")
    if has_helpers(subject):
        entry.leave_if(f"{ends}[element] - start > {_FEW}u")
    entry.add(f"let end = min({ends}[element], start + run.limit);")
    results = module.buffer("results", "write")
    entry.add(f"var total = {module.load(results, times('element', words(type_)), type_)};")
    with entry.lines.braces("for (var i = start; i < end; i++)"):
        entry.add(f"let value = {entry.load('values', f'{order}[i]', type_)};")
        entry.add(f"total = {combining.added(module, type_, 'total', 'value')};")
    entry.store("results", "element", type_, "total")
    entry.add(f"{starts}[element] = end;")
    return entry.stage()


def add_up_many(subject: Subject) -> Stage:
    """The same by a workgroup, for the cells in `many`: all its invocations fetch, and one adds."""
    entry = Entry(subject, _HELPERS)
    module, type_ = entry.module, _pair(subject)[2]
    starts, ends, order = module.buffer("starts", "write"), module.buffer("ends"), module.buffer("order")
    module.declare("fetched", f"var<workgroup> fetched: array<{module.types.name(type_)}, {_HELPERS}>;")
    results, size = module.buffer("results", "write"), words(type_)
    many = module.buffer("many")
    entry.leave_if(f"number >= {many}[0]")
    entry.add(f"let cell = {many}[number + 1u];", f"let start = {starts}[cell];")
    entry.leave_if(f"start + {_FEW}u >= {ends}[cell]")
    entry.add(
        f"let end = min({ends}[cell], start + run.limit);",
        f"var total = {module.load(results, times('cell', size), type_)};",
        f"var next = {entry.load('values', f'{order}[min(start + lane, end - 1u)]', type_)};",
    )
    with entry.lines.braces(f"for (var begin = start; begin < end; begin += {_HELPERS}u)"):
        entry.add("fetched[lane] = next;", "workgroupBarrier();")
        ahead = f"{order}[min(begin + {_HELPERS}u + lane, end - 1u)]"
        entry.add(f"next = {entry.load('values', ahead, type_)};")
        with entry.lines.braces("if (lane == 0u)"):
            entry.add(f"let count = min(end - begin, {_HELPERS}u);")
            with entry.lines.braces("for (var i = 0u; i < count; i++)"):
                entry.add(f"total = {combining.added(module, type_, 'total', 'fetched[i]')};")
        entry.add("workgroupBarrier();")
    with entry.lines.braces("if (lane == 0u)"):
        entry.store("results", "cell", type_, "total")
        entry.add(f"{starts}[cell] = end;")
    return entry.stage()

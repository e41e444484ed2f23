"""The shaders of scatters that sum Floats in the order of the elements.

The pairs of all elements are sorted by cell, stably (`sort`), and each cell adds up its own.  A value of one word
goes along when its pair is sorted; of others the number of the element does.
"""

from __future__ import annotations

from kcheck.checker import ir
from kcheck.checker.types import Type
from kcheck.runtime.gpu.wgsl import combining
from kcheck.runtime.gpu.wgsl.entry import THREADS, Entry
from kcheck.runtime.gpu.wgsl.module import Stage, Subject, times
from kcheck.runtime.gpu.wgsl.names import field_name, words
from kcheck.runtime.gpu.wgsl.scatter import pair_of, place_of
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE, streams_of, word


def is_carried(subject: Subject) -> bool:
    """Whether values go along when pairs are sorted."""
    return words(pair_of(subject)[2]) == 1


def bits_of_cells(subject: Subject, cells: int) -> int:
    """The bits of the numbers that `pairs` has for cells, of which there are so many."""
    return max(1, (cells - 1).bit_length()) if is_carried(subject) else cells.bit_length()


def pairs(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """The cell of each element's pair, of `limit` cells, to `cells`, and to `carried` what is sorted with it.

    Where that is the element's number, its value goes to `values`, and a pair without a cell has the one after all.
    """
    pair, _, type_ = pair_of(subject)
    if is_carried(subject):
        return _carried_pairs(subject, schedule)
    entry = Entry(subject, functions=(schedule.element,))
    cells, carried = entry.module.buffer("cells", "write"), entry.module.buffer("carried", "write")
    entry.one_each()
    entry.add(f"let pair = {entry.names[schedule.element]}();", "var found = run.limit;")
    test, cell = place_of(entry, pair, schedule.into)
    with entry.lines.braces(f"if ({test})"):
        entry.add(f"found = {cell};")
    entry.store("values", "element", type_, f"pair.{field_name(pair, 1)}")
    entry.add(f"{cells}[element] = found;", f"{carried}[element] = element;")
    return entry.stage()


def _carried_pairs(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    streams = streams_of(subject, (pair_of(subject)[0],))
    each, access = (AT_ONCE, "wide_write") if streams else (1, "write")
    entry = Entry(subject, functions=(schedule.element,), streams=streams)
    module = entry.module
    to_cells, to_carried = module.buffer("cells", access), module.buffer("carried", access)
    entry.add(f"let base = (number * {THREADS}u + lane) * {each}u;")
    entry.leave_if("base >= run.count")
    if streams:
        entry.add(f"let four = base / {AT_ONCE}u;", *streams.read(module, "four"))
    for k in range(each):
        entry.add(f"var c{k} = 0u;", f"var v{k} = 0u;")
        with entry.lines.braces(f"if (base + {k}u < run.count)"):
            entry.add(f"element = base + {k}u;", *(streams.place(module, k) if streams else []))
            carried_pair(entry, schedule, f"c{k}", f"v{k}")
    if streams:
        entry.add(f"{to_cells}[four] = vec4<u32>(c0, c1, c2, c3);", f"{to_carried}[four] = vec4<u32>(v0, v1, v2, v3);")
    else:
        entry.add(f"{to_cells}[base] = c0;", f"{to_carried}[base] = v0;")
    return entry.stage(each)


def carried_pair(entry: Entry, schedule: ir.CombineByAddress, cell: str, value: str | None) -> None:
    """Give these variables the cell of the element's pair, of `limit` cells, and the word that is carried.

    A pair without a cell gets some cell and the value -0, which changes no sum.
    """
    module, (pair, _, type_) = entry.module, pair_of(entry.module.subject)
    with entry.lines.braces(""):
        entry.add(f"let pair = {entry.names[schedule.element]}();")
        test, found = place_of(entry, pair, schedule.into)
        entry.add(f"let is_inside = {test};", "let most = (1u << (31u - countLeadingZeros(run.limit))) - 1u;")
        entry.add(f"{cell} = select(element & most, {found}, is_inside);")
        if value is not None:
            bits = module.to_words(type_, f"pair.{field_name(pair, 1)}")[0]
            entry.add(f"{value} = select(0x80000000u, {bits}, is_inside);")


def bounds(subject: Subject) -> Stage:
    """From sorted `cells` where each cell's pairs begin and end, to `starts` and `ends`."""
    entry = Entry(subject)
    module = entry.module
    cells, fours = module.buffer("cells"), module.buffer("cells_fours", "wide_read")
    starts, ends = module.buffer("starts", "write"), module.buffer("ends", "write")
    entry.add(f"let four = number * {THREADS}u + lane;", f"let base = four * {AT_ONCE}u;")
    entry.leave_if("base >= run.count")
    entry.add(f"let s_0 = {fours}[four];", f"var before = {cells}[max(base, 1u) - 1u];")
    for k in range(AT_ONCE):
        entry.add(f"let c{k} = {word('s_', k)};")
        with entry.lines.braces(f"if (base + {k}u < run.count)"):
            with entry.lines.braces(f"if (c{k} != before || base + {k}u == 0u)"):
                with entry.lines.braces(f"if (c{k} < run.limit)"):
                    entry.add(f"{starts}[c{k}] = base + {k}u;")
                with entry.lines.braces(f"if (base + {k}u > 0u)"):
                    entry.add(f"{ends}[before] = base + {k}u;")
            with entry.lines.braces(f"if (base + {k + 1}u == run.count && c{k} < run.limit)"):
                entry.add(f"{ends}[c{k}] = run.count;")
        entry.add(f"before = c{k};")
    return entry.stage(AT_ONCE)


_HELPERS = 128
_TILE = 1024
"""How many values that were carried a workgroup fetches at once for one cell."""
_STEP = 16
"""How many of them are added up while as many are read."""
_CELLS = 64
"""The cells of a workgroup that adds up carried values, an invocation each."""
_SLICE = 32
"""How many values it fetches at once for each of them."""


def _few(subject: Subject) -> int:
    """The most terms that one invocation adds up for a cell where others could help it."""
    return 4096 if is_carried(subject) else 64


def has_helpers(subject: Subject) -> bool:
    """Whether values are small enough for a workgroup to hold one for each invocation."""
    size = 8 * _TILE if is_carried(subject) else 4 * _HELPERS * max(1, words(pair_of(subject)[2]))
    return size <= subject.traits.workgroup_bytes


def most_many(subject: Subject, pairs_: int, cells: int) -> int:
    """How many cells may have so many pairs that a workgroup adds them up."""
    return min(cells, pairs_ // _few(subject)) if has_helpers(subject) else 0


def find_many(subject: Subject) -> Stage:
    """The cells that have so many pairs, to `many` behind their number; in any order."""
    entry = Entry(subject)
    module = entry.module
    starts, ends, many = module.buffer("starts"), module.buffer("ends"), module.buffer("many", "atomic")
    entry.one_each()
    with entry.lines.braces(f"if ({ends}[element] > {starts}[element] + {_few(subject)}u)"):
        entry.add(f"let place = atomicAdd(&{many}[0], 1) + 1;", f"atomicStore(&{many}[place], i32(element));")
    return entry.stage()


def _value(entry: Entry, type_: Type, i: str) -> str:
    """The value of the sorted pair `i`."""
    carried = entry.module.buffer("carried")
    if is_carried(entry.module.subject):
        return entry.module.from_words(type_, [f"{carried}[{i}]"])
    return entry.load("values", f"{carried}[{i}]", type_)


def _add_words(entry: Entry, type_: Type, found: list[str]) -> None:
    """Add values, which are words, to `total`, one after the other."""
    for text in found:
        value = entry.module.from_words(type_, [text])
        entry.add(f"total = {combining.added(entry.module, type_, 'total', value)};")


# ---------------------------------------------------------------- cells with few


def has_slices(subject: Subject, pairs_: int, cells: int) -> bool:
    """Whether it pays, and the workgroup's memory has room, to fetch slices of values for cells."""
    room = 4 * _CELLS * (_SLICE + AT_ONCE + 2)
    return is_carried(subject) and pairs_ >= _SLICE // 2 * cells and room <= subject.traits.workgroup_bytes


def add_up(subject: Subject, *, by_slices: bool) -> Stage:
    """An invocation adds to its cell of `results` at most `limit` of its pairs, and moves the cell's start behind them.

    `step` is the number of pairs.  Cells with many are left to `add_up_many`, where there is that.
    """
    entry = Entry(subject, _CELLS if by_slices else THREADS)
    module, type_ = entry.module, pair_of(subject)[2]
    starts, ends, results = module.buffer("starts", "write"), module.buffer("ends"), module.buffer("results", "write")
    entry.add(
        f"element = number * {entry.threads}u + lane;",
        "let cell = min(element, run.count - 1u);",
        f"let start = {starts}[cell];",
        f"var end = select(0u, min({ends}[cell], start + run.limit), element < run.count);",
    )
    if has_helpers(subject):
        entry.add(f"end = select(end, 0u, {ends}[cell] > start + {_few(subject)}u);")
    entry.add(f"var total = {module.load(results, times('cell', words(type_)), type_)};", "var i = start;")
    if by_slices:
        _add_slices(entry, type_)
    else:
        with entry.lines.braces("for (; i < end; i++)"):
            entry.add(f"let value = {_value(entry, type_, 'i')};")
            entry.add(f"total = {combining.added(module, type_, 'total', 'value')};")
    with entry.lines.braces("if (start < end)"):
        entry.store("results", "cell", type_, "total")
        entry.add(f"{starts}[cell] = end;")
    return entry.stage()


def _add_slices(entry: Entry, type_: Type) -> None:
    """Add carried values, of which the workgroup fetches the next few for all its cells, side by side.

    `going` is how many cells are not done.  Slices lie one four further apart than they are long, or invocations would
    all ask the same bank of the memory.
    """
    fours, parts, apart = entry.module.buffer("carried_fours", "wide_read"), _SLICE // AT_ONCE, _SLICE // AT_ONCE + 1
    entry.module.declare("fetched", f"var<workgroup> fetched: array<vec4<u32>, {_CELLS * apart}>;")
    entry.module.declare("places", f"var<workgroup> places: array<u32, {_CELLS}>;")
    entry.module.declare("going", "var<workgroup> going: atomic<u32>;")
    with entry.lines.braces("if (lane == 0u)"):
        entry.add("atomicStore(&going, 0u);")
    entry.add("workgroupBarrier();")
    with entry.lines.braces("if (i < end)"):
        entry.add("atomicAdd(&going, 1u);")
    with entry.lines.braces("loop"):
        entry.add(f"places[lane] = select(0u, i / {AT_ONCE}u, i < end);", "workgroupBarrier();")
        entry.break_if("atomicLoad(&going) == 0u")
        for k in range(parts):
            source = f"places[{k * _CELLS // parts}u + lane / {parts}u] + lane % {parts}u"
            entry.add(f"let q{k} = {fours}[min({source}, (run.step - 1u) / {AT_ONCE}u)];")
        for k in range(parts):
            entry.add(f"fetched[({k * _CELLS // parts}u + lane / {parts}u) * {apart}u + lane % {parts}u] = q{k};")
        entry.add("workgroupBarrier();")
        with entry.lines.braces("if (i < end)"):
            _add_slice(entry, type_, f"lane * {apart}u")
            with entry.lines.braces("if (i >= end)"):
                entry.add("atomicSub(&going, 1u);")


def _add_slice(entry: Entry, type_: Type, first: str) -> None:
    """Add what there is of the cell in `fetched` from the four `first` on."""
    entry.add(f"let base = i / {AT_ONCE}u;", f"let stop = min(end, base * {AT_ONCE}u + {_SLICE}u);")
    four = f"fetched[{first} + i / {AT_ONCE}u - base]"
    with entry.lines.braces(f"for (; i < stop && i % {AT_ONCE}u != 0u; i++)"):
        _add_words(entry, type_, [f"{four}[i % {AT_ONCE}u]"])
    with entry.lines.braces(f"for (; i + {AT_ONCE}u <= stop; i += {AT_ONCE}u)"):
        entry.add(f"let s = {four};")
        _add_words(entry, type_, [f"s.{axis}" for axis in "xyzw"])
    with entry.lines.braces("for (; i < stop; i++)"):
        _add_words(entry, type_, [f"{four}[i % {AT_ONCE}u]"])


# ---------------------------------------------------------------- cells with many


def add_up_many(subject: Subject) -> Stage:
    """The same by workgroups, for the cells in `many`: all invocations of one fetch, and one adds."""
    entry = Entry(subject, _HELPERS)
    module, type_ = entry.module, pair_of(subject)[2]
    starts, ends = module.buffer("starts", "write"), module.buffer("ends")
    results, many = module.buffer("results", "write"), module.buffer("many")
    with entry.lines.braces(f"for (var m = number; m < {many}[0]; m += workgroups.x * workgroups.y)"):
        entry.add(
            f"let cell = {many}[m + 1u];",
            f"let start = {starts}[cell];",
            f"let end = min({ends}[cell], start + run.limit);",
            f"var total = {module.load(results, times('cell', words(type_)), type_)};",
        )
        if is_carried(subject):
            _add_tiles(entry, type_)
        else:
            _add_fetched(entry, type_)
        with entry.lines.braces("if (lane == 0u)"):
            entry.store("results", "cell", type_, "total")
            entry.add(f"{starts}[cell] = end;")
    return entry.stage()


def _add_fetched(entry: Entry, type_: Type) -> None:
    """Add values as many at a time as there are invocations."""
    entry.module.declare("fetched", f"var<workgroup> fetched: array<{entry.module.types.name(type_)}, {_HELPERS}>;")
    entry.add(f"var next = {_value(entry, type_, 'min(start + lane, end - 1u)')};")
    with entry.lines.braces(f"for (var begin = start; begin < end; begin += {_HELPERS}u)"):
        entry.add("fetched[lane] = next;", "workgroupBarrier();")
        entry.add(f"next = {_value(entry, type_, f'min(begin + {_HELPERS}u + lane, end - 1u)')};")
        with entry.lines.braces("if (lane == 0u)"):
            entry.add(f"let count = min(end - begin, {_HELPERS}u);")
            with entry.lines.braces("for (var i = 0u; i < count; i++)"):
                entry.add(f"total = {combining.added(entry.module, type_, 'total', 'fetched[i]')};")
        entry.add("workgroupBarrier();")


def _add_tiles(entry: Entry, type_: Type) -> None:
    """Add carried values by tiles; `fetched` has two, so that the next is there when one has been added up."""
    fours, each = entry.module.buffer("carried_fours", "wide_read"), _TILE // AT_ONCE // _HELPERS
    entry.module.declare("fetched", f"var<workgroup> fetched: array<vec4<u32>, {2 * _TILE // AT_ONCE}>;")
    entry.add(f"let last = (max(end, 1u) - 1u) / {AT_ONCE}u;", f"var four = start / {AT_ONCE}u + lane;")
    entry.add("var half = 0u;", *(f"var n{k} = {fours}[min(four + {k * _HELPERS}u, last)];" for k in range(each)))
    first = f"start / {AT_ONCE}u * {AT_ONCE}u"
    with entry.lines.braces(f"for (var begin = {first}; begin < end; begin += {_TILE}u)"):
        entry.add(*(f"fetched[half + lane + {k * _HELPERS}u] = n{k};" for k in range(each)), "workgroupBarrier();")
        entry.add(f"four += {_TILE // AT_ONCE}u;")
        entry.add(*(f"n{k} = {fours}[min(four + {k * _HELPERS}u, last)];" for k in range(each)))
        with entry.lines.braces("if (lane == 0u)"):
            _add_tile(entry, type_)
        entry.add(f"half = {_TILE // AT_ONCE}u - half;")
    entry.add("workgroupBarrier();")


def _add_tile(entry: Entry, type_: Type) -> None:
    """Add up what is in one half of `fetched`: two parts in turn, each of which is read while the other is added."""
    fours = range(_STEP // AT_ONCE)
    single = f"fetched[half + i / {AT_ONCE}u][i % {AT_ONCE}u]"
    entry.add("var i = max(start, begin) - begin;", f"let stop = min(end - begin, {_TILE}u);")
    with entry.lines.braces(f"for (; i < stop && i % {AT_ONCE}u != 0u; i++)"):
        _add_words(entry, type_, [single])
    entry.add(*(f"var s{k} = fetched[half + i / {AT_ONCE}u + {k}u];" for k in fours))
    with entry.lines.braces(f"for (; i + {2 * _STEP}u <= stop; i += {2 * _STEP}u)"):
        entry.add(f"let at = half + i / {AT_ONCE}u;")
        entry.add(*(f"let t{k} = fetched[at + {_STEP // AT_ONCE + k}u];" for k in fours))
        _add_words(entry, type_, [f"s{k}.{axis}" for k in fours for axis in "xyzw"])
        entry.add(*(f"s{k} = fetched[at + {2 * _STEP // AT_ONCE + k}u];" for k in fours))
        _add_words(entry, type_, [f"t{k}.{axis}" for k in fours for axis in "xyzw"])
    with entry.lines.braces(f"for (; i + {AT_ONCE}u <= stop; i += {AT_ONCE}u)"):
        entry.add(f"let s = fetched[half + i / {AT_ONCE}u];")
        _add_words(entry, type_, [f"s.{axis}" for axis in "xyzw"])
    with entry.lines.braces("for (; i < stop; i++)"):
        _add_words(entry, type_, [single])

"""The shaders of a stable sort of pairs by cell: radix, a digit of the cell a pass.

A pair is a word in `cells` and one in `carried`; `cells_fours` is the same buffer, read by fours.  A workgroup takes a
tile of pairs: `count` counts the tile's digits, and once the counts of all tiles are running totals, `move` moves its
pairs.  `run.first` is how far the digit of a pass lies to the left, `run.step` the number of tiles.

Where a device has subgroups these go through parts of a tile, side by side, and find the rank of a pair among those
with the same digit by a vote on each of its bits; so digits may be large.  Elsewhere each invocation counts by itself.
"""

from __future__ import annotations

from itertools import pairwise

from kcheck.checker import ir
from kcheck.checker.types import FLOAT
from kcheck.runtime.gpu.wgsl import ordered
from kcheck.runtime.gpu.wgsl.entry import Entry
from kcheck.runtime.gpu.wgsl.module import Stage, Subject
from kcheck.runtime.gpu.wgsl.streams import AT_ONCE, nodes_of, streams_of, word

_SUBGROUPS = 8
_EACH = 16
"""The pairs of an invocation, of which a tile has so many for each subgroup."""
_SMALL_BITS = 7
"""Of digits for which twice as many subgroups with half as many pairs each are faster."""
_PLAIN_BITS = 4
_PLAIN_THREADS = 64
_MOST_BITS = 8


def votes(subject: Subject) -> bool:
    """Whether subgroups find ranks; a vote of theirs has to fit a word."""
    width, most = subject.traits.subgroup, 1 << _MOST_BITS
    room = 4 * (_SUBGROUPS * most // 2 + 2 * most + 2 * _SUBGROUPS + _EACH * _SUBGROUPS * width)
    fits = _SUBGROUPS * width <= subject.traits.invocations and room <= subject.traits.workgroup_bytes
    return 4 <= width <= 32 and fits


def digits(subject: Subject, bits: int) -> list[tuple[int, int]]:
    """The digits of numbers of so many bits, the lowest first: where each begins and how many bits it has."""
    most = _MOST_BITS if votes(subject) else _PLAIN_BITS
    passes = -(-bits // most)
    ends = [bits * i // passes for i in range(passes + 1)]
    return [(begin, end - begin) for begin, end in pairwise(ends)]


def _subgroups(subject: Subject, bits: int) -> int:
    twice = 2 * _SUBGROUPS
    fits = twice * subject.traits.subgroup <= subject.traits.invocations
    return twice if bits <= _SMALL_BITS and fits else _SUBGROUPS


def tile(subject: Subject) -> int:
    """The pairs of a tile."""
    return _EACH * (_SUBGROUPS * subject.traits.subgroup if votes(subject) else _PLAIN_THREADS)


def _threads(subject: Subject, bits: int) -> int:
    return _subgroups(subject, bits) * subject.traits.subgroup if votes(subject) else _PLAIN_THREADS


Made = ir.CombineByAddress | None
"""In a first pass the scatter whose pairs are sorted: they are made on the way, from the elements."""

_FEW_NODES = 40
"""Of a program that may well run twice for each element."""


def makes_pairs(subject: Subject) -> bool:
    """Whether a first pass makes the pairs, of few elements at once."""
    is_small = nodes_of(subject) <= _FEW_NODES and streams_of(subject, (FLOAT,)) is not None
    return votes(subject) and is_small and ordered.is_carried(subject)


def count(subject: Subject, bits: int, made: Made = None) -> Stage:
    """How often each digit occurs in each tile, to `counts`: all tiles of the digit 0, then those of 1, and so on."""
    threads, many = _threads(subject, bits), 1 << bits
    each = tile(subject) // threads
    streams = streams_of(subject, (FLOAT,)) if made else None
    entry = Entry(subject, threads, (made.element,) if made else (), streams)
    module = entry.module
    counts, fours = module.buffer("counts", "write"), range(each // AT_ONCE)
    module.declare("digits", f"var<workgroup> digits: array<atomic<u32>, {many}>;")
    entry.leave_if("number >= run.step")
    with entry.lines.braces(f"for (var d = lane; d < {many}u; d += {threads}u)"):
        entry.add("atomicStore(&digits[d], 0u);")
    entry.add(f"let four = number * {each * threads // AT_ONCE}u + lane;")
    for f in fours:
        place = f"(four + {f * threads}u)"
        if streams:
            entry.add(*streams.read(module, place, str(f)))
        else:
            entry.add(f"let s{f}_0 = {module.buffer('cells_fours', 'wide_read')}[{place}];")
    entry.add("workgroupBarrier();")
    for f in fours:
        for e in range(AT_ONCE):
            entry.add(f"element = (four + {f * threads}u) * {AT_ONCE}u + {e}u;")
            with entry.lines.braces("if (element < run.count)"):
                cell = word(f"s{f}_", e)
                if made and streams:
                    entry.add(*streams.place(module, e, str(f)), "var cell: u32;")
                    ordered.carried_pair(entry, made, "cell", None)
                    cell = "cell"
                entry.add(f"atomicAdd(&digits[{_digit(cell, bits)}], 1u);")
    entry.add("workgroupBarrier();")
    with entry.lines.braces(f"for (var d = lane; d < {many}u; d += {threads}u)"):
        entry.add(f"{counts}[d * run.step + number] = atomicLoad(&digits[d]);")
    return entry.stage()


def _digit(cell: str, bits: int) -> str:
    return f"({cell} >> run.first) & {(1 << bits) - 1}u"


def move(subject: Subject, bits: int, made: Made = None) -> Stage:
    """Moves the pairs to their places, to `moved_cells` and `moved_carried`; `counts` holds running totals."""
    return _move_by_votes(subject, bits, made) if votes(subject) else _move_one_by_one(subject, bits)


# ---------------------------------------------------------------- by votes


def _move_by_votes(subject: Subject, bits: int, made: Made) -> Stage:
    """`rows` holds a count of each digit for each subgroup, two in a word."""
    width, threads, pairs = subject.traits.subgroup, _threads(subject, bits), (1 << bits) // 2
    subgroups, each = threads // width, range(tile(subject) // threads)
    entry = Entry(subject, threads, (made.element,) if made else ())
    module = entry.module
    module.buffer("counts")
    moved_cells, moved_carried = module.buffer("moved_cells", "write"), module.buffer("moved_carried", "write")
    module.declare("rows", f"var<workgroup> rows: array<atomic<u32>, {subgroups * pairs}>;")
    module.declare("local", f"var<workgroup> local: array<u32, {2 * pairs}>;")
    module.declare("beyond", f"var<workgroup> beyond: array<u32, {2 * pairs}>;")
    module.declare("sums", f"var<workgroup> sums: array<u32, {subgroups}>;")
    module.declare("sorted", f"var<workgroup> sorted: array<u32, {len(each) * threads}>;")
    entry.leave_if("number >= run.step")
    entry.add(
        f"let row = lane / {width}u;",
        f"let place = lane % {width}u;",
        f"let tile = number * {len(each) * threads}u;",
        f"let present = min({len(each) * threads}u, run.count - tile);",
        f"let begin = tile + row * {len(each) * width}u + place;",
    )
    # What is missing at the end of the last tile counts as pairs of the last digit, behind all others.
    entry.add(*(f"let at{i} = begin + {i * width}u;" for i in each))
    if made:
        _make_pairs(entry, made, len(each))
    else:
        cells = module.buffer("cells")
        found = (f"select(0xffffffffu, {cells}[min(at{i}, run.count - 1u)], at{i} < run.count)" for i in each)
        entry.add(*(f"let k{i} = {text};" for i, text in enumerate(found)))
    with entry.lines.braces(f"for (var i = lane; i < {subgroups * pairs}u; i += {threads}u)"):
        entry.add("atomicStore(&rows[i], 0u);")
    entry.add("workgroupBarrier();", "let before = (1u << place) - 1u;")
    for i in each:
        _rank(entry, i, bits)
    entry.add("workgroupBarrier();")
    _locate(entry, bits)
    entry.add("workgroupBarrier();")
    for i in each:
        earlier = f"atomicLoad(&rows[row * {pairs}u + d{i} / 2u]) >> {_half(i)}"
        entry.add(f"r{i} += local[d{i}] + (({earlier}) & 0xffffu);", f"sorted[r{i}] = k{i};")
    if not made:
        carried = module.buffer("carried")
        entry.add(*(f"let v{i} = {carried}[min(at{i}, run.count - 1u)];" for i in each))
    entry.add("workgroupBarrier();")
    for i in each:
        entry.add(f"let c{i} = sorted[lane + {i * threads}u];")
        entry.add(f"let to{i} = beyond[{_digit(f'c{i}', bits)}] + lane + {i * threads}u;")
        with entry.lines.braces(f"if (lane + {i * threads}u < present)"):
            entry.add(f"{moved_cells}[to{i}] = c{i};")
    entry.add("workgroupBarrier();", *(f"sorted[r{i}] = v{i};" for i in each), "workgroupBarrier();")
    for i in each:
        with entry.lines.braces(f"if (lane + {i * threads}u < present)"):
            entry.add(f"{moved_carried}[to{i}] = sorted[lane + {i * threads}u];")
    return entry.stage()


def _make_pairs(entry: Entry, made: ir.CombineByAddress, each: int) -> None:
    """Make the pairs of an invocation's elements, which no branch keeps apart in a tile that is full."""
    entry.add(*(f"var k{i} = 0xffffffffu;" for i in range(each)), *(f"var v{i} = 0u;" for i in range(each)))
    with entry.lines.braces(f"if (present == {each * entry.threads}u)"):
        for i in range(each):
            entry.add(f"element = at{i};")
            ordered.carried_pair(entry, made, f"k{i}", f"v{i}")
    with entry.lines.otherwise():
        for i in range(each):
            with entry.lines.braces(f"if (at{i} < run.count)"):
                entry.add(f"element = at{i};")
                ordered.carried_pair(entry, made, f"k{i}", f"v{i}")


def _rank(entry: Entry, i: int, bits: int) -> None:
    """The number `r` of earlier pairs with the same digit in the part of the tile that is the subgroup's."""
    pairs = (1 << bits) // 2
    entry.add(f"let d{i} = {_digit(f'k{i}', bits)};", f"var same{i} = {(1 << entry.module.traits.subgroup) - 1}u;")
    for bit in range(bits):
        entry.add(
            f"let b{i}_{bit} = (d{i} & {1 << bit}u) != 0u;",
            f"let v{i}_{bit} = subgroupBallot(b{i}_{bit}).x;",
            f"same{i} &= select(~v{i}_{bit}, v{i}_{bit}, b{i}_{bit});",
        )
    entry.add(f"let first{i} = firstTrailingBit(same{i});", f"var r{i} = 0u;")
    with entry.lines.braces(f"if (place == first{i})"):
        entry.add(f"r{i} = atomicAdd(&rows[row * {pairs}u + d{i} / 2u], countOneBits(same{i}) << {_half(i)});")
    entry.add(
        f"r{i} = ((subgroupShuffle(r{i}, first{i}) >> {_half(i)}) & 0xffffu) + countOneBits(same{i} & before);",
    )


def _half(i: int) -> str:
    """How far in its word the count of a digit lies to the left."""
    return f"((d{i} & 1u) * 16u)"


def _locate(entry: Entry, bits: int) -> None:
    """Turn `rows` into how many pairs with a digit the subgroups before have.

    `local` is then where a digit's pairs begin in the tile, and `beyond` how much further they do in all.
    """
    width, threads, pairs = entry.module.traits.subgroup, entry.threads, (1 << bits) // 2
    subgroups = threads // width
    each = -(-pairs // threads)
    entry.add("var own = 0u;")
    for q in range(each):
        entry.add(f"let pair{q} = lane * {each}u + {q}u;", f"var both{q} = 0u;")
        with entry.lines.braces(f"for (var j = 0u; j < {subgroups}u && pair{q} < {pairs}u; j++)"):
            entry.add(
                f"let here = atomicLoad(&rows[j * {pairs}u + pair{q}]);",
                f"atomicStore(&rows[j * {pairs}u + pair{q}], both{q});",
                f"both{q} += here;",
            )
        entry.add(f"own += (both{q} & 0xffffu) + (both{q} >> 16u);")
    entry.add("let until = subgroupInclusiveAdd(own);")
    with entry.lines.braces(f"if (place == {width - 1}u)"):
        entry.add("sums[row] = until;")
    entry.add("workgroupBarrier();", "var start = until - own;")
    with entry.lines.braces("for (var j = 0u; j < row; j++)"):
        entry.add("start += sums[j];")
    for q in range(each):
        with entry.lines.braces(f"if (pair{q} < {pairs}u)"):
            for half, size in enumerate((f"(both{q} & 0xffffu)", f"(both{q} >> 16u)")):
                digit = f"(2u * pair{q} + {half}u)"
                entry.add(f"local[{digit}] = start;")
                entry.add(f"beyond[{digit}] = totals_before({digit} * run.step + number) - start;")
                entry.add(f"start += {size};")
    text = "fn totals_before(i: u32) -> u32 {\n  return select(0u, counts[max(i, 1u) - 1u], i > 0u);\n}"
    entry.module.function("totals_before", lambda: text)


# ---------------------------------------------------------------- one by one


def _move_one_by_one(subject: Subject, bits: int) -> Stage:
    """Each invocation has a part of the tile, and a count of each digit: `digits` has all those of a digit in a row."""
    entry, many = Entry(subject, _PLAIN_THREADS), 1 << bits
    module = entry.module
    cells, counts, carried = (module.buffer(name) for name in ("cells", "counts", "carried"))
    moved_cells, moved_carried = module.buffer("moved_cells", "write"), module.buffer("moved_carried", "write")
    module.declare("digits", f"var<workgroup> digits: array<u32, {many * _PLAIN_THREADS}>;")
    entry.leave_if("number >= run.step")
    entry.add(
        f"let begin = min(number * {_EACH * _PLAIN_THREADS}u + lane * {_EACH}u, run.count);",
        f"let end = min(begin + {_EACH}u, run.count);",
    )
    with entry.lines.braces(f"for (var d = 0u; d < {many}u; d++)"):
        entry.add(f"digits[d * {_PLAIN_THREADS}u + lane] = 0u;")
    with entry.lines.braces("for (var i = begin; i < end; i++)"):
        entry.add(f"digits[({_digit(f'{cells}[i]', bits)}) * {_PLAIN_THREADS}u + lane] += 1u;")
    entry.add("workgroupBarrier();")
    with entry.lines.braces(f"if (lane < {many}u)"):
        entry.add("let bin = lane * run.step + number;", "var place = 0u;")
        with entry.lines.braces("if (bin > 0u)"):
            entry.add(f"place = {counts}[bin - 1u];")
        with entry.lines.braces(f"for (var i = 0u; i < {_PLAIN_THREADS}u; i++)"):
            entry.add(
                f"let own = digits[lane * {_PLAIN_THREADS}u + i];",
                f"digits[lane * {_PLAIN_THREADS}u + i] = place;",
                "place += own;",
            )
    entry.add("workgroupBarrier();")
    with entry.lines.braces("for (var i = begin; i < end; i++)"):
        entry.add(
            f"let cell = {cells}[i];",
            f"let slot = ({_digit('cell', bits)}) * {_PLAIN_THREADS}u + lane;",
            "let place = digits[slot];",
            "digits[slot] = place + 1u;",
            f"{moved_cells}[place] = cell;",
            f"{moved_carried}[place] = {carried}[i];",
        )
    return entry.stage()

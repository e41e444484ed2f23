"""The shaders of sums of Floats that are the same in any order.

Where all values that meet in a cell are multiples of a power of two, the *unit*, and their magnitudes come to 2^24
units at most, no addition rounds: then they are added up as Ints by atomic operations, the positive ones and the
negative ones apart.  What shows that it is not so (or a -0, which sums of Ints lose) is noted in `facts`.

`run.first` is the unit: 1 stands for the smallest positive number, each one more for twice as much.
"""

from __future__ import annotations

import math

from kcheck.checker import ir
from kcheck.checker.types import FLOAT, Type
from kcheck.runtime.gpu.wgsl.entry import THREADS, Entry
from kcheck.runtime.gpu.wgsl.module import Module, Stage, Subject
from kcheck.runtime.gpu.wgsl.names import field_name
from kcheck.runtime.gpu.wgsl.scatter import NEAR_WORDS, Near, near, pair_of, place_of
from kcheck.runtime.gpu.wgsl.streams import streams_of

MOST = 1 << 24
"""The units up to which every number of them is a Float."""
UNITS = range(24, 254)
"""The units of which all numbers up to `MOST` are normal."""
MOST_UNWATCHED = (1 << 31) - 1
"""The units that all elements together may come to where nobody looks at sums before they are complete."""
FACTS = (0x7FFFFFFF, 0, 0)
"""The words of `facts` to begin with: the largest possible unit, the largest magnitude (its bits), what is amiss."""


def may_be_exact(type_: Type) -> bool:
    return type_ is FLOAT


def measure(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """What `facts` says for `limit` elements, which stand `step` apart."""
    entry = Entry(subject, functions=(schedule.element,))
    module = entry.module
    facts = module.buffer("facts", "atomic")
    pair = pair_of(subject)[0]
    for name in ("unit", "most"):
        module.declare(name, f"var<workgroup> {name}: atomic<i32>;")
    with entry.lines.braces("if (lane == 0u)"):
        entry.add(f"atomicStore(&unit, {FACTS[0]});", "atomicStore(&most, 0);")
    entry.add("workgroupBarrier();", f"let i = number * {THREADS}u + lane;")
    with entry.lines.braces("if (i < run.limit)"):
        entry.add("element = i * run.step;", f"let pair = {entry.names[schedule.element]}();")
        test, _ = place_of(entry, pair, schedule.into)
        with entry.lines.braces(f"if ({test})"):
            entry.add(f"let size = bitcast<u32>(pair.{field_name(pair, 1)}) & 0x7fffffffu;")
            with entry.lines.braces("if (size > 0u)"):
                entry.add(f"atomicMin(&unit, i32({_parts(module)}(size).unit));", "atomicMax(&most, i32(size));")
    entry.add("workgroupBarrier();")
    with entry.lines.braces("if (lane == 0u)"):
        entry.add(f"atomicMin(&{facts}[0], atomicLoad(&unit));", f"atomicMax(&{facts}[1], atomicLoad(&most));")
    return entry.stage()


def unit_for(facts: tuple[int, int, int], count: int, cells: int) -> tuple[int, bool] | None:
    """The unit to try after these facts of a sample, and whether each sum has to be watched on its way.

    It is finer than the sample asks for, half as far as the sums of evenly spread elements leave room.  They need not
    be watched where all elements together come to no more than `MOST_UNWATCHED`, with what room that leaves.  None
    where sums are hardly exact.
    """
    unit, most, _ = facts
    if unit not in UNITS:
        return None
    exponent, mantissa = max(most >> 23, 1), most & 0x7FFFFF
    units = (mantissa | (0x800000 if most >> 23 else 0)) * 2.0 ** (exponent - unit)
    if units > MOST or units / 4 * count / cells > MOST:
        return None
    finer = max(0, int(math.log2(MOST / units / max(1.0, count / cells)))) // 2
    is_watched = units * count > MOST_UNWATCHED
    if not is_watched:
        finer = min(finer, int(math.log2(MOST_UNWATCHED / (units * count))))
    return max(UNITS.start, unit - finer), is_watched


def most_units(count: int) -> int:
    """The units up to which a value is taken where sums are not watched."""
    return min(MOST, MOST_UNWATCHED // count)


def _parts(module: Module) -> str:
    text = """\
struct Parts {
  mantissa: u32,
  exponent: u32,
  unit: u32,
}
fn parts_of_size(size: u32) -> Parts {
  let mantissa = (size & 0x007fffffu) | select(0x00800000u, 0u, size < 0x00800000u);
  let exponent = max(size >> 23u, 1u);
  return Parts(mantissa, exponent, exponent + countTrailingZeros(mantissa));
}
"""
    return module.function("parts_of_size", lambda: text)


def _units(module: Module) -> str:
    """The function that gives how many units a magnitude is, more than `MOST` where that does not say it."""
    _parts(module)
    text = f"""\
fn units_of(size: u32) -> u32 {{
  let parts = parts_of_size(size);
  let shift = run.first + 1u - parts.exponent;
  let fits = shift <= 24u && parts.unit >= run.first;
  return select({MOST + 1}u, (parts.mantissa << 1u) >> (shift & 31u), fits || size == 0u);
}}
"""
    return module.function("units_of", lambda: text)


def _declare_add(entry: Entry, schedule: ir.CombineByAddress, where: str, *, is_watched: bool) -> None:
    """Declare `add(pair)`, which adds a value to one of the two sums that its cell has in the array `where`."""
    module, pair = entry.module, pair_of(entry.module.subject)[0]
    units, facts = _units(module), module.buffer("facts", "atomic")
    test, cell = place_of(entry, pair, schedule.into)
    amiss = [f"atomicStore(&{facts}[2], 1);"]
    most = str(MOST) if is_watched else "i32(run.limit)"
    if is_watched:  # the sum that passes `MOST` first is seen to do so
        added = [f"if (atomicAdd(&{where}[sum], found) > {MOST} - found) {{", *_indented(amiss), "}"]
    else:
        added = [f"atomicAdd(&{where}[sum], found);"]
    found = [
        f"let bits = bitcast<u32>(pair.{field_name(pair, 1)});",
        f"let found = i32({units}(bits & 0x7fffffffu));",
        f"let sum = ({cell}) * 2u + (bits >> 31u);",
        f"if (found > {most} || bits == 0x80000000u) {{",
        *_indented(amiss),
        "} else if (found > 0) {",
        *_indented(added),
        "}",
    ]
    head = f"fn add(pair: {module.types.name(pair)}) {{"
    body = [f"if ({test}) {{", *_indented(found), "}"]
    module.function("add", lambda: "\n".join([head, *_indented(body), "}"]))


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


def add(subject: Subject, schedule: ir.CombineByAddress, *, is_watched: bool) -> Stage:
    """Adds the values of all elements to `sums`; those that are not watched may have `limit` units."""
    entry = Entry(subject, functions=(schedule.element,))
    _declare_add(entry, schedule, entry.module.buffer("sums", "atomic"), is_watched=is_watched)
    entry.one_each()
    entry.add(f"add({entry.names[schedule.element]}());")
    return entry.stage()


def add_near(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """The same for `sums` of `limit` words, which fit workgroups: each takes `step` elements."""
    streams = streams_of(subject, (FLOAT,))
    entry = Entry(subject, THREADS, (schedule.element,), streams)
    sums, facts = entry.module.buffer("sums", "atomic"), entry.module.buffer("facts", "atomic")
    _declare_add(entry, schedule, "near", is_watched=True)
    near(entry, streams, Near(NEAR_WORDS, "0"), f"add({entry.names[schedule.element]}());")
    with entry.lines.braces(f"for (var w = lane; w < size; w += {THREADS}u)"):
        entry.add("let found = atomicLoad(&near[w]);", f"var amiss = found > {MOST};")
        with entry.lines.braces("if (found > 0)"):
            entry.add(f"amiss = amiss || atomicAdd(&{sums}[w], found) > {MOST} - found;")
        with entry.lines.braces("if (amiss)"):
            entry.add(f"atomicStore(&{facts}[2], 1);")
    return entry.stage()


def finish(subject: Subject, schedule: ir.CombineByAddress) -> Stage:
    """Adds `sums` to the target, to `results`."""
    entry = Entry(subject)
    module = entry.module
    units, facts = _units(module), module.buffer("facts", "atomic")
    target, sums, results = (
        module.buffer(f"in_{schedule.into}"),
        module.buffer("sums"),
        module.buffer("results", "write"),
    )
    entry.one_each()
    entry.add(
        f"let bits = {target}[element];",
        f"let up = {sums}[element * 2u];",
        f"let down = {sums}[element * 2u + 1u];",
        "var result = bits;",
        "var amiss = bits == 0x80000000u;",
    )
    with entry.lines.braces("if (up + down > 0u)"):
        entry.add(
            f"let own = {units}(bits & 0x7fffffffu);",
            f"amiss = own > {MOST}u || up + down + own > {MOST}u;",
            "let total = i32(up) - i32(down) + select(i32(own), -i32(own), bits >= 0x80000000u);",
            "let size = bitcast<u32>(f32(abs(total))) + (run.first << 23u) - (150u << 23u);",
            "result = select(size | select(0u, 0x80000000u, total < 0), 0u, total == 0);",
        )
    with entry.lines.braces("if (amiss)"):
        entry.add(f"atomicStore(&{facts}[2], 1);")
    entry.add(f"{results}[element] = result;")
    return entry.stage()

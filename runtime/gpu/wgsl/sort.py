"""The shaders of a stable sort of pairs by cell: radix, four bits a pass.

A workgroup takes a tile of `TILE` pairs, each invocation a run of `RUN` that follow one another.  `run.first` is how
far the digit of a pass lies to the left, `run.step` the number of tiles.
"""

from __future__ import annotations

from kcheck.runtime.gpu.wgsl.entry import Entry
from kcheck.runtime.gpu.wgsl.module import Stage, Subject

BITS = 4
DIGITS = 1 << BITS
RUN = 16
THREADS = 64
TILE = RUN * THREADS


def count(subject: Subject) -> Stage:
    """How often each digit occurs in each tile, to `counts`: all tiles of the digit 0, then those of 1, and so on."""
    entry = Entry(subject, THREADS)
    _count_runs(entry)
    counts = entry.module.buffer("counts", "write")
    with entry.lines.braces(f"if (lane < {DIGITS}u)"):
        entry.add("var total = 0u;")
        with entry.lines.braces(f"for (var i = 0u; i < {THREADS}u; i++)"):
            entry.add(f"total += digits[lane * {THREADS}u + i];")
        entry.add(f"{counts}[lane * run.step + number] = total;")
    return entry.stage()


def move(subject: Subject) -> Stage:
    """Moves the pairs to their places, to `moved_cells` and `moved_order`; `counts` holds running totals."""
    entry = Entry(subject, THREADS)
    _count_runs(entry)
    module = entry.module
    counts, order = module.buffer("counts"), module.buffer("order")
    moved_cells, moved_order = module.buffer("moved_cells", "write"), module.buffer("moved_order", "write")
    with entry.lines.braces(f"if (lane < {DIGITS}u)"):
        entry.add("let bin = lane * run.step + number;", "var place = 0u;")
        with entry.lines.braces("if (bin > 0u)"):
            entry.add(f"place = {counts}[bin - 1u];")
        with entry.lines.braces(f"for (var i = 0u; i < {THREADS}u; i++)"):
            entry.add(
                f"let own = digits[lane * {THREADS}u + i];",
                f"digits[lane * {THREADS}u + i] = place;",
                "place += own;",
            )
    entry.add("workgroupBarrier();")
    with entry.lines.braces("for (var i = begin; i < end; i++)"):
        entry.add(
            "let cell = cells[i];",
            f"let slot = ((cell >> run.first) & {DIGITS - 1}u) * {THREADS}u + lane;",
            "let place = digits[slot];",
            "digits[slot] = place + 1u;",
            f"{moved_cells}[place] = cell;",
            f"{moved_order}[place] = {order}[i];",
        )
    return entry.stage()


def _count_runs(entry: Entry) -> None:
    """Count the digits of each run: `digits` has the counts of all invocations for one digit in a row."""
    module = entry.module
    cells = module.buffer("cells")
    module.declare("digits", f"var<workgroup> digits: array<u32, {DIGITS * THREADS}>;")
    entry.leave_if("number >= run.step")
    entry.add(
        f"let begin = min(number * {TILE}u + lane * {RUN}u, run.count);",
        f"let end = min(begin + {RUN}u, run.count);",
    )
    with entry.lines.braces(f"for (var i = 0u; i < {DIGITS}u; i++)"):
        entry.add(f"digits[i * {THREADS}u + lane] = 0u;")
    with entry.lines.braces("for (var i = begin; i < end; i++)"):
        entry.add(f"digits[(({cells}[i] >> run.first) & {DIGITS - 1}u) * {THREADS}u + lane] += 1u;")
    entry.add("workgroupBarrier();")

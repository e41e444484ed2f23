"""Reductions: the results of all elements merged as a tree that depends on their number alone.

Neighbours are merged, the left one first, then the neighbours of what that gave, and so on; an odd last one waits for
the next round.  It is the interpreter's tree, so the bits are the same too.  Values lie piece by piece, one array for
each, so that the rounds can be vectorised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kcheck.checker import ir
from kcheck.runtime.jit.costs import Costs
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.expressions import call_function
from kcheck.runtime.jit.module import Compiled, Module, Wish, item_type
from kcheck.runtime.jit.numbers import intrinsic
from kcheck.runtime.jit.rows import Rows, argument_rows, own_rows, rows_behind
from kcheck.runtime.jit.schedules.blocks import Blocks
from kcheck.runtime.jit.schedules.driver import MORE, Driver
from kcheck.runtime.jit.storage import byte_size

_BLOCK_BYTES = 1 << 14
"""What the results of a block of elements may take: they stay in the nearest cache."""
_FEWEST = 64
_TOGETHER, _TOGETHER_DEAR = 4, 2
"""So many elements, a power of two, are merged before anything is written: fewer where they are dear, as the code for
each stands there once."""
_DEAR = 32
"""The units of a dear element."""
_min64 = intrinsic("llvm.smin.i64", "i64")


def block_size(module: Module) -> int:
    """The elements that are merged at once; a power of two, so that blocks do not show in the tree."""
    fitting = max(_FEWEST, _BLOCK_BYTES // byte_size(module.program.result))
    return 1 << fitting.bit_length() - 1


def write_fold(module: Module, schedule: ir.Fold, costs: Sequence[Costs], lanes: int) -> list[Compiled]:
    """`run`: the blocks `begin` to `end`, each to one value in the schedule's own memory.  `merge`: the values of
    `begin` (that is, all) blocks there to the output.  So many elements run in lockstep."""
    rounds = _write_rounds(module, schedule)
    return [_write_blocks(module, schedule, rounds, costs, lanes), _write_last(module, rounds)]


def _write_rounds(module: Module, schedule: ir.Fold) -> Compiled:
    """A function that merges the neighbours among `count` values: from one set of rows to another."""
    merge, result = module.functions[schedule.merge], module.program.result
    emitter = Emitter(module)
    code = emitter.code
    left, left_arguments = argument_rows(emitter, result, "from")
    right, right_arguments = argument_rows(emitter, result, "to")
    pairs = code.value("lshr i64 %count, 1")
    with emitter.rounds("0", pairs) as i:
        first = code.value(f"shl nuw nsw i64 {i}, 1")
        second = code.value(f"or disjoint i64 {first}, 1")
        values = [(result, left.get(first)), (result, left.get(second))]
        right.put(i, call_function(emitter, merge, result, values))
    odd = code.value("trunc i64 %count to i1")
    with code.only_if(odd):
        last = code.value("sub nuw nsw i64 %count, 1")
        right.put(pairs, left.get(last))
    code.close("ret void")
    emitter.finish()
    needs = tuple(emitter.needs)
    declared = [f"{item_type(need)} noalias %{need}" for need in needs]
    declared += [*left_arguments, *right_arguments, "i64 %count"]
    head = f"define internal void @round({', '.join(declared)}) noinline nounwind"
    module.texts.append(code.text(head))
    return Compiled("round", needs, emitter.whole_stack, emitter.whole_scratch)


def _write_blocks(module: Module, schedule: ir.Fold, rounds: Compiled, costs: Sequence[Costs], lanes: int) -> Compiled:
    driver, result = Driver(module, "run"), module.program.result
    element, merge = module.functions[schedule.element], module.functions[schedule.merge]
    code, emitter, size = driver.code, driver.emitter, block_size(module)
    # The schedule's memory: the number of all elements, the number of blocks, then their values.
    count = code.value(f"load i64, ptr %{MORE}, align 8")
    blocks = code.value(f"load i64, ptr {code.offset(f'%{MORE}', 8)}, align 8")
    partial = rows_behind(emitter, result, code.offset(f"%{MORE}", 16), blocks)
    one, two = own_rows(emitter, result, size), own_rows(emitter, result, size)
    with emitter.rounds("%begin", "%end") as block:
        first = code.value(f"mul nuw nsw i64 {block}, {size}")
        end = _min64(code, code.value(f"add nuw nsw i64 {first}, {size}"), count)
        held = code.value(f"sub nuw nsw i64 {end}, {first}")
        if lanes > 1:
            put = _putting(driver, one, first)
            Blocks(driver, schedule.element, costs, lanes, put).write(first, end)
        elif element.is_straight and merge.is_straight and not driver.needs_rows(element):
            together = _TOGETHER if costs[schedule.element].whole.units <= _DEAR else _TOGETHER_DEAR
            held = _write_together(driver, schedule, rounds, one, _Block(first, held, together))
        else:
            put = _putting(driver, one, first)
            with driver.elements(element, first, end, independent=True) as index:
                put(index, driver.call(element, result))
        partial.put(block, _merged(driver, rounds, one, two, held))
    return driver.finish()


def _putting(driver: Driver, rows: Rows, first: str) -> Callable[[str, Value], None]:
    """What puts the results of elements, by their numbers (i64), to rows that begin with that of `first`."""

    def put(index: str, value: Value) -> None:
        rows.put(driver.code.value(f"sub nuw nsw i64 {index}, {first}"), value)

    return put


@dataclass(frozen=True, slots=True)
class _Block:
    """The number (i64) of a block's first element, how many it has (i64), and how many are merged at once."""

    first: str
    count: str
    together: int


def _write_together(driver: Driver, schedule: ir.Fold, rounds: Compiled, rows: Rows, block: _Block) -> str:
    """The first rounds together with the elements themselves, in registers; answers how many values they leave."""
    module, code, emitter = driver.module, driver.code, driver.emitter
    element, result, together = module.functions[schedule.element], module.program.result, block.together
    parts = code.value(f"udiv i64 {block.count}, {together}")
    with emitter.rounds("0", parts, Wish.VECTORISED if module.is_plain else None) as part:
        start = code.value(f"mul nuw nsw i64 {part}, {together}")
        values = []
        for side in range(together):
            distance = code.value(f"add nuw nsw i64 {start}, {side}")
            driver.stand_at(code.value(f"add nuw nsw i64 {block.first}, {distance}"))
            values.append(driver.call(element, result))
        rows.put(part, _merged_here(driver, schedule, values))
    rest = code.value(f"urem i64 {block.count}, {together}")
    with code.only_if(code.value(f"icmp ne i64 {rest}, 0")):
        # As many rounds make one value of fewer elements too.
        one, two = (own_rows(emitter, result, together) for _ in range(2))
        done = code.value(f"sub nuw nsw i64 {block.count}, {rest}")
        start = code.value(f"add nuw nsw i64 {block.first}, {done}")
        with emitter.rounds("0", rest) as i:
            driver.stand_at(code.value(f"add nuw nsw i64 {start}, {i}"))
            one.put(i, driver.call(element, result))
        rows.put(parts, _merged(driver, rounds, one, two, rest))
    return code.value(f"udiv i64 {code.value(f'add nuw nsw i64 {block.count}, {together - 1}')}, {together}")


def _merged_here(driver: Driver, schedule: ir.Fold, values: list[Value]) -> Value:
    merge, result = driver.module.functions[schedule.merge], driver.module.program.result
    while len(values) > 1:
        pairs = zip(values[::2], values[1::2], strict=True)
        values = [driver.call(merge, result, [(result, left), (result, right)]) for left, right in pairs]
    return values[0]


def _merged(driver: Driver, rounds: Compiled, one: Rows, two: Rows, count: str) -> Value:
    """Merge `count` values in the first rows, the second ones as room; two rounds at a time."""
    code, emitter = driver.code, driver.emitter
    before, head, body, done = code.block, *(code.label(name) for name in ("merge", "more", "merged"))
    code.start(head)
    left, rest = code.name(), code.name()
    code.do(f"{left} = phi i64 [{count}, %{before}], [{rest}, %{body}]")
    code.branch(code.value(f"icmp ugt i64 {left}, 1"), body, done)
    code.start(body)
    half = _round(emitter, rounds, one, two, left)
    # One round more of a single value only moves it back.
    quarter = _round(emitter, rounds, two, one, half)
    code.do(f"{rest} = add i64 {quarter}, 0")
    code.jump(head)
    code.start(done)
    return one.get("0")


def _round(emitter: Emitter, rounds: Compiled, before: Rows, after: Rows, count: str) -> str:
    """Write one round; answers how many values it leaves."""
    emitter.calls(rounds)
    starts: Sequence[str] = [*before.starts, *after.starts]
    args = [*emitter.arguments(rounds), *(f"ptr {start}" for start in starts), f"i64 {count}"]
    emitter.code.do(f"call void @{rounds.name}({', '.join(args)})")
    one_more = emitter.code.value(f"add nuw nsw i64 {count}, 1")
    return emitter.code.value(f"lshr i64 {one_more}, 1")


def _write_last(module: Module, rounds: Compiled) -> Compiled:
    driver = Driver(module, "merge")
    code, emitter, result = driver.code, driver.emitter, module.program.result
    start = code.offset(f"%{MORE}", 16)
    one = rows_behind(emitter, result, start, "%end")
    size = code.value(f"mul nuw nsw i64 %end, {byte_size(result)}")
    two = rows_behind(emitter, result, code.offset(start, size), "%end")
    driver.write_result("0", _merged(driver, rounds, one, two, "%end"))
    return driver.finish()

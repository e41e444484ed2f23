"""What `auto` takes for a launch, and why: the processor, or a graphics device of its own where there is one.

The way to a device and back costs more than most work, so only three things speak for it: data that is to stay there,
or both many elements and much work for each word that has to be brought.
"""

from __future__ import annotations

import math

from kcheck.checker import ir, types
from kcheck.checker.prelude import ELEMENTARY_BUILTINS
from kcheck.runtime.backend import Launch
from kcheck.runtime.resident import is_resident

FEWEST = 1 << 20
"""The elements below which starting a device costs more than the work."""
DENSE = 64
"""The operations for each word moved from which a device makes good for the way: sixteen cores take about as long for
so many as the way takes, some 0.1 ns a word."""

_ELEMENTARY = 20
"""The operations of an elementary function."""
_ROUNDS = 16
"""The rounds that a loop is taken to have where they are not known."""


def for_device(launch: Launch) -> tuple[bool, str]:
    """Whether a launch is for a graphics device, should there be one, and why."""
    if is_resident(launch):
        return True, "its data stays on the device"
    if isinstance(launch.program.schedule, ir.OrderedWalk):
        return False, "a scan takes one element after the other, and a processor is quicker at that"
    count = math.prod(launch.shape)
    if count < FEWEST:
        return False, f"fewer than {FEWEST:,} elements are too few for a graphics device"
    if work(launch.program) < DENSE * max(1, words_moved(launch.program)):
        return False, "bringing its data to a graphics device would take longer than the work"
    return True, "much is to be done with many elements"


def words_moved(program: ir.Program) -> int:
    """The words that an element run takes from the inputs at its own place and gives to the outputs."""
    own = [port.type.element for port in program.inputs if port.name in program.sampled]
    return sum(types.leaf_count(type_) for type_ in (*own, program.result))


def work(program: ir.Program) -> float:
    """About how many operations an element run does; loops whose rounds are not known count as some."""
    costs: list[float] = []
    for function in program.functions:
        of: dict[int, float] = {}
        for node in reversed(list(ir.walk(function.body))):  # parts stand behind what they are parts of
            of[id(node)] = _work_of(node, of, costs)
        costs.append(of[id(function.body)])
    schedule = program.schedule
    return costs[schedule.element] + (costs[schedule.merge] if isinstance(schedule, ir.Fold) else 0)


def _work_of(node: ir.Node, of: dict[int, float], functions: list[float]) -> float:
    inside = sum(of[id(part)] for part in ir.children(node))
    match node:
        case ir.Const() | ir.Local() | ir.Block() | ir.Assign() | ir.Return() | ir.Param() | ir.Sample():
            return inside
        case ir.Call() | ir.CallStatement():
            return inside + functions[node.function]
        case ir.BuiltinCall() if node.builtin in ELEMENTARY_BUILTINS:
            return inside + _ELEMENTARY * types.leaf_count(node.type)
        case ir.Binary() | ir.Unary() | ir.BuiltinCall():
            return inside + types.leaf_count(node.type)
        case ir.Loop():
            ends = of[id(node.low)] + of[id(node.high)]
            return ends + _rounds(node) * (inside - ends + 1)
        case _:
            return inside + 1


def _rounds(loop: ir.Loop) -> int:
    match loop.low, loop.high:
        case ir.Const(leaves=(low,)), ir.Const(leaves=(high,)) if loop.until is None:
            return max(0, int(high) - int(low) + loop.closed)
        case _:
            return _ROUNDS

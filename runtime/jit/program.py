"""From a program to the text of its module, and what has to be known to run it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from kcheck.checker import ir
from kcheck.grammar.garbage import no_collection
from kcheck.grammar.recursion import deep_recursion
from kcheck.runtime.jit.costs import Costs
from kcheck.runtime.jit.functions import costs_of, write_functions
from kcheck.runtime.jit.library import library
from kcheck.runtime.jit.module import Compiled, Module, environment_of
from kcheck.runtime.jit.schedules.blocks import lanes_of, only_in_blocks
from kcheck.runtime.jit.schedules.elements import write_blocks, write_elements
from kcheck.runtime.jit.schedules.fold import block_size, write_fold
from kcheck.runtime.jit.schedules.lanes import write_lanes
from kcheck.runtime.jit.schedules.prefix import write_prefix
from kcheck.runtime.jit.schedules.scatter import is_unordered, write_scatter
from kcheck.runtime.jit.schedules.walk import write_walk
from kcheck.runtime.jit.storage import storage_of
from kcheck.runtime.jit.text import FAST_FLAGS


@dataclass(frozen=True, slots=True)
class Facts:
    """What a run needs to know of a module.

    The names of its drivers, the bytes that a worker's stack and scratch memory need, what an element costs (see
    `costs`), how many elements a fold merges or a map runs at once, and whether a scatter gives the same in any order.
    """

    drivers: tuple[str, ...]
    stack: int
    scratch: int
    units: float
    is_long: bool
    block: int
    is_unordered: bool
    for_few: bool
    """Whether the module is for few elements: for more there is one that takes longer to compile and less to run."""

    def suits(self, count: int) -> bool:
        """Whether the module is the right one for so many elements."""
        return not self.for_few or count * self.units < _FEW


_FEW = 1 << 24
"""Elements that cost so many units, all of them together, would be done before more was compiled."""


def fallible(program: ir.Program) -> Iterator[tuple[int, ir.Node]]:
    """The nodes that may fail, each with the position of its function: their numbers are the sites of errors."""
    for position, function in enumerate(program.functions):
        for node in ir.walk(function.body):
            if isinstance(node, (ir.At, ir.SampleAt, ir.Load, ir.Exchange)):
                yield position, node


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a module, what a run needs to know of it, and the machine code to be linked to it."""

    text: str
    facts: Facts
    linked: Sequence[bytes]


def write_module(program: ir.Program, empty: frozenset[str], *, fast: bool, count: int | None = None) -> Text:
    """The text of the module that runs a program when these of its ports have no elements.

    `count` is how many elements it will run over; None if that is not known.
    """
    with deep_recursion(), no_collection():
        prelude = library(fast)
        sites = {(position, node.id): site for site, (position, node) in enumerate(fallible(program))}
        names = [f"f{position}" for position in range(len(program.functions))]
        flags = FAST_FLAGS if fast else ""
        storage, environment = storage_of(program), environment_of(program)
        module = Module(program, names, prelude.functions, storage, environment, flags, empty, sites)
        costs = costs_of(program.functions, prelude.cost)
        lanes = lanes_of(module, costs)
        units = sum(costs[position].whole.units for position in _roles(program.schedule)) + 2
        for_few = lanes > 1 and count is not None and count * units < _FEW
        if for_few:
            lanes = 1
        write_functions(module, costs, only_in_blocks(program) if lanes > 1 else ())
        drivers = _write_drivers(module, costs, lanes)
    scheduled = [costs[position].whole for position in _roles(program.schedule)]
    facts = Facts(
        tuple(driver.name for driver in drivers),
        max(driver.stack for driver in drivers),
        max(driver.scratch for driver in drivers),
        units,
        any(cost.is_long for cost in scheduled),
        lanes if isinstance(program.schedule, ir.Elements) else block_size(module),
        is_unordered(program),
        for_few,
    )
    apart = not (isinstance(program.schedule, ir.Lanes) or lanes > 1 or all(cost.is_straight for cost in scheduled))
    texts = prelude.texts(module.from_prelude, apart=apart)
    return Text("".join([*texts, module.text()]), facts, prelude.linked(module.from_prelude) if apart else [])


def _roles(schedule: ir.Schedule) -> Iterator[int]:
    yield schedule.element
    if isinstance(schedule, ir.Fold):
        yield schedule.merge


def _write_drivers(module: Module, costs: Sequence[Costs], lanes: int) -> list[Compiled]:
    """The drivers of the program's schedule; so many elements of a map or reduction run in lockstep."""
    cost = costs[module.program.schedule.element].whole
    match module.program.schedule:
        case ir.Elements() as schedule if lanes > 1:
            return write_blocks(module, schedule.element, costs, lanes)
        case ir.Elements() as schedule:
            return write_elements(module, schedule.element)
        case ir.Lanes() as schedule:
            return write_lanes(module, schedule)
        case ir.Fold() as schedule:
            return write_fold(module, schedule, costs, lanes)
        case ir.OrderedWalk() as schedule:
            return write_walk(module, schedule)
        case ir.CombineByAddress() as schedule:
            return write_scatter(module, schedule)
        case ir.RunningCombine() as schedule:
            return write_prefix(module, schedule, cost)
        case schedule:
            assert_never(schedule)

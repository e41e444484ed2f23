"""Maps: every element on its own."""

from __future__ import annotations

from collections.abc import Sequence

from kcheck.runtime.jit.costs import Costs
from kcheck.runtime.jit.module import Compiled, Module
from kcheck.runtime.jit.schedules.blocks import Blocks
from kcheck.runtime.jit.schedules.driver import Driver


def write_elements(module: Module, element: int) -> list[Compiled]:
    """`run`: elements `begin` to `end`."""
    driver, function = Driver(module, "run"), module.functions[element]
    with driver.elements(function, independent=True) as index:
        driver.write_result(index, driver.call(function, module.program.result))
    return [driver.finish()]


def write_blocks(module: Module, element: int, costs: Sequence[Costs], lanes: int) -> list[Compiled]:
    """`run`: elements `begin` to `end`, so many at a time in lockstep."""
    driver = Driver(module, "run")
    Blocks(driver, element, costs, lanes, driver.write_result).write("%begin", "%end")
    return [driver.finish()]

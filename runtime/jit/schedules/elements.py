"""Maps: every element on its own."""

from __future__ import annotations

from kcheck.runtime.jit.module import Compiled, Module
from kcheck.runtime.jit.schedules.driver import Driver


def write_elements(module: Module, element: int) -> list[Compiled]:
    """`run`: elements `begin` to `end`."""
    driver, function = Driver(module, "run"), module.functions[element]
    with driver.elements(function, independent=True) as index:
        driver.write_result(index, driver.call(function, module.program.result))
    return [driver.finish()]

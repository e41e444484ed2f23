"""Scatters: pairs of an address and a value, combined with the target's elements in the order of the elements.

Where the order does not matter (sums of Ints, minima, maxima) threads may have a target each: `clear` makes it one that
changes nothing, and `join` puts it to the output.
"""

from __future__ import annotations

from kcheck.checker import ir
from kcheck.checker.ir import CombineOp
from kcheck.checker.types import FLOAT, contains
from kcheck.runtime.jit.combine import apply_pair, combine_into, identity
from kcheck.runtime.jit.module import Compiled, Module
from kcheck.runtime.jit.reads import element_place
from kcheck.runtime.jit.schedules.driver import MORE, Driver
from kcheck.runtime.jit.storage import byte_size


def is_unordered(program: ir.Program) -> bool:
    """Whether a program is a scatter that gives the same bits in any order."""
    match program.schedule:
        case ir.CombineByAddress(op=CombineOp.MIN | CombineOp.MAX):
            return True
        case ir.CombineByAddress(op=CombineOp.SUM):
            return not contains(program.outputs[0].type.element, FLOAT)
        case _:
            return False


def write_scatter(module: Module, schedule: ir.CombineByAddress) -> list[Compiled]:
    drivers = [_write_run(module, schedule)]
    if is_unordered(module.program):
        drivers += [_write_clear(module, schedule), _write_join(module, schedule)]
    return drivers


def _write_run(module: Module, schedule: ir.CombineByAddress) -> Compiled:
    """The pairs of some elements into the output, which holds a target already."""
    driver, element = Driver(module, "run"), module.functions[schedule.element]
    with driver.elements(element):
        apply_pair(driver.emitter, module.program.result, driver.call(element, module.program.result))
    return driver.finish()


def _write_clear(module: Module, schedule: ir.CombineByAddress) -> Compiled:
    driver = Driver(module, "clear")
    [output] = module.program.outputs
    nothing = identity(driver.emitter, schedule.op, output.type.element)
    with driver.emitter.rounds("%begin", "%end") as index:
        driver.write_element(output, index, nothing)
    return driver.finish()


def _write_join(module: Module, schedule: ir.CombineByAddress) -> Compiled:
    """The elements of a thread's target, which is the schedule's own memory here, to those of the output."""
    driver = Driver(module, "join")
    emitter = driver.emitter
    [output] = module.program.outputs
    element = output.type.element
    with emitter.rounds("%begin", "%end") as index:
        distance = driver.code.value(f"mul nuw nsw i64 {index}, {byte_size(element)}")
        value = emitter.load(driver.code.offset(f"%{MORE}", distance), element)
        combine_into(emitter, schedule.op, element_place(emitter, output.name, index), element, value)
    return driver.finish()

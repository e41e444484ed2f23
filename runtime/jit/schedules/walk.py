"""Scans: one element after the other, each with what the one before gave."""

from __future__ import annotations

from kcheck.checker import ir
from kcheck.checker.types import Scalar
from kcheck.runtime.jit.expressions import call_function
from kcheck.runtime.jit.module import Compiled, Module
from kcheck.runtime.jit.reads import element_place
from kcheck.runtime.jit.schedules.driver import MORE, Driver
from kcheck.runtime.jit.storage import Piece


def write_walk(module: Module, schedule: ir.OrderedWalk) -> list[Compiled]:
    """`start` puts the first carry into the schedule's own memory; `run` goes on from what is there."""
    return [_write_start(module, schedule), _write_steps(module, schedule)]


def _write_start(module: Module, schedule: ir.OrderedWalk) -> Compiled:
    driver, result = Driver(module, "start"), module.program.result
    init = module.functions[schedule.init]
    driver.emitter.store(f"%{MORE}", result, driver.call(init, result))
    return driver.finish()


def _write_steps(module: Module, schedule: ir.OrderedWalk) -> Compiled:
    """Scalars are carried in registers.  A stored array stays in the output, where the next step finds it."""
    driver, element, result = Driver(module, "run"), module.functions[schedule.element], module.program.result
    emitter, code = driver.emitter, driver.code
    [output] = module.program.outputs
    pieces = emitter.pieces(result)
    first = emitter.load(f"%{MORE}", result)
    carry = [emitter.variable(p) if isinstance(p, Scalar) else code.alloca("ptr", 8, 8) for p in pieces]
    for piece, place, part in zip(pieces, carry, first, strict=True):
        _hold(driver, piece, place, part)
    with driver.elements(element) as index:
        held = [_held(driver, piece, place) for piece, place in zip(pieces, carry, strict=True)]
        here = emitter.places(element_place(emitter, output.name, index), result)
        rooms = [emitter.variable(p) if isinstance(p, Scalar) else place for p, place in zip(pieces, here, strict=True)]
        following = call_function(emitter, element, result, [(result, held)], rooms)
        for piece, place, room, part in zip(pieces, carry, here, following, strict=True):
            if isinstance(piece, Scalar):
                emitter.store_scalar(room, piece, part)
            _hold(driver, piece, place, part)
    emitter.store(f"%{MORE}", result, [_held(driver, piece, place) for piece, place in zip(pieces, carry, strict=True)])
    return driver.finish()


def _hold(driver: Driver, piece: Piece, place: str, part: str) -> None:
    if isinstance(piece, Scalar):
        driver.emitter.store_scalar(place, piece, part)
    else:
        driver.code.do(f"store ptr {part}, ptr {place}")


def _held(driver: Driver, piece: Piece, place: str) -> str:
    return (
        driver.emitter.load_scalar(place, piece)
        if isinstance(piece, Scalar)
        else driver.code.value(f"load ptr, ptr {place}")
    )

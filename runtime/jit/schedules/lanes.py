"""Groups: elements that run side by side and exchange values."""

from __future__ import annotations

from kcheck.checker import ir
from kcheck.checker.ir import Effect
from kcheck.runtime.jit.module import Compiled, Module
from kcheck.runtime.jit.numbers import intrinsic
from kcheck.runtime.jit.rows import own_rows
from kcheck.runtime.jit.schedules.driver import Driver
from kcheck.runtime.jit.schedules.elements import write_elements
from kcheck.runtime.jit.schedules.groups import call_group

_min64 = intrinsic("llvm.smin.i64", "i64")


def write_lanes(module: Module, schedule: ir.Lanes) -> list[Compiled]:
    """`run`: the whole groups from element `begin` on, up to `end`; only the domain's last group may be partial."""
    if Effect.EXCHANGE not in module.program.functions[schedule.element].effects:
        return write_elements(module, schedule.element)
    driver, function, size = Driver(module, "run"), module.functions[schedule.element], schedule.size
    code, emitter = driver.code, driver.emitter
    results = own_rows(emitter, module.program.result, size)
    first_group = code.value(f"udiv i64 %begin, {size}")
    past = code.value(f"add nuw nsw i64 %end, {size - 1}")
    with emitter.rounds(first_group, code.value(f"udiv i64 {past}, {size}")) as group:
        first = code.value(f"mul nuw nsw i64 {group}, {size}")
        left = code.value(f"sub nuw nsw i64 %end, {first}")
        lanes = _min64(code, left, str(size))
        call_group(emitter, function, [results], first, lanes)
        with emitter.rounds("0", lanes) as lane:
            index = code.value(f"add nuw nsw i64 {first}, {lane}")
            driver.write_result(index, results.get(lane))
    return [driver.finish()]

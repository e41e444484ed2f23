"""Prefixes: at each element the combination of all elements up to it, scalar by scalar.

Sums of Ints, minima and maxima are the same in any grouping.  Every chunk goes on from what all chunks before it come
to.  Where that is not known yet, as another thread is still at it, the chunk finds first what it comes to itself, for
the next one not to wait as long, and runs over its elements a second time, which then are in the cache.  Elements that
are dear are not computed twice, but written to the output at first.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from kcheck.checker import ir
from kcheck.checker.ir import CombineOp
from kcheck.checker.types import FLOAT, Type
from kcheck.runtime.jit.combine import combine_into, identity
from kcheck.runtime.jit.costs import Cost
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.module import Compiled, Module
from kcheck.runtime.jit.numbers import (
    bits_as_int,
    float_of_bits,
    from_key,
    int_max,
    int_min,
    ordered_key,
)
from kcheck.runtime.jit.reads import element_place
from kcheck.runtime.jit.schedules.driver import MORE, Driver
from kcheck.runtime.jit.storage import Piece, byte_size

_DEAR = 32
"""The units of an element that is not computed twice."""
_LINE, SLOTS_START = 64, 64
"""Slots do not share lines of the cache, which are thought to have so many bytes."""
_VALUE = 8
"""Where the value lies in a slot."""


def slot_size(type_: Type) -> int:
    """The bytes of a chunk's slot: a flag that says whether it is filled, and what all chunks before it come to."""
    return -(-(_VALUE + byte_size(type_)) // _LINE) * _LINE


def write_prefix(module: Module, schedule: ir.RunningCombine, cost: Cost) -> list[Compiled]:
    """`start` fills the first chunk's slot; `run` takes the elements of a chunk, and fills the next one's.

    The schedule's own memory, in which all is zero at first, has the length of chunks, and from `SLOTS_START` on a slot
    for every chunk and one more.
    """
    return [_write_start(module, schedule), _write_run(module, schedule, is_kept=cost.units > _DEAR)]


def _write_start(module: Module, schedule: ir.RunningCombine) -> Compiled:
    driver, result = Driver(module, "start"), module.program.result
    _Slot(driver, "0").fill(identity(driver.emitter, schedule.op, result))
    return driver.finish()


def _write_run(module: Module, schedule: ir.RunningCombine, *, is_kept: bool) -> Compiled:
    driver, element, result = Driver(module, "run"), module.functions[schedule.element], module.program.result
    emitter, code = driver.emitter, driver.code
    module.texts.append("declare i32 @sched_yield()\n")
    length = code.value(f"load i64, ptr %{MORE}, align 8")
    chunk = code.value(f"udiv i64 %begin, {length}")
    before, after = _Slot(driver, chunk), _Slot(driver, code.value(f"add nuw nsw i64 {chunk}, 1"))
    is_known = before.is_filled()
    with code.only_if(code.value(f"xor i1 {is_known}, true")):
        total = _total(driver, schedule, is_kept=is_kept)
        before.wait()
        total.take(before.value())
        after.fill(total.value())
    running = [emitter.variable(piece) for piece in emitter.pieces(result)]
    emitter.put(running, result, before.value())
    with driver.elements(element) as index:
        if is_kept:
            value = emitter.choose(
                is_known, result, lambda: driver.call(element, result), lambda: _written(driver, index)
            )
        else:
            value = driver.call(element, result)
        _take(emitter, schedule.op, result, running, value)
        driver.write_result(index, emitter.get(running, result))
    with code.only_if(is_known):
        after.fill(emitter.get(running, result))
    return driver.finish()


def _total(driver: Driver, schedule: ir.RunningCombine, *, is_kept: bool) -> _Running:
    """What the elements of the chunk come to; those that are kept go to the output."""
    module, result = driver.module, driver.module.program.result
    element = module.functions[schedule.element]
    total = _Running(driver.emitter, schedule.op, result)
    total.start(identity(driver.emitter, schedule.op, result))
    with driver.elements(element, independent=True) as index:
        value = driver.call(element, result)
        total.take(value)
        if is_kept:
            driver.write_result(index, value)
    return total


def _written(driver: Driver, index: str) -> Value:
    [output] = driver.module.program.outputs
    return driver.emitter.load(element_place(driver.emitter, output.name, index), output.type.element)


class _Slot:
    """The slot of a chunk (i64), which one thread fills and others look at."""

    def __init__(self, driver: Driver, chunk: str) -> None:
        self._driver, self._code = driver, driver.code
        self._type = driver.module.program.result
        distance = self._code.value(f"mul nuw nsw i64 {chunk}, {slot_size(self._type)}")
        self._flag = self._code.offset(self._code.offset(f"%{MORE}", SLOTS_START), distance)
        self._value = self._code.offset(self._flag, _VALUE)

    def fill(self, value: Value) -> None:
        self._driver.emitter.store(self._value, self._type, value)
        self._code.do(f"store atomic i32 1, ptr {self._flag} release, align 8")

    def is_filled(self) -> str:
        """An i1; where it is true, the value can be read from here on."""
        flag = self._code.value(f"load atomic i32, ptr {self._flag} acquire, align 8")
        return self._code.value(f"icmp ne i32 {flag}, 0")

    def wait(self) -> None:
        """Until it is filled, or the run is to stop.  The thread that fills it has its chunk already and never waits
        for a later one."""
        code = self._code
        look, again, done = (code.label(name) for name in ("look", "again", "known"))
        code.start(look)
        code.branch(self.is_filled(), done, again)
        code.start(again)
        if hasattr(os, "sched_yield"):
            # The thread may have been put aside, on this very core.
            code.do("call i32 @sched_yield()")
        code.branch(self._driver.emitter.stopped(), done, look)
        code.start(done)

    def value(self) -> Value:
        return self._driver.emitter.load(self._value, self._type)


def _take(emitter: Emitter, op: CombineOp, type_: Type, running: Sequence[str], value: Value) -> None:
    """Combine the value of one element more."""
    for piece, place, part in zip(emitter.pieces(type_), running, value, strict=True):
        if piece is FLOAT:
            # Most elements are no new extreme, which one comparison tells.
            order = "ogt" if op is CombineOp.MIN else "olt"
            behind = emitter.code.value(f"fcmp {order} float {part}, {emitter.load_scalar(place, FLOAT)}")
            with emitter.code.only_if(emitter.code.value(f"xor i1 {behind}, true")):
                combine_into(emitter, op, place, FLOAT, [part])
        else:
            combine_into(emitter, op, place, piece, [part])


class _Running:
    """The combination of many values in any order.

    Floats are combined by their keys, the Ints that are ordered as they are: LLVM knows how to do that for several
    elements at once.  A key is held by the Float that has its bits.
    """

    def __init__(self, emitter: Emitter, op: CombineOp, type_: Type) -> None:
        self._emitter, self._op, self._type = emitter, op, type_
        self._pieces = emitter.pieces(type_)
        self._places = [emitter.variable(piece) for piece in self._pieces]

    def start(self, value: Value) -> None:
        keys = [self._key(piece, part) for piece, part in zip(self._pieces, value, strict=True)]
        self._emitter.put(self._places, self._type, keys)

    def take(self, value: Value) -> None:
        for piece, place, part in zip(self._pieces, self._places, value, strict=True):
            if piece is FLOAT:
                code = self._emitter.code
                old, new = (
                    bits_as_int(code, x) for x in (self._emitter.load_scalar(place, FLOAT), self._key(FLOAT, part))
                )
                best = (int_min if self._op is CombineOp.MIN else int_max)(code, old, new)
                self._emitter.store_scalar(place, FLOAT, float_of_bits(code, best))
            else:
                combine_into(self._emitter, self._op, place, piece, [part])

    def value(self) -> Value:
        code, keys = self._emitter.code, self._emitter.get(self._places, self._type)
        return [
            from_key(code, bits_as_int(code, part)) if piece is FLOAT else part
            for piece, part in zip(self._pieces, keys, strict=True)
        ]

    def _key(self, piece: Piece, part: str) -> str:
        if piece is not FLOAT:
            return part
        code = self._emitter.code
        return float_of_bits(code, ordered_key(code, part, _NEVER[self._op]))


_NEVER = {CombineOp.MIN: 2**31 - 1, CombineOp.MAX: -(2**31)}
"""The keys of what can win no minimum, and no maximum; read back they are NaNs."""

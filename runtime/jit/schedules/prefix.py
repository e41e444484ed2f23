"""Prefixes: at each element the combination of all elements up to it, scalar by scalar.

Sums of Ints, minima and maxima are the same in any grouping.  So what each chunk comes to is found first (`total`),
then what comes before each chunk (`join`), and then every chunk runs from there (`run`).  The elements are computed
twice, which costs less than to write them and read them again; those that are dear are written to the output at first.
"""

from __future__ import annotations

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


def write_prefix(module: Module, schedule: ir.RunningCombine, cost: Cost) -> list[Compiled]:
    """The schedule's own memory holds the length of chunks, and then a value for each chunk."""
    is_kept = cost.units > _DEAR
    return [
        _write_total(module, schedule, is_kept),
        _write_join(module, schedule),
        _write_run(module, schedule, is_kept),
    ]


def _write_total(module: Module, schedule: ir.RunningCombine, is_kept: bool) -> Compiled:
    """The elements of one chunk to one value."""
    driver, element, result = Driver(module, "total"), module.functions[schedule.element], module.program.result
    running = _Running(driver.emitter, schedule.op, result)
    running.start(identity(driver.emitter, schedule.op, result))
    place = _chunk_value(driver, result)
    with driver.elements(element, independent=True) as index:
        value = driver.call(element, result)
        running.take(value)
        if is_kept:
            driver.write_result(index, value)
    driver.emitter.store(place, result, running.value())
    return driver.finish()


def _write_join(module: Module, schedule: ir.RunningCombine) -> Compiled:
    """In place of the value of every chunk, that of all chunks before it."""
    driver, result = Driver(module, "join"), module.program.result
    emitter = driver.emitter
    running = _Running(emitter, schedule.op, result)
    running.start(identity(emitter, schedule.op, result))
    held = [emitter.variable(piece) for piece in emitter.pieces(result)]
    with emitter.rounds("%begin", "%end") as chunk:
        place = _value_at(driver, result, chunk)
        emitter.put(held, result, emitter.load(place, result))
        emitter.store(place, result, running.value())
        running.take(emitter.get(held, result))
    return driver.finish()


def _write_run(module: Module, schedule: ir.RunningCombine, is_kept: bool) -> Compiled:
    """The elements of one chunk, from what comes before it on."""
    driver, element, result = Driver(module, "run"), module.functions[schedule.element], module.program.result
    emitter = driver.emitter
    running = [emitter.variable(piece) for piece in emitter.pieces(result)]
    emitter.put(running, result, emitter.load(_chunk_value(driver, result), result))
    if is_kept:
        with emitter.rounds("%begin", "%end") as index:
            _take(emitter, schedule.op, result, running, _output(driver, index))
            driver.write_result(index, emitter.get(running, result))
    else:
        with driver.elements(element) as index:
            _take(emitter, schedule.op, result, running, driver.call(element, result))
            driver.write_result(index, emitter.get(running, result))
    return driver.finish()


def _output(driver: Driver, index: str) -> Value:
    [output] = driver.module.program.outputs
    return driver.emitter.load(element_place(driver.emitter, output.name, index), output.type.element)


def _chunk_value(driver: Driver, type_: Type) -> str:
    """Where the value of the chunk at hand lies."""
    length = driver.code.value(f"load i64, ptr %{MORE}, align 1")
    return _value_at(driver, type_, driver.code.value(f"udiv i64 %begin, {length}"))


def _value_at(driver: Driver, type_: Type, chunk: str) -> str:
    distance = driver.code.value(f"mul nuw nsw i64 {chunk}, {byte_size(type_)}")
    return driver.code.offset(driver.code.offset(f"%{MORE}", 8), distance)


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

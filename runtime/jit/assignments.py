"""Assignments to locals and to their parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from kcheck.checker import ir
from kcheck.checker.types import Array, Type, length_of, parts
from kcheck.runtime.jit.emitter import Emitter, Value
from kcheck.runtime.jit.expressions import element_place, field_span


def count_assignments(function: ir.Function) -> Counter[int]:
    """How often something stands that changes a local; what changes a part of it counts more."""
    found: Counter[int] = Counter()
    for node in ir.walk(function.body):
        match node:
            case ir.Assign():
                found[node.local] += 2 if node.steps else 1
            case ir.Load() | ir.Loop():
                found[node.local] += 1
            case ir.CallStatement() if node.local is not None:
                found[node.local] += 1
    return found


@dataclass(frozen=True, slots=True)
class Target:
    """What is assigned to: a pointer for each piece."""

    type: Type
    places: list[str]


def assign_part(
    emitter: Emitter, target: Target, steps: Sequence[ir.TargetStep], indices: Sequence[str], value: Value
) -> None:
    """Assign at the end of the steps; `indices` are the computed ones.  Outside of anything, all is dropped."""
    if not steps:
        emitter.put(target.places, target.type, value)
        return
    step, rest = steps[0], steps[1:]
    match step:
        case ir.FieldStep():
            assign_part(emitter, _field(emitter, target, step.index), rest, indices, value)
        case ir.SwizzleStep():
            for component, part in zip(step.components, value, strict=True):
                emitter.code.do(f"store float {part}, ptr {target.places[component]}, align 1")
        case ir.IndexStep():
            for here, element in _elements(emitter, target, indices[0]):
                with emitter.code.only_if(here):
                    assign_part(emitter, element, rest, indices[1:], value)
        case _:
            assert_never(step)


def _field(emitter: Emitter, target: Target, index: int) -> Target:
    type_ = target.type
    span = field_span(emitter, type_, index)
    return Target(parts(type_)[index], target.places[span])


def _elements(emitter: Emitter, target: Target, index: str) -> Iterator[tuple[str, Target]]:
    """The parts that an index may mean, each with the condition (i1) under which it does."""
    code, type_, part = emitter.code, target.type, parts(target.type)[0]
    if isinstance(type_, Array) and emitter.module.storage.is_stored(type_):
        inside = code.value(f"icmp ult i32 {index}, {type_.length}")
        place = element_place(emitter, type_, target.places[0], index)
        offsets = emitter.module.storage.offsets(part)
        yield inside, Target(part, [code.offset(place, offset) for offset in offsets])
        return
    width = len(emitter.pieces(part))
    for i in range(length_of(type_)):
        here = code.value(f"icmp eq i32 {index}, {i}")
        yield here, Target(part, target.places[i * width : (i + 1) * width])

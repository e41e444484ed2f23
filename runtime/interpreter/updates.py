"""Assignments to locals and to their parts.

Values are never changed in place, since any number of locals may share one: an assignment makes a new value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never, cast

import numpy as np

from kcheck.checker import ir
from kcheck.checker.types import Array, Mat, Struct, Type, Vec, length_of, parts
from kcheck.runtime.interpreter.expressions import compile_expression, compile_scalars
from kcheck.runtime.interpreter.frames import NOBODY, Execute, Frame, Mask, lane_count, narrow
from kcheck.runtime.interpreter.functions import Scope
from kcheck.runtime.interpreter.values import (
    Value,
    an_int,
    element,
    expand,
    map_pairs,
    pick,
    select,
    spread,
)
from kcheck.runtime.layout import AnyArray


def set_local(frame: Frame, local: int, value: Value, mask: Mask, fresh: bool) -> None:
    """Give a local a value in the active lanes.

    `fresh` says that no value from before can be read any more in any lane, so there is nothing to keep.
    """
    old = frame.locals[local]
    frame.locals[local] = value if mask is None or fresh or old is None else select(mask, value, old)


def compile_assign(node: ir.Assign, scope: Scope, fresh: bool) -> Execute:
    value, local = compile_expression(node.value, scope), node.local
    if node.steps:
        return _assign_part(node, scope)

    def execute(frame: Frame, mask: Mask) -> Mask:
        set_local(frame, local, value(frame, mask), mask, fresh)
        return mask

    return execute


def _assign_part(node: ir.Assign, scope: Scope) -> Execute:
    value, local = compile_expression(node.value, scope), node.local
    steps = _compile_steps(node.steps, scope.type_of(local), scope)

    def execute(frame: Frame, mask: Mask) -> Mask:
        new = value(frame, mask)
        path, hit = _evaluate_steps(steps, frame, mask)
        old = frame.locals[local]
        if hit is not NOBODY and old is not None:
            frame.locals[local] = _updated(old, path, new, hit)
        return mask

    return execute


# ---------------------------------------------------------------- steps


@dataclass(frozen=True, slots=True)
class _Index:
    """A step to the part number `index` (Int per lane, or uniform) of `length`."""

    index: AnyArray
    length: int


_Step = int | tuple[int, ...] | _Index
"""A step with its index evaluated: a field's number, components of a vector, or an index."""

_MakeStep = Callable[[Frame, Mask], _Step]


def _compile_steps(steps: Sequence[ir.TargetStep], type_: Type, scope: Scope) -> list[_MakeStep]:
    made = []
    for step in steps:
        made.append(_compile_step(step, type_, scope))
        type_ = _step_type(step, type_)
    return made


def _compile_step(step: ir.TargetStep, type_: Type, scope: Scope) -> _MakeStep:
    match step:
        case ir.FieldStep():
            return lambda frame, mask: step.index
        case ir.SwizzleStep():
            return lambda frame, mask: step.components
        case ir.IndexStep():
            index, length = compile_scalars(step.index, scope), length_of(type_)
            return lambda frame, mask: _Index(index(frame, mask), length)
        case _:
            assert_never(step)


def _step_type(step: ir.TargetStep, type_: Type) -> Type:
    """The type of what the step leads to; of no use behind the last one."""
    match type_:
        case Struct():
            return type_.fields[step.index].type if isinstance(step, ir.FieldStep) else type_
        case Array() | Mat() | Vec():
            return parts(type_)[0]
        case _:
            return type_


def _evaluate_steps(steps: Sequence[_MakeStep], frame: Frame, mask: Mask) -> tuple[list[_Step], Mask]:
    """The path, and the lanes in which every index on it is of a part that exists."""
    path = []
    hit = mask
    for make in steps:
        step = make(frame, mask)
        path.append(step)
        if isinstance(step, _Index) and hit is not NOBODY:
            hit = narrow(hit, (step.index >= an_int(0)) & (step.index < an_int(step.length)))
    return path, hit


# ---------------------------------------------------------------- new values from old ones


def _updated(old: Value, path: Sequence[_Step], new: Value, mask: Mask) -> Value:
    """`old` with the part at `path` replaced in the active lanes."""
    if not path:
        return new if mask is None else select(mask, new, old)
    step, rest = path[0], path[1:]
    match step:
        case int():
            fields = cast(tuple[Value, ...], old)
            return (*fields[:step], _updated(fields[step], rest, new, mask), *fields[step + 1 :])
        case tuple():
            return _with_components(cast(AnyArray, old), step, cast(AnyArray, new), mask)
        case _Index():
            part = _updated(element(old, step.index, step.length), rest, new, mask) if rest else new
            return map_pairs(lambda whole, leaf: _with_element(whole, step.index, leaf, mask), old, part)


def _with_components(old: AnyArray, components: tuple[int, ...], new: AnyArray, mask: Mask) -> AnyArray:
    columns = new[:, None] if new.ndim == 1 else new.reshape(1, 1) if new.ndim == 0 else new
    result = spread(old, _lanes(mask, old, new))
    for i, component in enumerate(components):
        kept = result[:, component]
        result[:, component] = columns[:, i] if mask is None else pick(mask, columns[:, i], kept)
    return result


def _with_element(old: AnyArray, index: AnyArray, new: AnyArray, mask: Mask) -> AnyArray:
    """One leaf, an array `(n, length, …)`, with the elements at `index` replaced."""
    result = spread(old, _lanes(mask, old, new, index))
    if index.size == 1:
        position = index.item()
        kept = result[:, position]
        result[:, position] = new if mask is None else pick(expand(mask, kept.ndim), new, kept)
    else:
        lanes = np.arange(index.size) if mask is None else np.flatnonzero(mask)
        result[lanes, index[lanes]] = new if new.shape[:1] in ((), (1,)) else new[lanes]
    return result


def _lanes(mask: Mask, *leaves: AnyArray) -> int:
    return lane_count(*leaves) if mask is None else mask.size

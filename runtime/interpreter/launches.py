"""From a launch to what its blocks share, and from what they wrote to fields."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kcheck.checker import ir
from kcheck.checker.types import Field as FieldType
from kcheck.checker.types import Type
from kcheck.runtime.backend import Cancelled, Launch
from kcheck.runtime.fields import Field, field_of
from kcheck.runtime.interpreter.frames import Run, Source
from kcheck.runtime.interpreter.values import Value, map_leaves, tidy, views
from kcheck.runtime.layout import AnyArray, base_dtype, inner_shape
from kcheck.runtime.outputs import output_extent, output_shape


def start_run(launch: Launch, memories: Mapping[str, Field], cancelled: Cancelled) -> Run:
    """The run of a launch; `memories` are those that it may write."""
    program = launch.program
    ports = {**launch.inputs, **memories}
    output = dict.fromkeys((port.name for port in program.outputs), output_shape(launch))
    box = output_extent(launch)
    return Run(
        program=program,
        inputs={name: source_of(field) for name, field in launch.inputs.items()},
        memories={name: source_of(field) for name, field in memories.items()},
        params=param_values(program, launch.params),
        sizes={name: shape[::-1] for name, shape in output.items()}
        | {name: field.shape[::-1] for name, field in ports.items()},
        extents=dict.fromkeys(output, box.size) | {name: field.extent.size for name, field in ports.items()},
        domain=launch.shape[::-1],
        group=program.schedule.size if isinstance(program.schedule, ir.Lanes) else 1,
        cancelled=cancelled,
    )


def source_of(field: Field) -> Source:
    """A port's elements in a row."""
    count = math.prod(field.shape)
    return Source(_elements(field.type, field.data, count), field.shape[::-1], count)


def _elements(type_: FieldType, data: AnyArray, count: int) -> Value:
    return views(type_.element, data.reshape((count, *inner_shape(type_.element))))


def param_values(program: ir.Program, params: Mapping[str, AnyArray]) -> dict[str, Value]:
    """The params as uniform values."""
    return {param.name: uniform(param.type, params[param.name]) for param in program.params}


def uniform(type_: Type, data: AnyArray) -> Value:
    """One value in the layout of `runtime.layout` as a value for all lanes."""
    return map_leaves(tidy, views(type_, data[None]))


@dataclass(frozen=True, slots=True)
class Results:
    """New arrays for the outputs of a launch.

    `elements` is the tree of views that takes what element runs give (`Program.result`), in a row.
    """

    fields: Mapping[str, Field]
    elements: Value


def new_results(launch: Launch) -> Results:
    """Fields for the outputs, every element of which is still to be written."""
    shape, box = output_shape(launch), output_extent(launch)
    fields = {
        port.name: field_of(port.type, unwritten(port.type.element, shape), box) for port in launch.program.outputs
    }
    rows = [_elements(field.type, field.data, math.prod(shape)) for field in fields.values()]
    return Results(fields, rows[0] if len(rows) == 1 else tuple(rows))


def unwritten(type_: Type, shape: tuple[int, ...]) -> AnyArray:
    """An array for elements that are all to be written."""
    return np.empty(shape + inner_shape(type_), base_dtype(type_))


def copied(fields: Mapping[str, Field]) -> dict[str, Field]:
    """Private copies, to write to."""
    return {name: Field(field.type, field.data.copy(), field.extent) for name, field in fields.items()}

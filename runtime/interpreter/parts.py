"""The parts of a reduction on the interpreter, for the prover, whose values know nothing of arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kcheck.checker import ir, types
from kcheck.checker.law.evaluate import Case, Leaves, SmallField
from kcheck.checker.types import Type
from kcheck.runtime.backend import Launch
from kcheck.runtime.fields import Field, field_of
from kcheck.runtime.interpreter.interpreter import Interpreter
from kcheck.runtime.layout import AnyArray, inner_shape, zeros
from kcheck.runtime.values.leaves import leaf_views


class InterpretedParts:
    """Fits `checker.law.evaluate.Evaluate`."""

    def __init__(self) -> None:
        self._interpreter = Interpreter()
        self._last: tuple[ir.Program, ir.Program] | None = None

    def compute(self, program: ir.Program, case: Case) -> Sequence[Leaves]:
        each = self._each_element(program)
        fold = program.schedule
        assert isinstance(fold, ir.Fold)
        inputs = {port.name: _field(port.type, case.fields[port.name]) for port in program.inputs}
        launch = Launch(each, inputs, {}, _params(program, case.params), inputs[fold.over].shape)
        [output] = self._interpreter.run(launch).outputs.values()
        return _elements(output.type.element, output.data, output.type.rank)

    def merge(
        self, program: ir.Program, left: Sequence[Leaves], right: Sequence[Leaves], params: Mapping[str, Leaves]
    ) -> Sequence[Leaves]:
        fold = program.schedule
        assert isinstance(fold, ir.Fold)
        type_ = program.functions[fold.merge].result
        values = [_array(type_, (len(side),), side) for side in (left, right)]
        each = self._each_element(program)  # of the same functions, which are compiled but once
        return _elements(type_, self._interpreter.call(each, fold.merge, values, _params(program, params)), 1)

    def _each_element(self, program: ir.Program) -> ir.Program:
        """The map of a reduction's compute; one object as long as the reduction is, for what is compiled of it."""
        if self._last is None or self._last[0] is not program:
            self._last = program, _each_element(program)
        return self._last[1]


def _each_element(program: ir.Program) -> ir.Program:
    """A map that gives what the reduction's compute gives for each element."""
    fold = program.schedule
    assert isinstance(fold, ir.Fold)
    [output] = program.outputs
    each = replace(output, type=types.Field(program.rank, output.type.element))
    return replace(program, schedule=ir.Elements(element=fold.element), outputs=(each,))


def _field(type_: types.Field, field: SmallField) -> Field:
    return field_of(type_, _array(type_.element, field.shape, field.elements))


def _array(type_: Type, shape: tuple[int, ...], elements: Sequence[Leaves]) -> AnyArray:
    """Values in the layout of `runtime.layout`, with the axes `shape` in front."""
    flat = zeros(type_, (len(elements),))
    for (_, view), column in zip(leaf_views(type_, flat, 1), zip(*elements, strict=True), strict=True):
        view[...] = column
    return flat.reshape(shape + inner_shape(type_))


def _params(program: ir.Program, params: Mapping[str, Leaves]) -> Mapping[str, AnyArray]:
    return {param.name: _array(param.type, (), [params[param.name]]) for param in program.params}


def _elements(type_: Type, data: AnyArray, rank: int) -> Sequence[Leaves]:
    flat = data.reshape(-1, *data.shape[rank:])
    columns = [view.tolist() for _, view in leaf_views(type_, flat, 1)]
    return list(zip(*columns, strict=True))

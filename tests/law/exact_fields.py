"""A reduction bound to arrays, in real arithmetic: the leaf that `compute` makes of each element."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from kcheck.checker import arithmetic, ir
from kcheck.checker.types import INT, Scalar, Type, leaves
from kcheck.runtime.layout import AnyArray, inner_shape
from tests.law.exact import ExactProgram, from_leaves, real
from tests.law.layout import columns


class ExactFields:
    """`inputs` and `params` are arrays in the layout of `runtime.layout`, with the axes of their fields."""

    def __init__(self, program: ir.Program, inputs: Mapping[str, AnyArray], params: Mapping[str, AnyArray]) -> None:
        assert isinstance(program.schedule, ir.Fold)
        self._ports = {port.name: port.type for port in program.inputs}
        self._inputs = inputs
        self._over = program.schedule.over
        held = {p.name: element_at(p.type, params[p.name][None], 0) for p in program.params}
        self.program = ExactProgram(program, held)

    def leaf(self, position: int) -> Any:
        """What `compute` gives for the element at a row-major position."""
        return self.program.compute(lambda node, address: self._read(node, address, position))

    def _read(self, node: ir.Expression, address: Sequence[Any], position: int) -> Any:
        match node:
            case ir.Sample():
                return self._element(node.port, position)
            case ir.At():
                return self._element(node.port, self._position(node.port, address))
            case ir.Size():
                return _size(node.type, self._shape(node.port))
            case ir.Place(kind=kind):
                return self._place(kind, node.type, position)
            case _:
                raise AssertionError(type(node).__name__)

    def _shape(self, port: str) -> tuple[int, ...]:
        data, type_ = self._inputs[port], self._ports[port]
        return data.shape[: data.ndim - len(inner_shape(type_.element))]

    def _element(self, port: str, position: int) -> Any:
        data, shape = self._inputs[port], self._shape(port)
        return element_at(self._ports[port].element, data.reshape((-1, *data.shape[len(shape) :])), position)

    def _position(self, port: str, address: Sequence[Any]) -> int:
        """The row-major position of an address, which is clamped to the edge."""
        shape = self._shape(port)
        given = address[0] if isinstance(address[0], tuple) else address
        position = 0
        for size, coordinate in zip(shape, reversed(given), strict=True):
            position = position * size + max(0, min(math.floor(coordinate), size - 1))
        return position

    def _place(self, kind: ir.PlaceKind, type_: Type, position: int) -> Any:
        shape = self._shape(self._over)
        if kind is ir.PlaceKind.DOMAIN:
            return _size(type_, shape)
        if kind is ir.PlaceKind.INDEX or type_ is INT:
            return position
        coordinates = []
        for size in reversed(shape):
            position, coordinate = divmod(position, size)
            whole = kind is ir.PlaceKind.COORD
            coordinates.append(real(coordinate if whole else arithmetic.divide(coordinate + 0.5, float(size))))
        return coordinates[0] if len(coordinates) == 1 else tuple(coordinates)


def _size(type_: Type, shape: tuple[int, ...]) -> Any:
    return shape[0] if type_ is INT else tuple(real(size) for size in reversed(shape))


def element_at(type_: Type, data: AnyArray, position: int) -> Any:
    """The exact value of one element; `data` has one axis of elements."""
    parts = columns(type_, data[position : position + 1])
    kinds = [leaf.scalar for leaf in leaves(type_)]
    return from_leaves(type_, [_scalar(part[0], kind) for part, kind in zip(parts, kinds, strict=True)])


def _scalar(value: Any, kind: Scalar) -> Any:
    return real(float(value)) if kind is Scalar.FLOAT else bool(value) if kind is Scalar.BOOL else int(value)

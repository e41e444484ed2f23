"""The program that runs a piece of a domain: some elements that follow one another, as if the others were there too.

A piece is a domain of one axis.  Inputs that are read at the own place are bound to their elements there, as ports of
their own; those that are read at other places stay whole.  What tells of places, sizes and extents is worked out from
params that the program has besides its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kcheck.checker import floats, ir, types
from kcheck.checker.builtins import Builtin
from kcheck.checker.ir import BinaryOp, PlaceKind
from kcheck.checker.rewrite import rewritten
from kcheck.checker.types import FLOAT, INT, Type, Vec
from kcheck.grammar.spans import Origin
from kcheck.runtime.backend import Launch
from kcheck.runtime.fields import Field, field_of
from kcheck.runtime.layout import AnyArray, inner_shape
from kcheck.runtime.outputs import output_extent, output_shape

_FIRST, _CARRY = "first of piece", "carry of piece"
"""Names of params that nobody can give."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """A launch that is run by pieces: `program` runs one.

    `own` are the inputs that are cut with the domain, and the ports that take their pieces; `facts` the params that
    say how large things are.
    """

    launch: Launch
    program: ir.Program
    own: Mapping[str, str]
    facts: Mapping[str, AnyArray]

    def piece(self, first: int, end: int, changed: Mapping[str, Field]) -> Launch:
        """The launch for these elements; `changed` are other fields for some inputs and memories."""
        launch = self.launch
        bound = {**launch.inputs, **launch.memories, **changed}
        inputs = {port: _cut(bound[name], first, end) for name, port in self.own.items()}
        inputs |= {port.name: bound[port.name] for port in self.program.inputs if port.name not in inputs}
        memories = {name: bound[name] for name in launch.memories}
        params = {**launch.params, **self.facts, _FIRST: np.array(first, np.int32)}
        return Launch(self.program, inputs, memories, params, (end - first,), launch.fast)

    def going_on(self, piece: Launch, carry: AnyArray) -> Launch:
        """The launch of a scan's piece that begins with what the one before came to."""
        program = piece.program
        assert isinstance(program.schedule, ir.OrderedWalk)
        begun = ir.Return(value=ir.Param(type=program.result, name=_CARRY))
        functions = list(program.functions)
        functions[program.schedule.init] = _function(program, begun)
        params = (*program.params, _param(_CARRY, program.result, program.origin))
        going = replace(program, functions=tuple(functions), params=params)
        return replace(piece, program=going, params={**piece.params, _CARRY: carry})

    def merging(self, results: AnyArray) -> Launch:
        """The launch that folds what a reduction's pieces gave."""
        program, fold = self.program, self.program.schedule
        assert isinstance(fold, ir.Fold)
        port = ir.PortDecl(name=_unused(program, "results"), type=types.Field(1, program.result), origin=program.origin)
        given = ir.Return(value=ir.Sample(type=program.result, port=port.name))
        merging = replace(
            program,
            inputs=(port,),
            functions=(*program.functions[: fold.merge + 1], _function(program, given)),
            schedule=replace(fold, over=port.name, element=fold.merge + 1),
            sampled=frozenset([port.name]),
        )
        params = {**self.launch.params, **self.facts, _FIRST: np.array(0, np.int32)}
        return Launch(merging, {port.name: field_of(port.type, results)}, {}, params, (len(results),), self.launch.fast)


def pieces_of(launch: Launch) -> Pieces:
    """How to run a launch by pieces."""
    program = launch.program
    facts = _Facts(launch)
    nodes = [node for function in program.functions for node in ir.walk(function.body)]
    whole = {node.port for node in nodes if isinstance(node, (ir.At, ir.SampleAt))}
    if isinstance(program.schedule, ir.CombineByAddress):
        whole.add(program.schedule.into)
    own = {name: _unused(program, name) for name in sorted(program.sampled)}

    def rewrite(node: ir.Node) -> ir.Node:
        match node:
            case ir.Sample():
                return replace(node, port=own[node.port])
            case ir.Place():
                return facts.place(node)
            case ir.Size():
                return facts.size(node.port, facts.shape(node.port))
            case ir.Extent():
                return facts.extent(node.port)
        return node

    functions = tuple(replace(one, body=rewritten(one.body, rewrite)) for one in program.functions)
    ports = [port for port in program.inputs if port.name in whole]
    ports += [_flat(replace(port, name=own[port.name])) for port in program.inputs if port.name in own]
    rewritten_program = replace(
        program,
        inputs=tuple(ports),
        outputs=program.outputs
        if isinstance(program.schedule, ir.CombineByAddress)
        else tuple(_flat(port) for port in program.outputs),
        params=(*program.params, *facts.params, _param(_FIRST, INT, program.origin)),
        rank=1,
        functions=functions,
        sampled=frozenset(own.values()),
    )
    return Pieces(launch, rewritten_program, own, facts.values)


def _flat(port: ir.PortDecl) -> ir.PortDecl:
    return replace(port, type=types.Field(1, port.type.element))


def _cut(field: Field, first: int, end: int) -> Field:
    """Some elements of a field in a row."""
    element = field.type.element
    data = field.data.reshape((math.prod(field.shape), *inner_shape(element)))
    return field_of(types.Field(1, element), data[first:end])


def _unused(program: ir.Program, name: str) -> str:
    """A name for a port that no port has."""
    taken = {port.name for port in (*program.inputs, *program.outputs, *program.memories)}
    while name in taken:
        name += "_"
    return name


def _param(name: str, type_: Type, origin: Origin) -> ir.ParamDecl:
    return ir.ParamDecl(name=name, type=type_, default=None, low=None, high=None, origin=origin)


def _function(program: ir.Program, statement: ir.Return) -> ir.Function:
    """A function without parameters that gives a result of the program."""
    return ir.Function(
        name="piece",
        parameters=0,
        locals=(),
        result=program.result,
        body=ir.Block(statements=(statement,)),
        effects=frozenset(),
        origins=(program.origin,),
    )


# ---------------------------------------------------------------- places, sizes and extents


class _Facts:
    """The expressions that tell of places, sizes and extents, and the params that they need."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self.params: list[ir.ParamDecl] = []
        self.values: dict[str, AnyArray] = {}

    def shape(self, port: str) -> tuple[int, ...]:
        bound = self._field(port)
        return output_shape(self._launch) if bound is None else bound.shape

    def size(self, name: str, shape: tuple[int, ...]) -> ir.Expression:
        """A size, typed as those of the language: an Int on one axis, else a vector."""
        axes = [self._param(f"{name} size {i}", INT, np.int32(n)) for i, n in enumerate(reversed(shape))]
        return axes[0] if len(axes) == 1 else _vector([_to_float(axis) for axis in axes])

    def extent(self, port: str) -> ir.Expression:
        bound = self._field(port)
        box = output_extent(self._launch) if bound is None else bound.extent
        axes = [self._param(f"{port} extent {i}", FLOAT, np.float32(size)) for i, size in enumerate(box.size)]
        return axes[0] if len(axes) == 1 else _vector(axes)

    def place(self, node: ir.Place) -> ir.Expression:
        match node.kind:
            case PlaceKind.LANE:
                return node  # pieces begin where groups do
            case PlaceKind.GROUP:
                assert isinstance(self._launch.program.schedule, ir.Lanes)
                lanes = ir.Const(type=INT, leaves=(self._launch.program.schedule.size,))
                return _binary(BinaryOp.DIV, self._index(), lanes)
            case PlaceKind.INDEX:
                return self._index()
            case PlaceKind.DOMAIN:
                return self.size("domain", self._launch.shape)
            case PlaceKind.COORD:
                axes = self._coordinates()
                return axes[0] if len(axes) == 1 else _vector([_to_float(axis) for axis in axes])
            case PlaceKind.PLACE:
                half = ir.Const(type=FLOAT, leaves=(floats.from_float(0.5),))
                middles = [_binary(BinaryOp.ADD, _to_float(axis), half) for axis in self._coordinates()]
                sizes = [_to_float(axis) for axis in self._domain()]
                axes = [_binary(BinaryOp.DIV, *pair) for pair in zip(middles, sizes, strict=True)]
                return axes[0] if len(axes) == 1 else _vector(axes)

    def _index(self) -> ir.Expression:
        here = ir.Place(type=INT, kind=PlaceKind.INDEX)
        return _binary(BinaryOp.ADD, here, ir.Param(type=INT, name=_FIRST))

    def _domain(self) -> list[ir.Expression]:
        """The axes of the domain, x first."""
        shape = reversed(self._launch.shape)
        return [self._param(f"domain size {i}", INT, np.int32(n)) for i, n in enumerate(shape)]

    def _coordinates(self) -> list[ir.Expression]:
        """The element's coordinates, x first, as Ints."""
        rest, found = self._index(), []
        for size in self._domain()[:-1]:
            found.append(_binary(BinaryOp.REM, rest, size))
            rest = _binary(BinaryOp.DIV, rest, size)
        return [*found, rest]

    def _field(self, port: str) -> Field | None:
        return self._launch.inputs.get(port) or self._launch.memories.get(port)

    def _param(self, name: str, type_: Type, value: np.generic) -> ir.Expression:
        if name not in self.values:
            self.params.append(_param(name, type_, self._launch.program.origin))
            self.values[name] = np.asarray(value)
        return ir.Param(type=type_, name=name)


def _binary(op: BinaryOp, left: ir.Expression, right: ir.Expression) -> ir.Expression:
    return ir.Binary(type=left.type, op=op, left=left, right=right)


def _to_float(number: ir.Expression) -> ir.Expression:
    return ir.BuiltinCall(type=FLOAT, builtin=Builtin.TO_FLOAT, args=(number,))


def _vector(axes: list[ir.Expression]) -> ir.Expression:
    return ir.Make(type=Vec(len(axes)), parts=tuple(axes))

"""Small runs of a reduction: from the fields that a case binds to what each element reads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from kcheck.checker import arithmetic, ir
from kcheck.checker.law import exact
from kcheck.checker.law.concrete import param_variables
from kcheck.checker.law.evaluate import Case, Leaves, Number, SmallField
from kcheck.checker.law.problem import Input, Problem
from kcheck.checker.law.terms import Term
from kcheck.checker.law.verdict import Tree, mapped
from kcheck.checker.types import INT, Type


def walked(program: ir.Program) -> str:
    """The name of the input that the reduction walks."""
    assert isinstance(program.schedule, ir.Fold)
    return program.schedule.over


def merged_type(program: ir.Program) -> Type:
    """The type of the values that are merged."""
    assert isinstance(program.schedule, ir.Fold)
    return program.functions[program.schedule.merge].result


def has_walked_shape(program: ir.Program, port: str) -> bool:
    """Whether a run needs the input to have as many elements as the walked one."""
    return port == walked(program) or port in program.sampled


def placed_apart(program: ir.Program, case: Case, trees: Sequence[Tree]) -> tuple[Case, list[Tree]]:
    """A case with an element of its own for each place of the trees, which may name one of the case several times."""
    positions: list[int] = []

    def placed(tree: Tree) -> Tree:
        if not isinstance(tree, int):
            return mapped(tree, placed)
        positions.append(tree)
        return len(positions) - 1

    apart = [placed(tree) for tree in trees]
    fields = {
        port.name: SmallField(
            (1,) * (port.type.rank - 1) + (len(positions),),
            tuple(case.fields[port.name].elements[position] for position in positions),
        )
        if has_walked_shape(program, port.name)
        else case.fields[port.name]
        for port in program.inputs
    }
    return Case(fields, case.params), apart


def can_repeat(problem: Problem) -> bool:
    """Whether compute gives the same for equal elements wherever they are, in a field of any size."""
    return not any(_tells_place(problem.program, read.read) for read in problem.inputs)


def _tells_place(program: ir.Program, read: ir.Expression) -> bool:
    match read:
        case ir.Sample():
            return False
        case ir.At(port=port) | ir.SampleAt(port=port) | ir.Size(port=port) | ir.Extent(port=port):
            return has_walked_shape(program, port)
        case _:
            return True


def flat_params(program: ir.Program, case: Case) -> Leaves:
    """The leaves of all params, in the order of the program."""
    return tuple(leaf for param in program.params for leaf in case.params[param.name])


@dataclass(frozen=True)
class Reader:
    """Tells what the reads of a problem's `compute` give for an element of a case."""

    problem: Problem

    @cached_property
    def is_direct(self) -> bool:
        """Whether every read is known without running anything: none is filtered."""
        return not any(isinstance(read.read, ir.SampleAt) for read in self.problem.inputs)

    @cached_property
    def _sampled(self) -> Sequence[tuple[str, int]] | None:
        """The port and leaf of each read, where all of them are of the element itself."""
        found = [(read.read.port, read.leaf) for read in self.problem.inputs if isinstance(read.read, ir.Sample)]
        return found if len(found) == len(self.problem.inputs) else None

    def inputs(self, case: Case, position: int) -> tuple[Number | None, ...]:
        """The values of `problem.inputs` for the element at this row-major position; None where an address has none."""
        if self._sampled is not None:
            return tuple(case.fields[port].elements[position][leaf] for port, leaf in self._sampled)
        found: list[Number | None] = []
        known: dict[Term, exact.Value] = {}
        for read in self.problem.inputs:
            if read.address and not known:
                known = self._params(case)
            bound = {**known, **self._known(found)} if read.address else {}
            found.append(read_value(self.problem.program, read, case, position, bound))
        return tuple(found)

    def _params(self, case: Case) -> dict[Term, exact.Value]:
        values = flat_params(self.problem.program, case)
        return dict(zip(param_variables(self.problem), map(exact.known, values), strict=True))

    def _known(self, found: Sequence[Number | None]) -> dict[Term, exact.Value]:
        variables = (read.variable for read in self.problem.inputs)
        return {variable: exact.known(value) for variable, value in zip(variables, found, strict=False)}


def read_value(
    program: ir.Program, read: Input, case: Case, position: int, known: Mapping[Term, exact.Value]
) -> Number | None:
    """What an unfiltered read gives for the element at this position, `known` being what its address stands over."""

    def sizes(port: str) -> Sequence[int]:
        """The sizes of a port, x first; the output of a reduction has one element."""
        field = case.fields.get(port)
        return (1,) if field is None else field.shape[::-1]

    match read.read:
        case ir.Sample(port=port):
            return case.fields[port].elements[position][read.leaf]
        case ir.At(port=port):
            field = case.fields[port]
            at = _address(exact.evaluated(read.address, known), field.shape[::-1])
            return None if at is None else field.elements[at][read.leaf]
        case ir.Size(port=port):
            return _size(sizes(port), read)
        case ir.Extent(port=port):
            return float(sizes(port)[read.leaf])
        case ir.Place(kind=kind):
            return _place(kind, read, position, sizes(walked(program)))
        case _:
            raise AssertionError(type(read.read).__name__)


def _address(parts: Sequence[exact.Value], sizes: Sequence[int]) -> int | None:
    """The row-major position of the nearest element to an address, both x first."""
    position = 0
    for part, size in reversed(list(zip(parts, sizes, strict=True))):
        coordinate = _floored(part)
        if coordinate is None:
            return None
        position = position * size + max(0, min(coordinate, size - 1))
    return position


def _floored(part: exact.Value) -> int | None:
    if not isinstance(part, exact.Interval):
        return part
    low, high = math.floor(part.low), math.floor(part.high)
    return low if low == high else None


def _size(sizes: Sequence[int], read: Input) -> Number:
    return sizes[0] if read.read.type is INT else float(sizes[read.leaf])


def _place(kind: ir.PlaceKind, read: Input, position: int, sizes: Sequence[int]) -> Number:
    if kind is ir.PlaceKind.DOMAIN:
        return _size(sizes, read)
    if kind is ir.PlaceKind.INDEX or read.read.type is INT:
        return position
    coordinate = _coordinates(position, sizes)[read.leaf]
    if kind is ir.PlaceKind.COORD:
        return float(coordinate)
    return arithmetic.divide(coordinate + 0.5, float(sizes[read.leaf]))


def _coordinates(position: int, sizes: Sequence[int]) -> list[int]:
    """Where a row-major position lies, x first."""
    found = []
    for size in sizes:
        found.append(position % size)
        position //= size
    return found

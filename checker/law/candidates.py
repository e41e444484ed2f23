"""From what a solver proposes to small runs: elements as values of what `compute` reads become fields to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck.checker import arithmetic, ir
from kcheck.checker.law.cases import has_walked_shape, walked
from kcheck.checker.law.elements import within
from kcheck.checker.law.evaluate import Case, Leaves, Number, SmallField
from kcheck.checker.law.problem import Law, Problem
from kcheck.checker.law.sampling import Failed, sides, trees
from kcheck.checker.law.solver.unrolling import Candidate
from kcheck.checker.law.terms import Sort, Value
from kcheck.checker.law.values import valid, zero
from kcheck.checker.law.verdict import Trial
from kcheck.checker.types import Scalar, leaf_count, leaves

_MOST_ELEMENTS = 1 << 16
"""Fields are not made larger to have an element at a far position."""


def trial_of(problem: Problem, law: Law, candidate: Candidate) -> Trial | None:
    """The trial that a candidate proposes; None where no small field has such elements."""
    placed = _placed(problem, candidate)
    if placed is None:
        return None
    case, positions = placed
    return Trial(case, *sides(law, trees(positions, candidate.sizes)))


def failed_of(problem: Problem, candidate: Candidate) -> Failed | None:
    """The same for a step without a value."""
    placed = _placed(problem, candidate)
    if placed is None:
        return None
    case, positions = placed
    values = trees(positions, candidate.sizes)
    return Failed(case, values[0] if len(values) == 1 else (values[0], values[1]))


def _placed(problem: Problem, candidate: Candidate) -> tuple[Case, Sequence[int]] | None:
    """A case that holds the elements, and where they stand in it."""
    positions = _positions(problem, candidate)
    if len(set(positions)) < len(positions) or max(positions) >= _MOST_ELEMENTS:
        return None
    count = max(max(positions) + 1, min(_domain(problem, candidate), _MOST_ELEMENTS))
    fields = {port.name: _field(problem, port, candidate, positions, count) for port in problem.program.inputs}
    return Case(fields, _params(problem.program, candidate.params)), positions


def _positions(problem: Problem, candidate: Candidate) -> list[int]:
    """Where the elements stand: where they say, or side by side."""
    for i, read in enumerate(problem.inputs):
        is_place = isinstance(read.read, ir.Place) and not read.shared
        if is_place and read.variable.sort is Sort.INT:
            return [int(element[i]) for element in candidate.elements]
    return list(range(len(candidate.elements)))


def _domain(problem: Problem, candidate: Candidate) -> int:
    """How many elements the candidate wants the walked input to have, where it says so."""
    over = walked(problem.program)
    for i, read in enumerate(problem.inputs):
        match read.read:
            case ir.Size(port=port) if port == over and read.variable.sort is Sort.INT:
                return int(candidate.elements[0][i])
            case ir.Place(kind=ir.PlaceKind.DOMAIN) if read.variable.sort is Sort.INT:
                return int(candidate.elements[0][i])
    return 0


def _field(
    problem: Problem, port: ir.PortDecl, candidate: Candidate, positions: Sequence[int], count: int
) -> SmallField:
    """The field of a port: what the elements read of it by `sample`, or the first of them by `at`; else zeros."""
    type_ = port.type.element
    if not has_walked_shape(problem.program, port.name):
        return SmallField((1,) * port.type.rank, (_element(problem, port, candidate.elements[0], ir.At),))
    elements = [zero(type_)] * count
    for position, element in zip(positions, candidate.elements, strict=True):
        elements[position] = _element(problem, port, element, ir.Sample)
    return SmallField((1,) * (port.type.rank - 1) + (count,), tuple(elements))


def _element(
    problem: Problem, port: ir.PortDecl, values: Sequence[Value], how: type[ir.Sample] | type[ir.At]
) -> Leaves:
    """The element that is read in this way; zero where none is."""
    type_ = port.type.element
    made = list(zero(type_))
    for read, value in zip(problem.inputs, values, strict=True):
        if isinstance(read.read, how) and read.read.port == port.name:
            made[read.leaf] = _number(value, leaves(type_)[read.leaf].scalar)
    return valid(type_, tuple(made))


def _params(program: ir.Program, values: Sequence[Value]) -> dict[str, Leaves]:
    return dict(_each_param(program, values))


def _each_param(program: ir.Program, values: Sequence[Value]) -> Iterator[tuple[str, Leaves]]:
    start = 0
    for param in program.params:
        end = start + leaf_count(param.type)
        scalars = [leaf.scalar for leaf in leaves(param.type)]
        numbers = [_number(value, scalar) for value, scalar in zip(values[start:end], scalars, strict=True)]
        yield param.name, within(param, valid(param.type, tuple(numbers)))
        start = end


def _number(value: Value, scalar: Scalar) -> Number:
    match scalar:
        case Scalar.BOOL:
            return bool(value)
        case Scalar.INT:
            return int(value)
        case Scalar.FLOAT:
            return arithmetic.single(float(value))

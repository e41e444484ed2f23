"""How a program's functions, ports and result fit its schedule."""

from __future__ import annotations

from collections.abc import Iterator

from kcheck.checker import ir, types
from kcheck.checker.ir import CombineOp, Effect
from kcheck.checker.types import BOOL, FLOAT, Field, FieldOf, Struct, Type
from kcheck.checker.verify.problem import Problem, require
from kcheck.checker.verify.scope import Scope, parameter_types

_ACTS: dict[type, frozenset[Effect]] = {
    ir.OrderedWalk: frozenset({Effect.LOAD, Effect.PUT}),
    ir.CombineByAddress: frozenset({Effect.EMIT}),
    ir.Lanes: frozenset({Effect.EXCHANGE}),
}
"""What the functions of a schedule may do; those of the others are pure."""


def check_schedule(program: ir.Program) -> None:
    match program.schedule:
        case ir.Elements(element=element):
            _check_map(program)
            _check_function(program, element, [])
        case ir.Lanes(element=element, size=size):
            require(size >= 1, "a group has at least one lane")
            _check_map(program)
            _check_function(program, element, [])
        case ir.Fold() as fold:
            _check_rows(program, fold.over)
            _check_function(program, fold.element, [])
            _check_merge(program, fold.merge)
        case ir.OrderedWalk() as walk:
            _check_rows(program, walk.over)
            _check_function(program, walk.element, [program.result])
            _check_function(program, walk.init, [])
        case ir.CombineByAddress() as combine:
            _check_function(program, combine.element, [])
            _check_scatter(program, combine)
        case ir.RunningCombine() as combine:
            _check_rows(program, combine.over)
            _check_function(program, combine.element, [])
            _check_combines(combine.op, program.result)
            exact = combine.op is not CombineOp.SUM or not types.contains(program.result, FLOAT)
            require(exact and combine.op is not CombineOp.LAST, "no running combine of this kind")
    _check_acts(program)


# ---------------------------------------------------------------- ports


def _check_map(program: ir.Program) -> None:
    outputs = program.outputs
    require(bool(outputs), "there is no output")
    require(all(port.type.rank == program.rank for port in outputs), "an output has another rank")
    elements = tuple(port.type.element for port in outputs)
    if len(outputs) == 1:
        require(program.result == elements[0], f"the result {program.result} is not the output's element")
        return
    fields = tuple(FieldOf(port.name, port.type.element) for port in outputs)
    fits = isinstance(program.result, Struct) and program.result.fields == fields
    require(fits, f"the result {program.result} is no struct of the outputs")


def _check_rows(program: ir.Program, over: str) -> None:
    """One output, with the results in a row."""
    _check_over(program, over)
    _check_output(program, Field(1, program.result))


def _check_over(program: ir.Program, over: str) -> None:
    require(Scope(program, 0).input(over).rank == program.rank, "the walked input has another rank")


def _check_output(program: ir.Program, type_: Field) -> None:
    found = [port.type for port in program.outputs]
    require(found == [type_], f"the only output is not a {type_}")


def _check_scatter(program: ir.Program, combine: ir.CombineByAddress) -> None:
    _check_over(program, combine.over)
    target = Scope(program, 0).input(combine.into)
    _check_output(program, target)
    wanted = (types.address_type(target.rank), target.element)
    result = program.result
    fits = isinstance(result, Struct) and tuple(field.type for field in result.fields) == wanted
    require(fits, f"the result {result} is no pair for a {target}")
    _check_combines(combine.op, target.element)


def _check_combines(op: CombineOp, type_: Type) -> None:
    scalar = not types.contains(type_, BOOL) and not types.contains_enum(type_)
    require(op is CombineOp.LAST or scalar, f"{type_} has no {op.value}")


# ---------------------------------------------------------------- functions


def schedule_functions(program: ir.Program) -> tuple[int, ...]:
    """The positions of the functions that the schedule runs."""
    match program.schedule:
        case ir.Fold() as fold:
            found: tuple[int, ...] = (fold.element, fold.merge)
        case ir.OrderedWalk() as walk:
            found = (walk.element, walk.init)
        case other:
            found = (other.element,)
    require(all(0 <= f < len(program.functions) for f in found), "the schedule names no function")
    return found


def _check_function(program: ir.Program, position: int, parameters: list[Type]) -> None:
    function = program.functions[position]
    require(parameter_types(function) == parameters, f"{function.name} does not take what it is given")
    require(function.result == program.result, f"{function.name} does not give the program's result")


def _check_merge(program: ir.Program, position: int) -> None:
    _check_function(program, position, [program.result, program.result])
    for reached in reachable(program, [position]):
        for node in ir.walk(program.functions[reached].body):
            if isinstance(node, (ir.Sample, ir.SampleAt, ir.At, ir.Size, ir.Extent, ir.Place)):
                raise Problem("a merge reads no ports or places", node)


def _check_acts(program: ir.Program) -> None:
    schedule = program.schedule
    allowed = _ACTS.get(type(schedule), frozenset())
    acts = frozenset[Effect]().union(*(f.effects for f in program.functions))
    require(acts <= allowed, f"its functions may not {', '.join(sorted(e.value for e in acts - allowed))}")
    if Effect.EMIT in acts and isinstance(schedule, ir.CombineByAddress):
        element = next(p.type.element for p in program.inputs if p.name == schedule.into)
        exact = schedule.op is not CombineOp.SUM or not types.contains(element, FLOAT)
        require(exact and schedule.op is not CombineOp.LAST, "no emitting under this combination")
    require(not program.memories or isinstance(schedule, ir.OrderedWalk), "only a walk has memories")


# ---------------------------------------------------------------- what is reached


def reachable(program: ir.Program, roots: list[int] | tuple[int, ...]) -> set[int]:
    """The functions that `roots` call, and these themselves."""
    found = set(roots)
    for position in reversed(range(len(program.functions))):
        if position in found:
            found.update(_calls(program.functions[position]))
    return found


def _calls(function: ir.Function) -> Iterator[int]:
    for node in ir.walk(function.body):
        if isinstance(node, (ir.Call, ir.CallStatement)):
            yield node.function


def check_reached(program: ir.Program) -> None:
    """Every function is used, and `sampled` is what they sample."""
    used = reachable(program, schedule_functions(program))
    for position, function in enumerate(program.functions):
        require(position in used, f"function {function.name} is never called")
    nodes = (node for function in program.functions for node in ir.walk(function.body))
    sampled = {node.port for node in nodes if isinstance(node, ir.Sample)}
    require(sampled == program.sampled, f"sampled are {sorted(sampled)}, not {sorted(program.sampled)}")

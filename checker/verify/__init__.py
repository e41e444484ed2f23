"""The invariants of the IR, asserted: what `ir` says in its docstrings holds for a program that passes."""

from __future__ import annotations

from kcheck.checker import ir
from kcheck.checker.ir import Effect
from kcheck.checker.types import UNIT
from kcheck.checker.verify.data import check_data, check_leaves, check_type
from kcheck.checker.verify.expressions import check_expression
from kcheck.checker.verify.flow import check_flow
from kcheck.checker.verify.problem import InvalidIR, Problem, invalid, require
from kcheck.checker.verify.schedule import check_reached, check_schedule, schedule_functions
from kcheck.checker.verify.scope import Scope
from kcheck.checker.verify.statements import check_statement

__all__ = ["InvalidIR", "verify_ir"]


def verify_ir(program: ir.Program) -> None:
    """Raise `InvalidIR` where the program breaks an invariant."""
    try:
        check_data(program)
        _check_declarations(program)
        schedule_functions(program)
    except Problem as problem:
        raise invalid(problem) from None
    for position, function in enumerate(program.functions):
        try:
            _check_function(Scope(program, position))
        except Problem as problem:
            raise invalid(problem, function) from None
    try:
        check_schedule(program)
        check_reached(program)
    except Problem as problem:
        raise invalid(problem) from None


# ---------------------------------------------------------------- ports and params


def _check_declarations(program: ir.Program) -> None:
    ports = (*program.inputs, *program.outputs, *program.memories)
    names = [port.name for port in ports] + [param.name for param in program.params]
    require(len(set(names)) == len(names), "two ports or params have one name")
    require(program.rank in (1, 2, 3), f"there is no rank {program.rank}")
    for port in ports:
        require(port.type.rank in (1, 2, 3), f"{port.name} has the rank {port.type.rank}")
        check_type(port.type.element, port)
    for param in program.params:
        _check_param(param)
    check_type(program.result)


def _check_param(param: ir.ParamDecl) -> None:
    check_type(param.type, param)
    for value in (param.default, param.low, param.high):
        if value is not None:
            require(value.type == param.type, f"a {value.type} for the param {param.name}", param)
            check_leaves(value.type, value.leaves, value)


# ---------------------------------------------------------------- functions


def _check_function(scope: Scope) -> None:
    function = scope.function
    require(0 <= function.parameters <= len(function.locals), "there are fewer locals than parameters")
    for local in function.locals:
        check_type(local.type, local)
    if function.result != UNIT:
        check_type(function.result)
    _check_ids(function)
    _check_depth(function.body)
    for node in reversed(list(ir.walk(function.body))):  # what is innermost first: there the trouble begins
        _check_node(node, scope)
    _check_effects(scope)
    check_flow(function)


def _check_depth(body: ir.Block) -> None:
    level: list[ir.Node] = [body]
    for _ in range(ir.MAX_DEPTH):
        level = [child for node in level for child in ir.children(node)]
    require(not level, f"a node is more than {ir.MAX_DEPTH} deep")


def _check_ids(function: ir.Function) -> None:
    seen: set[int] = set()
    for node in ir.walk(function.body):
        require(0 <= node.id < len(function.origins), "its id has no origin", node)
        require(node.id not in seen, "another node has the same id", node)
        seen.add(node.id)


def _check_node(node: ir.Node, scope: Scope) -> None:
    try:
        if isinstance(node, ir.Expression):
            check_expression(node, scope)
        else:
            check_statement(node, scope)
    except Problem as problem:
        raise Problem(problem.message, node) from None


_EFFECTS: dict[type, Effect] = {
    ir.Exchange: Effect.EXCHANGE,
    ir.Load: Effect.LOAD,
    ir.Put: Effect.PUT,
    ir.Emit: Effect.EMIT,
}


def _check_effects(scope: Scope) -> None:
    found: set[Effect] = set()
    for node in ir.walk(scope.function.body):
        if type(node) in _EFFECTS:
            found.add(_EFFECTS[type(node)])
        elif isinstance(node, ir.CallStatement):
            found |= scope.program.functions[node.function].effects
    named = ", ".join(sorted(effect.value for effect in found)) or "none"
    require(found == scope.function.effects, f"its effects are: {named}")

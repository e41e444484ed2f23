"""What each statement may hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kcheck.checker import ir
from kcheck.checker.types import BOOL, INT, UNIT, Type
from kcheck.checker.verify.expressions import check_address, element_type, field_type, swizzle_type
from kcheck.checker.verify.problem import require
from kcheck.checker.verify.scope import Scope


def check_statement(node: ir.Node, scope: Scope) -> None:
    """Check a node that is no expression."""
    check = _CHECKS.get(type(node))
    if check is not None:
        check(node, scope)


def _assign(node: ir.Assign, scope: Scope) -> None:
    type_ = scope.local(node.local)
    for step in node.steps:
        require(step is node.steps[-1] or not isinstance(step, ir.SwizzleStep), "a swizzle is the last step")
        type_ = _after(step, type_)
    require(node.value.type == type_, f"a {node.value.type} for a {type_}")


def _after(step: ir.TargetStep, type_: Type) -> Type:
    match step:
        case ir.FieldStep():
            return field_type(type_, step.index)
        case ir.SwizzleStep():
            require(len(set(step.components)) == len(step.components), "a component is assigned twice")
            return swizzle_type(type_, step.components)
        case ir.IndexStep():
            require(step.index.type is INT, "the index is not an Int")
            return element_type(type_)


def _if(node: ir.If, scope: Scope) -> None:
    require(node.condition.type is BOOL, "the condition is not a Bool")


def _until(node: ir.Until, scope: Scope) -> None:
    require(node.condition.type is BOOL, "the condition is not a Bool")


def _switch(node: ir.Switch, scope: Scope) -> None:
    require(node.subject.type is INT, "the subject is not an Int")


def _case(node: ir.Case, scope: Scope) -> None:
    for low, high in node.ranges:
        require(-(1 << 31) <= low <= high < 1 << 31, f"{low}..={high} is no range of Ints")


def _loop(node: ir.Loop, scope: Scope) -> None:
    require(scope.local(node.local) is INT, "the loop's local is not an Int")
    require(node.low.type is INT and node.high.type is INT, "a bound is not an Int")


def _return(node: ir.Return, scope: Scope) -> None:
    result = scope.function.result
    found = UNIT if node.value is None else node.value.type
    require(found == result, f"returns {found}, not {result}")


def _exchange(node: ir.Exchange, scope: Scope) -> None:
    _check_local(node.local, node.value.type, scope)
    require(node.lane.type is INT, "the lane is not an Int")


def _load(node: ir.Load, scope: Scope) -> None:
    memory = scope.memory(node.memory)
    check_address(node.address, memory)
    _check_local(node.local, memory.element, scope)


def _put(node: ir.Put, scope: Scope) -> None:
    memory = scope.memory(node.memory)
    check_address(node.address, memory)
    require(node.value.type == memory.element, f"a {node.value.type} for a {memory.element}")


def _emit(node: ir.Emit, scope: Scope) -> None:
    require(node.value.type == scope.program.result, f"emits a {node.value.type}")


def _call(node: ir.CallStatement, scope: Scope) -> None:
    callee = scope.callee(node.function, tuple(arg.type for arg in node.args))
    acts = bool(callee.effects) or callee.result == UNIT
    require(acts, f"{callee.name} is pure: its calls are expressions")
    if node.local is not None:
        _check_local(node.local, callee.result, scope)


def _check_local(local: int, type_: Type, scope: Scope) -> None:
    require(scope.local(local) == type_, f"a {type_} for a {scope.local(local)}")


_CHECKS: dict[type, Callable[[Any, Scope], None]] = {
    ir.Assign: _assign,
    ir.If: _if,
    ir.Until: _until,
    ir.Switch: _switch,
    ir.Case: _case,
    ir.Loop: _loop,
    ir.Return: _return,
    ir.Exchange: _exchange,
    ir.Load: _load,
    ir.Put: _put,
    ir.Emit: _emit,
    ir.CallStatement: _call,
}

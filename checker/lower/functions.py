"""Lowering of functions: those that people write, and the bodies of kernels."""

from __future__ import annotations

from kcheck.checker import ir, rules, types
from kcheck.checker.lower import control
from kcheck.checker.lower.context import Expected, FunctionContext, LoweredFunction, ProgramContext
from kcheck.checker.lower.scopes import FunctionEntity
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Note
from kcheck.grammar.spans import Span

MAX_CALL_DEPTH = 256
"""The longest chain of functions that call each other."""

__all__ = ["LoweredFunction", "check_pair", "finish", "lower_entity", "lower_standalone"]


def lower_entity(context: FunctionContext, entity: FunctionEntity, call: Span) -> LoweredFunction | None:
    """The lowered form of a function in the caller's program; None after an error."""
    program = context.program
    if entity in program.working:
        _recursion(context, entity, call)
        return None
    if entity not in program.lowered:
        if len(program.working) >= MAX_CALL_DEPTH:
            context.report(
                rules.NESTED_TOO_DEEPLY,
                call,
                f"functions call each other more than {MAX_CALL_DEPTH} deep here",
            )
            return None
        program.lowered[entity] = lower_standalone(program, entity)
    return program.lowered[entity]


def _recursion(context: FunctionContext, entity: FunctionEntity, call: Span) -> None:
    working = context.program.working
    cycle = [e.node.name.text for e in working[working.index(entity) :]]
    path = " → ".join([*cycle, cycle[0]])
    context.report(
        rules.RECURSION,
        call,
        f"`{entity.node.name.text}` calls itself: {path}",
        notes=(context.note("every kernel must end, so functions do not recurse; use a bounded loop"),),
    )


def lower_standalone(program: ProgramContext, entity: FunctionEntity) -> LoweredFunction | None:
    """Lower a function into `program`."""
    signature = program.declarations.signature(entity)
    node = entity.node
    expected = Expected(signature.result, reason=_result_reason(node))
    context = FunctionContext(program, entity.home, entity.scope, node.name.text, expected)
    for parameter, type_ in zip(node.parameters, signature.parameters, strict=True):
        context.declare(parameter.name, type_, "parameter").used = True
    errors = program.problems.errors
    program.working.append(entity)
    try:
        body = control.function_body(context, node.body, node.head)
    finally:
        program.working.pop()
    if program.problems.errors > errors or signature.result is None or None in signature.parameters:
        return None
    return finish(context, body, len(node.parameters), signature.result)


def _result_reason(node: syntax.Function) -> str:
    return f"`{node.name.text}` has no result" if node.result is None else f"this is the result of `{node.name.text}`"


def finish(context: FunctionContext, body: ir.Block, parameters: int, result: types.Type) -> LoweredFunction:
    """Put a lowered function into the program."""
    context.report_unused()
    function = ir.Function(
        name=context.name,
        parameters=parameters,
        locals=tuple(context.locals),
        result=result,
        body=body,
        effects=frozenset(context.effects),
        origins=tuple(context.origins),
    )
    made = context.program.functions
    calls, sampled = frozenset(context.calls), frozenset(context.sampled)
    made.append(LoweredFunction(len(made), function, context.uses, calls, sampled))
    return made[-1]


def check_pair(context: FunctionContext, value: ir.Expression, span: Span) -> bool:
    """Whether `value` is a pair for the scatter's target: a struct of an address and a value."""
    target = context.program.scatter_target
    if target is None:
        return False
    type_, address = value.type, types.address_type(target.rank)
    if not isinstance(type_, types.Struct) or len(type_.fields) != 2:
        _bad_pair(context, span, f"a scatter takes a struct of two fields, not {type_}", target)
        return False
    first, second = type_.fields
    if first.type != address:
        message = f"the first field, the address, should be {address}; `{first.name}` is {first.type}"
        _bad_pair(context, span, message, target)
        return False
    if second.type != target.element:
        message = f"the second field, the value, should be {target.element}; `{second.name}` is {second.type}"
        _bad_pair(context, span, message, target)
        return False
    if context.program.pair is None:
        context.program.pair = type_
    if context.program.pair != type_:
        _bad_pair(context, span, f"all pairs have one type; others here are {context.program.pair}", target)
        return False
    return True


def _bad_pair(context: FunctionContext, span: Span, message: str, target: types.Field) -> None:
    note = Note(f"the target is a {target}: an address in it is {types.address_type(target.rank)}")
    context.report(rules.BAD_PAIR, span, message, notes=(note,))

"""Lowering of functions: those that people write, and the bodies of kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcheck.checker import ir, rules, types
from kcheck.checker.lower import control, edits, fixes
from kcheck.checker.lower.context import Expected, FunctionContext, LoweredFunction, ProgramContext
from kcheck.checker.lower.scopes import FunctionEntity, Home, Scope
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Fix, Note
from kcheck.grammar.spans import Span
from kcheck.grammar.walk import descendants

MAX_CALL_DEPTH = 256
"""The longest chain of functions that call each other."""

__all__ = ["LoweredFunction", "call_function", "calls_in", "check_pair", "check_unread", "finish", "lower_function"]


def call_function(context: FunctionContext, entity: FunctionEntity, call: Span) -> LoweredFunction | None:
    """The lowered form of a function that `context` calls; None after an error."""
    program = context.program
    if entity in program.working:
        _recursion(program, entity)
        return None
    lowered = lower_function(program, entity)
    if lowered is None:
        return None
    if lowered.depth >= MAX_CALL_DEPTH:
        message = f"functions call each other more than {MAX_CALL_DEPTH} deep here"
        context.report(rules.NESTED_TOO_DEEPLY, call, message)
        return None
    return lowered


def _recursion(program: ProgramContext, entity: FunctionEntity) -> None:
    """Report a circle of calls, in the same way wherever it was entered."""
    working = list(program.working)
    circle = working[working.index(entity) :]
    first = min(range(len(circle)), key=lambda i: (circle[i].home.path, circle[i].home.item, circle[i].node.name.span))
    circle = circle[first:] + circle[:first]
    names = [f"`{e.node.name.text}`" for e in (*circle, circle[0])]
    notes = [Note(f"`{e.node.name.text}` is declared here", e.home.at(e.node.name.span)) for e in circle[1:]]
    notes.append(Note("every kernel must end, so functions do not recurse; use a bounded loop"))
    closing = next(call for call, callee in _calls(circle[-1]) if callee is circle[0])
    message = f"{names[0]} calls itself: {' → '.join(names)}"
    program.problems.add(rules.RECURSION.report(circle[-1].home.at(closing.span), message, notes=tuple(notes)))


def lower_function(program: ProgramContext, entity: FunctionEntity) -> LoweredFunction | None:
    """Lower a function and those that it calls into `program`; None after an error.

    Callees come first, whatever the length of the chain: no recursion here.
    """
    if entity in program.lowered:
        return program.lowered[entity]
    known, working = program.lowered, program.working
    pending = [(entity, _calls(entity))]
    working[entity] = None
    while pending:
        current, rest = pending[-1]
        callee = next((c for _, c in rest if c not in known and c not in working), None)
        if callee is not None:
            pending.append((callee, _calls(callee)))
            working[callee] = None
            continue
        known[current] = _lower(program, current)
        del working[current]
        pending.pop()
    return known[entity]


def _calls(entity: FunctionEntity) -> Iterator[tuple[syntax.Call, FunctionEntity]]:
    return calls_in(entity.node.body, entity.scope)


def calls_in(block: syntax.Block, scope: Scope) -> Iterator[tuple[syntax.Call, FunctionEntity]]:
    """The calls of functions anywhere in a block."""
    for node in descendants(block):
        if isinstance(node, syntax.Call) and isinstance(node.callee, syntax.NameRef):
            callee = scope.find_function(node.callee.name.text)
            if callee is not None:
                yield node, callee


def _lower(program: ProgramContext, entity: FunctionEntity) -> LoweredFunction | None:
    signature = program.declarations.signature(entity)
    node = entity.node
    expected = Expected(signature.result, reason=_result_reason(node))
    context = FunctionContext(program, entity.home, entity.scope, node.name.text, expected)
    for parameter, type_ in zip(node.parameters, signature.parameters, strict=True):
        if parameter.name.text not in context.frames[-1]:
            context.declare(parameter.name, type_, "parameter").used = True
    errors, poisoned = program.problems.errors, program.poisoned
    program.poisoned = signature.result is None or None in signature.parameters
    body = control.function_body(context, node.body, node.head)
    failed = program.poisoned or program.problems.errors > errors
    program.poisoned = poisoned or failed
    if failed or signature.result is None:
        return None
    return finish(context, body, len(node.parameters), signature.result)


def _result_reason(node: syntax.Function) -> str:
    return f"`{node.name.text}` has no result" if node.result is None else f"this is the result of `{node.name.text}`"


_EFFECTS: dict[type, ir.Effect] = {
    ir.Exchange: ir.Effect.EXCHANGE,
    ir.Load: ir.Effect.LOAD,
    ir.Put: ir.Effect.PUT,
    ir.Emit: ir.Effect.EMIT,
}


def check_unread(
    program: ProgramContext, home: Home, scope: Scope, names: Sequence[syntax.Name], block: syntax.Block
) -> None:
    """Look for errors in a block whose header could not be read; `names` may be declared there."""
    context = FunctionContext(program, home, scope, "body", Expected(None))
    for name in names:
        if scope.find_value(name.text) is None:
            context.declare(name, None, "parameter")
    with context.dropping_values():
        control.statement_block(context, block)


def finish(context: FunctionContext, body: ir.Block, parameters: int, result: types.Type) -> LoweredFunction:
    """Put a lowered function into the program."""
    context.report_unused()
    made = context.program.functions
    effects: set[ir.Effect] = set()
    calls: set[int] = set()
    sampled: set[str] = set()
    for node in ir.walk(body):
        if type(node) in _EFFECTS:
            effects.add(_EFFECTS[type(node)])
        elif isinstance(node, (ir.Call, ir.CallStatement)):
            calls.add(node.function)
            effects |= made[node.function].function.effects
        elif isinstance(node, ir.Sample):
            sampled.add(node.port)
    function = ir.Function(
        name=context.name,
        parameters=parameters,
        locals=tuple(context.locals),
        result=result,
        body=body,
        effects=frozenset(effects),
        origins=tuple(context.origins),
    )
    depth = 1 + max((made[f].depth for f in calls), default=0)
    made.append(LoweredFunction(len(made), function, context.uses, frozenset(calls), frozenset(sampled), depth))
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
        _bad_pair(context, span, message, target, _field_fixes(context, type_, first, address))
        return False
    if second.type != target.element:
        message = f"the second field, the value, should be {target.element}; `{second.name}` is {second.type}"
        _bad_pair(context, span, message, target, _field_fixes(context, type_, second, target.element))
        return False
    if context.program.pair is None:
        context.program.pair = type_
    if context.program.pair != type_:
        _bad_pair(context, span, f"all pairs have one type; others here are {context.program.pair}", target)
        return False
    return True


def _bad_pair(
    context: FunctionContext, span: Span, message: str, target: types.Field, made: tuple[Fix, ...] = ()
) -> None:
    note = Note(f"the target is a {target}: an address in it is {types.address_type(target.rank)}")
    context.report(rules.BAD_PAIR, span, message, notes=(note,), fixes=made)


def _field_fixes(
    context: FunctionContext, struct: types.Struct, field: types.FieldOf, wanted: types.Type
) -> tuple[Fix, ...]:
    """Declare a field of the kernel's own pair with the type that it needs, and convert what is given for it."""
    home, kernel = context.home, context.program.node
    entity = context.scope.find_type(struct.name)
    if kernel is None or entity is None or entity.home != home or not isinstance(entity.node, syntax.Struct):
        return ()
    declared = next(f for f in entity.node.fields if f.name.text == field.name)
    made = [edits.replace(home, declared.type.span, str(wanted))]
    for node in descendants(kernel):
        if isinstance(node, syntax.StructValue) and node.enum is None and node.name.text == struct.name:
            for given in node.fields:
                if given.name.text == field.name:
                    floors = (field.type, wanted) == (types.FLOAT, types.INT)
                    change = fixes.conversion(home, given.value, field.type, wanted)
                    made += fixes.floored(home, given.value) if floors else change or ()
    if len(made) == 1 or isinstance(wanted, (types.Struct, types.Enum)):
        return ()
    return (Fix(f"make `{field.name}` {wanted}", tuple(made)),)

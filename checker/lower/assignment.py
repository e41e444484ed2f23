"""Lowering of assignments: the target is a `var`, or a field, component or slot of one."""

from __future__ import annotations

from dataclasses import dataclass

from kcheck.checker import ir, rules, types
from kcheck.checker.lower import edits, expressions
from kcheck.checker.lower.context import FunctionContext
from kcheck.checker.lower.scopes import LocalSymbol, kind_of
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Fix
from kcheck.grammar.spans import Span


@dataclass(slots=True)
class _Target:
    symbol: LocalSymbol
    path: list[syntax.Member | syntax.Index]
    """From the local outwards."""


def lower_assignment(context: FunctionContext, node: syntax.Assign) -> bool:
    """The right side is evaluated first, then the positions in the target; control always goes on."""
    target = _find_target(context, node.target)
    value = expressions.lower(context, node.value, _held_type(target) if target and not node.op else None)
    if target is None:
        context.program.poisoned = True
        return False
    if node.op is not None:
        target.symbol.used = True
    with context.collect() as before:
        steps = _steps(context, target)
    if value is not None and before:
        value = expressions.kept(context, value, node.value.span)
    context.statements.extend(before)
    if steps is None or value is None:
        return False
    made, type_ = steps
    if node.op is not None:
        current = _read(context, target, made, node)
        combined = expressions.combine(context, ir.BinaryOp(node.op), current, value, node)
        if combined is None:
            return False
        value = combined
    if not expressions.matches(context, value, type_, node.value, reason=f"the target holds {type_}"):
        return False
    context.statements.append(
        ir.Assign(id=context.node(node.span), local=target.symbol.local, steps=tuple(made), value=value)
    )
    return False


def _find_target(context: FunctionContext, node: syntax.Expr) -> _Target | None:
    path: list[syntax.Member | syntax.Index] = []
    while isinstance(node, (syntax.Member, syntax.Index)):
        path.append(node)
        node = node.operand
    path.reverse()
    if not isinstance(node, syntax.NameRef):
        expressions.lower(context, node)
        context.report(rules.NOT_ASSIGNABLE, node.span, "only a `var`, or a part of one, can be assigned")
        return None
    symbol = context.find_local(node.name.text)
    if symbol is None:
        _not_a_local(context, node)
        return None
    context.record.name(node.name, symbol, write=True)
    if not symbol.mutable:
        _immutable(context, symbol, node)
        return None
    symbol.writes.append(node.name.span)
    if symbol.type is None:
        return None
    context.record.types.append((node.span, symbol.type))
    return _Target(symbol, path)


def _held_type(target: _Target) -> types.Type | None:
    """The type of what is assigned, where there is such a part; nothing is reported yet."""
    type_ = target.symbol.type
    for part in target.path:
        if isinstance(part, syntax.Index):
            type_ = None if type_ is None else types.element_type(type_)
        elif isinstance(type_, types.Struct):
            index = type_.index(part.name.text)
            type_ = None if index is None else type_.fields[index].type
        else:
            return None
    return type_


def _not_a_local(context: FunctionContext, node: syntax.NameRef) -> None:
    name = node.name.text
    found = context.scope.find_value(name)
    if found is None:
        if expressions.lower(context, node) is not None:
            context.report(rules.NOT_ASSIGNABLE, node.span, f"`{name}` is a variant and cannot be assigned")
        return
    found.used = True
    context.record.name(node.name, found, write=True)
    what = kind_of(found)
    advice = {"output": "return its elements from the body", "memory": f"write it by `put({name}, …);`"}.get(what)
    notes = (context.note(advice),) if advice else ()
    context.report(rules.NOT_ASSIGNABLE, node.span, f"`{name}` is {_article(what)} and cannot be assigned", notes=notes)


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _immutable(context: FunctionContext, symbol: LocalSymbol, node: syntax.NameRef) -> None:
    name = node.name.text
    made: tuple[Fix, ...] = ()
    if symbol.what == "let":
        message, advice = f"`{name}` is a `let`, which never changes", "declare it with `var` to assign it"
        if symbol.statement is not None:
            word = Span(symbol.statement.start, symbol.statement.start + len("let"))
            made = (Fix("declare it with `var`", (edits.replace(context.home, word, "var"),)),)
    else:
        message = f"`{name}` is a {symbol.what} and cannot be assigned"
        advice = f"copy it first: `var copy = {name};`"
    context.report(
        rules.NOT_ASSIGNABLE,
        node.span,
        message,
        notes=(context.note(advice), context.note(f"`{name}` is declared here", symbol.span)),
        fixes=made,
    )


def _steps(context: FunctionContext, target: _Target) -> tuple[list[ir.TargetStep], types.Type] | None:
    """The path of the target as IR steps and the type that it ends in."""
    type_ = target.symbol.type
    assert type_ is not None
    steps: list[ir.TargetStep] = []
    for part in target.path:
        if steps and isinstance(steps[-1], ir.SwizzleStep):
            context.report(rules.NOT_ASSIGNABLE, part.span, "an assigned path may only end in a swizzle")
            return None
        step = _index_step(context, part, type_) if isinstance(part, syntax.Index) else _name_step(context, part, type_)
        if step is None:
            return None
        made, type_ = step
        steps.append(made)
        context.record.types.append((part.span, type_))
    return steps, type_


def _index_step(
    context: FunctionContext, part: syntax.Index, type_: types.Type
) -> tuple[ir.TargetStep, types.Type] | None:
    element = types.element_type(type_)
    if element is None:
        context.report(rules.NO_SUCH_MEMBER, part.span, f"{expressions.describe(type_)} has no elements by number")
        return None
    index = expressions.lower_as(context, part.index, types.INT)
    if index is None:
        return None
    index = context.reusable(index, part.index.span)
    return ir.IndexStep(id=context.node(part.span), index=index), element


def _name_step(
    context: FunctionContext, part: syntax.Member, type_: types.Type
) -> tuple[ir.TargetStep, types.Type] | None:
    if isinstance(type_, types.Struct):
        index = type_.index(part.name.text)
        if index is None:
            expressions.no_such_field(context, type_, part.name)
            return None
        context.record.field(part.name, type_.key, write=True)
        return ir.FieldStep(id=context.node(part.span), index=index), type_.fields[index].type
    if isinstance(type_, types.Vec):
        components = expressions.swizzle(context, type_, part.name)
        if components is None:
            return None
        if len(set(components)) < len(components):
            context.report(rules.NOT_ASSIGNABLE, part.name.span, "an assigned swizzle names each component once")
            return None
        result: types.Type = types.FLOAT if len(components) == 1 else types.Vec(len(components))
        return ir.SwizzleStep(id=context.node(part.span), components=components), result
    context.report(rules.NO_SUCH_MEMBER, part.name.span, f"{expressions.describe(type_)} has no parts by name")
    return None


def _read(context: FunctionContext, target: _Target, steps: list[ir.TargetStep], node: syntax.Assign) -> ir.Expression:
    """The present value at the target, for `op=`."""
    span = node.target.span
    value: ir.Expression = context.read(target.symbol.local, span)
    for step in steps:
        id_ = context.node(span)
        match step:
            case ir.FieldStep():
                assert isinstance(value.type, types.Struct)
                field_type = value.type.fields[step.index].type
                value = ir.StructField(id=id_, type=field_type, operand=value, index=step.index)
            case ir.SwizzleStep():
                count = len(step.components)
                type_: types.Type = types.FLOAT if count == 1 else types.Vec(count)
                value = ir.Swizzle(id=id_, type=type_, operand=value, components=step.components)
            case ir.IndexStep():
                element = types.element_type(value.type)
                assert element is not None
                again = context.again(step.index, span)
                value = ir.Index(id=id_, type=element, operand=value, index=again)
    return value

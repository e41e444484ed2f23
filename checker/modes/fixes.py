"""Fixes that rewrite more than a name of a kernel: another mode, another head, members that are missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kcheck.checker import types
from kcheck.checker.lower import edits, fixes
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Edit, Fix
from kcheck.grammar.spans import Origin, Span
from kcheck.grammar.walk import descendants

if TYPE_CHECKING:
    from kcheck.checker.modes.common import KernelContext

# ---------------------------------------------------------------- another mode


def as_scan(kernel: KernelContext, head: Span, over: str, element: types.Type, carry: str) -> Edit:
    """Turn a body's head into that of a scan."""
    return edits.replace(kernel.home, head, f"scan over {over} with {carry} = {fixes.zero(element)}")


def scan_for_memory(kernel: KernelContext) -> tuple[Fix, ...]:
    """A map that writes memory as the scan that was meant, where it is clear what it walks."""
    body = next((m for m in kernel.node.members if isinstance(m, syntax.Body)), None)
    inputs, outputs = kernel.ports(syntax.PortKind.INPUT), kernel.ports(syntax.PortKind.OUTPUT)
    if not isinstance(body, syntax.MapBody) or len(inputs) != 1 or len(outputs) != 1:
        return ()
    type_ = outputs[0].type
    if type_ is None or type_.rank != 1:
        return ()
    carry = fixes.free_name("_before", fixes.names_in(kernel.node))
    edit = as_scan(kernel, body.head, inputs[0].node.name.text, type_.element, carry)
    return (Fix("make it a scan", (edit,)),)


def scan_for_prefix(kernel: KernelContext, body: syntax.PrefixBody, element: types.Type) -> tuple[Fix, ...]:
    """A prefix that sums Floats as a scan that adds to a total."""
    total = fixes.free_name("total", fixes.names_in(kernel.node))
    made = [as_scan(kernel, body.head, body.over.text, element, total)]
    for value in results(body.block):
        added = _added(kernel, total, element, value)
        if added is None:
            return ()
        made += added
    return (Fix("make it a scan", tuple(made)),)


def _added(kernel: KernelContext, total: str, element: types.Type, value: syntax.Expr) -> list[Edit] | None:
    """The edits that add `value` to what `total` names; None where that takes more than a change of the value."""
    if types.float_shape(element) or element is types.INT:
        if _is_tight(value):
            return [edits.insert(kernel.home, value.span.start, f"{total} + ")]
        return list(edits.wrap(kernel.home, value.span, f"{total} + (", ")"))
    if not isinstance(element, types.Struct) or not isinstance(value, syntax.StructValue):
        return None
    made: list[Edit] = []
    for given in value.fields:
        index = element.index(given.name.text)
        if index is None:
            return None
        name, type_ = f"{total}.{given.name.text}", element.fields[index].type
        added = _added(kernel, name, type_, given.value)
        if added is None:
            return None
        made += added
    return made


def _is_tight(node: syntax.Expr) -> bool:
    """Whether `+` before a value takes the whole of it."""
    if isinstance(node, syntax.Binary):
        return node.op in ("*", "/", "%")
    return not isinstance(node, (syntax.If, syntax.Match, syntax.Block))


def results(block: syntax.Block) -> Iterator[syntax.Expr]:
    """The values that a body returns, and the one that it ends in."""
    last = block.statements[-1] if block.statements else None
    if isinstance(last, syntax.ExprStatement) and not last.semicolon:
        yield from _tail(last.value)
    for node in descendants(block):
        if isinstance(node, syntax.Return) and node.value is not None:
            yield node.value


def _tail(node: syntax.Expr) -> Iterator[syntax.Expr]:
    """The values that an expression at the end of a body may have; a branch may return instead."""
    match node:
        case syntax.If():
            for branch in (node.then, node.otherwise):
                yield from () if branch is None else _tail(branch)
        case syntax.Match():
            for arm in node.arms:
                yield from _tail(arm.body)
        case syntax.Block():
            last = node.statements[-1] if node.statements else None
            if isinstance(last, syntax.ExprStatement) and not last.semicolon:
                yield from _tail(last.value)
        case _:
            yield node


def without_last(kernel: KernelContext, body: syntax.PrefixBody, element: types.Type) -> tuple[Fix, ...]:
    """A prefix with `last` gives each element's own value: a map does that, or a scan that does not look back."""
    over = kernel.scope.ports.get(body.over.text)
    reads = any(_samples(node, body.over.text) for node in descendants(body.block))
    if over is not None and over.type is not None and over.type.rank == 1 and reads:
        return (Fix("make it a map", (edits.replace(kernel.home, body.head, "compute"),)),)
    carry = fixes.free_name("_before", fixes.names_in(kernel.node))
    return (Fix("make it a scan", (as_scan(kernel, body.head, body.over.text, element, carry),)),)


def _samples(node: syntax.Node, port: str) -> bool:
    """Whether a node is `sample(port)`."""
    if not isinstance(node, syntax.Call) or not isinstance(node.callee, syntax.NameRef) or len(node.args) != 1:
        return False
    argument = node.args[0]
    return node.callee.name.text == "sample" and isinstance(argument, syntax.NameRef) and argument.name.text == port


def reduction_for_merge(kernel: KernelContext, body: syntax.Body) -> tuple[Fix, ...]:
    """A map beside a merge as the reduction that was meant, where it is clear what it folds."""
    inputs, outputs = kernel.ports(syntax.PortKind.INPUT), kernel.ports(syntax.PortKind.OUTPUT)
    is_rows = [p.type is not None and p.type.rank == 1 for p in outputs]
    if not isinstance(body, syntax.MapBody) or len(inputs) != 1 or is_rows != [True]:
        return ()
    head = f"compute over {inputs[0].node.name.text}"
    return (Fix(f"write `{head}`", (edits.replace(kernel.home, body.head, head),)),)


def group_for_lanes(kernel: KernelContext) -> tuple[Fix, ...]:
    """A map that speaks of lanes as a group."""
    body = next((m for m in kernel.node.members if isinstance(m, syntax.Body)), None)
    if not isinstance(body, syntax.MapBody):
        return ()
    return (Fix("make it a group of 64 lanes", (edits.replace(kernel.home, body.head, "group 64"),)),)


# ---------------------------------------------------------------- members


def memory_as_input(kernel: KernelContext, port: syntax.Port) -> tuple[Fix, ...]:
    """Declare a memory that nothing writes as an input."""
    word = Span(port.span.start, port.span.start + len("memory"))
    return (Fix(f"make `{port.name.text}` an input", (edits.replace(kernel.home, word, "input"),)),)


def is_put(kernel: KernelContext, name: str) -> bool:
    """Whether `put(name, …)` stands anywhere in the kernel."""
    return any(
        isinstance(node, syntax.Call)
        and isinstance(node.callee, syntax.NameRef)
        and node.callee.name.text == "put"
        and bool(node.args)
        and isinstance(node.args[0], syntax.NameRef)
        and node.args[0].name.text == name
        for node in descendants(kernel.node)
    )


def merge_skeleton(kernel: KernelContext, body: syntax.ReductionBody, element: types.Type) -> tuple[Fix, ...]:
    """A merge that adds, to start from."""
    value = _sum(element, "a", "b")
    if value is None:
        return ()
    text = f"merge(a, b) {{ return {value}; }}"
    return (Fix(f"add `{text}`", (edits.add_line(kernel.home, body.span, text),)),)


def _sum(type_: types.Type, a: str, b: str) -> str | None:
    """`a + b` part by part; of flags, whether either holds."""
    if type_ is types.BOOL:
        return f"{a} || {b}"
    if type_ is types.INT or types.float_shape(type_):
        return f"{a} + {b}"
    if not isinstance(type_, types.Struct):
        return None
    parts = [(f.name, _sum(f.type, f"{a}.{f.name}", f"{b}.{f.name}")) for f in type_.fields]
    if any(part is None for _, part in parts):
        return None
    return f"{type_.name} {{ {', '.join(f'{name}: {part}' for name, part in parts)} }}"


def body_skeleton(kernel: KernelContext) -> tuple[Fix, ...]:
    """A map that gives zeros, to start from."""
    outputs = [(p.node.name.text, p.type) for p in kernel.ports(syntax.PortKind.OUTPUT)]
    declared = [types.FieldOf(name, type_.element) for name, type_ in outputs if type_ is not None]
    if not outputs or len(declared) < len(outputs):
        return ()
    value = fixes.zero(declared[0].type) if len(declared) == 1 else fixes.record(declared)
    text = f"compute {{ return {value}; }}"
    return (Fix(f"add `{text}`", (edits.add_last(kernel.home, kernel.node.span, text),)),)


def retype(kernel: KernelContext, port: syntax.Port, type_: str) -> tuple[Fix, ...]:
    """Declare a port with another type."""
    return (Fix(f"make it `{type_}`", (edits.replace(kernel.home, port.type.span, type_),)),)


def field_text(rank: int, element: str) -> str:
    return f"{types.RANK_NAMES[rank]}<{element}>"


def element_text(kernel: KernelContext, port: syntax.Port) -> str:
    """The element type of a port as it is written."""
    node = port.type
    if isinstance(node, syntax.NamedType) and node.args:
        return edits.source(kernel.home, node.args[0].span)
    return "Vec4"  # of an Image


def without_bindings(kernel: KernelContext, name: str) -> tuple[Edit, ...]:
    """Remove what the examples bind to a port or param."""
    return tuple(
        edits.remove(kernel.home, entry.span)
        for member in kernel.node.members
        if isinstance(member, syntax.Example)
        for entry in member.entries
        if entry.name.text == name and not entry.expected
    )


# ---------------------------------------------------------------- emit


def without_emit(kernel: KernelContext, site: Origin) -> tuple[Fix, ...]:
    """Remove the `emit` at `site`; where the body then returns no pair of its own, return this one instead."""
    if (site.path, site.item) != (kernel.home.path, kernel.home.item):
        return ()
    for block in (node for node in descendants(kernel.node) if isinstance(node, syntax.Block)):
        for index, statement in enumerate(block.statements):
            if isinstance(statement, syntax.ExprStatement) and statement.value.span == site.span:
                following = block.statements[index + 1] if index + 1 < len(block.statements) else None
                return _emit_fixes(kernel, statement, following)
    return ()


def _emit_fixes(
    kernel: KernelContext, statement: syntax.ExprStatement, following: syntax.Statement | None
) -> tuple[Fix, ...]:
    call = statement.value
    removed = fixes.remove(kernel.home, statement.span, "the `emit`")
    if not isinstance(call, syntax.Call) or not call.args:
        return removed
    if not isinstance(following, (syntax.Return, syntax.ExprStatement)):
        return removed
    if following.value is None or not _is_nowhere(following.value):
        return removed
    pair = edits.source(kernel.home, call.args[0].span)
    made = (edits.remove(kernel.home, statement.span), edits.replace(kernel.home, following.value.span, pair))
    return (Fix("return this pair", made),)


def _is_nowhere(value: syntax.Expr) -> bool:
    """Whether a pair's address is -1, the idiom for none."""
    if not isinstance(value, syntax.StructValue) or not value.fields:
        return False
    address = value.fields[0].value
    return isinstance(address, syntax.Unary) and address.op == "-" and isinstance(address.operand, syntax.IntLiteral)

"""Checking one kernel: its members, the permissions it asks for, its body, and the program it becomes."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from kcheck.checker import ir, rewrite, rules, types
from kcheck.checker.lower import edits, fixes, functions
from kcheck.checker.lower.context import LoweredFunction, ProgramContext
from kcheck.checker.lower.declarations import Declarations
from kcheck.checker.lower.items import declare_item
from kcheck.checker.lower.scopes import ConstEntity, FunctionEntity, Home, ParamEntity, PortEntity, Scope
from kcheck.checker.modes import fixes as mode_fixes
from kcheck.checker.modes import lower_mode
from kcheck.checker.modes.common import KernelContext
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Edit, Fix, Note
from kcheck.grammar.spans import Span
from kcheck.grammar.walk import descendants

READ, WRITE = "field.read", "field.write"
# Members that declare no port and no mode.
_NO_PORTS = frozenset({"requires", "param", "const", "struct", "enum", "fn", "merge", "example"})


@dataclass(frozen=True, slots=True)
class LoweredKernel:
    """`program` is None where the kernel has an error; `calls` are the functions that were lowered for it."""

    program: ir.Program | None
    scope: Scope
    calls: Collection[FunctionEntity]


def lower_kernel(node: syntax.Kernel, home: Home, outer: Scope, declarations: Declarations) -> LoweredKernel:
    scope = Scope(home, outer.ledger, outer)
    declarations.recorder.item(home).scope = scope
    kernel = KernelContext(node, home, scope, ProgramContext(declarations, scope, rank=1, node=node))
    return LoweredKernel(_program(kernel), scope, kernel.program.lowered)


def _program(kernel: KernelContext) -> ir.Program | None:
    node, home, scope = kernel.node, kernel.home, kernel.scope
    page = kernel.program.declarations.ledger.page
    errors, unread = page.problems.errors, page.unread
    _declare_members(kernel)
    kernel.program.is_rank_known = _are_ports_known(kernel)
    params = [_param_decl(kernel, entity) for entity in scope.params.values()]
    _check_permissions(kernel)
    body = _choose_body(kernel)
    lowered = lower_mode(kernel, body) if body is not None else None
    _check_unread(kernel)
    _check_uncalled(kernel)
    good = [p for p in params if p is not None]
    if lowered is None or len(good) < len(params):
        return None
    if kernel.program.poisoned or page.problems.errors > errors:
        return None
    if not home.is_whole or page.unread > unread:
        return None
    if any(not entity.home.is_whole for entity in kernel.program.lowered):
        return None
    _report_unused(kernel)
    schedule, reached = _reached(kernel.program.functions, lowered.schedule)
    return ir.Program(
        name=node.name.text,
        inputs=_port_decls(kernel, syntax.PortKind.INPUT),
        outputs=_port_decls(kernel, syntax.PortKind.OUTPUT),
        memories=_port_decls(kernel, syntax.PortKind.MEMORY),
        params=tuple(sorted(good, key=lambda p: p.name)),
        rank=kernel.program.rank,
        result=lowered.result,
        schedule=schedule,
        functions=tuple(f.function for f in reached),
        sampled=frozenset[str]().union(*(f.sampled for f in reached)),
        origin=home.at(node.name.span),
        doc=node.doc,
    )


def _reached(functions: list[LoweredFunction], schedule: ir.Schedule) -> tuple[ir.Schedule, list[LoweredFunction]]:
    """The functions that the schedule runs and those that they call: not what only dead code calls."""
    found = set(rewrite.scheduled(schedule))
    for lowered in reversed(functions):
        if lowered.index in found:
            found |= lowered.calls
    if len(found) == len(functions):
        return schedule, functions
    kept = [lowered for lowered in functions if lowered.index in found]
    position = {lowered.index: new for new, lowered in enumerate(kept)}.__getitem__
    renumbered = [replace(lowered, function=rewrite.with_calls(lowered.function, position)) for lowered in kept]
    return rewrite.with_functions(schedule, position), renumbered


# ---------------------------------------------------------------- members


def _declare_members(kernel: KernelContext) -> None:
    """Fill the kernel's scope: types first, since ports and params are typed by them."""
    members = kernel.node.members
    for member in members:
        if isinstance(member, (syntax.Struct, syntax.Enumeration, syntax.Const, syntax.Function)):
            declare_item(kernel.scope, member, kernel.program.problems)
        elif isinstance(member, syntax.ErrorMember):
            kernel.scope.broken.update(name.text for name in member.names)
            kernel.scope.incomplete |= not member.names
    for member in members:
        if isinstance(member, syntax.Port):
            _declare_port(kernel, member)
        elif isinstance(member, syntax.Param):
            _declare_param(kernel, member)
    for entity in kernel.scope.types.values():
        used = entity.used
        kernel.program.declarations.type_of(entity)
        entity.used = used


def _are_ports_known(kernel: KernelContext) -> bool:
    unread = (member for member in kernel.node.members if isinstance(member, syntax.ErrorMember))
    return all(port.type is not None for port in kernel.scope.ports.values()) and all(
        member.keyword in _NO_PORTS for member in unread
    )


def _declare_port(kernel: KernelContext, node: syntax.Port) -> None:
    if _is_free(kernel, node, "port"):
        type_ = kernel.program.declarations.field_type(node.type, kernel.scope, kernel.home)
        if type_ is None:
            kernel.program.poisoned = True
        kernel.scope.ports[node.name.text] = PortEntity(node, type_)


def _declare_param(kernel: KernelContext, node: syntax.Param) -> None:
    if _is_free(kernel, node, "param"):
        type_ = kernel.program.declarations.value_type(node.type, kernel.scope, kernel.home)
        if type_ is None:
            kernel.program.poisoned = True
        kernel.scope.params[node.name.text] = ParamEntity(node, type_)


def _is_free(kernel: KernelContext, node: syntax.Port | syntax.Param, what: str) -> bool:
    name = node.name
    earlier = kernel.scope.ports.get(name.text) or kernel.scope.params.get(name.text)
    if earlier is None:
        if kernel.scope.find_value(name.text) is not None:
            kernel.report(rules.SHADOWED, name.span, f"this {what} hides the constant `{name.text}`")
        return True
    note = Note(f"the first `{name.text}` is here", kernel.home.at(earlier.node.name.span))
    message = f"a second port or param `{name.text}`; callers bind them by name"
    made = fixes.remove(kernel.home, node.span, f"the second `{name.text}`")
    kernel.program.problems.add(rules.DUPLICATE.report(kernel.home.at(name.span), message, notes=(note,), fixes=made))
    return False


def _port_decls(kernel: KernelContext, kind: syntax.PortKind) -> tuple[ir.PortDecl, ...]:
    """The ports of a kind in the order of their names: that of their declarations means nothing."""
    found = [
        ir.PortDecl(name=p.node.name.text, type=p.type, origin=kernel.home.at(p.node.name.span))
        for p in kernel.ports(kind)
        if p.type is not None
    ]
    return tuple(sorted(found, key=lambda port: port.name))


# ---------------------------------------------------------------- params


def _param_decl(kernel: KernelContext, entity: ParamEntity) -> ir.ParamDecl | None:
    node, type_ = entity.node, entity.type
    if type_ is None:
        return None
    default = _constant(kernel, node.default, type_)
    low, high = _bound(kernel, node.low, type_), _bound(kernel, node.high, type_)
    if (node.default and default is None) or (node.low and low is None) or (node.high and high is None):
        return None
    if low is not None and high is not None and not _check_range(kernel, node, type_, default, low, high):
        return None
    return ir.ParamDecl(
        name=node.name.text,
        type=type_,
        default=default,
        low=low,
        high=high,
        origin=kernel.home.at(node.name.span),
    )


def _constant(kernel: KernelContext, node: syntax.Expr | None, type_: types.Type) -> ir.Const | None:
    if node is None:
        return None
    return kernel.program.declarations.constant_value(node, type_, kernel.scope, kernel.home)


def _bound(kernel: KernelContext, node: syntax.Expr | None, type_: types.Type) -> ir.Const | None:
    """An end of a range: a value of the param's type, or one Float for all components of a vector."""
    if node is None:
        return None
    spread = types.float_shape(type_)
    return kernel.program.declarations.constant_value(node, type_, kernel.scope, kernel.home, spread=spread)


def _check_range(
    kernel: KernelContext,
    node: syntax.Param,
    type_: types.Type,
    default: ir.Const | None,
    low: ir.Const,
    high: ir.Const,
) -> bool:
    name = node.name.text
    if types.contains(type_, types.BOOL) or types.contains_enum(type_):
        message = f"`{name}` is {type_}, which has no order and so no range"
        kernel.report(rules.BAD_PARAM, node.span, message, fixes=_without_range(kernel, node))
        return False
    if not _ordered(low, high):
        message = f"the range of `{name}` is empty: its low end is above its high end"
        fits = default is None or (_ordered(high, default) and _ordered(default, low))
        kernel.report(rules.BAD_PARAM, node.span, message, fixes=_turned_range(kernel, node) if fits else ())
        return False
    if default is not None and not (_ordered(low, default) and _ordered(default, high)):
        where = node.default.span if node.default is not None else node.span
        made = _nearest_end(kernel, node, above=_ordered(high, default))
        kernel.report(rules.BAD_PARAM, where, f"the default of `{name}` is outside its range", fixes=made)
        return False
    return True


def _without_range(kernel: KernelContext, node: syntax.Param) -> tuple[Fix, ...]:
    before = (node.default or node.type).span.end
    return (Fix("remove the range", (edits.replace(kernel.home, Span(before, node.span.end), ";"),)),)


def _turned_range(kernel: KernelContext, node: syntax.Param) -> tuple[Fix, ...]:
    """Let the ends of a range change places."""
    assert node.low is not None
    assert node.high is not None
    low, high = edits.source(kernel.home, node.low.span), edits.source(kernel.home, node.high.span)
    return fixes.write(kernel.home, node.low.span.to(node.high.span), f"{high}..{low}")


def _nearest_end(kernel: KernelContext, node: syntax.Param, *, above: bool) -> tuple[Fix, ...]:
    """Take the end of the range that is nearest to the default, which is a single number."""
    end = node.high if above else node.low
    if node.default is None or end is None:
        return ()
    return fixes.write(kernel.home, node.default.span, edits.source(kernel.home, end.span))


def _ordered(low: ir.Const, high: ir.Const) -> bool:
    """Whether `low <= high` leaf by leaf, as numbers."""
    return all(a <= b for a, b in zip(ir.const_numbers(low), ir.const_numbers(high), strict=True))


# ---------------------------------------------------------------- permissions


def _check_permissions(kernel: KernelContext) -> None:
    blocks = [m for m in kernel.node.members if isinstance(m, syntax.Requires)]
    given = {p.text: p for block in blocks for p in block.permissions}
    for name, node in given.items():
        if name not in (READ, WRITE):
            kernel.report(
                rules.UNKNOWN_PERMISSION,
                node.span,
                f"there is no permission `{name}`",
                f"there are `{READ}` and `{WRITE}`",
                fixes=_permission_fixes(kernel, node, {READ, WRITE} - given.keys()),
            )
    kinds = {m.kind for m in kernel.node.members if isinstance(m, syntax.Port)}
    reads = kinds - {syntax.PortKind.OUTPUT}
    _check_permission(kernel, READ, reads, "an input or a memory", given, blocks)
    _check_permission(kernel, WRITE, kinds & {syntax.PortKind.OUTPUT}, "an output", given, blocks)


def _permission_fixes(kernel: KernelContext, node: syntax.Name, missing: set[str]) -> tuple[Fix, ...]:
    """The permission that was meant, or none."""
    renamed = fixes.rename(kernel.home, node, missing)
    text = kernel.home.text
    semicolon = len(text) - len(text[node.span.end :].lstrip())
    if renamed or not text.startswith(";", semicolon):  # which may be missing
        return renamed
    return fixes.remove(kernel.home, Span(node.span.start, semicolon + 1), f"`{node.text};`")


def _check_permission(
    kernel: KernelContext,
    name: str,
    ports: set[syntax.PortKind],
    reason: str,
    given: dict[str, syntax.Name],
    blocks: list[syntax.Requires],
) -> None:
    """`ports` are the kinds of ports that need the permission; `reason` names all kinds that would."""
    if not ports and name in given:
        message = f"`{name}` is not needed: the kernel does not declare {reason}"
        kernel.report(
            rules.UNNEEDED_PERMISSION,
            given[name].span,
            message,
            fixes=_permission_fixes(kernel, given[name], set()),
        )
    if not ports or name in given:
        return
    declared = "a memory" if ports == {syntax.PortKind.MEMORY} else reason.removesuffix(" or a memory")
    place, text = _permission_edit(kernel.node, name, blocks)
    fix = Fix(f"add `{name};`", (Edit(kernel.home.at(Span(place, place)), text),))
    where = blocks[0].span if blocks else kernel.node.name.span
    message = f"this kernel declares {declared}, so it requires `{name}`"
    kernel.program.problems.add(rules.MISSING_PERMISSION.report(kernel.home.at(where), message, fixes=(fix,)))


def _permission_edit(node: syntax.Kernel, name: str, blocks: list[syntax.Requires]) -> tuple[int, str]:
    """Where to insert what, to add a permission."""
    if blocks:
        return blocks[0].span.end - 1, f"{name}; "
    first = node.members[0]
    if isinstance(first, syntax.Documented) and first.doc:  # its comment must stay with it
        return first.span.end, f"\n  requires {{ {name}; }}"
    return first.span.start, f"requires {{ {name}; }}\n  "


# ---------------------------------------------------------------- body and merge


def _choose_body(kernel: KernelContext) -> syntax.Body | None:
    bodies = [m for m in kernel.node.members if isinstance(m, syntax.Body)]
    merges = [m for m in kernel.node.members if isinstance(m, syntax.Merge)]
    for extra in bodies[1:]:
        _second(kernel, extra, bodies[0].head, "body")
    for extra_merge in merges[1:]:
        _second(kernel, extra_merge, merges[0].head, "merge")
    if not bodies:
        kernel.report(
            rules.NO_BODY,
            kernel.node.name.span,
            "this kernel has no body",
            "a body starts with `compute`, `compute over`, `scan over`, `scatter over`, `prefix over` or `group`",
            fixes=mode_fixes.body_skeleton(kernel),
        )
        return None
    if merges and not isinstance(bodies[0], syntax.ReductionBody):
        kernel.report(
            rules.STRAY_MERGE,
            merges[0].head,
            "`merge` belongs to `compute over`, and this kernel has another body",
            fixes=(
                *mode_fixes.reduction_for_merge(kernel, bodies[0]),
                *fixes.remove(kernel.home, merges[0].span, "the merge"),
            ),
        )
    kernel.merge = merges[0] if merges else None
    return bodies[0]


def _second(kernel: KernelContext, extra: syntax.Body | syntax.Merge, first: Span, what: str) -> None:
    kernel.program.problems.add(
        rules.SECOND_BODY.report(
            kernel.home.at(extra.head),
            f"a kernel has one {what}, this is a second",
            notes=(Note(f"the first {what} is here", kernel.home.at(first)),),
            fixes=fixes.remove(kernel.home, extra.span, f"this {what}"),
        )
    )


# ---------------------------------------------------------------- unused


def _check_unread(kernel: KernelContext) -> None:
    """Look for errors in the bodies whose header could not be read."""
    for member in kernel.node.members:
        if isinstance(member, syntax.ErrorMember) and member.body is not None:
            functions.check_unread(kernel.program, kernel.home, kernel.scope, member.names, member.body)


def _check_uncalled(kernel: KernelContext) -> None:
    """Look for errors in the functions and constants that the body does not use."""
    program = kernel.program
    for function in kernel.scope.functions.values():
        if function not in program.lowered:
            functions.lower_function(program, function)
    for const in kernel.scope.consts.values():
        used = const.used
        program.declarations.constant(const)
        const.used = used


def _report_unused(kernel: KernelContext) -> None:
    scope = kernel.scope
    for function in scope.functions.values():
        if not function.used:
            _hint(kernel, function.node, f"function `{function.node.name.text}` is never called")
    for const in _unused_consts(kernel):
        _hint(kernel, const.node, f"constant `{const.node.name.text}` is never used")
    for type_ in scope.types.values():
        if not type_.used:
            _hint(kernel, type_.node, f"type `{type_.node.name.text}` is never used")
    for param in scope.params.values():
        if not param.used:
            _hint(kernel, param.node, f"param `{param.node.name.text}` is never used")
    _check_unused_ports(kernel, scope.ports.values())
    for memory in kernel.ports(syntax.PortKind.MEMORY):
        if memory.used and not mode_fixes.is_put(kernel, memory.node.name.text):
            kernel.report(
                rules.MEMORY_NEVER_WRITTEN,
                memory.node.name.span,
                f"memory `{memory.node.name.text}` is read, but no `put` writes it",
                fixes=mode_fixes.memory_as_input(kernel, memory.node),
            )


def _unused_consts(kernel: KernelContext) -> list[ConstEntity]:
    """The constants that neither code nor an example names."""
    unused = [const for const in kernel.scope.consts.values() if not const.used]
    if not unused:
        return []
    in_examples = {
        node.name.text
        for member in kernel.node.members
        if isinstance(member, syntax.Example)
        for node in descendants(member)
        if isinstance(node, syntax.NameRef)
    }
    return [const for const in unused if const.node.name.text not in in_examples]


def _hint(
    kernel: KernelContext,
    node: syntax.Function | syntax.Const | syntax.Struct | syntax.Enumeration | syntax.Param,
    message: str,
) -> None:
    if not node.name.text.startswith("_"):
        bindings = mode_fixes.without_bindings(kernel, node.name.text) if isinstance(node, syntax.Param) else ()
        kernel.report(
            rules.UNUSED, node.name.span, message, fixes=fixes.remove(kernel.home, node.span, "it", *bindings)
        )


def _check_unused_ports(kernel: KernelContext, ports: Iterable[PortEntity]) -> None:
    for port in ports:
        if not port.used and port.node.kind is not syntax.PortKind.OUTPUT:
            bindings = mode_fixes.without_bindings(kernel, port.node.name.text)
            kernel.report(
                rules.UNUSED_INPUT,
                port.node.name.span,
                f"{port.node.kind.value} `{port.node.name.text}` is never read",
                "callers would have to bind it for nothing",
                fixes=fixes.remove(kernel.home, port.node.span, "it", *bindings),
            )

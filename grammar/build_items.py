"""From textX's objects to the syntax tree: file items, kernel members, scene entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kcheck.grammar import syntax
from kcheck.grammar.broken import broken_item
from kcheck.grammar.build_code import (
    Context,
    Faults,
    Place,
    block,
    dotted,
    expr,
    headless,
    in_order,
    name,
    optional_expr,
    optional_type,
    scan_init,
    span_of,
    type_expr,
)
from kcheck.grammar.lexis import doc_comments, trimmed
from kcheck.grammar.problems import SYNTAX, Problem, UnreadableError
from kcheck.grammar.recovery import Damage
from kcheck.grammar.spans import Span


def item(text: str, node: Any, faults: Faults) -> syntax.Item:
    """The tree of one file item, whose text is `text`; adds to the problems of `faults`."""
    made = _ITEMS[type(node).__name__](Context(text, doc_comments(text), faults), node)
    header = faults.header(node) if faults.damages else None
    return made if header is None else _headless(text, made, header)


def _headless(text: str, made: syntax.Item, header: Damage) -> syntax.Item:
    """An item whose header could not be read."""
    known = broken_item(text)
    if isinstance(made, syntax.Function):
        return replace(known, names=header.names, body=made.body)
    assert isinstance(made, syntax.Kernel | syntax.Scene | syntax.Struct | syntax.Enumeration)
    return replace(made, name=known.name or syntax.Name(span=header.span, text=""))


def _doc(cx: Context, node: Any) -> str:
    return cx.docs.get(node._tx_position, "")


def _head(cx: Context, node: Any, body: Any) -> Span:
    """The words of `node` before its block."""
    start = node._tx_position
    return Span(start, trimmed(cx.text, start, body._tx_position))


# ---------------------------------------------------------------- declarations


def _use(cx: Context, node: Any) -> syntax.Use:
    return syntax.Use(span=span_of(node), doc=_doc(cx, node), path=dotted(node.path))


def _const(cx: Context, node: Any) -> syntax.Const:
    return syntax.Const(
        span=span_of(node),
        doc=_doc(cx, node),
        name=name(node.name),
        type=type_expr(cx, node.type),
        value=expr(cx, node.value),
    )


def _field(cx: Context, node: Any) -> syntax.FieldDecl:
    field_name, type_ = name(node.name), type_expr(cx, node.type)
    return syntax.FieldDecl(span=field_name.span.to(type_.span), doc=_doc(cx, node), name=field_name, type=type_)


def _struct(cx: Context, node: Any) -> syntax.Struct:
    fields, errors = cx.parts(node, node.fields, _field)
    return syntax.Struct(
        span=span_of(node), doc=_doc(cx, node), name=name(node.name), fields=tuple(fields), errors=tuple(errors)
    )


def _enumeration(cx: Context, node: Any) -> syntax.Enumeration:
    variants, errors = cx.parts(node, node.variants, _variant)
    return syntax.Enumeration(
        span=span_of(node),
        doc=_doc(cx, node),
        name=name(node.name),
        variants=tuple(variants),
        errors=tuple(errors),
    )


def _variant(cx: Context, node: Any) -> syntax.VariantDecl:
    last = node.body if node.body is not None else node.name
    fields, errors = cx.parts(node.body, node.body.fields, _field) if node.body is not None else ([], [])
    return syntax.VariantDecl(
        span=span_of(node.name).to(span_of(last)),
        doc=_doc(cx, node),
        name=name(node.name),
        fields=tuple(fields),
        errors=tuple(errors),
    )


def _function(cx: Context, node: Any) -> syntax.Function:
    return syntax.Function(
        span=span_of(node),
        doc=_doc(cx, node),
        name=name(node.name),
        parameters=tuple(_parameter(cx, parameter) for parameter in node.parameters),
        result=optional_type(cx, node.result),
        body=block(cx, node.body),
        head=_head(cx, node, node.body),
    )


def _parameter(cx: Context, node: Any) -> syntax.Parameter:
    return syntax.Parameter(span=span_of(node), name=name(node.name), type=type_expr(cx, node.type))


# ---------------------------------------------------------------- kernels


def _kernel_name(node: Any) -> syntax.Name:
    return syntax.Name(span=span_of(node), text=f"{dotted(node).text}@{node.version}")


def _kernel(cx: Context, node: Any) -> syntax.Kernel:
    members, errors = cx.parts(node, node.members, _member)
    return syntax.Kernel(
        span=span_of(node),
        doc=_doc(cx, node),
        name=_kernel_name(node.name),
        members=in_order(members, errors),
    )


def _member(cx: Context, node: Any) -> syntax.KernelMember:
    header = cx.faults.header(node) if cx.faults.damages else None
    if header is None:
        return _MEMBERS[type(node).__name__](cx, node)
    return headless(cx, node, header)


def _requires(cx: Context, node: Any) -> syntax.Requires:
    return syntax.Requires(span=span_of(node), permissions=tuple(dotted(path) for path in node.permissions))


def _port(cx: Context, node: Any) -> syntax.Port:
    return _port_of(cx, node, syntax.PortKind(node.kind))


def _port_of(cx: Context, node: Any, kind: syntax.PortKind) -> syntax.Port:
    return syntax.Port(
        span=span_of(node),
        doc=_doc(cx, node),
        kind=kind,
        name=name(node.name),
        type=type_expr(cx, node.type),
    )


def _param(cx: Context, node: Any) -> syntax.Param:
    return syntax.Param(
        span=span_of(node),
        doc=_doc(cx, node),
        name=name(node.name),
        type=type_expr(cx, node.type),
        default=optional_expr(cx, node.default),
        low=optional_expr(cx, node.low),
        high=optional_expr(cx, node.high),
    )


def _map_body(cx: Context, node: Any) -> syntax.MapBody:
    return syntax.MapBody(span=span_of(node), block=block(cx, node.block), head=_head(cx, node, node.block))


def _reduction_body(cx: Context, node: Any) -> syntax.ReductionBody:
    return syntax.ReductionBody(
        span=span_of(node),
        block=block(cx, node.block),
        head=_head(cx, node, node.block),
        over=name(node.over),
    )


def _scan_body(cx: Context, node: Any) -> syntax.ScanBody:
    return syntax.ScanBody(
        span=span_of(node),
        block=block(cx, node.block),
        head=_head(cx, node, node.block),
        over=name(node.over),
        carry=name(node.carry),
        init=scan_init(cx, node.init),
    )


def _scatter_body(cx: Context, node: Any) -> syntax.ScatterBody:
    return syntax.ScatterBody(
        span=span_of(node),
        block=block(cx, node.block),
        head=_head(cx, node, node.block),
        over=name(node.over),
        into=name(node.into),
        op=name(node.op),
    )


def _prefix_body(cx: Context, node: Any) -> syntax.PrefixBody:
    return syntax.PrefixBody(
        span=span_of(node),
        block=block(cx, node.block),
        head=_head(cx, node, node.block),
        over=name(node.over),
        op=name(node.op),
    )


def _group_body(cx: Context, node: Any) -> syntax.GroupBody:
    return syntax.GroupBody(
        span=span_of(node),
        block=block(cx, node.block),
        head=_head(cx, node, node.block),
        size=expr(cx, node.size),
    )


def _merge(cx: Context, node: Any) -> syntax.Merge:
    return syntax.Merge(
        span=span_of(node),
        left=name(node.left),
        right=name(node.right),
        block=block(cx, node.block),
        head=_head(cx, node, node.block),
    )


def _example(cx: Context, node: Any) -> syntax.Example:
    inside = replace(cx, place=Place.EXAMPLE)
    entries, errors = inside.parts(node, node.entries, _example_entry)
    return syntax.Example(
        span=span_of(node),
        doc=_doc(cx, node),
        name=name(node.name),
        entries=tuple(entries),
        errors=tuple(errors),
    )


def _example_entry(cx: Context, node: Any) -> syntax.ExampleEntry:
    return syntax.ExampleEntry(
        span=span_of(node),
        name=name(node.name),
        value=expr(cx, node.value),
        expected=node.expected,
        escaped=node.escaped,
    )


# ---------------------------------------------------------------- scenes


def _scene(cx: Context, node: Any) -> syntax.Scene:
    entries, errors = cx.parts(node, node.entries, _entry)
    return syntax.Scene(
        span=span_of(node),
        doc=_doc(cx, node),
        name=name(node.name),
        entries=in_order(entries, errors),
    )


def _entry(cx: Context, node: Any) -> syntax.SceneEntry:
    return _ENTRIES[type(node).__name__](cx, node)


def _scene_input(cx: Context, node: Any) -> syntax.Port:
    return _port_of(cx, node, syntax.PortKind.INPUT)


def _scene_output(cx: Context, node: Any) -> syntax.SceneOutput:
    return syntax.SceneOutput(
        span=span_of(node), doc=_doc(cx, node), name=name(node.name), source=_reference(node.source)
    )


def _scene_node(cx: Context, node: Any) -> syntax.SceneNode:
    inside = replace(cx, place=Place.SETTING)
    settings, errors = inside.parts(node, node.settings, _node_setting)
    return syntax.SceneNode(
        span=span_of(node),
        doc=_doc(cx, node),
        name=name(node.name),
        kernel=_kernel_name(node.kernel),
        settings=in_order(settings, errors),
    )


def _node_setting(cx: Context, node: Any) -> syntax.NodeSetting:
    return _SETTINGS[type(node).__name__](cx, node)


def _reference(node: Any) -> syntax.Reference:
    port = name(node.port) if node.port is not None else None
    return syntax.Reference(span=span_of(node), node=name(node.node), port=port)


def _carry(cx: Context, node: Any) -> syntax.Carry:
    return syntax.Carry(span=span_of(node), port=name(node.port), output=name(node.output))


def _binding(cx: Context, node: Any) -> syntax.Binding:
    return syntax.Binding(span=span_of(node), port=name(node.port), source=_reference(node.source))


def _feedback(cx: Context, node: Any) -> syntax.Feedback:
    return syntax.Feedback(
        span=span_of(node),
        port=name(node.port),
        source=_reference(node.source),
        init=_reference(node.init),
    )


def _setting(cx: Context, node: Any) -> syntax.Setting:
    return syntax.Setting(
        span=span_of(node),
        name=name(node.name),
        value=_like(node) if node.like is not None else expr(cx, node.value),
        escaped=node.escaped,
    )


def _like(node: Any) -> syntax.Like:
    if node.name.text != "domain" or node.escaped:
        message = "`like` can stand only in `domain = like node.port`"
        raise UnreadableError(Problem(SYNTAX, message, span_of(node.like)))
    return syntax.Like(span=span_of(node.like), source=_reference(node.like.source))


_ITEMS: dict[str, Callable[[Context, Any], syntax.Item]] = {
    "Use": _use,
    "Const": _const,
    "Struct": _struct,
    "Enumeration": _enumeration,
    "Function": _function,
    "Kernel": _kernel,
    "Scene": _scene,
}

_MEMBERS: dict[str, Callable[[Context, Any], syntax.KernelMember]] = {
    "Requires": _requires,
    "Port": _port,
    "Param": _param,
    "Const": _const,
    "Struct": _struct,
    "Enumeration": _enumeration,
    "Function": _function,
    "ReductionBody": _reduction_body,
    "MapBody": _map_body,
    "ScanBody": _scan_body,
    "ScatterBody": _scatter_body,
    "PrefixBody": _prefix_body,
    "GroupBody": _group_body,
    "Merge": _merge,
    "Example": _example,
}

_ENTRIES: dict[str, Callable[[Context, Any], syntax.SceneEntry]] = {
    "SceneInput": _scene_input,
    "Param": _param,
    "SceneNode": _scene_node,
    "SceneOutput": _scene_output,
    "Example": _example,
}

_SETTINGS: dict[str, Callable[[Context, Any], syntax.NodeSetting]] = {
    "Carry": _carry,
    "Binding": _binding,
    "Feedback": _feedback,
    "Setting": _setting,
}

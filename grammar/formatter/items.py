"""The layouts of file items, kernel members and scene entries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kcheck.grammar import syntax
from kcheck.grammar.formatter.brackets import PARAMETERS, Build, N, braces, listed
from kcheck.grammar.formatter.code import assigned, block, end, expr, headed, type_expr, typed
from kcheck.grammar.formatter.cursor import Cursor
from kcheck.grammar.formatter.document import NOTHING, Document, Group


def item(cursor: Cursor, node: syntax.Node) -> Document:
    """A file item, kernel member or scene entry with the comments before it."""
    return _ITEMS[type(node)](cursor, node)


def _named(cursor: Cursor, word: str, name: syntax.Name) -> Document:
    return (cursor.take(word), " ", cursor.words(name.text))


def _braces(cursor: Cursor, nodes: tuple[N, ...], build: Build[N]) -> Document:
    return (" ", Group(braces(cursor, nodes, build)))


def _block(cursor: Cursor, node: syntax.Block) -> Document:
    return (" ", Group(block(cursor, node)))


# ---------------------------------------------------------------- declarations


def _use(cursor: Cursor, node: syntax.Use) -> Document:
    return (_named(cursor, "use", node.path), end(cursor))


def _const(cursor: Cursor, node: syntax.Const) -> Document:
    head = (cursor.take("const"), " ", typed(cursor, node.name, node.type))
    return (head, assigned(cursor, "=", node.value), end(cursor))


def _struct(cursor: Cursor, node: syntax.Struct) -> Document:
    return (_named(cursor, "struct", node.name), _braces(cursor, node.fields, _field))


def _field(cursor: Cursor, node: syntax.FieldDecl) -> Document:
    return (typed(cursor, node.name, node.type), cursor.separator(";,", ";"))


def _enumeration(cursor: Cursor, node: syntax.Enumeration) -> Document:
    return (_named(cursor, "enum", node.name), _braces(cursor, node.variants, _variant))


def _variant(cursor: Cursor, node: syntax.VariantDecl) -> Document:
    name = cursor.words(node.name.text)
    if cursor.peek() != "{":
        return (name, cursor.separator(";,", ";"))
    return (name, _braces(cursor, node.fields, _field), cursor.separator(";,", NOTHING))


def _function(cursor: Cursor, node: syntax.Function) -> Document:
    head = (_named(cursor, "fn", node.name), listed(cursor, node.parameters, _parameter, PARAMETERS))
    result = (" ", cursor.take("->"), " ", type_expr(cursor, node.result)) if node.result else NOTHING
    return Group((head, result, " ", block(cursor, node.body)))


def _parameter(cursor: Cursor, node: syntax.Parameter) -> Document:
    return typed(cursor, node.name, node.type)


# ---------------------------------------------------------------- kernels


def _kernel(cursor: Cursor, node: syntax.Kernel) -> Document:
    return (_named(cursor, "kernel", node.name), " ", Group(braces(cursor, node.members, item, one_line=False)))


def _requires(cursor: Cursor, node: syntax.Requires) -> Document:
    return (cursor.take("requires"), _braces(cursor, node.permissions, _permission))


def _permission(cursor: Cursor, node: syntax.Name) -> Document:
    return (cursor.words(node.text), end(cursor))


def _port(cursor: Cursor, node: syntax.Port) -> Document:
    return (cursor.take(node.kind.value), " ", typed(cursor, node.name, node.type), end(cursor))


def _param(cursor: Cursor, node: syntax.Param) -> Document:
    head = (cursor.take("param"), " ", typed(cursor, node.name, node.type))
    default = assigned(cursor, "=", node.default) if node.default else NOTHING
    return (head, default, _limits(cursor, node), end(cursor))


def _limits(cursor: Cursor, node: syntax.Param) -> Document:
    if node.low is None or node.high is None:
        return NOTHING
    low = (" ", cursor.take("in"), " ", expr(cursor, node.low))
    return (low, cursor.take(), expr(cursor, node.high))


def _map_body(cursor: Cursor, node: syntax.MapBody) -> Document:
    return (cursor.take("compute"), _block(cursor, node.block))


def _over(cursor: Cursor, word: str, over: syntax.Name) -> Document:
    return (cursor.take(word), " ", _named(cursor, "over", over))


def _reduction_body(cursor: Cursor, node: syntax.ReductionBody) -> Document:
    return (_over(cursor, "compute", node.over), _block(cursor, node.block))


def _scan_body(cursor: Cursor, node: syntax.ScanBody) -> Document:
    head = (_over(cursor, "scan", node.over), " ", _named(cursor, "with", node.carry))
    return Group((head, assigned(cursor, "=", node.init), " ", block(cursor, node.block)))


def _scatter_body(cursor: Cursor, node: syntax.ScatterBody) -> Document:
    into = (_over(cursor, "scatter", node.over), " ", _named(cursor, "into", node.into))
    return (into, " ", _named(cursor, "with", node.op), _block(cursor, node.block))


def _prefix_body(cursor: Cursor, node: syntax.PrefixBody) -> Document:
    return (_over(cursor, "prefix", node.over), " ", _named(cursor, "with", node.op), _block(cursor, node.block))


def _group_body(cursor: Cursor, node: syntax.GroupBody) -> Document:
    return Group((headed(cursor, "group", node.size), block(cursor, node.block)))


def _merge(cursor: Cursor, node: syntax.Merge) -> Document:
    head = (cursor.take("merge"), listed(cursor, (node.left, node.right), _plain_name, PARAMETERS))
    return (head, _block(cursor, node.block))


def _plain_name(cursor: Cursor, node: syntax.Name) -> Document:
    return cursor.words(node.text)


def _example(cursor: Cursor, node: syntax.Example) -> Document:
    return (_named(cursor, "example", node.name), _braces(cursor, node.entries, _example_entry))


def _example_entry(cursor: Cursor, node: syntax.ExampleEntry) -> Document:
    word = "expect" if node.expected else "param" if node.escaped else ""
    head = (cursor.take(word), " ") if word else NOTHING
    return (head, cursor.words(node.name.text), assigned(cursor, "=", node.value), end(cursor))


# ---------------------------------------------------------------- scenes


def _scene(cursor: Cursor, node: syntax.Scene) -> Document:
    return (_named(cursor, "scene", node.name), " ", Group(braces(cursor, node.entries, item, one_line=False)))


def _scene_output(cursor: Cursor, node: syntax.SceneOutput) -> Document:
    return (_named(cursor, "output", node.name), _arrow(cursor, "<-", node.source), end(cursor))


def _arrow(cursor: Cursor, arrow: str, source: syntax.Reference) -> Document:
    return (" ", cursor.words(arrow), " ", _reference(cursor, source))


def _reference(cursor: Cursor, node: syntax.Reference) -> Document:
    name = cursor.words(node.node.text)
    return (name, cursor.take("."), cursor.words(node.port.text)) if node.port else name


def _scene_node(cursor: Cursor, node: syntax.SceneNode) -> Document:
    head = (_named(cursor, "node", node.name), cursor.take(":"), " ", cursor.words(node.kernel.text))
    return (head, _braces(cursor, node.settings, item))


def _binding(cursor: Cursor, node: syntax.Binding) -> Document:
    return (cursor.words(node.port.text), _arrow(cursor, "<-", node.source), end(cursor))


def _feedback(cursor: Cursor, node: syntax.Feedback) -> Document:
    source = (cursor.words(node.port.text), _arrow(cursor, "<~", node.source))
    return (source, " ", cursor.take("from"), " ", _reference(cursor, node.init), end(cursor))


def _carry(cursor: Cursor, node: syntax.Carry) -> Document:
    head = (_named(cursor, "carry", node.port), " ", cursor.words("<-"), " ")
    return (head, cursor.words(node.output.text), end(cursor))


def _setting(cursor: Cursor, node: syntax.Setting) -> Document:
    head = (cursor.take("param"), " ") if node.escaped else NOTHING
    name = cursor.words(node.name.text)
    if not isinstance(node.value, syntax.Like):
        return (head, name, assigned(cursor, "=", node.value), end(cursor))
    like = (" ", cursor.take("="), " ", cursor.take("like"), " ")
    return (head, name, like, _reference(cursor, node.value.source), end(cursor))


_ITEMS: dict[type, Callable[[Cursor, Any], Document]] = {
    syntax.Use: _use,
    syntax.Const: _const,
    syntax.Struct: _struct,
    syntax.Enumeration: _enumeration,
    syntax.Function: _function,
    syntax.Kernel: _kernel,
    syntax.Scene: _scene,
    syntax.Requires: _requires,
    syntax.Port: _port,
    syntax.Param: _param,
    syntax.MapBody: _map_body,
    syntax.ReductionBody: _reduction_body,
    syntax.ScanBody: _scan_body,
    syntax.ScatterBody: _scatter_body,
    syntax.PrefixBody: _prefix_body,
    syntax.GroupBody: _group_body,
    syntax.Merge: _merge,
    syntax.Example: _example,
    syntax.SceneOutput: _scene_output,
    syntax.SceneNode: _scene_node,
    syntax.Binding: _binding,
    syntax.Feedback: _feedback,
    syntax.Carry: _carry,
    syntax.Setting: _setting,
}

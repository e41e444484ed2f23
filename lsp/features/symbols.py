"""The outline of a file, and the search for names in the workspace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol import types as lsp

from kcheck.checker.checked import Checked
from kcheck.grammar import syntax
from kcheck.grammar.source import ParsedItem
from kcheck.grammar.spans import Span
from kcheck.lsp import convert
from kcheck.lsp.view import View

_MOST_FOUND = 500
"""So many symbols are more than anybody reads."""

_PORTS = {
    syntax.PortKind.INPUT: lsp.SymbolKind.Field,
    syntax.PortKind.OUTPUT: lsp.SymbolKind.Event,
    syntax.PortKind.MEMORY: lsp.SymbolKind.Array,
}


def document_symbols(view: View) -> list[lsp.DocumentSymbol] | list[lsp.SymbolInformation]:
    """The items of a file with what they declare."""
    found = [symbol for item in view.file.items if (symbol := _item(view, item)) is not None]
    if view.traits.hierarchical_symbols:
        return found
    return list(_flat(view, found))


def _flat(
    view: View, symbols: Iterable[lsp.DocumentSymbol], parent: str | None = None
) -> Iterator[lsp.SymbolInformation]:
    for symbol in symbols:
        yield lsp.SymbolInformation(
            location=lsp.Location(view.uri, symbol.range), name=symbol.name, kind=symbol.kind, container_name=parent
        )
        yield from _flat(view, symbol.children or (), symbol.name)


def _item(view: View, item: ParsedItem) -> lsp.DocumentSymbol | None:
    node = item.node
    match node:
        case syntax.Kernel():
            children = [s for m in node.members if (s := _member(view, item, m)) is not None]
            return _symbol(view, item, node, node.name, lsp.SymbolKind.Module, "kernel", children)
        case syntax.Scene():
            children = [s for e in node.entries if (s := _member(view, item, e)) is not None]
            return _symbol(view, item, node, node.name, lsp.SymbolKind.Namespace, "scene", children)
        case syntax.BrokenItem():
            if node.name is None:
                return None
            return _symbol(view, item, node, node.name, lsp.SymbolKind.Null, node.keyword or "")
        case syntax.Use():
            return None
        case _:
            return _member(view, item, node)


def _member(view: View, item: ParsedItem, node: syntax.Node) -> lsp.DocumentSymbol | None:
    match node:
        case syntax.Function():
            text = _text(item, node.head.start, node.head.end)
            detail = text.removeprefix("fn").strip().removeprefix(node.name.text)
            return _symbol(view, item, node, node.name, lsp.SymbolKind.Function, detail)
        case syntax.Const():
            return _symbol(view, item, node, node.name, lsp.SymbolKind.Constant, _type(item, node.type))
        case syntax.Struct():
            return _symbol(view, item, node, node.name, lsp.SymbolKind.Struct, "", _fields(view, item, node.fields))
        case syntax.Enumeration():
            variants = [
                _symbol(view, item, v, v.name, lsp.SymbolKind.EnumMember, "", _fields(view, item, v.fields))
                for v in node.variants
            ]
            return _symbol(view, item, node, node.name, lsp.SymbolKind.Enum, "", variants)
        case syntax.Port():
            detail = f"{node.kind.value} {_type(item, node.type)}"
            return _symbol(view, item, node, node.name, _PORTS[node.kind], detail)
        case syntax.Param():
            return _symbol(view, item, node, node.name, lsp.SymbolKind.Property, f"param {_type(item, node.type)}")
        case syntax.Example():
            return _symbol(view, item, node, node.name, lsp.SymbolKind.Method, "example")
        case syntax.SceneNode():
            return _symbol(view, item, node, node.name, lsp.SymbolKind.Object, node.kernel.text)
        case syntax.Body():
            return _headed(view, item, node, node.head)
        case syntax.Merge():
            return _headed(view, item, node, node.head)
        case _:
            return None


def _fields(view: View, item: ParsedItem, fields: Iterable[syntax.FieldDecl]) -> list[lsp.DocumentSymbol]:
    return [_symbol(view, item, f, f.name, lsp.SymbolKind.Field, _type(item, f.type)) for f in fields]


def _headed(view: View, item: ParsedItem, node: syntax.Body | syntax.Merge, head: Span) -> lsp.DocumentSymbol:
    """A part of a kernel that has no name of its own but a first line."""
    return lsp.DocumentSymbol(
        name=" ".join(_text(item, head.start, head.end).split()),
        kind=lsp.SymbolKind.Method,
        range=view.range_in(item, node.span),
        selection_range=view.range_in(item, head),
    )


def _symbol(
    view: View,
    item: ParsedItem,
    node: syntax.Node,
    name: syntax.Name,
    kind: lsp.SymbolKind,
    detail: str,
    children: list[lsp.DocumentSymbol] | None = None,
) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        name=name.text or "?",
        kind=kind,
        range=view.range_in(item, node.span.to(name.span)),
        selection_range=view.range_in(item, name.span),
        detail=detail,
        children=children,
    )


def _type(item: ParsedItem, type_: syntax.TypeExpr) -> str:
    return _text(item, type_.span.start, type_.span.end)


def _text(item: ParsedItem, start: int, end: int) -> str:
    return item.text[start:end]


# ---------------------------------------------------------------- the workspace


def workspace_symbols(files: Iterable[tuple[str, Checked]], query: str) -> list[lsp.WorkspaceSymbol]:
    """The items of the workspace whose names hold the letters of `query` in this order; `files` are by URI."""
    found: list[tuple[tuple[int, int, str], lsp.WorkspaceSymbol]] = []
    wanted = query.lower()
    for uri, checked in files:
        for item in checked.file.items:
            name: syntax.Name | None = getattr(item.node, "name", None)
            kind = _KINDS.get(type(item.node))
            if name is None or kind is None or not _holds(name.text.lower(), wanted):
                continue
            place = convert.range_of(checked.file.lines, name.span.shifted(item.offset))
            symbol = lsp.WorkspaceSymbol(lsp.Location(uri, place), name.text, kind)
            found.append(((wanted not in name.text.lower(), len(name.text), name.text), symbol))
    found.sort(key=lambda pair: pair[0])
    return [symbol for _, symbol in found[:_MOST_FOUND]]


_KINDS: dict[type[syntax.Node], lsp.SymbolKind] = {
    syntax.Kernel: lsp.SymbolKind.Module,
    syntax.Scene: lsp.SymbolKind.Namespace,
    syntax.Function: lsp.SymbolKind.Function,
    syntax.Const: lsp.SymbolKind.Constant,
    syntax.Struct: lsp.SymbolKind.Struct,
    syntax.Enumeration: lsp.SymbolKind.Enum,
}


def _holds(name: str, letters: str) -> bool:
    rest = iter(name)
    return all(letter in rest for letter in letters)

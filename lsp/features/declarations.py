"""From a symbol back to the syntax that declares it."""

from __future__ import annotations

from kcheck.checker.facts import Names, Symbol
from kcheck.checker.types import Array, Field
from kcheck.grammar import syntax
from kcheck.grammar.source import ParsedItem, SourceFile
from kcheck.lsp.features.inference import AnyType
from kcheck.lsp.view import View


def declaration(view: View, symbol: Symbol) -> tuple[SourceFile, ParsedItem, syntax.Node] | None:
    """Where an item or a member of a kernel is declared; None for others, and where the file is not known."""
    origin = symbol.origin
    file = None if origin is None else view.source(origin.path)
    if origin is None or file is None:
        return None
    item = next((item for item in file.items if item.key == origin.item), None)
    if item is None:
        return None
    members = item.node.members if isinstance(item.node, syntax.Kernel) else ()
    for node in (item.node, *members):
        name: object = getattr(node, "name", None)
        if isinstance(name, syntax.Name) and name.span == origin.span:
            return file, item, node
    return None


def written_type(node: syntax.TypeExpr, names: Names) -> AnyType | None:
    """The type that is written, where its name is in sight and a length is a plain number."""
    if isinstance(node, syntax.ArrayType):
        element = written_type(node.element, names)
        if element is None or isinstance(element, Field) or not isinstance(node.length, syntax.IntLiteral):
            return None
        return Array(element, node.length.value)
    symbol = names.types.get(node.name.text)
    return None if symbol is None or node.args else symbol.type


def parameters(view: View, symbol: Symbol, names: Names) -> list[tuple[str, str, AnyType | None]]:
    """The parameters of a function: their names, their types as written, and what these are."""
    found = declaration(view, symbol)
    if found is None:
        return []
    _, item, node = found
    if not isinstance(node, syntax.Function):
        return []
    return [
        (p.name.text, " ".join(item.text[p.type.span.start : p.type.span.end].split()), written_type(p.type, names))
        for p in node.parameters
    ]

"""Symbols: what a name can stand for, with its declaration as one line of text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import TypeAlias

from kcheck.checker import types
from kcheck.checker.facts import words
from kcheck.checker.lower.recording import FieldUse, Named, PackageUse, TypeUse, VariantUse, WordUse
from kcheck.checker.lower.scopes import (
    ConstEntity,
    FunctionEntity,
    Home,
    LocalSymbol,
    ParamEntity,
    PortEntity,
    TypeEntity,
)
from kcheck.grammar import nodes, syntax
from kcheck.grammar.spans import Origin, Span


class SymbolKind(Enum):
    KERNEL = "kernel"
    SCENE = "scene"
    STRUCT = "struct"
    ENUM = "enum"
    VARIANT = "variant"
    FIELD = "field"
    CONST = "constant"
    FUNCTION = "function"
    PARAMETER = "parameter"
    """Of a function, or of `merge`."""
    LOCAL = "local"
    INPUT = "input"
    OUTPUT = "output"
    MEMORY = "memory"
    PARAM = "param"
    BUILTIN = "built-in"
    """A function or word of the language's own."""
    TYPE = "type"
    """A type of the language's own."""
    EXAMPLE = "example"
    PACKAGE = "package"
    PERMISSION = "permission"


@nodes.node(kw_only=False)
class Symbol(nodes.Value):
    """What a name stands for.

    `origin` is the name where it is declared (for a package the whole file), None for what the language has itself.
    `type` is that of a value, of a port, or a function's result; None where it is not known.  `detail` is one line,
    as it would be declared; `owner` what a field or variant belongs to, as in `Shape.Disc`.
    """

    kind: SymbolKind
    name: str
    origin: Origin | None
    type: types.Type | types.Field | None = None
    detail: str = ""
    doc: str = ""
    owner: str = ""

    def is_same(self, other: Symbol) -> bool:
        """Whether two symbols are one thing, whatever is known of it."""
        return (self.kind, self.name, self.origin) == (other.kind, other.name, other.origin)


# ---------------------------------------------------------------- from declarations

ItemNode: TypeAlias = (
    "syntax.Const | syntax.Struct | syntax.Enumeration | syntax.Function | syntax.Kernel | syntax.Scene"
    " | syntax.Port | syntax.Param | syntax.Example"
)
"""What is declared by an item or a member under one name."""

_KINDS: dict[type, SymbolKind] = {
    syntax.Const: SymbolKind.CONST,
    syntax.Struct: SymbolKind.STRUCT,
    syntax.Enumeration: SymbolKind.ENUM,
    syntax.Function: SymbolKind.FUNCTION,
    syntax.Kernel: SymbolKind.KERNEL,
    syntax.Scene: SymbolKind.SCENE,
    syntax.Param: SymbolKind.PARAM,
    syntax.Example: SymbolKind.EXAMPLE,
}
_PORTS = {
    syntax.PortKind.INPUT: SymbolKind.INPUT,
    syntax.PortKind.OUTPUT: SymbolKind.OUTPUT,
    syntax.PortKind.MEMORY: SymbolKind.MEMORY,
}


def declared(node: ItemNode, home: Home, type_: types.Type | types.Field | None = None) -> Symbol:
    """The symbol of an item or member; `type_` is what is known of its type."""
    kind = _PORTS[node.kind] if isinstance(node, syntax.Port) else _KINDS[type(node)]
    return Symbol(kind, node.name.text, home.at(node.name.span), type_, _detail(node, home), node.doc)


def permission(name: str) -> Symbol:
    return Symbol(SymbolKind.PERMISSION, name, None, detail=name, doc=words.PERMISSIONS[name])


def members(entity: TypeEntity) -> Iterator[tuple[FieldUse | VariantUse, Symbol]]:
    """The fields of a struct, or the variants of an enum and their fields, with what a use of each says."""
    node, type_, home = entity.node, entity.type, entity.home
    key = "" if type_ is None else type_.key
    if isinstance(node, syntax.Struct):
        known = type_.fields if isinstance(type_, types.Struct) else ()
        yield from _fields(node.fields, FieldUse(key, None, ""), node.name.text, home, known)
        return
    enum = type_ if isinstance(type_, types.Enum) else None
    payloads = {} if enum is None else {v.name: v.fields for v in enum.variants}
    for variant in node.variants:
        name, detail = variant.name, _braces(variant.name.text, variant.fields, home)
        origin = home.at(name.span)
        symbol = Symbol(SymbolKind.VARIANT, name.text, origin, enum, detail, variant.doc, node.name.text)
        yield VariantUse(key, name.text), symbol
        use, owner = FieldUse(key, name.text, ""), f"{node.name.text}.{name.text}"
        yield from _fields(variant.fields, use, owner, home, payloads.get(name.text, ()))


def _fields(
    written: tuple[syntax.FieldDecl, ...], use: FieldUse, owner: str, home: Home, known: tuple[types.FieldOf, ...]
) -> Iterator[tuple[FieldUse, Symbol]]:
    """The fields of `owner`; `known` are those of its type, where that is known."""
    found = {field.name: field.type for field in known}
    for node in written:
        name, detail = node.name, _typed(node, home)
        origin = home.at(name.span)
        symbol = Symbol(SymbolKind.FIELD, name.text, origin, found.get(name.text), detail, node.doc, owner)
        yield use._replace(name=name.text), symbol


# ---------------------------------------------------------------- from what lowering noted


def symbol_of(named: Named, home: Home) -> Symbol:
    """The symbol of anything but fields and variants; `home` is the item where it is named."""
    match named:
        case LocalSymbol():
            return _local(named, home)
        case ConstEntity():
            return declared(named.node, named.home, None if named.value is None else named.value.type)
        case FunctionEntity():
            return declared(named.node, named.home, None if named.signature is None else named.signature.result)
        case TypeEntity():
            return declared(named.node, named.home, named.type)
        case PortEntity() | ParamEntity():  # only what stands in their own kernel sees them
            return declared(named.node, home, named.type)
        case PackageUse():
            return Symbol(
                SymbolKind.PACKAGE, named.name, Origin(named.path, "", Span(0, 0)), detail=f"use {named.name}"
            )
        case WordUse():
            return Symbol(SymbolKind.BUILTIN, named.name, None, None, words.detail(named), words.doc(named))
        case TypeUse():
            return Symbol(SymbolKind.TYPE, named.name, None, words.TYPES.get(named.name), named.name)
        case FieldUse() | VariantUse():
            raise TypeError("the types in sight have the symbols of fields and variants")


def _local(local: LocalSymbol, home: Home) -> Symbol:
    kind = SymbolKind.PARAMETER if local.what.startswith("parameter") else SymbolKind.LOCAL
    word = f"{local.what} " if local.what in ("let", "var") else ""
    type_ = "" if local.type is None else f": {local.type}"
    return Symbol(kind, local.name, home.at(local.span), local.type, f"{word}{local.name}{type_}")


# ---------------------------------------------------------------- declarations as one line

_LONGEST_VALUE = 60
"""How many characters of a constant's value are shown."""
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def one_line(home: Home, span: Span) -> str:
    """The text at `span` without comments and line breaks."""
    return " ".join(_COMMENT.sub(" ", home.text[span.start : span.end]).split())


def signature(node: syntax.Function, home: Home) -> str:
    """`blend(a: Vec3, b: Vec3) -> Vec3`."""
    result = "" if node.result is None else f" -> {one_line(home, node.result.span)}"
    return f"{node.name.text}({', '.join(_typed(p, home) for p in node.parameters)}){result}"


def _detail(node: ItemNode, home: Home) -> str:
    name = node.name.text
    match node:
        case syntax.Function():
            return f"fn {signature(node, home)}"
        case syntax.Const():
            value = one_line(home, node.value.span)
            shown = value if len(value) <= _LONGEST_VALUE else f"{value[:_LONGEST_VALUE]}…"
            return f"const {_typed(node, home)} = {shown}"
        case syntax.Struct():
            return f"struct {_braces(name, node.fields, home)}"
        case syntax.Enumeration():
            parts = [_braces(v.name.text, v.fields, home, end=";") for v in node.variants]
            return f"enum {name} {{ {' '.join(parts)} }}"
        case syntax.Port():
            return f"{node.kind.value} {_typed(node, home)}"
        case syntax.Param():
            default = "" if node.default is None else f" = {one_line(home, node.default.span)}"
            ends = None if node.low is None or node.high is None else (node.low.span, node.high.span)
            range_ = "" if ends is None else " in " + "..".join(one_line(home, end) for end in ends)
            return f"param {_typed(node, home)}{default}{range_}"
        case syntax.Kernel() | syntax.Scene() | syntax.Example():
            return f"{_KINDS[type(node)].value} {name}"


def _typed(node: syntax.FieldDecl | syntax.Parameter | syntax.Const | syntax.Port | syntax.Param, home: Home) -> str:
    return f"{node.name.text}: {one_line(home, node.type.span)}"


def _braces(name: str, fields_: tuple[syntax.FieldDecl, ...], home: Home, end: str = "") -> str:
    """`Disc { r: Float; }`, or the name and `end` where there are no fields."""
    return f"{name} {{ {' '.join(f'{_typed(f, home)};' for f in fields_)} }}" if fields_ else f"{name}{end}"

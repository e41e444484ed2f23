"""What the names in a scene stand for, by its syntax alone: scenes are not checked yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kcheck.checker.checked import Checked
from kcheck.checker.facts import Reference, Symbol, SymbolKind
from kcheck.checker.facts.symbols import declared
from kcheck.checker.lower.scopes import Home
from kcheck.grammar import syntax
from kcheck.grammar.source import ParsedItem, SourceFile
from kcheck.grammar.walk import children

_OPTIONS = frozenset({"domain", "async", "times", "awake"})
"""What a setting of a node means before it means a param."""
_NAMESPACES: dict[type[syntax.Node], str] = {
    syntax.Kernel: "kernels",
    syntax.Const: "values",
    syntax.Struct: "types",
    syntax.Enumeration: "types",
}

_NAMED = (syntax.Kernel, syntax.Const, syntax.Struct, syntax.Enumeration)


def scene_references(checked: Checked, item: ParsedItem, scene: syntax.Scene) -> list[Reference]:
    """The names in a scene but its own; one that means nothing, or several things, is left out."""
    return list(_Scene(checked, item, scene).references())


@dataclass
class _Ports:
    """What a node of a scene can be given and gives, by name."""

    ports: dict[str, Symbol] = field(default_factory=dict)
    params: dict[str, Symbol] = field(default_factory=dict)


class _Scene:
    def __init__(self, checked: Checked, item: ParsedItem, scene: syntax.Scene) -> None:
        self._checked = checked
        self._home = Home(checked.file.path, item.key, item.text)
        self._scene = scene
        self._values: dict[str, Symbol] = {}
        """The inputs and params of the scene."""
        self._nodes: dict[str, tuple[Symbol, _Ports]] = {}
        self._outputs: dict[str, Symbol] = {}

    def references(self) -> Iterator[Reference]:
        """What the scene declares comes first, since entries stand in any order."""
        for entry in self._scene.entries:
            yield from self._declared(entry)
        for entry in self._scene.entries:
            yield from self._used(entry)

    # ------------------------------------------------------------ declarations

    def _declared(self, entry: syntax.SceneEntry) -> Iterator[Reference]:
        match entry:
            case syntax.Port() | syntax.Param():
                symbol = declared(entry, self._home)
                self._values.setdefault(entry.name.text, symbol)
            case syntax.SceneNode():
                detail = f"node {entry.name.text}: {entry.kernel.text}"
                symbol = self._symbol(SymbolKind.LOCAL, entry.name, detail, entry.doc)
                kernel = _item(self._checked, "kernels", entry.kernel.text)
                if kernel is not None:
                    yield Reference(entry.kernel.span, _item_symbol(*kernel))
                self._nodes.setdefault(entry.name.text, (symbol, _Ports() if kernel is None else _ports(*kernel)))
            case syntax.SceneOutput():
                symbol = self._symbol(SymbolKind.OUTPUT, entry.name, f"output {entry.name.text}", entry.doc)
                self._outputs.setdefault(entry.name.text, symbol)
            case syntax.Example():
                symbol = declared(entry, self._home)
            case syntax.ErrorMember():
                return
        yield Reference(entry.name.span, symbol, is_declaration=True)

    def _symbol(self, kind: SymbolKind, name: syntax.Name, detail: str, doc: str) -> Symbol:
        return Symbol(kind, name.text, self._home.at(name.span), detail=detail, doc=doc)

    # ------------------------------------------------------------ uses

    def _used(self, entry: syntax.SceneEntry) -> Iterator[Reference]:
        match entry:
            case syntax.SceneNode():
                _, ports = self._nodes[entry.name.text]
                for setting in entry.settings:
                    yield from self._setting(setting, ports)
            case syntax.SceneOutput():
                yield from self._source(entry.source)
            case syntax.Example():
                for given in entry.entries:
                    known = self._outputs if given.expected else self._values
                    yield from _reference(given.name, known.get(given.name.text))
                    yield from self._expression(given.value)
            case syntax.Port() | syntax.Param():
                yield from self._expression(entry)
            case syntax.ErrorMember():
                pass

    def _setting(self, setting: syntax.NodeSetting, node: _Ports) -> Iterator[Reference]:
        match setting:
            case syntax.Binding():
                yield from _reference(setting.port, node.ports.get(setting.port.text))
                yield from self._source(setting.source)
            case syntax.Feedback():
                yield from _reference(setting.port, node.ports.get(setting.port.text))
                yield from self._source(setting.source)
                yield from self._source(setting.init)
            case syntax.Carry():
                yield from _reference(setting.port, node.ports.get(setting.port.text))
                yield from _reference(setting.output, node.ports.get(setting.output.text))
            case syntax.Setting():
                if setting.escaped or setting.name.text not in _OPTIONS:
                    yield from _reference(setting.name, node.params.get(setting.name.text))
                if isinstance(setting.value, syntax.Like):
                    yield from self._source(setting.value.source)
                else:
                    yield from self._expression(setting.value)
            case syntax.ErrorMember():
                pass

    def _source(self, source: syntax.Reference) -> Iterator[Reference]:
        """`node.port`, or an input of the scene."""
        if source.port is None:
            yield from _reference(source.node, self._values.get(source.node.text))
            return
        yield from self._port(source.node, source.port)

    def _port(self, node: syntax.Name, port: syntax.Name) -> Iterator[Reference]:
        symbol, ports = self._nodes.get(node.text, (None, _Ports()))
        yield from _reference(node, symbol)
        yield from _reference(port, ports.ports.get(port.text))

    def _expression(self, node: syntax.Node) -> Iterator[Reference]:
        """The names in a value or a type; what is called is a word of the language."""
        match node:
            case syntax.NameRef(name=name) if name.text in self._values:
                yield from _reference(name, self._values[name.text])
            case syntax.NameRef(name=name):
                yield from self._named("values", name)
            case syntax.Member(operand=syntax.NameRef(name=name), name=port) if name.text in self._nodes:
                yield from self._port(name, port)
            case syntax.Call(callee=syntax.NameRef()):
                for argument in (*node.args, *node.keywords):
                    yield from self._expression(argument)
            case _:
                if isinstance(node, syntax.NamedType):
                    yield from self._named("types", node.name)
                elif isinstance(node, syntax.StructValue):
                    yield from self._named("types", node.name if node.enum is None else node.enum)
                for child in children(node):
                    yield from self._expression(child)

    def _named(self, namespace: str, name: syntax.Name) -> Iterator[Reference]:
        found = _item(self._checked, namespace, name.text)
        yield from _reference(name, None if found is None else _item_symbol(*found))


def _reference(name: syntax.Name, symbol: Symbol | None) -> Iterator[Reference]:
    if symbol is not None:
        yield Reference(name.span, symbol)


# ---------------------------------------------------------------- items in sight


def _item(checked: Checked, namespace: str, name: str) -> tuple[SourceFile, ParsedItem] | None:
    """The item of that name in the file, else in the one file it uses that has it."""
    own = _items(checked.file, namespace, name)
    if own:
        return own[0]
    found = [each for file in _used_files(checked) for each in _items(file, namespace, name)[:1]]
    return found[0] if len(found) == 1 else None


def _items(file: SourceFile, namespace: str, name: str) -> list[tuple[SourceFile, ParsedItem]]:
    return [
        (file, item)
        for item in file.items
        if isinstance(item.node, _NAMED) and _NAMESPACES[type(item.node)] == namespace and item.node.name.text == name
    ]


def _used_files(checked: Checked) -> list[SourceFile]:
    paths = {
        reference.symbol.origin.path: None
        for item in checked.file.items
        if isinstance(item.node, syntax.Use)
        for reference in checked.facts[item.key].references
        if reference.symbol.origin is not None
    }
    return [checked.files[path] for path in paths if path in checked.files]


def _item_symbol(file: SourceFile, item: ParsedItem) -> Symbol:
    assert isinstance(item.node, _NAMED)
    return declared(item.node, Home(file.path, item.key, item.text))


def _ports(file: SourceFile, item: ParsedItem) -> _Ports:
    assert isinstance(item.node, syntax.Kernel)
    home, found = Home(file.path, item.key, item.text), _Ports()
    for member in item.node.members:
        if isinstance(member, syntax.Port):
            found.ports.setdefault(member.name.text, declared(member, home))
        elif isinstance(member, syntax.Param):
            found.params.setdefault(member.name.text, declared(member, home))
    return found

"""The facts of one item of a file, worked out when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from operator import is_
from typing import TypeVar

from kcheck.checker.facts import symbols, words
from kcheck.checker.facts.calls import CallSite, call_site
from kcheck.checker.facts.lanes import Lanes
from kcheck.checker.facts.sight import locals_at
from kcheck.checker.facts.surroundings import Names, Surroundings, members
from kcheck.checker.facts.symbols import Symbol, SymbolKind
from kcheck.checker.lower.recording import (
    FieldUse,
    ItemRecord,
    NameUse,
    Recorder,
    VariantUse,
)
from kcheck.checker.lower.scopes import (
    ConstEntity,
    FunctionEntity,
    Home,
    ItemEntity,
    LocalSymbol,
    ParamEntity,
    PortEntity,
    Scope,
    TypeEntity,
)
from kcheck.checker.types import Field, Type
from kcheck.grammar import nodes, syntax
from kcheck.grammar.source import ParsedItem, SourceFile
from kcheck.grammar.spans import Span


@nodes.node(kw_only=False)
class Reference(nodes.Value):
    """A name at `span` and what it stands for; `is_write` where it is named to be changed.

    In a pattern `r` alone declares a local and names a field: there two references have one span.
    """

    span: Span
    symbol: Symbol
    is_declaration: bool = False
    is_write: bool = False


class ItemFacts:
    """What stands where in one item; spans and offsets count from its start."""

    def __init__(self, item: ParsedItem, noted: Sequence[ItemRecord], surroundings: Surroundings) -> None:
        self._item = item
        self._noted = noted
        self._surroundings = surroundings

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ItemFacts) and self._told == other._told

    def __hash__(self) -> int:
        return hash(self._item.key)

    def rests_on_same(self, other: ItemFacts) -> bool:
        """Whether nothing about this item has changed: each name stands in the same place for a thing of the same kind.

        Quickly told; facts of other items, as a comment or a type, may have changed.
        """
        return (
            self._item.node is other._item.node
            and len(self._noted) == len(other._noted)
            and all(map(is_, self._noted, other._noted))
            and self._lanes == other._lanes
        )

    @property
    def _told(self) -> tuple[object, ...]:
        return self.references, self.types, self.calls, self.divergent, self.uniform, self._names

    def rests_on(self, other: ItemFacts) -> bool:
        """Whether this is known at a glance to have the same names and lanes as `other`, from an earlier check.

        What is told of the things named may have changed.
        """
        is_same = self._item.node is other._item.node and len(self._noted) == len(other._noted)
        return (
            is_same
            and all(mine is its for mine, its in zip(self._noted, other._noted, strict=True))
            and self._lanes == other._lanes
        )

    @cached_property
    def references(self) -> tuple[Reference, ...]:
        """All names that stand for something, in the order of the text."""
        found = [*self._declarations(), *self._permissions(), *self._uses()]
        return tuple(sorted(found, key=lambda reference: (reference.span.start, reference.symbol.kind.value)))

    @cached_property
    def types(self) -> Mapping[Span, Type]:
        """The type of each expression."""
        return dict(reversed(self._record.types))

    @cached_property
    def calls(self) -> tuple[CallSite, ...]:
        """The calls of what is known, in the order of the text."""
        noted = sorted(self._record.calls.values(), key=lambda node: node.span)
        return tuple(self._call(node) for node in noted)

    @cached_property
    def divergent(self) -> frozenset[Span]:
        """The expressions and the names of declared locals that may differ between the lanes of a group."""
        return frozenset(self._lanes.divergent | (self._lanes.values & self.types.keys()))

    @cached_property
    def uniform(self) -> frozenset[Span]:
        """The names of declared locals that are the same in all lanes, in all groups that run this."""
        return frozenset(self._lanes.uniform)

    def at(self, offset: int) -> tuple[Reference, ...]:
        """What the name at `offset`, or just before it, stands for."""
        return tuple(r for r in self.references if r.span.start <= offset <= r.span.end)

    def names(self, offset: int) -> Names:
        """The names in sight at `offset`."""
        sights = locals_at(self._item, offset)
        locals_ = {sight.name.text: self._local(sight.name) for sight in sights}
        return replace(self._names, values={**self._names.values, **locals_})

    def visible(self, offset: int) -> Mapping[str, Symbol]:
        """The names in sight at `offset`; where one means several things, the value before function and type."""
        names = self.names(offset)
        return {**names.types, **names.functions, **names.values}

    # ------------------------------------------------------------ parts

    @cached_property
    def _home(self) -> Home:
        item = self._item
        return Home(self._surroundings.path, item.key, item.text, item.is_whole)

    @cached_property
    def _record(self) -> ItemRecord:
        """All that was noted about the item."""
        record = ItemRecord(self._home)
        for noted in self._noted:
            record.add(noted)
        return record

    @property
    def _lanes(self) -> Lanes:
        return self._surroundings.lanes.get(self._item.key, Lanes())

    @cached_property
    def _names(self) -> Names:
        """What is in sight everywhere in the item."""
        around, scope = self._surroundings, self._record.scope
        return around.names if scope is None else around.names_inside(scope)

    @cached_property
    def _members(self) -> Mapping[FieldUse | VariantUse, Symbol]:
        """The fields and variants of the kernel's own types."""
        return {} if self._record.scope is None else dict(members(self._record.scope))

    def _local(self, name: syntax.Name) -> Symbol:
        """The symbol of a local by its declaration; little is known of one that was not lowered."""
        use = self._record.names.get(name.span.start)
        return Symbol(SymbolKind.LOCAL, name.text, self._home.at(name.span)) if use is None else self._symbol(use)

    def _symbol(self, use: NameUse) -> Symbol:
        named = self._surroundings.named(use)
        if isinstance(named, (FieldUse, VariantUse)):
            return self._members.get(named) or self._surroundings.members[named]
        return self._surroundings.symbol(named, self._home)

    def _call(self, node: syntax.Call) -> CallSite:
        use = self._record.names[node.callee.span.start]
        given = [self._argument(argument) for argument in node.args]
        return call_site(node, self._symbol(use), self._surroundings.named(use), given)

    def _argument(self, node: syntax.Expr) -> Type | Field | None:
        """The type of an argument, which may be a port."""
        use = self._record.names.get(node.span.start) if isinstance(node, syntax.NameRef) else None
        return use.named.type if use is not None and isinstance(use.named, PortEntity) else self.types.get(node.span)

    def _uses(self) -> Iterator[Reference]:
        """What lowering noted: all that is named, and the declarations of locals."""
        for use in (*self._record.names.values(), *self._record.fields.values()):
            declares = isinstance(use.named, LocalSymbol) and use.named.span == use.span
            yield Reference(use.span, self._symbol(use), declares, use.is_write)

    def _permissions(self) -> Iterator[Reference]:
        node = self._item.node
        for member in node.members if isinstance(node, syntax.Kernel) else ():
            if isinstance(member, syntax.Requires):
                known = [name for name in member.permissions if name.text in words.PERMISSIONS]
                yield from (Reference(name.span, symbols.permission(name.text)) for name in known)

    def _declarations(self) -> Iterator[Reference]:
        for symbol in self._declared():
            assert symbol.origin is not None
            yield Reference(symbol.origin.span, symbol, is_declaration=True)

    def _declared(self) -> Iterator[Symbol]:
        """The symbols of all that the item declares but locals."""
        node = self._item.node
        if isinstance(node, (syntax.Kernel, syntax.Scene)):
            yield symbols.declared(node, self._home)
        if isinstance(node, syntax.Kernel) and self._record.scope is not None:
            for member in node.members:
                yield from self._declared_by(member, self._record.scope)
        yield from self._declared_by(node, self._surroundings.scope)

    def _declared_by(self, node: syntax.Node, scope: Scope) -> Iterator[Symbol]:
        """What the item itself or a member of a kernel declares in `scope`."""
        if isinstance(node, syntax.Example):
            yield symbols.declared(node, self._home)
        entity = _entity(node, self._home, scope)
        if entity is not None:
            yield self._surroundings.symbol(entity, self._home)
        if isinstance(entity, TypeEntity):
            yield from (symbol for _, symbol in symbols.members(entity))


def gather(file: SourceFile, scopes: Mapping[str, Scope], recorders: Sequence[Recorder]) -> Mapping[str, ItemFacts]:
    """The facts of the items of a file, by key; `scopes` are those of the file and of the files that it uses.

    Where several recorders noted something of one place, the first counts.
    """
    noted: dict[str, list[ItemRecord]] = {item.key: [] for item in file.items}
    for recorder in recorders:
        for (path, key), record in recorder.items.items():
            if path == file.path:
                noted[key].append(record)
    lanes = [each for recorder in recorders for each in recorder.lanes]
    surroundings = Surroundings(file, scopes, lanes)
    return {item.key: ItemFacts(item, noted[item.key], surroundings) for item in file.items}


# ---------------------------------------------------------------- declarations


def _entity(node: syntax.Node, home: Home, scope: Scope) -> ItemEntity | PortEntity | ParamEntity | None:
    """What `scope` knows of a declaration; a second one of a name is known to nobody, and stands for itself."""
    match node:
        case syntax.Port():
            return _known(scope.ports, node, home) or PortEntity(node, None)
        case syntax.Param():
            return _known(scope.params, node, home) or ParamEntity(node, None)
        case syntax.Const():
            return _known(scope.consts, node, home) or ConstEntity(node, home, scope)
        case syntax.Function():
            return _known(scope.functions, node, home) or FunctionEntity(node, home, scope)
        case syntax.Struct() | syntax.Enumeration():
            return _known(scope.types, node, home) or TypeEntity(node, home, scope)
        case _:
            return None


E = TypeVar("E", ConstEntity, FunctionEntity, TypeEntity, PortEntity, ParamEntity)


def _known(
    entities: Mapping[str, E],
    node: syntax.Port | syntax.Param | syntax.Const | syntax.Function | syntax.Struct | syntax.Enumeration,
    home: Home,
) -> E | None:
    """What is declared by `node`; ports and params are always of their own item."""
    found = entities.get(node.name.text)
    if found is None or found.node.name.span != node.name.span:
        return None
    return found if isinstance(found, (PortEntity, ParamEntity)) or found.home == home else None

"""What the items of one file share: the declarations of the file and of those that it uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain

from kcheck.checker.builtins import ACTING_WORDS
from kcheck.checker.facts import symbols
from kcheck.checker.facts.lanes import Lanes, lanes_of
from kcheck.checker.facts.symbols import Symbol
from kcheck.checker.lower.calls import WORDS
from kcheck.checker.lower.declarations import TYPE_NAMES
from kcheck.checker.lower.recording import (
    FieldUse,
    ItemUse,
    LaneFacts,
    Named,
    NameUse,
    TypeUse,
    VariantUse,
    Vocabulary,
    WordUse,
)
from kcheck.checker.lower.scopes import Home, Scope
from kcheck.grammar import nodes
from kcheck.grammar.source import SourceFile


@nodes.node(kw_only=False)
class Names(nodes.Value):
    """The names in sight, in the three namespaces of the language."""

    values: Mapping[str, Symbol]
    functions: Mapping[str, Symbol]
    types: Mapping[str, Symbol]


class Surroundings:
    """The declarations around the items of a file, with a symbol for each."""

    def __init__(self, file: SourceFile, scopes: Mapping[str, Scope], lanes: Sequence[LaneFacts]) -> None:
        self.path = file.path
        self.scope = scopes[file.path]
        self._file = file
        self._scopes = scopes
        self._lanes = lanes
        self._made: dict[Named, Symbol] = {}

    @cached_property
    def lanes(self) -> Mapping[str, Lanes]:
        """What group kernels tell about the items, by key."""
        return lanes_of(self._file, self._lanes)

    @cached_property
    def members(self) -> Mapping[FieldUse | VariantUse, Symbol]:
        """The fields and variants of the types of all files."""
        return {use: symbol for scope in self._scopes.values() for use, symbol in members(scope)}

    def named(self, use: NameUse) -> Named:
        """What a name stands for, with all that is known of it now."""
        found = use.named
        return self._scopes[found.path].items[found.item] if isinstance(found, ItemUse) else found

    def symbol(self, named: Named, home: Home) -> Symbol:
        """The symbol of anything but fields and variants, which is named in the item `home`."""
        made = self._made.get(named)
        if made is None:
            made = self._made[named] = symbols.symbol_of(named, home)
        return made

    # ------------------------------------------------------------ names in sight

    @property
    def names(self) -> Names:
        """What is in sight everywhere in the file."""
        return self._file_names.names()

    def names_inside(self, kernel: Scope) -> Names:
        """What is in sight everywhere in a kernel."""
        return self._file_names.inside(self._layer(kernel)).names()

    @cached_property
    def _file_names(self) -> _Layer:
        calls = {word: self.symbol(WordUse(Vocabulary.CALL, word), self.scope.home) for word in WORDS}
        layer = _Layer({}, {}, calls, {})
        for scope in (*reversed(self.scope.imports), self.scope):
            layer = layer.inside(self._layer(scope))
        basic = {name: self.symbol(TypeUse(name), self.scope.home) for name in TYPE_NAMES}
        return layer.inside(_Layer({}, {}, {word: calls[word] for word in ACTING_WORDS}, basic))

    def _layer(self, scope: Scope) -> _Layer:
        """The names that a scope itself declares; a port or param comes before a constant."""
        values: list[Named] = [*scope.consts.values(), *scope.params.values(), *scope.ports.values()]
        return _Layer(
            {symbol.name: symbol for use, symbol in members(scope) if isinstance(use, VariantUse)},
            self._by_name(values, scope),
            self._by_name(scope.functions.values(), scope),
            self._by_name(scope.types.values(), scope),
        )

    def _by_name(self, declared: Iterable[Named], scope: Scope) -> dict[str, Symbol]:
        made = (self.symbol(named, scope.home) for named in declared)
        return {symbol.name: symbol for symbol in made}


def members(scope: Scope) -> Iterator[tuple[FieldUse | VariantUse, Symbol]]:
    """The fields and variants of the types that a scope itself declares."""
    return chain.from_iterable(symbols.members(entity) for entity in scope.types.values())


@nodes.node(kw_only=False)
class _Layer(nodes.Value):
    """Names of one level, or of several; a value anywhere comes before a bare variant."""

    variants: Mapping[str, Symbol]
    values: Mapping[str, Symbol]
    functions: Mapping[str, Symbol]
    types: Mapping[str, Symbol]

    def inside(self, inner: _Layer) -> _Layer:
        """This layer with another inside it, whose names hide its own."""
        return _Layer(
            {**self.variants, **inner.variants},
            {**self.values, **inner.values},
            {**self.functions, **inner.functions},
            {**self.types, **inner.types},
        )

    def names(self) -> Names:
        return Names({**self.variants, **self.values}, self.functions, self.types)

"""What lowering learns about the names and expressions of a file, noted on the way for the editor.

Lowering appends and does no more: `checker.facts` makes sense of it when somebody asks.  A function is lowered once
for each kernel that calls it; what was noted first stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias

from kcheck.checker import ir, types
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
from kcheck.checker.uniformity.values import Cause
from kcheck.grammar import syntax
from kcheck.grammar.spans import Span


class FieldUse(NamedTuple):
    """A field of a struct, or of a variant of an enum; `key` is that of the type."""

    key: str
    variant: str | None
    name: str


class VariantUse(NamedTuple):
    """A variant of the enum with this `key`."""

    key: str
    name: str


class PackageUse(NamedTuple):
    """The file at `path`, which a `use` names by its dotted `name`."""

    name: str
    path: str


class Vocabulary(Enum):
    """Where a word of the language's own stands: `min` and `random` mean different things in different places."""

    CALL = "built-ins and the words that read and act"
    COMBINE = "ways to combine, after `with`"
    EXAMPLE = "options and values of examples"


class WordUse(NamedTuple):
    """A word of the language's own."""

    vocabulary: Vocabulary
    name: str


class TypeUse(NamedTuple):
    """A type of the language's own."""

    name: str


class ItemUse(NamedTuple):
    """A type, constant or function that an item of a file declares."""

    path: str
    item: str


Named: TypeAlias = (
    LocalSymbol | ItemEntity | PortEntity | ParamEntity | FieldUse | VariantUse | PackageUse | WordUse | TypeUse
)
"""What a name can stand for."""


class NameUse(NamedTuple):
    """`named` is noted as an `ItemUse` where it is a file's: what that declares is another matter, and may change."""

    span: Span
    named: Named | ItemUse
    is_write: bool


@dataclass(slots=True, eq=False)
class ItemRecord:
    """What was noted about one item of a file.

    `names` and `fields` are keyed by where the name starts: a pattern's `r` is both a local and a field.
    """

    home: Home
    names: dict[int, NameUse] = field(default_factory=dict)
    fields: dict[int, NameUse] = field(default_factory=dict)
    types: list[tuple[Span, types.Type]] = field(default_factory=list)
    calls: dict[int, syntax.Call] = field(default_factory=dict)
    scope: Scope | None = None
    """A kernel's own."""

    def name(self, name: syntax.Name, named: Named, *, write: bool = False) -> None:
        """`name` stands for `named`; `write` where it is named to be changed."""
        noted: Named | ItemUse = named
        if isinstance(named, (ConstEntity, FunctionEntity, TypeEntity)) and named.scope.parent is None:
            noted = ItemUse(named.home.path, named.home.item)
        if not isinstance(named, LocalSymbol) or named.is_declared:
            self.names.setdefault(name.span.start, NameUse(name.span, noted, write))

    def word(self, name: syntax.Name, vocabulary: Vocabulary) -> None:
        """`name` is a word of the language."""
        self.name(name, WordUse(vocabulary, name.text))

    def field(self, name: syntax.Name, key: str, variant: str | None = None, *, write: bool = False) -> None:
        """`name` is a field of the type with this key."""
        use = NameUse(name.span, FieldUse(key, variant, name.text), write)
        self.fields.setdefault(name.span.start, use)

    def variant(self, name: syntax.Name, key: str) -> None:
        """`name` is a variant of the enum with this key."""
        self.name(name, VariantUse(key, name.text))

    def call(self, node: syntax.Call) -> None:
        """A call of something that is known; `names` says of what."""
        self.calls.setdefault(node.span.start, node)

    def add(self, other: ItemRecord) -> None:
        self.names = other.names | self.names
        self.fields = other.fields | self.fields
        self.types += other.types
        self.calls = other.calls | self.calls
        self.scope = self.scope or other.scope


class LaneFacts(NamedTuple):
    """What the uniformity of a group kernel is; `divergent` is keyed as in `Uniformity`."""

    program: ir.Program
    divergent: Mapping[tuple[int, int], Cause]


class Recorder:
    """The records of a run of the checker, by path and key of the item."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, str], ItemRecord] = {}
        self.lanes: list[LaneFacts] = []

    def item(self, home: Home) -> ItemRecord:
        """The record of an item, empty at first."""
        key = (home.path, home.item)
        record = self.items.get(key)
        if record is None:
            record = self.items[key] = ItemRecord(home)
        return record

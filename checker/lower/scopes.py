"""What names mean: the declarations of a file or kernel, and where they were written.

Types, functions and values are separate namespaces.  A kernel's scope stands inside its file's; a file's scope
also sees the items of the files that it uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from kcheck.checker import ir, types
from kcheck.checker.builtins import ACTING_WORDS
from kcheck.grammar import syntax
from kcheck.grammar.spans import Origin, Span


@dataclass(frozen=True, slots=True)
class Home:
    """The file item that a piece of syntax belongs to; spans inside it count from its start."""

    path: str
    item: str
    text: str = field(default="", compare=False, repr=False)
    """The item's own text, for the fixes that rewrite a part of it."""
    is_whole: bool = field(default=True, compare=False, repr=False)
    """Whether the item has no syntax error."""

    def at(self, span: Span) -> Origin:
        return Origin(self.path, self.item, span)


@dataclass(eq=False, slots=True)
class ConstEntity:
    """A `const`; `value` is computed at its first use."""

    node: syntax.Const
    home: Home
    scope: Scope
    state: str = "new"
    """`new`, `working` (a use now is a cycle) or `done`."""
    value: ir.Const | None = None
    used: bool = False


@dataclass(eq=False, slots=True)
class TypeEntity:
    """A `struct` or `enum`; `type` is computed at its first use."""

    node: syntax.Struct | syntax.Enumeration
    home: Home
    scope: Scope
    state: str = "new"
    type: types.Struct | types.Enum | None = None
    used: bool = False


@dataclass(frozen=True, slots=True)
class Signature:
    """None stands for a type that could not be read; its error is already reported."""

    parameters: tuple[types.Type | None, ...]
    result: types.Type | None


@dataclass(eq=False, slots=True)
class FunctionEntity:
    node: syntax.Function
    home: Home
    scope: Scope
    signature: Signature | None = None
    used: bool = False
    checked: bool = False
    """Whether its body was looked at, for a kernel or on its own."""


@dataclass(eq=False, slots=True)
class PortEntity:
    """`type` is None where it could not be read."""

    node: syntax.Port
    type: types.Field | None
    used: bool = False


@dataclass(eq=False, slots=True)
class ParamEntity:
    node: syntax.Param
    type: types.Type | None
    used: bool = False


ItemEntity: TypeAlias = ConstEntity | TypeEntity | FunctionEntity
ValueEntity: TypeAlias = ConstEntity | PortEntity | ParamEntity


def kind_of(entity: ValueEntity) -> str:
    """What to call it in messages: `constant`, `param`, `input`, `output` or `memory`."""
    match entity:
        case ConstEntity():
            return "constant"
        case ParamEntity():
            return "param"
        case PortEntity():
            return entity.node.kind.value


@dataclass(eq=False, slots=True)
class LocalSymbol:
    """A local of a function; `type` is None after an error."""

    local: int
    type: types.Type | None
    mutable: bool
    what: str
    """What to call it in messages: `let`, `var`, `parameter`, `loop variable`, …"""
    span: Span
    name: str
    used: bool = False
    statement: Span | None = None
    """The `let` or `var` that declares it."""
    removable: bool = False
    """Whether the statement does nothing but declare it."""
    writes: list[Span] = field(default_factory=list)
    """Where it is named to be assigned."""
    prefix: str = ""
    """What a pattern needs before another name: `r: ` where the field `r` is bound under its own name."""


@dataclass(eq=False)
class Scope:
    """The declarations of one file or kernel."""

    home: Home
    parent: Scope | None = None
    package: str = ""
    """The path after the `use` that brought a file in; empty for the file that is checked."""
    imports: list[Scope] = field(default_factory=list)
    types: dict[str, TypeEntity] = field(default_factory=dict)
    consts: dict[str, ConstEntity] = field(default_factory=dict)
    functions: dict[str, FunctionEntity] = field(default_factory=dict)
    ports: dict[str, PortEntity] = field(default_factory=dict)
    params: dict[str, ParamEntity] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    """Names whose declarations could not be read: no further errors about them."""
    incomplete: bool = False
    """Some declarations are not known at all (a broken item without a name, a package that was not found)."""

    def chain(self) -> Iterator[Scope]:
        """This scope, those around it, and then the used files: where a name is looked up, in order."""
        scope: Scope | None = self
        imports: list[Scope] = []
        while scope is not None:
            yield scope
            imports += scope.imports
            scope = scope.parent
        yield from imports

    def find_type(self, name: str) -> TypeEntity | None:
        return next((s.types[name] for s in self.chain() if name in s.types), None)

    def find_function(self, name: str) -> FunctionEntity | None:
        if name in ACTING_WORDS:
            return None
        return next((s.functions[name] for s in self.chain() if name in s.functions), None)

    def find_value(self, name: str) -> ValueEntity | None:
        for scope in self.chain():
            found = scope.ports.get(name) or scope.params.get(name) or scope.consts.get(name)
            if found is not None:
                return found
        return None

    def find_variants(self, name: str) -> list[TypeEntity]:
        """The enums of the nearest level that have a variant of this name."""
        scope: Scope | None = self
        imports: list[Scope] = []
        while scope is not None:
            if found := scope._own_variants(name):
                return found
            imports += scope.imports
            scope = scope.parent
        return [e for used in imports for e in used._own_variants(name)]

    def _own_variants(self, name: str) -> list[TypeEntity]:
        return [
            e
            for e in self.types.values()
            if isinstance(e.node, syntax.Enumeration) and any(v.name.text == name for v in e.node.variants)
        ]

    def rivals(self, namespace: str, name: str) -> list[ItemEntity]:
        """Items of one name in several used files, where nothing nearer has it: nobody knows which is meant."""
        scope: Scope | None = self
        found: list[ItemEntity] = []
        while scope is not None:
            if name in scope.namespace(namespace):
                return []
            found += [s.namespace(namespace)[name] for s in scope.imports if name in s.namespace(namespace)]
            scope = scope.parent
        return found if len(found) > 1 else []

    def namespace(self, which: str) -> Mapping[str, ItemEntity]:
        """The file's or kernel's `types`, `consts` or `functions`."""
        items: Mapping[str, ItemEntity] = getattr(self, which)
        return items

    def excuses(self, name: str) -> bool:
        """Whether a failed look-up of `name` may be the fault of a declaration that could not be read."""
        return any(name in s.broken or s.incomplete for s in self.chain())

    def value_names(self) -> Iterator[str]:
        for scope in self.chain():
            yield from scope.consts
            yield from scope.params
            yield from scope.ports

    def type_names(self) -> Iterator[str]:
        for scope in self.chain():
            yield from scope.types

    def function_names(self) -> Iterator[str]:
        for scope in self.chain():
            yield from scope.functions

"""What names mean: the declarations of a file or kernel, and where they were written.

Types, functions and values are separate namespaces.  A kernel's scope stands inside its file's; a file's scope
also sees the items of the files that it uses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kcheck.checker import ir, types
from kcheck.checker.builtins import ACTING_WORDS
from kcheck.checker.lower.questions import Answer
from kcheck.grammar import syntax
from kcheck.grammar.spans import Origin, Span

if TYPE_CHECKING:
    from kcheck.checker.lower.ledger import Ledger, Page


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
    height: int = 0
    """How many pages of the ledger were being written when the work began."""
    page: Page | None = None
    """Where a file's own constant was worked out."""
    value: ir.Const | None = None
    used: bool = False


@dataclass(eq=False, slots=True)
class TypeEntity:
    """A `struct` or `enum`; `type` is computed at its first use."""

    node: syntax.Struct | syntax.Enumeration
    home: Home
    scope: Scope
    state: str = "new"
    height: int = 0
    page: Page | None = None
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
    page: Page | None = None
    signature: Signature | None = None
    used: bool = False


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
    is_declared: bool = True
    """Whether something declares it, or it is only remembered that nothing does."""
    statement: Span | None = None
    """The `let` or `var` that declares it."""
    removable: bool = False
    """Whether the statement does nothing but declare it."""
    writes: list[Span] = field(default_factory=list)
    """Where it is named to be assigned."""
    prefix: str = ""
    """What a pattern needs before another name: `r: ` where the field `r` is bound under its own name."""


class Meaning(NamedTuple):
    """What a name means in a file; `rivals` are items of that name in several used files, so that nobody knows."""

    item: ItemEntity | None
    rivals: tuple[ItemEntity, ...]


@dataclass(eq=False)
class Scope:
    """The declarations of one file or kernel.

    What lowering learns from a file's scope it asks the ledger for; only a kernel's own scope it looks into.
    """

    home: Home
    ledger: Ledger
    parent: Scope | None = None
    package: str = ""
    """The path after the `use` that brought a file in; empty for the file that is checked."""
    imports: list[Scope] = field(default_factory=list)
    types: dict[str, TypeEntity] = field(default_factory=dict)
    consts: dict[str, ConstEntity] = field(default_factory=dict)
    functions: dict[str, FunctionEntity] = field(default_factory=dict)
    ports: dict[str, PortEntity] = field(default_factory=dict)
    params: dict[str, ParamEntity] = field(default_factory=dict)
    items: dict[str, ItemEntity] = field(default_factory=dict)
    """A file's types, constants and functions by their items' keys."""
    broken: set[str] = field(default_factory=set)
    """Names whose declarations could not be read: no further errors about them."""
    incomplete: bool = False
    """Some declarations are not known at all (a broken item without a name, a package that was not found)."""

    def __post_init__(self) -> None:
        if self.parent is None:
            self.ledger.scopes[self.home.path] = self

    def chain(self) -> Iterator[Scope]:
        """This scope, those around it, and then the used files: where a name is looked up, in order."""
        scope: Scope | None = self
        imports: list[Scope] = []
        while scope is not None:
            yield scope
            imports += scope.imports
            scope = scope.parent
        yield from imports

    # ------------------------------------------------------------ names

    def find_type(self, name: str) -> TypeEntity | None:
        found = self.types.get(name) if self.parent is not None else None
        if found is not None:
            return found
        item = self._meaning("types", name).item
        assert item is None or isinstance(item, TypeEntity)
        return item

    def find_function(self, name: str) -> FunctionEntity | None:
        if name in ACTING_WORDS:
            return None
        found = self.functions.get(name) if self.parent is not None else None
        if found is not None:
            return found
        item = self._meaning("functions", name).item
        assert item is None or isinstance(item, FunctionEntity)
        return item

    def find_value(self, name: str) -> ValueEntity | None:
        found: ValueEntity | None = None
        if self.parent is not None:
            found = self.ports.get(name) or self.params.get(name) or self.consts.get(name)
        if found is not None:
            return found
        item = self._meaning("consts", name).item
        assert item is None or isinstance(item, ConstEntity)
        return item

    def find_variants(self, name: str) -> Sequence[TypeEntity]:
        """The enums of the nearest level that have a variant of this name."""
        found: Sequence[TypeEntity] = self._own_variants(name) if self.parent is not None else ()
        return found or self._ask("variants", name)

    def rivals(self, namespace: str, name: str) -> Sequence[ItemEntity]:
        """Items of one name in several used files, where nothing nearer has it: nobody knows which is meant."""
        if self.parent is not None and name in self.namespace(namespace):
            return ()
        return self._meaning(namespace, name).rivals

    def excuses(self, name: str) -> bool:
        """Whether a failed look-up of `name` may be the fault of a declaration that could not be read."""
        is_own = self.parent is not None and (name in self.broken or self.incomplete)
        return is_own or self._ask("excuses", name)

    def value_names(self) -> Iterator[str]:
        if self.parent is not None:
            yield from (*self.consts, *self.params, *self.ports)
        yield from self._ask("names", "consts")

    def type_names(self) -> Iterator[str]:
        if self.parent is not None:
            yield from self.types
        yield from self._ask("names", "types")

    def function_names(self) -> Iterator[str]:
        if self.parent is not None:
            yield from self.functions
        yield from self._ask("names", "functions")

    def namespace(self, which: str) -> Mapping[str, ItemEntity]:
        """The file's or kernel's `types`, `consts` or `functions`."""
        items: Mapping[str, ItemEntity] = getattr(self, which)
        return items

    def _own_variants(self, name: str) -> list[TypeEntity]:
        return [
            e
            for e in self.types.values()
            if isinstance(e.node, syntax.Enumeration) and any(v.name.text == name for v in e.node.variants)
        ]

    # ------------------------------------------------------------ what files are asked

    def _meaning(self, namespace: str, name: str) -> Meaning:
        meaning: Meaning = self._ask(namespace, name)
        return meaning

    def _ask(self, what: str, name: str) -> Any:
        return self.ledger.ask((what, (self.parent or self).home.path, name))

    def answer(self, what: str, name: str) -> Answer:
        """The answer to a question that is put to a file's scope."""
        match what:
            case "variants":
                enums = self._own_variants(name) or [e for used in self.imports for e in used._own_variants(name)]
                return Answer(enums, tuple(map(identity, enums)))
            case "excuses":
                excused = any(name in s.broken or s.incomplete for s in self.chain())
                return Answer(excused, excused)
            case "names":
                names = tuple(sorted({n for s in self.chain() for n in s.namespace(name)}))
                return Answer(names, names)
            case _:
                own = self.namespace(what).get(name)
                used = [s.namespace(what)[name] for s in self.imports if name in s.namespace(what)]
                found = [own] if own is not None else used
                meaning = Meaning(found[0] if found else None, tuple(found) if len(found) > 1 else ())
                return Answer(meaning, tuple(map(identity, found)))


def identity(entity: ItemEntity) -> tuple[str, ...]:
    """What tells an item of a file from others, and from what it was before an edit."""
    return entity.home.path, entity.home.item, entity.home.text, entity.scope.package

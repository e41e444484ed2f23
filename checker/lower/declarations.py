"""Types, constants and signatures, each worked out at its first use."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import chain

from kcheck.checker import ir, rules, types
from kcheck.checker.evaluate import NotConstant, evaluate
from kcheck.checker.lower import edits, expressions, fixes
from kcheck.checker.lower.context import Expected, FunctionContext, ProgramContext
from kcheck.checker.lower.ledger import Key, Ledger, Page
from kcheck.checker.lower.problems import Problems
from kcheck.checker.lower.questions import UNANSWERED, Answer
from kcheck.checker.lower.recording import Recorder, TypeUse
from kcheck.checker.lower.scopes import (
    ConstEntity,
    FunctionEntity,
    Home,
    ItemEntity,
    Scope,
    Signature,
    TypeEntity,
    identity,
)
from kcheck.checker.near import did_you_mean
from kcheck.checker.rules.rule import Rule
from kcheck.grammar import syntax
from kcheck.grammar.diagnostics import Note
from kcheck.grammar.habits import FOREIGN_TYPES
from kcheck.grammar.spans import Span
from kcheck.grammar.walk import descendants

BASIC_TYPES: dict[str, types.Type] = {
    "Bool": types.BOOL,
    "Int": types.INT,
    "Float": types.FLOAT,
    "Vec2": types.Vec(2),
    "Vec3": types.Vec(3),
    "Vec4": types.Vec(4),
    "Mat2": types.Mat(2),
    "Mat3": types.Mat(3),
    "Mat4": types.Mat(4),
}
FIELD_RANKS = {name: rank for rank, name in types.RANK_NAMES.items()}
IMAGE = types.Field(2, types.Vec(4))
TYPE_NAMES = frozenset({*BASIC_TYPES, *FIELD_RANKS, "Image"})
"""The names of the language's own types."""


MAX_NESTING = 256
"""How many types and constants may wait for each other in chains that go through types."""

MAX_TYPE_DEPTH = 64
"""How many structs, enums and arrays may stand inside each other."""


class Declarations:
    """Resolves what a scope declares; all that is found on the way goes to the ledger's present page.

    What a file declares is a piece of its own, with a page.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        ledger.resolvers |= {
            "type": self._type_answer,
            "constant": self._constant_answer,
            "signature": self._signature_answer,
        }
        self._working: list[TypeEntity | ConstEntity] = []
        self._nesting = 0
        self._measures: dict[str, tuple[int, int]] = {}

    @property
    def problems(self) -> Problems:
        return self.ledger.page.problems

    @property
    def recorder(self) -> Recorder:
        return self.ledger.page.recorder

    # ------------------------------------------------------------ types

    def value_type(self, node: syntax.TypeExpr, scope: Scope, home: Home) -> types.Type | None:
        """The type of a value; None after an error."""
        if isinstance(node, syntax.ArrayType):
            return self._array_type(node, scope, home)
        name = node.name.text
        if name in TYPE_NAMES:
            self.recorder.item(home).name(node.name, TypeUse(name))
        if name in TYPE_NAMES and name not in BASIC_TYPES:
            self.problems.add(
                rules.NOT_A_VALUE.report(
                    home.at(node.span),
                    f"`{name}` is the type of a port, not of a value",
                    notes=(Note("fields are inputs, outputs and memories; a value is one of their elements"),),
                )
            )
            return None
        if node.args:
            self._unknown_arguments(node, home)
            return None
        if name in BASIC_TYPES:
            return BASIC_TYPES[name]
        entity = self.find_type(node.name, scope, home)
        if entity is None:
            self._unknown_type(node, scope, home)
            return None
        self.recorder.item(home).name(node.name, entity)
        return self.type_of(entity)

    def find_type(self, name: syntax.Name, scope: Scope, home: Home) -> TypeEntity | None:
        self.check_clear("types", name, scope, home)
        return scope.find_type(name.text)

    def check_clear(self, namespace: str, name: syntax.Name, scope: Scope, home: Home) -> None:
        """Report a name that two used files declare, where it is used."""
        rivals = scope.rivals(namespace, name.text)
        if rivals:
            notes = tuple(Note("it is declared here", e.home.at(e.node.name.span)) for e in rivals)
            message = f"two of the used files declare `{name.text}`: it is not clear which is meant"
            self.problems.add(rules.DUPLICATE.report(home.at(name.span), message, notes=notes))

    def field_type(self, node: syntax.TypeExpr, scope: Scope, home: Home) -> types.Field | None:
        """The type of a port; None after an error."""
        if isinstance(node, syntax.NamedType):
            name = node.name.text
            rank = FIELD_RANKS.get(name)
            if rank is not None or name == "Image":
                self.recorder.item(home).name(node.name, TypeUse(name))
            if name == "Image" and not node.args:
                return IMAGE
            if rank is not None and len(node.args) == 1:
                element = self.value_type(node.args[0], scope, home)
                return None if element is None else types.Field(rank, element)
            if rank is not None or name == "Image":
                self._unknown_arguments(node, home)
                return None
        if self.value_type(node, scope, home) is not None:
            self.problems.add(
                rules.NOT_A_VALUE.report(
                    home.at(node.span),
                    "a port holds a field, not a single value",
                    notes=(Note("write `Rows<…>`, `Grid<…>`, `Volume<…>` or `Image`; a single value is a `param`"),),
                )
            )
        return None

    def _array_type(self, node: syntax.ArrayType, scope: Scope, home: Home) -> types.Type | None:
        element = self.value_type(node.element, scope, home)
        length = self.constant_int(node.length, scope, home)
        if element is None or length is None:
            return None
        return self.checked_array(element, length, home, node.span)

    def checked_array(self, element: types.Type, length: int, home: Home, span: Span) -> types.Array | None:
        """`[element; length]`, or an error where there is no such type."""
        if length < 1:
            self.problems.add(
                rules.BAD_ARRAY.report(home.at(span), f"an array has at least 1 element, this one has {length}")
            )
            return None
        made = types.Array(element, length)
        count, depth = self._measure(made)
        if count > types.MAX_LEAVES:
            self.problems.add(
                rules.BAD_ARRAY.report(
                    home.at(span),
                    f"a value holds at most {types.MAX_LEAVES} numbers, this one has {count}",
                    notes=(Note("large tables belong in an input (read by `at`) or in a memory"),),
                )
            )
            return None
        if depth > MAX_TYPE_DEPTH:
            message = f"types hold each other at most {MAX_TYPE_DEPTH} deep"
            self.problems.add(rules.NESTED_TOO_DEEPLY.report(home.at(span), message))
            return None
        return made

    def _unknown_arguments(self, node: syntax.NamedType, home: Home) -> None:
        name = node.name.text
        need = "one element type, as in `Grid<Float>`" if name in FIELD_RANKS else "no type in angle brackets"
        made = () if name in FIELD_RANKS else fixes.write(home, node.span, name)
        self.problems.add(rules.UNKNOWN_TYPE.report(home.at(node.span), f"`{name}` takes {need}", fixes=made))

    def _unknown_type(self, node: syntax.NamedType, scope: Scope, home: Home) -> None:
        name = node.name.text
        if scope.excuses(name):
            return
        habit = FOREIGN_TYPES.get(name)
        known = [*TYPE_NAMES, *scope.type_names()]
        hint = f"; write `{habit}`" if habit else did_you_mean(name, known)
        made = fixes.write(home, node.span, habit) if habit else fixes.rename(home, node.name, known)
        message = f"there is no type `{name}`{hint}"
        self.problems.add(rules.UNKNOWN_TYPE.report(home.at(node.span), message, fixes=made))

    def type_of(self, entity: TypeEntity) -> types.Struct | types.Enum | None:
        self._use(entity)
        if entity.state == "working":
            what = f"`{entity.node.name.text}` contains itself, so it would have no end"
            self._cycle(rules.RECURSIVE_TYPE, entity, what, "keep an index (Int) of the other element instead")
            return None
        if entity.state == "new":
            self._find_type(entity)
        self._rest_on("type", entity)
        return entity.type

    def _find_type(self, entity: TypeEntity) -> None:
        self._start(entity)
        self._nesting += 1
        key = piece_key("type", entity)
        if entity.scope.parent is not None:
            entity.type = self._build_type(entity) if self._fits(entity) else None
        else:
            page = self.ledger.recalled(key) if self._nesting <= MAX_NESTING else None
            if page is None:
                with self.ledger.piece(key) as page:
                    page.made = self._build_type(entity) if self._fits(entity) else None
            entity.page, entity.type = page, page.made
        self._nesting -= 1
        self._end()

    def _type_answer(self, path: str, item: str) -> Answer:
        entity = self.ledger.item(path, item)
        if not isinstance(entity, TypeEntity) or entity.state == "working":
            return UNANSWERED
        if entity.state == "new":
            self._find_type(entity)
        return _answer(entity.page)

    def _use(self, entity: TypeEntity | ConstEntity) -> None:
        entity.used = True
        self.ledger.page.unread += not entity.home.is_whole

    def _rest_on(self, what: str, entity: ItemEntity) -> None:
        """Note that the present page needs what a file's item declares; it was worked out by now."""
        if entity.page is not None:
            page = self.ledger.page
            page.asked[what, entity.home.path, entity.home.item] = _answer(entity.page).mark
            page.unread += entity.page.unread > 0
            page.problems.errors += entity.page.errors > 0

    def _start(self, entity: TypeEntity | ConstEntity) -> None:
        entity.state, entity.height = "working", self.ledger.height
        self._working.append(entity)

    def _end(self) -> None:
        self._working.pop().state = "done"

    def _fits(self, entity: TypeEntity | ConstEntity) -> bool:
        """Whether not too many types and constants wait for this one; reports it where they do."""
        if self._nesting <= MAX_NESTING:
            return True
        message = f"declarations need each other more than {MAX_NESTING} deep here"
        name = entity.node.name
        self.problems.add(rules.NESTED_TOO_DEEPLY.report(entity.home.at(name.span), message))
        self.ledger.spoil(entity.height)
        return False

    def _cycle(self, rule: Rule, entity: TypeEntity | ConstEntity, message: str, *advice: str) -> None:
        """Report that `entity`, which is being worked out, needs itself; the notes show the circle."""
        self.ledger.spoil(entity.height)
        circle = self._working[self._working.index(entity) :]
        path = " → ".join(f"`{e.node.name.text}`" for e in (*circle, entity))
        notes = [Note(path)] if len(circle) > 1 else []
        notes += [Note(f"`{e.node.name.text}` is declared here", e.home.at(e.node.name.span)) for e in circle[1:]]
        notes += [Note(a) for a in advice]
        self.problems.add(rule.report(entity.home.at(entity.node.name.span), message, notes=tuple(notes)))

    def _build_type(self, entity: TypeEntity) -> types.Struct | types.Enum | None:
        node = entity.node
        place = entity.scope.package if entity.scope.parent is None else entity.home.item
        key = f"{place}.{node.name.text}" if place else node.name.text
        if isinstance(node, syntax.Struct):
            fields = self._fields(node.fields, entity)
            built: types.Struct | types.Enum | None
            built = None if fields is None or node.errors else types.Struct(node.name.text, key, fields)
        else:
            built = self._build_enum(node, entity, key)
        return built if built is None or self._is_moderate(built, entity) else None

    def _is_moderate(self, built: types.Struct | types.Enum, entity: TypeEntity) -> bool:
        """Whether a type is neither too large nor too deep for those who walk it; reports it where it is."""
        name = entity.node.name
        count, depth = self._measure(built)
        if count > types.MAX_LEAVES:
            message = f"a value holds at most {types.MAX_LEAVES} numbers, `{name.text}` has {count}"
            self.problems.add(rules.BAD_ARRAY.report(entity.home.at(name.span), message))
        elif depth > MAX_TYPE_DEPTH:
            message = f"types hold each other at most {MAX_TYPE_DEPTH} deep, `{name.text}` is {depth} deep"
            self.problems.add(rules.NESTED_TOO_DEEPLY.report(entity.home.at(name.span), message))
        else:
            return True
        return False

    def _measure(self, type_: types.Type) -> tuple[int, int]:
        """How many scalars a type holds (a part without any counts as one), and how deep its parts nest."""
        match type_:
            case types.Struct() | types.Enum():
                known = self._measures.get(type_.key)
                if known is None:
                    known = self._measures[type_.key] = self._measure_parts(type_)
                return known
            case types.Array():
                count, depth = self._measure(type_.element)
                return type_.length * count, depth + 1
            case _:
                return types.leaf_count(type_), 0

    def _measure_parts(self, type_: types.Struct | types.Enum) -> tuple[int, int]:
        variants = type_.variants if isinstance(type_, types.Enum) else (type_,)
        parts = [self._measure(f.type) for v in variants for f in v.fields]
        own = 1 if isinstance(type_, types.Enum) or not parts else 0
        return own + sum(count for count, _ in parts), 1 + max((depth for _, depth in parts), default=0)

    def _build_enum(self, node: syntax.Enumeration, entity: TypeEntity, key: str) -> types.Enum | None:
        good = self._no_duplicates(node.variants, entity.home, "variant")
        variants = []
        for variant in node.variants:
            if variant.name.text == "tag":
                good = False
                self.problems.add(
                    rules.DUPLICATE.report(
                        entity.home.at(variant.name.span),
                        "a variant cannot be called `tag`: in arrays that is the name of the variant's number",
                    )
                )
            fields = self._fields(variant.fields, entity)
            good = good and fields is not None and not variant.errors
            variants.append(types.Variant(variant.name.text, fields or ()))
        if node.errors:
            return None
        if not variants:
            good = False
            self.problems.add(
                rules.RECURSIVE_TYPE.report(
                    entity.home.at(node.name.span), f"`{node.name.text}` has no variant, so it has no value"
                )
            )
            return None
        return types.Enum(node.name.text, key, tuple(variants)) if good else None

    def _fields(self, nodes: tuple[syntax.FieldDecl, ...], entity: TypeEntity) -> tuple[types.FieldOf, ...] | None:
        good = self._no_duplicates(nodes, entity.home, "field")
        found = [(n.name.text, self.value_type(n.type, entity.scope, entity.home)) for n in nodes]
        fields = tuple(types.FieldOf(name, type_) for name, type_ in found if type_ is not None)
        return fields if good and len(fields) == len(found) else None

    def _no_duplicates(
        self, nodes: Sequence[syntax.FieldDecl | syntax.VariantDecl | syntax.Parameter], home: Home, what: str
    ) -> bool:
        seen: dict[str, syntax.Name] = {}
        for node in nodes:
            name = node.name
            if name.text in seen:
                if isinstance(node, syntax.Parameter):  # the calls give a value for it
                    made = fixes.rename_to(home, name, fixes.free_name(name.text, (n.name.text for n in nodes)))
                else:
                    whole = edits.with_separator(home, node.span, ";,")
                    made = fixes.remove(home, whole, f"the second `{name.text}`")
                self.problems.add(
                    rules.DUPLICATE.report(
                        home.at(name.span),
                        f"a second {what} `{name.text}`",
                        notes=(Note(f"the first `{name.text}` is here", home.at(seen[name.text].span)),),
                        fixes=made,
                    )
                )
            seen.setdefault(name.text, name)
        return len(seen) == len(nodes)

    # ------------------------------------------------------------ functions

    def signature(self, entity: FunctionEntity) -> Signature:
        if entity.signature is None:
            self._find_signature(entity)
        self._rest_on("signature", entity)
        assert entity.signature is not None
        return entity.signature

    def _find_signature(self, entity: FunctionEntity) -> None:
        if entity.scope.parent is not None:
            entity.signature = self._build_signature(entity)
            return
        key = piece_key("signature", entity)
        page = self.ledger.recalled(key)
        if page is None:
            with self.ledger.piece(key) as page:
                page.made = self._build_signature(entity)
        entity.page, entity.signature = page, page.made

    def _build_signature(self, entity: FunctionEntity) -> Signature:
        node = entity.node
        good = self._no_duplicates(node.parameters, entity.home, "parameter")
        found = [self.value_type(p.type, entity.scope, entity.home) for p in node.parameters]
        return Signature(
            tuple(type_ if good else None for type_ in found),
            types.UNIT if node.result is None else self.value_type(node.result, entity.scope, entity.home),
        )

    def _signature_answer(self, path: str, item: str) -> Answer:
        entity = self.ledger.item(path, item)
        if not isinstance(entity, FunctionEntity):
            return UNANSWERED
        if entity.signature is None:
            self._find_signature(entity)
        return _answer(entity.page)

    # ------------------------------------------------------------ constants

    def constant(self, entity: ConstEntity) -> ir.Const | None:
        """The value of a `const`; None after an error."""
        self._use(entity)
        if entity.state == "working":
            self._cycle(rules.CONST_CYCLE, entity, f"the value of `{entity.node.name.text}` depends on itself")
            return None
        if entity.state == "new":
            self._find_values(entity)
        self._rest_on("constant", entity)
        return entity.value

    def _find_values(self, entity: ConstEntity) -> None:
        """The value of a constant after those that it needs: no recursion along chains of constants."""
        pending = [self._steps(entity)]
        while pending:
            needed = next(pending[-1], None)
            if needed is None:
                pending.pop()
            else:
                pending.append(self._steps(needed))

    def _steps(self, entity: ConstEntity) -> Iterator[ConstEntity]:
        """Work out a constant; gives those that have to be worked out before it goes on."""
        self._start(entity)
        if entity.scope.parent is not None:
            yield from self._new(_needed(entity))
            entity.value = self._nested_value(entity)
        else:
            entity.page = yield from self._constant_page(entity)
            entity.value = entity.page.made
        self._end()

    def _constant_page(self, entity: ConstEntity) -> Generator[ConstEntity, None, Page]:
        key = piece_key("constant", entity)
        for kept in self.ledger.kept(key):
            if (yield from self._holds(kept)):
                self.ledger.pages.append(kept)
                return kept
        page = self.ledger.open(key)
        yield from self._new(_needed(entity))
        page.made = self._nested_value(entity)
        return self.ledger.close()

    def _new(self, needed: Iterable[ConstEntity]) -> Iterator[ConstEntity]:
        for entity in needed:
            if entity.state == "new":
                yield entity
            if entity.state == "done":
                self._rest_on("constant", entity)

    def _holds(self, page: Page) -> Generator[ConstEntity, None, bool]:
        """As `Ledger.recalled`, but without recursion."""
        for question, mark in page.asked.items():
            what, path, item = question
            if what == "constant":
                entity = self.ledger.item(path, item)
                if isinstance(entity, ConstEntity) and entity.state == "new":
                    yield entity
            self._nesting += 1
            is_same = self._nesting <= MAX_NESTING and self.ledger.mark(question) == mark
            self._nesting -= 1
            if not is_same:
                return False
        return True

    def _constant_answer(self, path: str, item: str) -> Answer:
        entity = self.ledger.item(path, item)
        if not isinstance(entity, ConstEntity) or entity.state == "working":
            return UNANSWERED
        if entity.state == "new":
            self._find_values(entity)
        return _answer(entity.page)

    def _nested_value(self, entity: ConstEntity) -> ir.Const | None:
        self._nesting += 1
        value = self._value_of(entity) if self._fits(entity) else None
        self._nesting -= 1
        return value

    def _value_of(self, entity: ConstEntity) -> ir.Const | None:
        type_ = self.value_type(entity.node.type, entity.scope, entity.home)
        return self.constant_value(entity.node.value, type_, entity.scope, entity.home)

    def constant_value(
        self, node: syntax.Expr, type_: types.Type | None, scope: Scope, home: Home, *, spread: bool = False
    ) -> ir.Const | None:
        """The value of a constant expression that should have type `type_` (of any type where that is None).

        Where `spread`, a Float stands for all components of a vector or matrix.
        """
        program = ProgramContext(self, scope, rank=1)
        context = FunctionContext(program, home, scope, "constant", Expected(type_), constant=True)
        value = expressions.lower(context, node, type_)
        if value is not None and spread and value.type is types.FLOAT and type_ is not None:
            value = expressions.splat(context, value, type_, node.span)
        if value is None or (type_ is not None and not expressions.matches(context, value, type_, node)):
            return None
        if context.statements:
            context.not_constant(node.span)
            return None
        try:
            return evaluate(value)
        except NotConstant as problem:
            context.not_constant(context.origins[problem.node.id].span)
            return None

    def constant_int(self, node: syntax.Expr, scope: Scope, home: Home) -> int | None:
        value = self.constant_value(node, types.INT, scope, home)
        return None if value is None else int(value.leaves[0])


def _needed(entity: ConstEntity) -> Iterator[ConstEntity]:
    """The constants that a constant names."""
    for node in chain(descendants(entity.node.type), descendants(entity.node.value)):
        if isinstance(node, syntax.NameRef):
            found = entity.scope.find_value(node.name.text)
            if isinstance(found, ConstEntity):
                yield found


def piece_key(what: str, entity: ItemEntity) -> Key:
    """The key of a piece about an item."""
    return (what, *identity(entity))


def _answer(page: Page | None) -> Answer:
    """What a page says to those who need what it made."""
    assert page is not None
    return Answer(page.made, (page.made, page.errors > 0, page.unread > 0))
